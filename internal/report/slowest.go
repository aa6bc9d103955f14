package report

import (
	"fmt"

	"github.com/tarebench/tare/internal/compare"
)

// Slowest is where the slowest hundredth of an arm's transactions spend their time,
// beside an average one.
type Slowest struct {
	// All are the transactions of all windows that were told apart, Slow those of them
	// that took as long as the 99th percentile of those before, or longer.
	All  int64 `json:"all"`
	Slow int64 `json:"slow"`
	// Parts are the transaction, then its parts, the longest of a slow one first.
	Parts []SlowPart `json:"parts"`
}

// SlowPart is a transaction's time in one place, in milliseconds.
type SlowPart struct {
	Name    string `json:"name"`
	Average Number `json:"average_ms"`
	// Slow is that of one of the slowest; SlowInterval is its 95 % interval over
	// SlowRounds rounds, nil below two.
	Slow         Number     `json:"slow_ms"`
	SlowInterval *[2]Number `json:"slow_interval_ms"`
	SlowRounds   int        `json:"slow_rounds"`
	// Change is Slow's to the baseline's, as in Spent.
	Change   Number     `json:"change_ms"`
	Interval *[2]Number `json:"interval_ms"`
	Rounds   int        `json:"rounds"`
}

func slowestOf(s *compare.Slowest) *Slowest {
	if s == nil {
		return nil
	}
	out := &Slowest{All: s.All, Slow: s.Slow}
	for _, p := range append([]compare.SlowPart{s.Whole}, s.Parts...) {
		out.Parts = append(out.Parts, SlowPart{
			Name: text(p.Slow.Name), Average: Number(p.Average), Slow: Number(p.Slow.Milliseconds), SlowInterval: bounds(p.Interval), SlowRounds: p.Rounds,
			Change: Number(p.Slow.Change), Interval: bounds(p.Slow.Interval), Rounds: p.Slow.Rounds,
		})
	}
	return out
}

func bounds(in *compare.Interval) *[2]Number {
	if in == nil {
		return nil
	}
	return &[2]Number{Number(in.Lo), Number(in.Hi)}
}

// shares are of an average transaction and of one of the slowest, in per cent.
func (s *Slowest) shares(p SlowPart) (average, slow float64) {
	of := func(part, whole Number) float64 { return 100 * float64(part) / max(float64(whole), 1e-9) }
	return of(p.Average, s.Parts[0].Average), of(p.Slow, s.Parts[0].Slow)
}

// worthARow leaves out what is below one per cent of either; the JSON has all.
func (s *Slowest) worthARow(p SlowPart) bool {
	average, slow := s.shares(p)
	return average >= 1 || slow >= 1
}

// told is how many transactions are the slowest.
func (s *Slowest) told(l *Language, arm string) string {
	return l.say("slowest.arm", "arm", arm, "share", fmt.Sprintf("%.2f", 100*float64(s.Slow)/float64(max(s.All, 1))), "slow", grouped(s.Slow), "all", grouped(s.All))
}

// slowestTold says what the slowest are, and of each arm how many; "" without any.
func slowestTold(d *Document) string {
	var arms []string
	for i := range d.Explained {
		if e := &d.Explained[i]; e.Slowest != nil {
			arms = append(arms, e.Slowest.told(d.words(), inert(d.label(e.Arm, e.Threads))))
		}
	}
	if len(arms) == 0 {
		return ""
	}
	return d.say("slowest.reading", "arms", d.words().list("list", arms)) + d.say("join.sentences") + d.say("slowest.places")
}

// slowestTable is every arm's slow transaction and its parts, one arm below the other.
func slowestTable(d *Document) Table {
	t := Table{Caption: d.say("caption.slowest"), Open: true, Head: d.heads("arm", "part", "average-ms", "slowest-ms", "in95", "change-ms", "in95", "rounds")}
	for i := range d.Explained {
		e := &d.Explained[i]
		if e.Slowest == nil {
			continue
		}
		for k, p := range e.Slowest.Parts {
			if !e.Slowest.worthARow(p) {
				continue
			}
			name := d.words().place(p.Name)
			if k == 0 {
				name = d.say("slowest.whole", "part", name, "slow", grouped(e.Slowest.Slow), "all", grouped(e.Slowest.All))
			}
			t.Rows = append(t.Rows, append([]Cell{words(d.label(e.Arm, e.Threads)), words(name)}, d.slowCells(e.Slowest, p)...))
		}
	}
	return t
}

func (doc *Document) slowCells(s *Slowest, p SlowPart) []Cell {
	in := func(b *[2]Number) Cell {
		if b == nil {
			return number("-")
		}
		return number(minus(doc.words().between(fmt.Sprintf("%.3f", float64(b[0])), fmt.Sprintf("%.3f", float64(b[1])))))
	}
	average, slow := s.shares(p)
	change, rounds := "-", p.SlowRounds
	if p.Change.Known() {
		change, rounds = minus(fmt.Sprintf("%+.3f", float64(p.Change))), p.Rounds
	}
	with := func(ms Number, share float64) Cell {
		return number(minus(fmt.Sprintf("%.3f (%.0f %%)", float64(ms), share)))
	}
	return []Cell{with(p.Average, average), with(p.Slow, slow), in(p.SlowInterval), number(change), in(p.Interval), number(fmt.Sprint(rounds))}
}
