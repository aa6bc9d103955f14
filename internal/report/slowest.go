package report

import (
	"fmt"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
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

// Shares are of an average transaction and of one of the slowest, in %.
func (s *Slowest) Shares(p SlowPart) (average, slow float64) {
	of := func(part, whole Number) float64 { return 100 * float64(part) / max(float64(whole), 1e-9) }
	return of(p.Average, s.Parts[0].Average), of(p.Slow, s.Parts[0].Slow)
}

// WorthARow leaves out what is below 1 % of either; the JSON has all.
func (s *Slowest) WorthARow(p SlowPart) bool {
	average, slow := s.Shares(p)
	return average >= 1 || slow >= 1
}

// Told is how many transactions are the slowest.
func (s *Slowest) Told(l *language.Language, arm string) string {
	return l.Say("slowest.arm", "arm", arm, "share", fmt.Sprintf("%.2f", 100*float64(s.Slow)/float64(max(s.All, 1))), "slow", language.Grouped(s.Slow), "all", language.Grouped(s.All))
}
