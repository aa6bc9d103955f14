package loop

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
)

// Result is what a load came to.
type Result struct {
	// Window holds the measured part, Tail what was answered after its end.
	Window, Tail *Tally
	// Started is when the load began; Length how long the window was.
	Started time.Time
	Length  time.Duration
	// Unfinished transactions had no answer when the time to wait for one after the end was over. GivenUp had failed and
	// were not tried again, because the end had come: their errors are in Window or Tail.
	Unfinished, GivenUp int
	Outages             []Outage
	// Unmade is why connections were missing at the window's end, and had been for a second;
	// nil where none were.
	Unmade error
	// Silences are the times in which transactions waited and none was completed.
	Silences []Silence
	// Timeline is nil where the job does not ask for it.
	Timeline *Timeline
	// Ledger is what was acknowledged to each connection, of a workload with numbered
	// transactions.
	Ledger  []workload.Account
	Network Network
	Self    Self
	Loops   int
}

// Self is what the generator itself used during the window.
type Self struct {
	// User and System are the process's CPU time, all threads.
	User, System time.Duration
	// Ran and Waited are the loops' time on a processor and waiting for one; of the
	// busiest loop in Busiest (0 to 1, share of the window it ran or waited to run).
	Ran, Waited time.Duration
	// Preempted is the time in which open loops preempted, because they had to wait.
	Preempted time.Duration
	Busiest   float64
	// Calls are the system calls of the loops.
	Calls Calls
	// Throttled is how long the CPU quota of the process's cgroup held it up in the time
	// Watched: the window, and of a job that takes turns the load of its counted turns.
	Throttled, Watched time.Duration
	// MaxRSS is the largest resident memory of the process, in bytes.
	MaxRSS int64
	// Late is how long after the start the last loop began; 0 of an open loop, which begins
	// with its first arrival and has Lateness.
	Late time.Duration
}

// Run makes the connections, sends the load, shows the intervals as they end and
// returns the whole. It returns the first error that ends the load, with a Result
// of what was measured until then where there was a window.
func Run(ctx context.Context, j *Job, show func(Interval)) (*Result, error) {
	loops, handed, err := prepareLoops(ctx, j)
	if err != nil {
		return nil, err
	}
	if j.Turns == nil { // otherwise jobs end at different times; see Reserve
		defer Reserve(len(loops))()
	}
	slow := newThreshold()
	for _, l := range loops {
		l.slow = slow
	}
	base, err := j.begin(loops)
	if err != nil {
		return nil, err
	}
	if j.Began != nil {
		j.Began(base)
	}
	gathered := make(chan struct{})
	go func() {
		defer close(gathered)
		gather(j, len(loops), handed, slow, show)
	}()
	cpu := &processUse{}
	defer cpu.watch(base, j)()
	err = runLoops(ctx, loops, base)
	close(handed)
	<-gathered
	r := result(j, loops, base)
	if j.Turns == nil {
		r.Self.User, r.Self.System = cpu.used()
		r.Self.Throttled, r.Self.Watched = cpu.throttled()
	}
	r.Self.MaxRSS = highWater()
	return r, err
}

// begin is the start of the load.
func (j *Job) begin(loops []*Loop) (time.Time, error) {
	agree := j.Agree
	if j.Turns != nil {
		agree = j.Turns.Begin
	}
	switch {
	case agree != nil:
		base, err := agree()
		if err != nil {
			for _, l := range loops {
				l.close()
			}
		}
		return base, err
	case j.Start.IsZero():
		return time.Now(), nil
	}
	return j.Start, nil
}

// Reserve gives the runtime one P more than there are loops, which keep theirs, and
// returns what restores the number. Of jobs that take turns the caller reserves for
// two, as one is on and the next begins.
func Reserve(loops int) (restore func()) {
	before := runtime.GOMAXPROCS(0)
	if before > loops {
		return func() {}
	}
	runtime.GOMAXPROCS(loops + 1)
	return func() { runtime.GOMAXPROCS(before) }
}

// prepareLoops makes the loops and all connections.
func prepareLoops(ctx context.Context, j *Job) ([]*Loop, chan handover, error) {
	n := j.Loops
	if n <= 0 {
		n = j.loopsOn(runtime.NumCPU())
	}
	n = min(n, j.Connections)
	left := newBudget(j)
	handed := make(chan handover, 64*n)
	var loops []*Loop
	var err error
	for i := range n {
		var l *Loop
		if l, err = newLoop(j, i, n, left, handed); err != nil {
			break
		}
		loops = append(loops, l)
	}
	left.loops = loops
	if err == nil {
		err = connectAll(ctx, j, loops)
	}
	if err != nil {
		for _, l := range loops {
			l.close()
		}
		return nil, nil, err
	}
	return loops, handed, nil
}

