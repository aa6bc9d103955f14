package loop

import (
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
)

// connection is one connection and the transaction it is busy with. Together with
// its prepared statements' numbers it takes about a kilobyte.
type connection struct {
	wire  *wire.Conn // nil while there is no connection
	ids   []uint32
	draws workload.Draws

	response wire.Response
	row      *wire.Row // nil where the workload remembers nothing
	state    state
	steps    []workload.Step
	step     int
	kind     int // of the transaction, in Program.Kinds
	// due is from when the transaction's latency counts; sent is when the current
	// statement was handed to the kernel.
	due, sent int64
	// woke is when it last ended a wait of its own between two statements, 0 without one.
	woke int64
	// spent is the time of the current attempt by place; first and begun are when the
	// first statement of the first and of the current attempt was sent, and before is
	// the place of what passed until first.
	spent        []int64
	first, begun int64
	before       int
	pause        int64 // the last back-off, 0 after a success
	// unmade is why the last attempt to connect failed, nil since one succeeded, and
	// unmadeAt when the first of those attempts had failed.
	unmade   error
	unmadeAt int64
	think    time.Duration
	timer    int64 // of what it waits for, 0 for nothing
	number   int32
	of       int // its number among all connections of the load
	server   int // that it goes to, of Job.Routes
	ledger   *ledger
	served   int // transactions since it was made
	// early says that the transaction was begun in the warm-up of a load whose number of transactions has
	// a limit: it does not count.
	early bool
	// renewing says that it was ended because it had served its number.
	renewing bool
	// retryAtOnce says that the transaction that failed needs no pause.
	retryAtOnce bool
	// unoccupied says that the connection was lost while it had nothing to do.
	unoccupied bool
}

// newConnection is one of a loop; of is its number among all connections of the load.
func newConnection(p *workload.Program, number, of int, draws workload.Draws) *connection {
	c := &connection{number: int32(number), of: of, draws: draws, spent: make([]int64, places+len(p.Statements))}
	if p.Numbered {
		c.ledger = &ledger{}
	}
	return c
}

type state uint8

const (
	resting  state = iota // no transaction
	asked                 // waiting for the answer to a step
	undoing               // waiting for the answer to a ROLLBACK after an error
	pausing               // waiting for the end of a back-off
	thinking              // waiting between two steps
	away                  // waiting after a transaction, before the next
	held                  // waiting for what the limit leaves it
	gone                  // waiting for a new connection
	released              // done, or given up
)

// event handles what epoll says of one descriptor.
func (l *Loop) event(e *event) {
	if e.Fd == wakeUp {
		l.receiveInbox()
		return
	}
	c := l.conns[e.Fd]
	if c.wire == nil {
		return // closed while this batch was handled
	}
	if e.Events&writable != 0 {
		if err := c.wire.Flush(); err != 0 {
			l.lost(c, err)
			return
		}
	}
	if e.Events&^writable != 0 {
		l.receive(c)
	}
}

// receive reads what the server sent until nothing is left.
func (l *Loop) receive(c *connection) {
	for {
		n, stamp, err := l.read(c)
		switch {
		case err == syscall.EAGAIN:
			return
		case err != 0:
			l.lost(c, err)
			return
		}
		used, done, perr := c.response.Feed(l.in.Buffer[:n])
		if perr != nil || used < n || c.state != asked && c.state != undoing {
			// Bytes that are no answer: a server closes the connection (1053 shutdown, 4031
			// idle too long), or speaks another protocol.
			l.unasked(c)
			return
		}
		if done {
			drained := c.wire.Drained(n, receiveSize)
			at := l.arrival(stamp, c.sent)
			if stamp != 0 {
				l.waited = max(l.waited, l.now-at)
			}
			l.answered(c, at)
			if drained || c.wire == nil {
				return
			}
			continue
		}
		if c.wire.Drained(n, receiveSize) {
			return
		}
	}
}

// answered takes the complete answer to a statement, which arrived at a time.
func (l *Loop) answered(c *connection, at int64) {
	if c.state == undoing {
		l.undone(c)
		return
	}
	if c.response.Code != 0 {
		l.refused(c)
		return
	}
	step := &c.steps[c.step]
	s := &l.statements[step.Statement]
	took := at - c.sent
	l.window.Statements[step.Statement].Record(took)
	c.spent[places+step.Statement] += took
	l.typical += (took - l.typical) / 64
	l.countStatement(s.class)
	if s.take != nil && !l.remember(c, s, step.Then != nil) {
		return
	}
	if step.Then != nil {
		c.step += step.Then(c.draws.Values)
	}
	if c.step++; c.step < len(c.steps) {
		if step.Think > 0 {
			c.state = thinking
			l.timers.add(l.clock()+int64(step.Think), c)
			return
		}
		l.send(c)
		return
	}
	l.finish(c, at)
}

func (l *Loop) countStatement(class workload.Class) {
	switch class {
	case workload.Read:
		l.series.Reads++
		l.window.Reads++
	case workload.Write:
		l.series.Writes++
		l.window.Writes++
	default:
		l.series.Other++
		l.window.Other++
	}
}

