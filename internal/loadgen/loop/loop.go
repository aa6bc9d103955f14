package loop

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// Sizes of a loop's buffers, which all its connections share: what an answer
// does not need beyond the read that brought it is not kept.
const (
	receiveSize = 256 << 10
	eventsSize  = 512
)

// wakeUp is the event that says something is in the inbox.
const wakeUp = -1

// Loop is one thread's share of a job.
type Loop struct {
	job        *Job
	number, of int
	statements []statement
	prepare    []string
	conns      []*connection

	poller
	events   [eventsSize]event
	in       *wire.Receiver
	received received // into in, before its event is handled
	out      []byte
	types    []byte // of the parameters of a statement whose types vary

	// spacing is the time between two transactions that the limit leaves this loop, 0
	// without one; allowed is when the next may begin.
	spacing, allowed int64

	base  time.Time // the load begins; times below are nanoseconds since
	begun bool
	late  int64  // when it began
	now   int64  // when the current batch of events was there
	turns *turns // nil for a job that has the server to itself
	// wall is the wall clock less the time since base, for the kernel's stamps;
	// wallAt is when it was compared last.
	wall, wallAt int64
	stamps       bool // the kernel stamps what arrives
	phase        phase
	left         *budget // transactions yet to begin, of all loops together

	// window is what is measured, before and after it what is not; series is the
	// current step.
	window, series *Tally
	measured, tail *Tally
	// typical is a moving mean of the statements' latency.
	typical   int64
	batch     int  // events of the last wait
	rested    bool // before it
	gathering gathering
	measures  bool  // the window has begun
	windowEnd int64 // when the window was closed, 0 before
	stopped   int64 // when the load was stopped from outside, 0 before
	spare     chan *Tally
	handed    chan<- handover
	step      int64      // the time between two handovers
	boundary  int64      // end of the current step
	slow      *threshold // of all loops together; Run sets it

	open     bool
	arrivals *arrivals // of all loops together
	dueDates dueDates  // of the first loop
	claimed  int64     // due time of the operation that this loop has claimed, forever for none
	idle     []*connection
	busy     int // connections with a transaction under way
	// idleNoted says that the other loops know that this one has nothing left to do.
	idleNoted bool
	givenUp   int // transactions that failed and are not tried again, because the end has come
	timers    timers
	service   service
	broken    bool      // a connection was broken, and all may not be whole again
	timeline  *Timeline // nil where the job does not ask for it
	failure   error     // ends the load
	unmade    error     // why connections were missing at the window's end
	own       ownUse
	network   Network
	// contention and waited are an open loop's: waited is the longest wait for a CPU in the
	// current batch, -1 for none that is known.
	contention contention
	waited     int64

	ctx     context.Context // of the attempts to connect again; close ends it
	hangUp  context.CancelFunc
	dials   chan struct{}  // as many attempts at a time as it holds
	dialing sync.WaitGroup // the attempts under way
	called  atomic.Bool    // something is in the inbox, or was
	inbox   struct {
		sync.Mutex
		ready  []redialed
		stop   bool
		moved  bool // Job.Routes has changed
		closed bool
	}
}

type phase uint8

const (
	waiting   phase = iota // connections are there, the start is not
	warming                // load, not measured
	measuring              // load, measured
	draining               // no new transactions
)

func newLoop(j *Job, number, of int, left *budget, handed chan<- handover) (*Loop, error) {
	l := &Loop{job: j, number: number, of: of, in: wire.NewReceiver(receiveSize), left: left, handed: handed,
		open: j.Arrivals != nil, arrivals: left.arrivals, claimed: forever, waited: -1, spare: make(chan *Tally, 4), dials: make(chan struct{}, max(1, j.DialAtOnce))}
	l.ctx, l.hangUp = context.WithCancel(context.Background())
	l.statements, l.prepare = compile(j.Program)
	length, _ := j.step()
	l.step, l.boundary = int64(length), j.within(int64(length))
	l.window, l.tail = j.newWindow(), j.newWindow()
	l.series = newTally(0, l.open)
	l.timeline = j.newTimeline()
	for range 2 {
		l.spare <- newTally(0, l.open)
	}
	if j.Turns != nil {
		l.turns, l.boundary = newTurns(j.Turns, l.window, l.series, newTally(0, l.open)), forever
		if number == 0 {
			l.own.throttledSoFar = ownThrottledTime
		}
	}
	if l.open && j.Preempt {
		l.contention = contention{preempting: true, until: forever}
	}
	if l.open && number == 0 {
		l.dueDates = newDueDates(*j.Arrivals)
	}
	return l, l.poller.open()
}

