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