// connectAll makes the connections, some at a time, and deals them out.
func connectAll(ctx context.Context, j *Job, loops []*Loop) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	conns := make([]*connection, j.Connections)
	made := make([]redialed, j.Connections)
	gate := make(chan struct{}, max(1, j.DialAtOnce))
	var group sync.WaitGroup
	for i := range conns {
		gate <- struct{}{}
		group.Go(func() {
			defer func() { <-gate }()
			r := &made[i]
			if r.err = ctx.Err(); r.err != nil {
				return
			}
			if *r = connectWithRetry(ctx, j, j.First+i, loops[0].prepare); r.err != nil {
				cancel(fmt.Errorf("make connection %d of %d: %w", i+1, len(made), r.err))
			}
		})
	}
	group.Wait()
	first := context.Cause(ctx) // of all that failed, the one that came first
	for i, r := range made {
		if r.wire == nil {
			continue
		}
		l := loops[i%len(loops)]
		c := newConnection(j.Program, len(l.conns), j.First+i, j.Program.NewDraws(j.Seed, j.First+i))
		conns[i] = c
		l.conns = append(l.conns, c)
		if err := l.adopt(c, r); err != nil && first == nil {
			first = err
		}
		if l.open {
			l.idle = append(l.idle, c)
		}
	}
	return first
}

// connectWithRetry tries again where the network, not the server, refused: a busy
// server's listener resets a connection now and then before it greets.
func connectWithRetry(ctx context.Context, j *Job, number int, prepare []string) (r redialed) {
	for attempt := range 3 {
		if attempt > 0 {
			time.Sleep(100 * time.Millisecond)
		}
		var refused *wire.ServerError
		if r = connect(ctx, j, number, prepare); r.err == nil || errors.As(r.err, &refused) || ctx.Err() != nil {
			break
		}
	}
	return r
}

func runLoops(ctx context.Context, loops []*Loop, base time.Time) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(loops))
	var group sync.WaitGroup
	for i, l := range loops {
		l.base = base
		group.Go(func() {
			if errs[i] = l.run(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func result(j *Job, loops []*Loop, base time.Time) *Result {
	r := &Result{Started: base, Loops: len(loops)}
	r.Window, r.Tail, r.Timeline = j.newWindow(), j.newWindow(), j.newTimeline()
	var outages, silences, gaps [][]Outage
	for i, l := range loops {
		if l.measured == nil {
			l.measured, l.windowEnd = l.window, l.now
		}
		r.Window.Merge(l.measured)
		r.Tail.Merge(l.tail)
		r.Timeline.merge(l.timeline)
		length, on := l.length()
		r.Length = max(r.Length, length)
		r.Unfinished, r.GivenUp = r.Unfinished+l.busy, r.GivenUp+l.givenUp
		if r.Unmade == nil {
			r.Unmade = l.unmade
		}
		l.service.end(max(l.windowEnd, 0))
		outages, silences, gaps = append(outages, l.service.outages), append(silences, l.service.silences), append(gaps, l.service.gaps)
		r.Self.Late = max(r.Self.Late, time.Duration(l.late))
		r.Ledger = append(r.Ledger, l.accounts()...)
		r.Self.Ran += time.Duration(l.own.ran)
		r.Self.Waited += time.Duration(l.own.waited)
		r.Self.Calls = r.Self.Calls.plus(l.own.calls)
		r.Self.Preempted += time.Duration(l.own.preempted)
		if on > 0 {
			busy := l.own.ran + l.own.waited
			if j.Turns != nil {
				// All arms wait for a processor in the same cycles, but for what an arm's own
				// neighbour takes, and that is part of what the arm costs.
				busy = l.own.ran
			}
			r.Self.Busiest = max(r.Self.Busiest, float64(busy)/float64(on))
		}
		if j.Turns != nil {
			r.Self.User, r.Self.System = r.Self.User+l.own.user, r.Self.System+l.own.system
			if i == 0 { // which counts for the whole process
				r.Self.Throttled, r.Self.Watched = l.own.throttled, on
			}
		}
		r.Network = merge(r.Network, l.network)
	}
	if first := loops[0]; first.open {
		r.Window.leaveUnsent(first.arrivals.unsent(first.dueDates.count), first.left.spent())
	}
	end := r.Length + j.Warmup
	if j.Turns != nil {
		end = time.Duration(j.Turns.Schedule.Turns()) * j.Turns.Schedule.Load()
	}
	r.Outages = together(outages, gaps, end)
	for _, o := range together(silences, gaps, end) {
		if s := (Silence{o.FirstFailure, until(o, end)}); s.To-s.From >= silence {
			r.Silences = append(r.Silences, s)
		}
	}
	return r
}

// length is how long the window was, and how long load was offered in it, counted or
// not.
func (l *Loop) length() (window, on time.Duration) {
	if t := l.turns; t != nil {
		s := t.Schedule
		return time.Duration(t.slices) * s.Slice, time.Duration(t.slices) * s.Load()
	}
	end := time.Duration(l.windowEnd)
	if l.job.Time > 0 {
		end = min(end, l.job.Warmup+l.job.Time)
	}
	return end - l.job.Warmup, end - l.job.Warmup
}

func merge(a, b Network) Network {
	if a.Sockets < b.Sockets {
		a, b = b, a
	}
	a.Sockets += b.Sockets
	a.Retransmits += b.Retransmits
	a.Slowest = max(a.Slowest, b.Slowest)
	return a
}

// Statements names the statements of a program in the order of Tally.Statements.
func Statements(p *workload.Program) []string {
	var names []string
	for _, s := range p.Statements {
		names = append(names, s.Name)
	}
	return names
}
