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
	idleTicks  float64 // of all CPUs in its counted time, as allTicks
	allTicks   float64
}

// rate is the statements per second of all turns. Both loads send the same statements in a
// transaction, BEGIN and COMMIT too, so that their ratio is that of the transactions; and the
// server counts them itself, for both alike.
func (c *client) rate() float64 { return c.statements / c.seconds }

// idle is how much of the CPUs nobody used in its turns, in %.
func (c *client) idle() float64 { return 100 * c.idleTicks / c.allTicks }

// takeTurns starts tare and sysbench and has them take turns until each has been counted for
// b.seconds.
func (b *bench) takeTurns(ctx context.Context, of cell) ([]*client, error) {
	workload, threads := of.workload, of.threads
	observer, err := b.observer(ctx)
	if err != nil {
		return nil, err
	}
	defer observer.Close()
	// Both go on until they are killed.
	argv, err := b.childArgs(load{kind: "tare", workload: workload, threads: threads}, int(time.Hour.Seconds()))
	if err != nil {
		return nil, err
	}
	args := append(b.sysbenchArgs(b.tables, b.rows), "--mysql-db="+sysbenchSchema, "--threads="+strconv.Itoa(threads), "--time=0", "--events=0", workload, "run")
	clients := []*client{
		{name: "tare", schema: b.server.address.Schema, cmd: exec.Command(argv[0], argv[1:]...)},
		{name: "sysbench", schema: sysbenchSchema, cmd: exec.Command("sysbench", args...)},
	}
	for _, c := range clients {
		if err := c.start(); err != nil {
			return nil, err
		}
		defer c.stop()
		// One after the other: whoever connects while the other sends has less to wait for.
		if err := connected(ctx, observer, c, threads); err != nil {
			return nil, err
		}
	}
	for clients[0].seconds < float64(b.seconds) {
		for _, k := range rand.Perm(len(clients)) {
			if err := clients[k].turn(ctx, observer); err != nil {
				return nil, fmt.Errorf("%s %s@%d: %w", clients[k].name, workload, threads, err)
			}
		}
	}
	return clients, nil
}

func (c *client) start() (err error) {
	if c.ended, err = launch(c.cmd); err != nil {
		return fmt.Errorf("start %s: %w", c.name, err)
	}
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
	a, err := reading(ctx, observer)
	if err != nil {
		return err
	}
	if err := wait(ctx, c, turnCounted); err != nil {
		return err
	}
	b, err := reading(ctx, observer)
	if err != nil {
		return err
	}
	c.statements, c.seconds = c.statements+b.questions-a.questions, c.seconds+b.at-a.at
	c.idleTicks, c.allTicks = c.idleTicks+b.idle-a.idle, c.allTicks+b.all-a.all
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

// counts are what a turn is counted by: the statements that clients have sent to the server, when
// it said so, in seconds of its own clock, as the answer may have waited for a CPU on its way,
// and the ticks of the CPUs.
type counts struct{ questions, at, idle, all float64 }

func reading(ctx context.Context, observer *wire.Session) (c counts, err error) {
	c.questions, c.at, err = twoNumbers(ctx, observer, "SELECT VARIABLE_VALUE, UNIX_TIMESTAMP(SYSDATE(6)) FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Questions'")
	if err != nil {
		return c, err
	}
	c.idle, c.all, err = idleTime()
	return c, err
}

// twoNumbers is the only row of a statement.
func twoNumbers(ctx context.Context, observer *wire.Session, sql string) (a, b float64, err error) {
	rows, err := observer.Query(ctx, sql)
	if err != nil {
		return 0, 0, err
	}
	if a, err = strconv.ParseFloat(rows[0][0], 64); err != nil {
		return 0, 0, err
	}
	b, err = strconv.ParseFloat(rows[0][1], 64)
	return a, b, err
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
