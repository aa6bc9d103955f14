package loadgen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/workload"
)

// sysbench runs the real program, version 1.0 or newer, with its own Lua
// scripts or the user's.
type sysbench struct {
	program string
}

// Sysbench is the engine that runs the sysbench program at path, or the one on
// PATH where path is "".
func Sysbench(path string) Engine {
	if path == "" {
		path = "sysbench"
	}
	return sysbench{program: path}
}

func (s sysbench) Name() string { return "sysbench" }

// Prepare runs the workload's prepare command.
func (s sysbench) Prepare(ctx context.Context, j Job, log io.Writer) error {
	threads := max(j.PrepareThreads, 1)
	if w, ok := workload.Find(j.Workload); ok && w.TablePerThread {
		threads = j.Threads
	}
	return s.command(ctx, j, "prepare", threads, log)
}

// Cleanup runs the workload's cleanup command.
func (s sysbench) Cleanup(ctx context.Context, j Job, log io.Writer) error {
	threads := 1
	if w, ok := workload.Find(j.Workload); ok && w.TablePerThread {
		threads = j.Threads
	}
	return s.command(ctx, j, "cleanup", threads, log)
}

func (s sysbench) command(ctx context.Context, j Job, command string, threads int, log io.Writer) error {
	known, err := s.workloadOptions(ctx, j.Workload)
	if err != nil {
		return err
	}
	config, err := writeConfig(j)
	if err != nil {
		return err
	}
	defer os.Remove(config)
	args := append(arguments(j, known, config, threads), scriptOf(j.Workload), command)
	last := &tail{}
	if err := s.start(ctx, j, args, io.MultiWriter(log, last)); err != nil {
		return fmt.Errorf("run sysbench %s %s: %w%s", j.Workload, command, err, last.why())
	}
	return nil
}

// Verifies is false: no workload of sysbench has conditions.
func (sysbench) Verifies(Job) bool { return false }

// Verify has nothing to check.
func (sysbench) Verify(context.Context, Job) error { return nil }

// Run runs the workload's run command: warm-up and measured window in one go.
func (s sysbench) Run(ctx context.Context, j Job, emit func(record.Line) error) (record.Outcome, string, error) {
	fail := func(err error) (record.Outcome, string, error) { return record.Failed, err.Error(), err }
	known, err := s.workloadOptions(ctx, j.Workload)
	if err != nil {
		return fail(err)
	}
	config, err := writeConfig(j)
	if err != nil {
		return fail(err)
	}
	defer os.Remove(config)
	for _, m := range metrics() {
		if err := emit(record.Line{Metric: &m}); err != nil {
			return fail(err)
		}
	}
	args := append(arguments(j, known, config, j.Threads), runArguments(j)...)
	seen := s.watch(ctx, j, append(args, scriptOf(j.Workload), "run"), emit)
	if err := context.Cause(ctx); err != nil {
		return fail(fmt.Errorf("run sysbench: %w", err))
	}
	if err := seen.unreadable(); err != nil {
		return fail(err)
	}
	if err := seen.conclude(j, emit); err != nil {
		return fail(err)
	}
	return seen.outcome()
}

// observed is what a run of sysbench left behind.
type observed struct {
	log      *sysbenchLog
	parse    error // the output could not be read, or not be handed on
	measured series
	window   *record.Window
	exit     error
	overdue  bool // sysbench did not end by itself
	last     tail
}

// unreadable is why the output is not that of a run, nil where it is. A sysbench
// that did not even start says so by its exit, not by its empty output.
func (o *observed) unreadable() error {
	switch {
	case o.parse == nil:
		return nil
	case o.exit != nil && (errors.Is(o.parse, ErrEmptyLog) || errors.Is(o.parse, ErrNotSysbench)):
		return fmt.Errorf("run sysbench: %w%s", o.exit, o.last.why())
	}
	return fmt.Errorf("run sysbench: %w", o.parse)
}

// errOverdue ends a sysbench that does not end by itself.
var errOverdue = errors.New("sysbench did not end in time")

// The longest that sysbench may take beyond warm-up and window: its threads may
// take 30 s to connect (THREAD_INIT_TIMEOUT, sysbench.c), and transactions that
// hang are given forcedShutdown. The rest is for a machine that is busy.
const (
	forcedShutdown = 30 * time.Second
	patience       = 30*time.Second + forcedShutdown + 30*time.Second
)

// watch starts sysbench and hands on what it prints, as it prints it.
func (s sysbench) watch(ctx context.Context, j Job, args []string, emit func(record.Line) error) *observed {
	ctx, cancel := context.WithTimeoutCause(ctx, j.Warmup+j.Measure+patience, errOverdue)
	defer cancel()
	seen := &observed{}
	begin := time.Now()
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		out := io.MultiWriter(orDiscard(j.Log), &seen.last, write)
		err := s.start(ctx, j, args, out)
		write.Close()
		ended <- err
	}()
	seen.log, seen.parse = parseSysbench("sysbench", read, sink{
		interval: func(i record.Interval) error {
			i.Warmup = i.End <= j.Warmup.Seconds()
			if i.End == j.Warmup.Seconds() {
				// The checkpoint at its end took the latencies of this interval.
				i.Percentile, i.Latency = 0, 0
			}
			if !i.Warmup {
				seen.measured.add(i)
			}
			return emit(record.Line{Interval: &i})
		},
		event: func(e record.Event) error {
			e.At = time.Since(begin)
			return emit(record.Line{Event: &e})
		},
	})
	if seen.parse != nil {
		cancel() // the output is not read further
	}
	read.Close()
	seen.exit = <-ended
	seen.overdue = errors.Is(context.Cause(ctx), errOverdue)
	return seen
}

// conclude emits what is known at the end only.
func (o *observed) conclude(j Job, emit func(record.Line) error) error {
	if o.log.version != "" {
		version := record.Fact{Key: keys.EngineVersion, Value: "sysbench " + o.log.version, Source: "sysbench's first line"}
		if err := emit(record.Line{Fact: &version}); err != nil {
			return err
		}
	}
	o.window = o.log.window(j.Warmup > 0, &o.measured)
	if o.window == nil {
		return nil
	}
	return emit(record.Line{Window: o.window})
}

func orDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}