// run is the loop. It returns when all is done.
func (l *Loop) run(ctx context.Context) error {
	defer l.close()
	l.ownThread()
	l.space()
	stop := context.AfterFunc(ctx, l.stop)
	defer stop()
	if r := l.job.Routes; r != nil {
		defer r.Watch(l.routesChanged)()
		l.routesChanged() // they may have since the connections were made
	}
	for !l.done() {
		l.rest()
		n, err := l.wait()
		if err != nil {
			return err
		}
		if l.now, l.batch = l.clock(), n; !l.rested {
			l.gathering.found(n)
		}
		if !l.begun && !l.open && l.turns == nil && l.now >= 0 { // an open loop begins with its first arrival
			l.begun, l.late = true, l.now
		}
		l.turn()
		for i := range n {
			l.event(&l.events[i])
		}
		l.advance()
		l.contend()
	}
	l.seal(l.last())
	return l.failure
}

// clock is the time since the load began, in nanoseconds, negative before; of a job
// that takes turns, its own time.
func (l *Loop) clock() int64 {
	if l.turns != nil {
		return l.turns.own(l.real())
	}
	return int64(time.Since(l.base))
}

// next is the time of the next thing to do without an event.
func (l *Loop) next() int64 {
	at := l.clock() + int64(time.Second)
	at = min(at, l.boundary, l.timers.next(), l.phaseEnd())
	if l.open && l.phase != draining && len(l.idle) > 0 {
		at = min(at, l.claimed)
	}
	return at
}

// turn closes the phase and the step that have ended. It is called before the
// events of a batch are counted, so that each falls into its own.
func (l *Loop) turn() {
	l.compareClocks()
	if l.turns != nil {
		l.takeTurn()
		return
	}
	for l.now >= l.phaseEnd() && l.phase < draining {
		if l.open {
			l.fall(l.phaseEnd() - 1) // of the phase that has ended, late as the loop may be
		}
		l.enter(l.phase + 1)
	}
	for l.phase > waiting && l.now >= l.boundary {
		if l.open && l.phase < draining {
			l.fall(l.boundary - 1) // what no connection was free for
		}
		l.handOver(l.boundary)
		l.boundary = l.job.within(l.boundary + l.step)
	}
}

// advance does what is due by the time that has come.
func (l *Loop) advance() {
	l.now = l.clock()
	l.turn()
	l.timers.expire(l.now, l.resume)
	if l.open {
		l.dispatch()
	}
}

// phaseEnd is when the current phase ends.
func (l *Loop) phaseEnd() int64 {
	if l.turns != nil {
		return forever // the turns say when
	}
	switch l.phase {
	case waiting:
		return 0
	case warming:
		return int64(l.job.Warmup)
	case measuring:
		if l.job.Time > 0 {
			return int64(l.job.Warmup + l.job.Time)
		}
	}
	return forever
}

const forever = 1<<63 - 1

func (l *Loop) enter(p phase) {
	l.phase = p
	switch p {
	case warming:
		if !l.open {
			for _, c := range l.conns {
				if c.state == resting && c.wire != nil {
					l.start(c)
				}
			}
		}
	case measuring:
		l.window.reset()
		l.measures = true
		if l.left.limited && l.job.Warmup > 0 {
			l.passOver()
		}
		l.own.begin(l.contention.total(l.now))
	case draining:
		if l.turns != nil {
			l.endTurns()
		}
		l.seal(l.now)
	}
}

// stop ends the load from outside.
func (l *Loop) stop() {
	l.inbox.Lock()
	defer l.inbox.Unlock()
	l.inbox.stop = true
	l.wakeUp()
}

// wakeUp is called with the inbox locked: after close the descriptor's number can be
// another's.
func (l *Loop) wakeUp() {
	if l.inbox.closed {
		return
	}
	l.called.Store(true)
	l.call()
}

// close ends what is left of the loop. No attempt to connect outlives it: its connection
// would count at the server, and in the next load's time.
func (l *Loop) close() {
	l.hangUp()
	l.inbox.Lock()
	l.inbox.closed = true
	l.closeCall()
	for _, r := range l.inbox.ready {
		if r.wire != nil {
			_ = r.wire.Close()
		}
	}
	l.inbox.Unlock()
	for _, c := range l.conns {
		c.close()
	}
	l.poller.close()
	l.dialing.Wait()
}
