package node

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// RunNeighbour is the work of a neighbour's process: it waits for a line on in
// that says what to do, takes its memory, begins, says so on out, and goes on until
// in or ctx ends. When in ends before the first line, it does nothing. In turns it says so before it
// begins, and prints [Followed] when they are over.
func RunNeighbour(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lines := bufio.NewReader(in)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return nil
	}
	var w Work
	if err := json.Unmarshal(line, &w); err != nil {
		return fmt.Errorf("read the neighbour's work: %w", err)
	}
	held, err := hold(w.Memory)
	if err != nil {
		return err
	}
	var over <-chan time.Time
	follower, err := w.follow(lines, out)
	if err != nil || w.Turns != nil && follower == nil {
		return err
	}
	if follower != nil {
		over = time.After(time.Until(follower.end()))
	}
	go func() {
		_, _ = io.Copy(io.Discard, lines) // its end is what counts, not why
		cancel(nil)
	}()
	if err := w.begin(ctx, follower, cancel); err != nil {
		return err
	}
	if follower == nil {
		if _, err := io.WriteString(out, AtWork); err != nil {
			return fmt.Errorf("report that the neighbour works: %w", err)
		}
	}
	for {
		select {
		case <-over:
			if err := json.NewEncoder(out).Encode(follower.followed()); err != nil {
				return fmt.Errorf("report the neighbour's turns: %w", err)
			}
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
				return err
			}
			return nil
		case <-time.After(time.Second):
			touch(held)
		}
	}
}

// follow waits until a neighbour in turns is told when they begin; nil for one that works all the time, and for one
// that is never told.
func (w Work) follow(lines *bufio.Reader, out io.Writer) (*Follower, error) {
	if w.Turns == nil {
		return nil, nil
	}
	if err := w.Turns.Schedule.Check(); err != nil {
		return nil, fmt.Errorf("read the neighbour's turns: %w", err)
	}
	if _, err := io.WriteString(out, AtWork); err != nil {
		return nil, fmt.Errorf("report that the neighbour works: %w", err)
	}
	line, err := lines.ReadString('\n')
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("wait for the neighbour's turns: %w", err)
	}
	begin, err := parseBegin(line, time.Now())
	if err != nil {
		return nil, err
	}
	return &Follower{turns: *w.Turns, begin: begin, worked: map[int]bool{}}, nil
}

// on waits until the thread may work; false when it has to end. The time is asked for at every step of the work,
// some ten microseconds.
func (p *pace) on(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	if p.of == nil {
		return true
	}
	now := time.Now()
	if now.Before(p.to) && !now.Before(p.from) {
		return true
	}
	from, ok := p.due(now)
	if !ok {
		return false
	}
	if left := from.Sub(now); left > 0 {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(left):
		}
	}
	p.woken(time.Now())
	return true
}

// hold maps memory and touches all of it. It is not Go's heap, whose collector
// would give it back or move it.
func hold(memory Bytes) ([]byte, error) {
	if memory == 0 {
		return nil, nil
	}
	b, err := unix.Mmap(-1, 0, int(memory), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("take %v of memory: %w", memory, err)
	}
	touch(b)
	return b, nil
}

// touch writes to every page, so that none counts as unused.
func touch(b []byte) {
	for i := 0; i < len(b); i += os.Getpagesize() {
		b[i]++
	}
}

// burn starts the threads that use up cpu until ctx ends.
func burn(ctx context.Context, f *Follower, cpu CPU) {
	for ; cpu > 0; cpu -= 1000 {
		share := min(cpu, 1000)
		go func() {
			runtime.LockOSThread()
			if share == 1000 {
				spin(ctx, pace{of: f})
			} else {
				dutyCycle(ctx, pace{of: f}, time.Duration(share)*cycle/1000)
			}
		}()
	}
}

func spin(ctx context.Context, p pace) {
	for x := uint64(1); p.on(ctx); {
		x = work(x)
	}
}

// cycle is short against the 100 ms of a CFS period, so that a fraction of a
// CPU looks the same to every period.
const cycle = 10 * time.Millisecond

// dutyCycle uses share of CPU time in every cycle, or what it gets of it: what
// one cycle could not use is not made up for in the next.
func dutyCycle(ctx context.Context, p pace, share time.Duration) {
	x := uint64(1)
	for next := time.Now(); p.on(ctx); {
		if off := time.Since(next); off > cycle { // a turn began
			next = time.Now()
		}
		next = next.Add(cycle)
		until := threadTime() + share
		for threadTime() < until && time.Now().Before(next) {
			x = work(x)
		}
		if left := time.Until(next); left > 0 {
			time.Sleep(left)
		} else {
			next = time.Now()
		}
	}
}

// threadTime is the CPU time of the calling thread.
func threadTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic(err) // the clock exists since Linux 2.6.12
	}
	return time.Duration(ts.Nano())
}

// work takes some ten microseconds and stays within a core: what a neighbour
// takes from the server here is time, not cache or memory bandwidth.
//
//go:noinline
func work(x uint64) uint64 {
	for range 10_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