// finish counts a transaction and begins the next.
func (l *Loop) finish(c *connection, at int64) {
	if c.early {
		c.early = false
	} else {
		l.count(c, at-c.due)
	}
	l.timeline.completed(at)
	c.pause = 0
	c.served++
	if c.ledger != nil {
		c.ledger.acknowledge(c.draws.Counted())
	}
	if l.service.failing {
		l.service.restored(l.now)
	}
	l.service.succeeded(l.now, l.waitedFrom(c))
	if c.think > 0 && !l.open { // of an open loop the arrivals say when
		c.state = away
		l.busy--
		l.timers.add(l.clock()+int64(c.think), c)
		return
	}
	l.proceed(c)
}

// count counts a transaction that took so long.
func (l *Loop) count(c *connection, took int64) {
	l.series.Latency.Record(took)
	l.series.Coarse.Record(took)
	l.window.Latency.Record(took)
	if l.window.Kinds != nil {
		l.window.Kinds[c.kind].Record(took)
	}
	l.spend(c, took)
	events := int64(1)
	if rows := l.job.Program.EventRows; rows > 1 {
		events = int64(rows)
	}
	l.series.Transactions += events
	l.window.Transactions += events
	if l.window.Servers != nil {
		l.window.Servers[c.server] += events
	}
}

// proceed finds a connection that has completed a transaction its next one.
func (l *Loop) proceed(c *connection) {
	l.busy--
	l.vacate(c)
}

// vacate finds a connection that has nothing to do a transaction.
func (l *Loop) vacate(c *connection) {
	c.state = resting
	if l.open {
		l.occupy(c)
		return
	}
	l.start(c)
}

// start begins the next transaction of a closed loop: at once, or, where the load has a
// limit, when it is allowed. Its latency counts from then.
func (l *Loop) start(c *connection) {
	now := l.clock()
	at := now
	if l.spacing > 0 {
		at = max(now, l.allowed)
		l.allowed = at + l.spacing
	}
	if at > now {
		c.state = held
		l.timers.add(at, c)
		return
	}
	if l.admits() {
		l.begin(c, now, spentClient)
	}
}

// space divides the limit among the loops by their connections. Each begins at a time of its
// own: together they would exceed the limit by a transaction for each loop.
func (l *Loop) space() {
	if l.job.Limit == 0 || len(l.conns) == 0 {
		return
	}
	all := float64(l.job.Connections)
	l.spacing = int64(float64(time.Second) * all / (l.job.Limit * float64(len(l.conns))))
	before := float64(l.job.First) + all*float64(l.number)/float64(l.of)
	l.allowed = int64(float64(l.spacing) * before / max(all, float64(l.job.All)))
}

// admits says that a transaction may begin now, and takes it from those that are left. Those of a
// warm-up do not count.
func (l *Loop) admits() bool {
	if l.phase == waiting || l.phase == draining || l.resting() {
		return false
	}
	return l.phase == warming && l.job.Warmup > 0 || l.left.take()
}

// begin starts a transaction whose latency counts from due; before is the place of
// the time until its first statement is sent.
func (l *Loop) begin(c *connection, due int64, before int) {
	l.busy++
	c.due, c.first, c.before, c.woke = due, unsent, before, 0
	choice := &l.job.Program.Choices[l.job.Program.Choose(&c.draws)]
	c.steps, c.kind, c.think = choice.Steps, choice.Kind, choice.Think
	if n := l.job.Program.Options.Reconnect; n > 0 && c.served >= n {
		c.before = spentQueued
		l.renew(c)
		return
	}
	l.restart(c)
}

// unsent is when the first statement was sent of a transaction that has sent none.
const unsent = -1

// restart sends the first statement of a transaction. One that failed is begun
// again as what it was, with other rows: a kind that fails more often than others
// would otherwise lose its share of the mix.
func (l *Loop) restart(c *connection) {
	c.step, c.state = 0, asked
	clear(c.spent)
	l.send(c)
	if c.begun = c.sent; c.first == unsent {
		c.first = c.begun
	}
}

// send sends the current step's statement.
func (l *Loop) send(c *connection) {
	step := &c.steps[c.step]
	if step.NewTable {
		l.job.Program.PickTable(&c.draws)
	}
	if step.Before != nil {
		step.Before(&c.draws)
	}
	s := &l.statements[step.Statement]
	l.out = l.encode(l.out[:0], c, s)
	c.response.Reset()
	if s.take != nil {
		c.keepRow(s)
	}
	l.hand(c)
}

// transmit sends what is not a statement of the program.
func (l *Loop) transmit(c *connection) {
	c.response.Reset()
	l.hand(c)
}

func (l *Loop) hand(c *connection) {
	c.sent = l.clock()
	l.own.made.Sends++
	if err := c.wire.Send(l.out); err != 0 {
		l.lost(c, err)
	}
}

func (c *connection) close() {
	if c.wire != nil {
		_ = c.wire.Send(wire.AppendQuit(nil)) // the server would count an aborted client
		_ = c.wire.Close()
		c.wire = nil
	}
}
