package loop

import "time"

// A closed loop rests for restShare of a statement's typical latency before it
// waits for events, but not for less than shortestRest, which is what going to
// sleep costs by itself.
const (
	restShare    = 8  // an 8th: 12 %
	fewestBusy   = 25 // connections with a transaction under way
	shortestRest = int64(30 * time.Microsecond)
	longestRest  = int64(time.Millisecond)
	// enough answers in a batch need no rest to gather more.
	enough = 16
	// enoughAlone is how many answers a wait finds without a rest, on average, where a rest is not worth its call: a
	// wait for four costs as many calls and wake-ups as a rest and a wait for eight. Of sampleEvery waits one has no
	// rest, to know that.
	enoughAlone = 4
	sampleEvery = 16
)

// gathering is how answers gather by themselves: the loop's thread does not preempt, so that it waits for its CPU where
// another process has it, and meanwhile answers arrive. A rest on top of that leaves the server idle: beside a process
// of nice 19 on the client's CPU, a loop that always rested needed 1.26 [1.19, 1.34] of the bare loop's CPU time for a
// point select.
type gathering struct {
	alone float64 // moving mean of the answers that a wait without a rest has found
	waits int
}

// needsRest says whether to rest before the next wait.
func (g *gathering) needsRest() bool {
	g.waits++
	return g.alone < enoughAlone && g.waits%sampleEvery != 0
}

// found notes what a wait without a rest has found.
func (g *gathering) found(answers int) {
	if answers > 0 {
		g.alone += (float64(answers) - g.alone) / 8
	}
}

// rest lets answers gather. Where each comes alone, each wakes the loop's thread:
// that costs the client more than the answer itself, and the server, whose send
// has to wake us, its share. While no thread waits on the epoll set, an answer is
// noted and that is all.
//
// A connection's next statement is later by half a rest in the mean, 6 % of what it
// then takes. Where the server is what limits the load, its queue is shorter by
// that, and nothing is lost. What is measured stays true: the end of a statement is
// the kernel's stamp, its beginning the moment it is sent. Without stamps there is
// no rest; nor in the open loop, where operations are due at their time; nor with
// so few connections that a rest would gather an answer or two.
//
// One loop of 64 connections gathers 4 answers for a wait with a 25th of the latency, 8 with a 12th and 11 with an
// 8th, which takes 6 % less CPU time than a 12th; with a 6th the server was idle (docs/results/performance.md).
func (l *Loop) rest() {
	l.rested = false
	if l.open || l.resting() || !l.stamps || l.busy < fewestBusy || l.batch >= enough {
		return
	}
	nap := l.typical / restShare
	if nap < shortestRest {
		return
	}
	nap = min(nap, longestRest, l.next()-l.clock())
	if nap <= 0 || !l.gathering.needsRest() {
		return
	}
	l.rested = true
	l.own.made.Rests++
	doze(nap)
}
