package members

import (
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
)

func TestSecondary(t *testing.T) {
	w := watchOf(t, 4)
	for _, c := range []struct {
		why    string
		change func(*seen)
		want   int
	}{
		{"all are members", func(*seen) {}, 2},
		{"member 2 was the primary before a failover", func(m *seen) { m.left = record.LeftOldPrimary.Say() }, 3},
		{"member 2 is no member", func(m *seen) { m.standing.Member = false }, 3},
		{"member 2 was killed", func(m *seen) { m.dead = true }, 3},
	} {
		before := w.of(2)
		w.mark(2, c.change)
		if got := w.secondary(); got != c.want {
			t.Errorf("%s: member %d is the secondary, want %d", c.why, got, c.want)
		}
		w.mark(2, func(m *seen) { *m = before })
	}
}

// TestAnswers: a primary that is known to be out of reach does not answer, whatever it says, nor does one
// that said something a while ago.
func TestAnswers(t *testing.T) {
	for why, change := range map[string]func(*seen){
		"":          func(*seen) {},
		"killed":    func(m *seen) { m.dead = true },
		"cut off":   func(m *seen) { m.cut = true },
		"no member": func(m *seen) { m.standing.Member = false },
		"silent":    func(m *seen) { m.at = m.at.Add(-askWithin) },
	} {
		w := watchOf(t, 2)
		w.mark(1, func(m *seen) { m.at = time.Now() })
		w.mark(1, change)
		if got := w.answers(1); got != (why == "") {
			t.Errorf("a primary that is %q answers: %v", why, got)
		}
	}
}

// TestPromotionBelongsToItsFault: a failover that ends after the next fault has begun is that of the
// fault of the old primary; one of a member without a fault is that of the last fault.
func TestPromotionBelongsToItsFault(t *testing.T) {
	faults := func() *history {
		h := &history{}
		h.add(happened{fault: Fault{Kill: thePrimary}, member: 1, before: 1, began: 10 * time.Second})
		h.add(happened{fault: Fault{SlowLink: theSecondary}, member: 2, before: 1, began: 12 * time.Second})
		return h
	}
	w := watchOf(t, 3)
	h := faults()
	w.failed = h.notPromoted
	w.onChange(func(old, primary int) { h.promoted(15*time.Second, old, primary) })
	w.tell("no member can be promoted")
	w.follow(3)
	if one := h.all[0]; one.after != 3 || one.promoted != 5*time.Second || one.unpromoted == "" {
		t.Errorf("the fault of the old primary is %+v", one)
	}
	if one := h.all[1]; one.after != 0 || one.promoted != 0 || one.unpromoted != "" {
		t.Errorf("the fault of the other member is %+v", one)
	}
	h = faults()
	h.promoted(15*time.Second, 3, 1)
	if h.all[0].promoted != 0 || h.all[1].promoted != 3*time.Second {
		t.Errorf("the primary had no fault; the faults are %+v", h.all)
	}
	(&history{}).promoted(time.Second, 1, 2) // before any fault
}

// TestPromotionAfterAFaultThatWasNot: a fault that could not be carried out causes nothing.
func TestPromotionAfterAFaultThatWasNot(t *testing.T) {
	h := &history{}
	h.add(happened{member: 1, before: 1, began: 10 * time.Second})
	h.add(happened{member: 1, before: 1, began: 12 * time.Second, failed: notRunning("1")})
	h.promoted(15*time.Second, 1, 2)
	if h.all[0].promoted != 5*time.Second || h.all[1].promoted != 0 {
		t.Errorf("the faults are %+v", h.all)
	}
}
