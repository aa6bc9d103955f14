package loop

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// At a window's end, silence is what a transaction waits for: not a client that thinks, nor a
// schedule in which nothing is due.
func TestSilenceAtTheEnd(t *testing.T) {
	const last, end = time.Second, 3 * time.Second
	for _, c := range []struct {
		name  string
		open  bool
		conns []*connection
		due   time.Duration // of the next arrival
		want  []Outage
	}{
		{name: "clients think", conns: []*connection{{state: away}, {state: thinking}, {state: held}}},
		{name: "nothing is due", open: true, conns: []*connection{{state: resting}}, due: forever},
		{name: "no answer", conns: []*connection{{state: away}, {state: asked, due: int64(2 * time.Second)}},
			want: []Outage{{FirstFailure: 2 * time.Second, LastSuccess: 2 * time.Second}}},
		{name: "answered just before", conns: []*connection{{state: asked, due: int64(end - silence/2)}}},
		{name: "begun before the last answer", conns: []*connection{{state: pausing, due: 1}, {state: asked, due: int64(last)}},
			want: []Outage{{FirstFailure: last, LastSuccess: last}}},
		{name: "no answer since it thought", conns: []*connection{{state: asked, due: 1, woke: int64(2 * time.Second)}},
			want: []Outage{{FirstFailure: 2 * time.Second, LastSuccess: 2 * time.Second}}},
		{name: "connection lost", conns: []*connection{{state: gone, due: int64(2 * time.Second)}},
			want: []Outage{{FirstFailure: 2 * time.Second, LastSuccess: 2 * time.Second}}},
		{name: "arrivals wait", open: true, conns: []*connection{{state: asked, due: int64(2500 * time.Millisecond)}}, due: 2 * time.Second,
			want: []Outage{{FirstFailure: 2 * time.Second, LastSuccess: 2 * time.Second}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &Loop{job: &Job{}, left: &budget{}, arrivals: &arrivals{}, claimed: forever, measures: true, conns: c.conns, open: c.open, now: int64(end),
				window: newTally(0, c.open), tail: newTally(0, c.open)}
			l.arrivals.unclaimed.Store(int64(c.due))
			l.service.last = int64(last)
			l.seal(l.now)
			l.service.end(l.windowEnd)
			if diff := cmp.Diff(c.want, l.service.silences); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestThinkingIsNoSilence: nor is the time in which a client thinks between two statements.
func TestThinkingIsNoSilence(t *testing.T) {
	l, c := mute(t, programOf(t, "oltp_update_index", 1))
	const second = int64(time.Second)
	l.begin(c, 0, spentClient)
	c.sentAt(2 * second)
	c.woke, l.now = 2*second, 2*second+1000
	l.answered(c, l.now)
	if len(l.service.silences) != 0 {
		t.Errorf("silences %v", l.service.silences)
	}
	c.due, c.woke, l.now = l.now, 0, 4*second
	l.answered(c, l.now)
	if len(l.service.silences) != 1 {
		t.Errorf("silences %v", l.service.silences)
	}
}

// TestSilenceOfOthers: the first transaction that succeeds after an outage may have begun after it,
// while another has waited since before.
func TestSilenceOfOthers(t *testing.T) {
	l, c := mute(t, programOf(t, "oltp_update_index", 1))
	const second = int64(time.Second)
	l.conns = append(l.conns, &connection{state: gone, due: second})
	l.service.last = second
	l.begin(c, 5*second, spentClient)
	c.sentAt(5 * second)
	l.now = 5*second + 1000
	l.answered(c, l.now)
	if s := l.service.silences; len(s) != 1 || s[0].FirstFailure != time.Second {
		t.Errorf("silences %v", s)
	}
}
