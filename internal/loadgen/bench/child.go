package main

import (
	"context"
	"encoding/json"
	"os"
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload"
)

// childSpec says what a measured process is to do. The server is the bench's own
// and its user has no password.
type childSpec struct {
	Kind, Workload   string
	Threads, Seconds int
	Tables, Rows     int
	Address          mysqld.Address
}

// childResult is what it prints.
type childResult struct {
	Transactions int64
	Seconds      float64
	WindowCPU    float64 // seconds per transaction
	RSS          int64
}

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
	var r childResult
	if s.Kind == "floor" {
		r, err = runFloor(ctx, j)
	} else {
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
	return childResult{n, r.Length.Seconds(), (r.Self.User + r.Self.System).Seconds() / float64(n), r.Self.MaxRSS}, nil
}

func runFloor(ctx context.Context, j *loop.Job) (childResult, error) {
	f, err := loop.NewFloor(ctx, j)
	if err != nil {
		return childResult{}, err
	}
	// Recording is not part of it, nor is making connections.
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	n, err := f.Run(j.Time)
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	cpu := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	return childResult{n, j.Time.Seconds(), float64(cpu) / 1e9 / float64(n), 0}, err
}
