package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload"
)

// childSpec says what a measured process is to do. The server is the bench's own
// and its user has no password.
type childSpec struct {
	Kind, Workload   string
	Threads, Seconds int
	Rate             int // transactions/s of an open loop, 0 for a closed one
	Tables, Rows     int
	Address          mysqld.Address
	Announce         bool // print a line when the load begins
}

// childResult is what it prints.
type childResult struct {
	Transactions int64
	Seconds      float64
	WindowCPU    float64 // seconds per transaction
	RSS          int64
	Mean, P95    float64 // ms
	Statements   int64
	Calls        loop.Calls
}

// The loops that the engine is compared with: the second one times its transactions.
const (
	bareLoop  = "bare loop"
	timedLoop = "timed loop"
)

// child is one measured process: the engine, or the bare loop.
func child(ctx context.Context, text string) error {
	var s childSpec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	o := workload.Defaults()
	o.Tables, o.TableSize, o.Threads = s.Tables, s.Rows, s.Threads
	p, err := workload.Build(s.Workload, o)
	if err != nil {
		return err
	}
	d, err := wire.NewDialer(s.Address)
	if err != nil {
		return err
	}
	j := &loop.Job{Program: p, Dial: d.Dial, Connections: s.Threads, Seed: uint64(time.Now().UnixNano()),
		Time: time.Duration(s.Seconds) * time.Second, Interval: time.Second, Drain: 10 * time.Second, DialAtOnce: 16}
	if s.Rate > 0 {
		schedule := pace.Schedule{{Length: j.Time, From: float64(s.Rate), To: float64(s.Rate)}}
		j.Arrivals = new(pace.Poisson(schedule, j.Seed))
	}
	announce := func() error { return nil }
	if s.Announce {
		announce = func() error { _, err := fmt.Fprintln(os.Stdout, "begun"); return err }
		j.Agree = func() (time.Time, error) { return time.Now(), announce() }
	}
	var r childResult
	switch s.Kind {
	case bareLoop, timedLoop:
		r, err = runFloor(ctx, j, s.Kind == timedLoop, announce)
	default:
		r, err = runEngine(ctx, j)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

func runEngine(ctx context.Context, j *loop.Job) (childResult, error) {
	r, err := loop.Run(ctx, j, func(loop.Interval) {})
	if err != nil {
		return childResult{}, err
	}
	n := r.Window.Transactions
	latency := r.Window.Latency
	return childResult{Transactions: n, Seconds: r.Length.Seconds(), WindowCPU: (r.Self.User + r.Self.System).Seconds() / float64(n),
		RSS: r.Self.MaxRSS, Mean: latency.Mean() / 1e6, P95: float64(latency.Percentile(95)) / 1e6,
		Statements: r.Window.Queries(), Calls: r.Self.Calls}, nil
}

func runFloor(ctx context.Context, j *loop.Job, timed bool, announce func() error) (childResult, error) {
	f, err := loop.NewFloor(ctx, j)
	if err != nil {
		return childResult{}, err
	}
	f.Timed = timed
	if err := announce(); err != nil {
		return childResult{}, err
	}
	// Recording is not part of it, nor is making connections.
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	n, err := f.Run(ctx, j.Time)
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	cpu := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	return childResult{Transactions: n, Seconds: j.Time.Seconds(), WindowCPU: float64(cpu) / 1e9 / float64(n),
		Mean: f.Latency.Mean() / 1e6, Statements: f.Calls.Sends, Calls: f.Calls}, err
}
