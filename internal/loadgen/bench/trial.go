package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// outcome is what one measured process did and used.
type outcome struct {
	cpu       float64 // seconds, user and system, from start to end
	rss       int64   // bytes, of the engine
	window    float64 // the engine's own CPU seconds per transaction, without making connections
	mean, p95 float64 // latencies in ms
	inServer  float64 // seconds of a statement in the server, of the open cell
}

// load is what one process is to do; rate is that of an open loop, 0 for a closed one.
type load struct {
	kind, workload string
	threads, rate  int
	cpu            int    // to pin it to, if not negative
	schema         string // its tables, of a load that takes turns with another: it goes on until it is stopped
}

// trials runs one trial of each kind, in an order that turns from pair to pair so
// that a drift of the machine falls on all.
func trials(ctx context.Context, turn int, of load, run func(context.Context, load) (outcome, error), kinds ...string) ([]outcome, error) {
	out := make([]outcome, len(kinds))
	for i := range kinds {
		k := (i + turn) % len(kinds)
		of.kind = kinds[k]
		var err error
		if out[k], err = run(ctx, of); err != nil {
			return nil, fmt.Errorf("%s %s@%d: %w", of.kind, of.workload, of.threads, err)
		}
	}
	return out, nil
}

// trial runs one process.
func (b *bench) trial(ctx context.Context, of load) (outcome, error) {
	if of.kind == "sysbench" {
		args := append(b.sysbenchArgs(b.tables, b.rows), "--threads="+strconv.Itoa(of.threads), "--rate="+strconv.Itoa(of.rate),
			"--time="+strconv.Itoa(b.seconds), of.workload, "run")
		stdout, o, err := measured(ctx, of.cpu, "sysbench", args...)
		if err != nil {
			return o, err
		}
		return o, o.readSysbench(stdout)
	}
	argv, err := b.childArgs(of, b.seconds)
	if err != nil {
		return outcome{}, err
	}
	stdout, o, err := measured(ctx, of.cpu, argv[0], argv[1:]...)
	if err != nil {
		return o, err
	}
	var r childResult
	if err := json.Unmarshal(stdout, &r); err != nil {
		return o, fmt.Errorf("read result: %w", err)
	}
	o.window, o.rss, o.mean, o.p95 = r.WindowCPU, r.RSS, r.Mean, r.P95
	return o, nil
}

// childArgs is the command line of a process of this program that loads the server.
func (b *bench) childArgs(of load, seconds int) ([]string, error) {
	address := b.server.address
	if of.schema != "" {
		address.Schema = of.schema
	}
	spec, err := json.Marshal(childSpec{Kind: of.kind, Workload: of.workload, Threads: of.threads, Rate: of.rate, Seconds: seconds,
		Tables: b.tables, Rows: b.rows, Address: address, Announce: of.schema != ""})
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	return []string{self, "-child", string(spec)}, err
}

// measured runs a command and takes its CPU time.
func measured(ctx context.Context, cpu int, name string, args ...string) ([]byte, outcome, error) {
	argv := pinned(cpu, append([]string{name}, args...))
	runtime.LockOSThread() // see spawn.StartHeld
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		return nil, outcome{}, fmt.Errorf("%w: %s%s", err, stderr.String(), stdout)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return nil, outcome{}, fmt.Errorf("no resource usage of %s", name)
	}
	return stdout, outcome{cpu: float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9}, nil
}

var (
	meanLine = regexp.MustCompile(`avg: +([\d.]+)`)
	p95Line  = regexp.MustCompile(`95th percentile: +([\d.]+)`)
)

// readSysbench reads what sysbench prints at its end, latencies in milliseconds.
func (o *outcome) readSysbench(stdout []byte) error {
	for line, to := range map[*regexp.Regexp]*float64{meanLine: &o.mean, p95Line: &o.p95} {
		found := line.FindSubmatch(stdout)
		if found == nil {
			return fmt.Errorf("sysbench printed nothing like %q: %s", line, stdout)
		}
		var err error
		if *to, err = strconv.ParseFloat(string(found[1]), 64); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) sysbenchArgs(tables, rows int) []string {
	a := b.server.address
	return []string{"--mysql-host=" + a.Host, "--mysql-port=" + strconv.Itoa(a.Port), "--mysql-user=" + a.User,
		"--tables=" + strconv.Itoa(tables), "--table-size=" + strconv.Itoa(rows)}
}

// timePrepare makes the data of the prepare cell and says how long it took, and how
// much CPU time server and client had meanwhile.
func (b *bench) timePrepare(ctx context.Context, kind string) (took, cpu float64, err error) {
	before, err := cpuTime(os.Getpid(), b.server.cmd.Process.Pid)
	if err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	var child outcome
	if kind == "sysbench" {
		args := append(b.sysbenchArgs(b.prepareTables, b.prepareRows), "--threads=10", "oltp_read_only", "prepare")
		_, child, err = measured(ctx, -1, "sysbench", args...)
	} else {
		err = b.server.prepare(ctx, b.server.address.Schema, b.prepareTables, b.prepareRows)
	}
	if err != nil {
		return 0, 0, err
	}
	took = time.Since(begun).Seconds()
	after, err := cpuTime(os.Getpid(), b.server.cmd.Process.Pid)
	return took, after - before + child.cpu, err
}

// cpuTime is what processes have used since they began, in seconds.
func cpuTime(pids ...int) (sum float64, err error) {
	for _, pid := range pids {
		p, err := procfs.NewProc(pid)
		if err != nil {
			return 0, err
		}
		s, err := p.Stat()
		if err != nil {
			return 0, err
		}
		sum += s.CPUTime()
	}
	return sum, nil
}

// setAffinity pins every thread of a process.
func setAffinity(pid int, cpus ...int) error {
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return err
	}
	for _, t := range threads {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			return err
		}
		if err := unix.SchedSetaffinity(tid, &set); err != nil && err != unix.ESRCH {
			return fmt.Errorf("pin thread %d: %w", tid, err)
		}
	}
	return nil
}
