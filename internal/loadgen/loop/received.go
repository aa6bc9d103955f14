package loop

import "syscall"

// received is what has arrived while the loop waited for an answer.
type received struct {
	there bool
	n     int
	stamp int64
	err   syscall.Errno
}

// read takes what has arrived during the wait, or reads what is there now.
func (l *Loop) read(c *connection) (n int, stamp int64, err syscall.Errno) {
	if r := &l.received; r.there {
		r.there = false
		return r.n, r.stamp, r.err
	}
	l.own.made.Receives++
	return c.wire.ReceiveStamped(l.in)
}
