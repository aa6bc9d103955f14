package loop

// What a loop asks of the kernel. On loopback and on a shared machine the client's CPU time is mostly that of its
// system calls and of being woken up, and their number does not depend on how fast the machine is: a test bounds it,
// so that a change cannot make the generator more expensive without a test that fails.

// Calls are the system calls of a job's loops in the window.
type Calls struct {
	// Sends hand a statement to the kernel, Receives take what has arrived.
	Sends, Receives int64
	// Waits are for events (epoll_pwait2) or for the answer of an only connection, Rests are those of rest.
	Waits, Rests int64
	// Sleeps are how often a loop's thread gave up its CPU, each of which ends with a wake-up (getrusage(2),
	// ru_nvcsw): a wait for what is there already is none.
	Sleeps int64
}

// All are the system calls together. What TLS divides into several is counted once, and so is what the kernel
// does not take at once.
func (c Calls) All() int64 { return c.Sends + c.Receives + c.Waits + c.Rests }

func (c Calls) plus(o Calls) Calls {
	return Calls{c.Sends + o.Sends, c.Receives + o.Receives, c.Waits + o.Waits, c.Rests + o.Rests, c.Sleeps + o.Sleeps}
}

func (c Calls) minus(o Calls) Calls {
	return c.plus(Calls{-o.Sends, -o.Receives, -o.Waits, -o.Rests, -o.Sleeps})
}
