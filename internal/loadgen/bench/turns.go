package main

// The throughput cells by slices: the engine's process and sysbench's are up at once and take
// turns on one server, so that both meet the same moments of a machine that others use.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// A turn begins with a lead-in that does not count: the server's caches are the other load's
// before, and transactions that were stopped in the middle end.
const (
	turnLeadIn  = 150 * time.Millisecond
	turnCounted = 300 * time.Millisecond
)

// sysbenchSchema has the tables of sysbench's process, which is stopped in the middle of
// transactions: the engine must not meet their locks.
const sysbenchSchema = "sbtest2"

// A client is one load's process, stopped (SIGSTOP) but in its turns.
type client struct {
	name       string
	schema     string // with its tables
	cmd        *exec.Cmd
	ended      chan struct{}
	statements float64
	seconds    float64
}

// rate is the statements per second of all turns. Both loads send the same statements in a
// transaction, BEGIN and COMMIT too, so that their ratio is that of the transactions; and the
// server counts them itself, for both alike.
func (c *client) rate() float64 { return c.statements / c.seconds }

// throughputRatio starts both clients anew and has them take turns until each has been counted
// for b.seconds: tare's throughput by sysbench's.
func (b *bench) throughputRatio(ctx context.Context, workload string, threads int) (float64, error) {
	observer, err := b.observer(ctx)
	if err != nil {
		return 0, err
	}
	defer observer.Close()
	// Both go on until they are killed.
	argv, err := b.childArgs("tare", workload, threads, int(time.Hour.Seconds()))
	if err != nil {
		return 0, err
	}
	args := append(b.sysbenchArgs(b.tables, b.rows), "--mysql-db="+sysbenchSchema, "--threads="+strconv.Itoa(threads), "--time=0", "--events=0", workload, "run")
	clients := []*client{
		{name: "tare", schema: b.server.address.Schema, cmd: exec.Command(argv[0], argv[1:]...)},
		{name: "sysbench", schema: sysbenchSchema, cmd: exec.Command("sysbench", args...)},
	}
	for _, c := range clients {
		if err := c.start(); err != nil {
			return 0, err
		}
		defer c.stop()
		// One after the other: whoever connects while the other sends has less to wait for.
		if err := connected(ctx, observer, c, threads); err != nil {
			return 0, err
		}
	}
	for clients[0].seconds < float64(b.seconds) {
		for _, k := range rand.Perm(len(clients)) {
			if err := clients[k].turn(ctx, observer); err != nil {
				return 0, fmt.Errorf("%s %s@%d: %w", clients[k].name, workload, threads, err)
			}
		}
	}
	return clients[0].rate() / clients[1].rate(), nil
}

func (c *client) start() error {
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", c.name, err)
	}
	c.ended = make(chan struct{})
	go func() {
		_ = c.cmd.Wait()
		close(c.ended)
	}()
	return nil
}

func (c *client) stop() {
	_ = c.cmd.Process.Kill()
	<-c.ended
}

// turn lets the client send, counts after the lead-in, and stops it again.
func (c *client) turn(ctx context.Context, observer *wire.Session) error {
	if err := c.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		return err
	}
	if err := wait(ctx, c, turnLeadIn); err != nil {
		return err
	}
	n0, t0, err := questions(ctx, observer)
	if err != nil {
		return err
	}
	if err := wait(ctx, c, turnCounted); err != nil {
		return err
	}
	n1, t1, err := questions(ctx, observer)
	if err != nil {
		return err
	}
	c.statements, c.seconds = c.statements+n1-n0, c.seconds+t1-t0
	return c.cmd.Process.Signal(syscall.SIGSTOP)
}

// wait lets time pass while the client lives.
func wait(ctx context.Context, c *client, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ended:
		return errors.New("the load ended by itself")
	case <-time.After(d):
		return nil
	}
}

// connected waits until the client has all its connections, and stops it.
func connected(ctx context.Context, observer *wire.Session, c *client, threads int) error {
	for {
		rows, err := observer.Query(ctx, "SELECT COUNT(*) FROM performance_schema.threads WHERE PROCESSLIST_DB = '"+c.schema+"'")
		if err != nil {
			return err
		}
		if n, err := strconv.Atoi(rows[0][0]); err != nil || n >= threads {
			return errors.Join(err, c.cmd.Process.Signal(syscall.SIGSTOP))
		}
		if err := wait(ctx, c, 10*time.Millisecond); err != nil {
			return fmt.Errorf("connect %s: %w", c.name, err)
		}
	}
}

// questions is how many statements clients have sent to the server, and when it said so, in
// seconds of its own clock: the answer may have waited for a CPU on its way.
func questions(ctx context.Context, observer *wire.Session) (n, at float64, err error) {
	rows, err := observer.Query(ctx, "SELECT VARIABLE_VALUE, UNIX_TIMESTAMP(SYSDATE(6)) FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Questions'")
	if err != nil {
		return 0, 0, err
	}
	n, err = strconv.ParseFloat(rows[0][0], 64)
	if err != nil {
		return 0, 0, err
	}
	at, err = strconv.ParseFloat(rows[0][1], 64)
	return n, at, err
}

// observer is a connection that counts, in a schema that is nobody's.
func (b *bench) observer(ctx context.Context) (*wire.Session, error) {
	address := b.server.address
	address.Schema = "performance_schema"
	d, err := wire.NewDialer(address)
	if err != nil {
		return nil, err
	}
	return d.Dial(ctx)
}
