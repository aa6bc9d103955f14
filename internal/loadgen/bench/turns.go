package main

// Cells by slices: the processes of several loads are up at once and take turns on one server, so that all
// meet the same moments of a machine that others use.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

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

// timedSchema has those of the third load of a floor cell.
const timedSchema = "sbtest3"

// A client is one load's process, stopped (SIGSTOP) but in its turns.
type client struct {
	name       string
	schema     string // with its tables
	cmd        *exec.Cmd
	ours       bool          // a process of this program, which says when it begins and what it counted
	pipe       *os.File      // to the standard output of such a process
	stdout     *bufio.Reader // of pipe
	ended      chan struct{}
	counted    time.Duration // of each turn
	statements float64
	seconds    float64
	cpu        float64 // CPU seconds of the process in its counted time
	result     childResult
	idleTicks  float64 // of all CPUs in its counted time, as allTicks
	allTicks   float64
}

// cpuPerStatement is the CPU time of the process for each statement of all turns.
func (c *client) cpuPerStatement() float64 { return c.cpu / c.statements }

// rate is the statements per second of all turns. Both loads send the same statements in a
// transaction, BEGIN and COMMIT too, so that their ratio is that of the transactions; and the
// server counts them itself, for both alike.
func (c *client) rate() float64 { return c.statements / c.seconds }

// idle is how much of the CPUs was idle in its turns, in %.
func (c *client) idle() float64 { return 100 * c.idleTicks / c.allTicks }

// takeTurns starts tare and sysbench, on one CPU or, with -1, on all, and has them take turns until each has been
// counted for b.seconds.
func (b *bench) takeTurns(ctx context.Context, of cell, cpu int, counted time.Duration) (tare, sysbench *client, err error) {
	if tare, err = b.ours("tare", load{kind: "tare", workload: of.workload, threads: of.threads, cpu: cpu, schema: b.server.address.Schema}); err != nil {
		return nil, nil, err
	}
	args := append(b.sysbenchArgs(b.tables, b.rows), "--mysql-db="+sysbenchSchema, "--threads="+strconv.Itoa(of.threads), "--time=0", "--events=0", of.workload, "run")
	argv := pinned(cpu, append([]string{"sysbench"}, args...))
	sysbench = &client{name: "sysbench", schema: sysbenchSchema, cmd: exec.Command(argv[0], argv[1:]...)}
	tare.counted, sysbench.counted = counted, counted
	return tare, sysbench, b.inTurns(ctx, of, []*client{tare, sysbench})
}

// pinned is a command that runs on one CPU, or, with -1, on all.
func pinned(cpu int, argv []string) []string {
	if cpu < 0 {
		return argv
	}
	return append([]string{"taskset", "-c", strconv.Itoa(cpu)}, argv...)
}

// ours is a client that is a process of this program. It loads the server until it is stopped.
func (b *bench) ours(name string, of load) (*client, error) {
	argv, err := b.childArgs(of, int(time.Hour.Seconds()))
	if err != nil {
		return nil, err
	}
	argv = pinned(of.cpu, argv)
	return &client{name: name, schema: of.schema, ours: true, cmd: exec.Command(argv[0], argv[1:]...)}, nil
}

// inTurns starts the clients and has them take turns until each has been counted for b.seconds. Those of this program
// then end by themselves and say what they counted.
func (b *bench) inTurns(ctx context.Context, of cell, clients []*client) error {
	observer, err := b.observer(ctx)
	if err != nil {
		return err
	}
	defer observer.Close()
	for _, c := range clients {
		if err := c.start(); err != nil {
			return err
		}
		defer c.stop()
		// One after the other: whoever connects while the other sends has less to wait for.
		if err := c.ready(ctx, observer, of.threads); err != nil {
			return err
		}
	}
	for clients[0].seconds < float64(b.seconds) {
		for _, k := range rand.Perm(len(clients)) {
			if err := clients[k].turn(ctx, observer); err != nil {
				return fmt.Errorf("%s %s: %w", clients[k].name, of, err)
			}
		}
	}
	for _, c := range clients {
		if !c.ours {
			continue
		}
		if c.result, err = c.finish(); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) start() (err error) {
	if c.ours {
		// Not that of [exec.Cmd.StdoutPipe]: it is closed when the process ends, read or not.
		out, in, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("start %s: %w", c.name, err)
		}
		defer in.Close()
		c.cmd.Stdout, c.stdout, c.pipe = in, bufio.NewReader(out), out
	}
	if c.ended, err = launch(c.cmd); err != nil {
		return fmt.Errorf("start %s: %w", c.name, err)
	}
	return nil
}

// ready waits until the client loads the server, and stops it.
func (c *client) ready(ctx context.Context, observer *wire.Session, threads int) error {
	if !c.ours {
		return connected(ctx, observer, c, threads)
	}
	if _, err := c.stdout.ReadString('\n'); err != nil {
		return fmt.Errorf("start %s: %w", c.name, err)
	}
	return c.cmd.Process.Signal(syscall.SIGSTOP)
}

// finish ends a client of this program and reads what it counted.
func (c *client) finish() (r childResult, err error) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGCONT} {
		if err := c.cmd.Process.Signal(s); err != nil {
			return r, err
		}
	}
	text, err := io.ReadAll(c.stdout)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("read result of %s: %w", c.name, err)
	}
	return r, nil
}

func (c *client) stop() {
	_ = c.cmd.Process.Kill()
	<-c.ended
	if c.pipe != nil {
		c.pipe.Close()
	}
}

// turn lets the client send, counts after the lead-in, and stops it again.
func (c *client) turn(ctx context.Context, observer *wire.Session) error {
	if err := c.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		return err
	}
	if err := wait(ctx, c, turnLeadIn); err != nil {
		return err
	}
	a, err := reading(ctx, observer, c.cmd.Process.Pid)
	if err != nil {
		return err
	}
	if err := wait(ctx, c, c.counted); err != nil {
		return err
	}
	b, err := reading(ctx, observer, c.cmd.Process.Pid)
	if err != nil {
		return err
	}
	c.statements, c.seconds = c.statements+b.questions-a.questions, c.seconds+b.at-a.at
	c.cpu += b.cpu - a.cpu
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
// the CPU seconds of the client, and the ticks of the CPUs.
type counts struct{ questions, at, cpu, idle, all float64 }

func reading(ctx context.Context, observer *wire.Session, pid int) (c counts, err error) {
	c.questions, c.at, err = twoNumbers(ctx, observer, "SELECT VARIABLE_VALUE, UNIX_TIMESTAMP(SYSDATE(6)) FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Questions'")
	if err != nil {
		return c, err
	}
	if c.cpu, err = processTime(pid); err != nil {
		return c, err
	}
	c.idle, c.all, err = idleTime()
	return c, err
}

// processTime is the CPU time of a process in seconds, to the nanosecond: /proc/PID/stat has ticks of 10 ms. The
// clock's number is that of clock_getcpuclockid(3).
func processTime(pid int) (float64, error) {
	const scheduler = 2 // CPUCLOCK_SCHED, include/linux/posix-timers_types.h
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduler), &t); err != nil {
		return 0, fmt.Errorf("read CPU time of process %d: %w", pid, err)
	}
	return float64(t.Nano()) / 1e9, nil
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

// observer is a connection that counts, without a schema.
func (b *bench) observer(ctx context.Context) (*wire.Session, error) {
	address := b.server.address
	address.Schema = "performance_schema"
	d, err := wire.NewDialer(address)
	if err != nil {
		return nil, err
	}
	return d.Dial(ctx)
}
