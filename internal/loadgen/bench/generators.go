package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/loadgen/summary"
	"github.com/tarebench/tare/internal/record"
)

// spread is one load of many generators, each a process, as each is a pod in a cluster.
type spread struct {
	Generators int `json:"generators"`
	// StartMS is the time between the first generator that began and the last, AgreedMS
	// that between the starts that they had agreed on: the rest is waiting for a CPU.
	StartMS  float64 `json:"start_spread_ms"`
	AgreedMS float64 `json:"agreed_spread_ms"`
	// ControllerCPU is the CPU time of the process that starts, hears and merges them, for
	// every second of the load.
	ControllerCPU float64 `json:"controller_cpu"`
	// KiBPerSecond is what they print, which in a cluster passes the API server's logs.
	KiBPerSecond float64 `json:"printed_kib_per_s"`
	// Transactions are those of the merged window. The cell fails if they, or any count of
	// the latency histogram, are not the sum of the parts.
	Transactions int64   `json:"transactions"`
	LoadAverage  float64 `json:"load_average"` // of the machine, before the load
}

// generatorsCell measures loads that many generators share.
func (b *bench) generatorsCell(ctx context.Context) error {
	for i := range b.pairs {
		s, err := b.spreadLoad(ctx, fmt.Sprintf("generators-%d", i))
		if err != nil {
			return fmt.Errorf("%d generators: %w", b.generators, err)
		}
		fmt.Fprintf(os.Stderr, "generators run %d: %d began within %.2f ms (agreed: %.2f ms); %.3f CPUs for the controller; %.0f KiB/s printed; %d transactions; load average %.1f\n",
			i+1, s.Generators, s.StartMS, s.AgreedMS, s.ControllerCPU, s.KiBPerSecond, s.Transactions, s.LoadAverage)
		b.out.Spread = append(b.out.Spread, s)
	}
	return nil
}

// spreadLoad is one load.
func (b *bench) spreadLoad(ctx context.Context, run string) (spread, error) {
	s := spread{Generators: b.generators}
	var err error
	if s.LoadAverage, err = loadAverage(); err != nil {
		return s, err
	}
	job := loadgen.Job{Workload: "oltp_point_select", Tables: b.tables, Rows: int64(b.rows), Threads: b.generators,
		Measure: time.Duration(b.seconds) * time.Second, Seed: 1, Server: b.server.address}
	p := &parts{reports: make([]*summary.Summary, b.generators)}
	var window *record.Window
	begun := time.Time{}
	var before syscall.Rusage
	outcome, reason, err := loadgen.Distribute(ctx, job, b.generators, run, p.generate, func(l record.Line) error {
		switch {
		case l.Window != nil:
			window = l.Window
		case l.Interval != nil && begun.IsZero(): // from here on they load: starting processes is a cluster's work
			begun = time.Now()
			return syscall.Getrusage(syscall.RUSAGE_SELF, &before)
		}
		return nil
	})
	if err != nil || outcome != record.Measured {
		return s, fmt.Errorf("%s %s: %w", outcome, reason, err)
	}
	var after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		return s, err
	}
	s.ControllerCPU = float64(after.Utime.Nano()+after.Stime.Nano()-before.Utime.Nano()-before.Stime.Nano()) / float64(time.Since(begun))
	s.KiBPerSecond = float64(p.printed) / 1024 / job.Measure.Seconds()
	s.Transactions = window.Counts.Transactions
	s.AgreedMS, s.StartMS = p.startSpread()
	return s, p.sameSum(window)
}

// parts are the generators' own reports, read beside those who merge them.
type parts struct {
	mu      sync.Mutex
	reports []*summary.Summary
	printed int64 // bytes
}

// generate starts a process for each generator.
func (p *parts) generate(ctx context.Context, job []byte, line func(int, []byte) error) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ended := make(chan error, len(p.reports))
	for number := range p.reports {
		go func() { ended <- p.generator(ctx, self, number, job, line) }()
	}
	for range p.reports {
		err = errors.Join(err, <-ended)
	}
	return err
}

func (p *parts) generator(ctx context.Context, self string, number int, job []byte, line func(int, []byte) error) error {
	runtime.LockOSThread() // see spawn.StartHeld
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, self, "-generator", strconv.Itoa(number))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(job), &stderr
	// Lines are passed on as they come, as those of a pod's log are.
	out := &lines{each: func(text []byte) error {
		if err := p.read(number, text); err != nil {
			return err
		}
		return line(number, text)
	}}
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("generator %d: %w: %s", number, err, stderr.Bytes())
	}
	return nil
}

// lines calls each with every whole line that is written.
type lines struct {
	each func(text []byte) error
	rest []byte
}

func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end < 0 {
			return len(b), nil
		}
		if err := l.each(l.rest[:end+1]); err != nil {
			return 0, err
		}
		l.rest = l.rest[end+1:]
	}
}

// read keeps the report of a generator.
func (p *parts) read(number int, text []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.printed += int64(len(text))
	if !bytes.HasPrefix(text, []byte(`{"report"`)) {
		return nil
	}
	var v struct{ Report *summary.Summary }
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	p.reports[number] = v.Report
	return nil
}

// startSpread is the time from the first generator's start to the last's, as agreed and as
// it was, in ms: all are processes of one machine, so their clocks are one.
func (p *parts) startSpread() (agreed, begun float64) {
	var starts, begins []time.Time
	for _, r := range p.reports {
		starts = append(starts, r.Started)
		begins = append(begins, r.Started.Add(time.Duration(r.Generator.StartLateSeconds*float64(time.Second))))
	}
	return between(starts), between(begins)
}

// between is the time from the earliest to the latest, in ms.
func between(all []time.Time) float64 {
	return float64(slices.MaxFunc(all, time.Time.Compare).Sub(slices.MinFunc(all, time.Time.Compare))) / float64(time.Millisecond)
}

// sameSum compares the merged window with the sum of the parts: transactions, and every
// count of the histogram.
func (p *parts) sameSum(w *record.Window) error {
	var transactions int64
	sum := map[int64]int64{}
	for _, r := range p.reports {
		transactions += r.Counts.Transactions
		for _, c := range r.Latency.Histogram.Counts {
			sum[c[0]] += c[1]
		}
	}
	for _, c := range w.Latency.Histogram.Counts {
		sum[c[0]] -= c[1]
	}
	for value, left := range sum {
		if left != 0 {
			return fmt.Errorf("merge: %d operations of %d ns are not in the merged histogram", left, value)
		}
	}
	if transactions != w.Counts.Transactions {
		return fmt.Errorf("merge: %d transactions in the parts, %d merged", transactions, w.Counts.Transactions)
	}
	return nil
}

// generator is one process of a load that many share; the job is on its standard input.
func generator(ctx context.Context, number int) error {
	var job bytes.Buffer
	if _, err := job.ReadFrom(os.Stdin); err != nil {
		return err
	}
	return loadgen.RunPart(ctx, job.Bytes(), number, os.Stdout)
}

// loadAverage is that of the last minute.
func loadAverage() (float64, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, err
	}
	load, err := fs.LoadAvg()
	if err != nil {
		return 0, err
	}
	return load.Load1, nil
}
