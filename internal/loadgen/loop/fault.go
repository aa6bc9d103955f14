package loop

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// The client's own error codes (include/errmsg.h), for what no server said.
const (
	codeConnectFailed = 2003
	codeServerLost    = 2013
	codeMalformed     = 2027
)

// Codes of the server that need more than counting (MySQL error reference).
const (
	codeDeadlock        = 1213
	codeLockWaitTimeout = 1205
	codeRecordChanged   = 1020
	codeShutdown        = 1053
	codeIdleTooLong     = 4031
	codeKilledQuery     = 1317
)

// ignored says that an error never ends the load.
func (p Policy) ignored(code uint16) bool {
	if p.Ignore == nil {
		return code == codeDeadlock || code == codeLockWaitTimeout || code == codeRecordChanged
	}
	return p.Ignore[code]
}

// atOnce says that the same transaction can be tried again at once: what was in
// its way was another transaction.
func atOnce(code uint16) bool {
	return code == codeDeadlock || code == codeLockWaitTimeout || code == codeRecordChanged || code == codeKilledQuery
}

func (l *Loop) countError(code uint16) {
	l.series.Errors[code]++
	l.window.Errors[code]++
	if l.job.Faults.ignored(code) {
		l.series.Ignored++
		l.window.Ignored++
	}
}

// stopFor ends the load when the policy wants that.
func (l *Loop) stopFor(code uint16, message string) bool {
	if !l.job.Faults.Stop || l.job.Faults.ignored(code) || l.failure != nil {
		return l.failure != nil
	}
	l.failure = &wire.ServerError{Code: code, Message: message}
	return true
}

// refused handles an ERR packet in answer to a statement.
func (l *Loop) refused(c *connection) {
	code := c.response.Code
	l.countError(code)
	l.timeline.failed(l.now)
	if l.stopFor(code, c.response.Message()) {
		return
	}
	if code == codeShutdown || code == codeIdleTooLong {
		l.disconnected(c)
		return
	}
	if !atOnce(code) {
		l.service.failed(l.now)
	} else {
		c.pause = 0
	}
	c.retryAtOnce = atOnce(code)
	if l.job.Program.Explicit {
		// A deadlock has rolled back all, a lock wait timeout its statement alone;
		// ROLLBACK is right after both and costs nothing after the first.
		c.state = undoing
		l.out = wire.AppendQuery(l.out[:0], "ROLLBACK")
		l.transmit(c)
		return
	}
	l.undone(c)
}

// undone starts again after an error: at once, or after a pause when the cause is
// one that stays. The latency goes on counting, as sysbench's does.
func (l *Loop) undone(c *connection) {
	if c.wire == nil {
		return
	}
	if l.phase == draining {
		c.state = resting
		l.giveUp()
		return
	}
	if c.retryAtOnce {
		l.restart(c)
		return
	}
	c.state = pausing
	l.timers.add(l.clock()+l.backOff(c), c)
}

// backOff doubles a connection's pause up to the longest, and takes a random half
// of it so that connections which failed together do not come back together.
func (l *Loop) backOff(c *connection) int64 {
	f := l.job.Faults
	c.pause = min(max(2*c.pause, int64(f.FirstPause)), int64(f.LongestPause))
	return c.pause/2 + int64(c.draws.Random.Unit()*float64(c.pause)/2)
}

// resume is what happens when a wait is over.
func (l *Loop) resume(c *connection) {
	switch {
	case c.state == thinking:
		c.state, c.woke = asked, l.clock()
		l.send(c)
	case c.state == away:
		c.state = resting
		l.start(c)
	case c.state == held:
		c.state = resting
		if l.admits() {
			l.begin(c, l.clock(), spentClient)
		}
	case c.state == gone:
		l.redial(c)
	case c.state == pausing && l.phase == draining:
		c.state = resting
		l.giveUp()
	case c.state == pausing:
		l.restart(c)
	}
}

// unasked handles bytes that are not an answer: the error in them, if there is one.
func (l *Loop) unasked(c *connection) {
	code := uint16(codeMalformed)
	if c.response.Code != 0 {
		code = c.response.Code
	}
	l.countError(code)
	if !l.stopFor(code, "unexpected bytes from the server: "+c.response.Message()) {
		l.disconnected(c)
	}
}

// lost handles a connection that broke.
func (l *Loop) lost(c *connection, err syscall.Errno) {
	l.countError(codeServerLost)
	if !l.stopFor(codeServerLost, "lost connection to the server: "+err.Error()) {
		l.disconnected(c)
	}
}

// disconnected drops the socket and asks for another. A transaction that was under
// way stays under way: it will be repeated, and its latency counts on.
func (l *Loop) disconnected(c *connection) {
	_ = c.wire.Close()
	c.wire, c.timer = nil, 0
	if c.state == released {
		return
	}
	l.timeline.broken(l.now)
	switch c.state {
	case resting, away, held:
		c.due, c.woke, c.unoccupied = l.now, 0, true
	case asked, undoing:
		l.timeline.failed(l.now)
	}
	c.state, l.broken = gone, true
	l.service.failed(l.now)
	if l.phase == draining {
		l.release(c)
		return
	}
	// The first attempt is at once: one killed connection is not an outage.
	if c.pause == 0 && l.job.Faults.Reconnect == 0 {
		c.pause = 1
		l.redial(c)
		return
	}
	l.redialLater(c)
}

// redialLater connects again after a pause.
func (l *Loop) redialLater(c *connection) {
	pause := int64(l.job.Faults.Reconnect)
	if pause == 0 {
		pause = l.backOff(c)
	}
	l.timers.add(l.clock()+pause, c)
}

// release gives a connection up, with the transaction that waits for it.
func (l *Loop) release(c *connection) {
	if c.state != released && !c.unoccupied {
		l.giveUp()
	}
	c.state = released
}

// giveUp counts a transaction that failed and is not tried again, because the end has come.
func (l *Loop) giveUp() {
	l.busy--
	l.givenUp++
}

// dialFailed handles a refused connection.
func (l *Loop) dialFailed(c *connection, err error) {
	code := uint16(codeConnectFailed)
	var refused *wire.ServerError
	if errors.As(err, &refused) {
		code = refused.Code
	}
	l.countError(code)
	l.service.failed(l.now)
	if c.unmade == nil {
		c.unmadeAt = l.now
	}
	c.unmade = err
	if l.stopFor(code, fmt.Sprint(err)) {
		return
	}
	if l.phase == draining {
		l.release(c)
		return
	}
	l.redialLater(c)
}
