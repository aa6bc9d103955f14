package report

// This file is what the rounds of a run say of its intervals: whether they depend on each other, what
// so few of them cannot show, and what another run would need.

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// NewRun is how many rounds another run needs for a verdict. Probabilities are from 0 to 1 and count
// the error of this run's effect and spread; numbers of rounds are 0 where 100,000 are too few.
type NewRun struct {
	// Rounds end with a verdict with Probability, Rounds50 with 0.5 and Rounds95 with 0.95.
	Rounds      int    `json:"rounds"`
	Probability Number `json:"probability"`
	Rounds50    int    `json:"rounds_50"`
	Rounds95    int    `json:"rounds_95"`
	// ProbabilitySame is that of a run with as many rounds as this one, Probability1000 that of one with 1,000.
	ProbabilitySame Number `json:"probability_same"`
	Probability1000 Number `json:"probability_1000"`
	// Seconds is how long a run of Rounds takes, by the rounds of this one; 0 where that is not known.
	Seconds Number `json:"seconds"`
}

// Serial is the dependence of a contrast's rounds on the round before.
type Serial struct {
	// Correlation is that of neighbouring rounds, P the probability of one as large by chance.
	Correlation Number `json:"correlation"`
	P           Number `json:"p"`
	// Factor is how much wider the 95 % interval is for it; 1 where P is above 0.05.
	Factor Number `json:"factor"`
}

// Starts are rounds in which an arm was at another level than in the others.
type Starts struct {
	Arm           string    `json:"arm"`
	Rounds        []int     `json:"rounds"`
	ChangePercent Number    `json:"change_percent"`
	ShareInterval [2]Number `json:"share_interval"` // of all starts, 95 % interval
}

// Limits is what the rounds of a run cannot show. Shares and probabilities are from 0 to 1.
type Limits struct {
	Rounds int `json:"rounds"`
	// RareShare of all starts are at another level; RareAbsent of the runs have none of them.
	RareShare  Number `json:"rare_share"`
	RareAbsent Number `json:"rare_absent"`
	// Correlation of neighbouring rounds is noticed with the probability CorrelationNoticed; null
	// where so few rounds are not tested.
	Correlation        Number `json:"correlation"`
	CorrelationNoticed Number `json:"correlation_noticed"`
}

func newRun(n *compare.NewRun, round time.Duration) *NewRun {
	if n == nil {
		return nil
	}
	return &NewRun{
		Rounds: n.Rounds, Probability: compare.NewRunProbability, Rounds50: n.Even, Rounds95: n.Sure,
		ProbabilitySame: Number(n.Same), Probability1000: Number(n.AtMost), Seconds: Number(math.Round(float64(n.Rounds) * round.Seconds())),
	}
}

func serial(s *compare.Serial) *Serial {
	if s == nil {
		return nil
	}
	return &Serial{Number(s.Rho), Number(s.P), Number(s.Factor)}
}

func starts(s *compare.Starts) *Starts {
	if s == nil {
		return nil
	}
	return &Starts{text(s.Arm), s.Rounds, Number(s.Change), [2]Number{Number(s.Share.Lo), Number(s.Share.Hi)}}
}

func limits(l *compare.Limits) *Limits {
	if l == nil {
		return nil
	}
	return &Limits{l.Rounds, Number(l.RareShare), Number(l.RareAbsent), Number(l.Rho), Number(l.RhoNoticed)}
}

// caveats are the reasons of a contrast that a reader must know with its verdict.
func (c *Contrast) caveats() []compare.Reason {
	return slices.DeleteFunc(slices.Clone(c.Reasons), func(r compare.Reason) bool { return !compare.Caveat(r) })
}

// caveatSentences are sentences of their own, after that of the verdict.
func (doc *Document) caveatSentences(c *Contrast) (s string) {
	for _, sentence := range doc.Language().Sentences(c.caveats()) {
		s += doc.Say("join.sentences") + sentence
	}
	return s
}

// limitsSentence says what so many rounds cannot show; "" without an interval.
func (doc *Document) limitsSentence() string {
	l := doc.Limits
	if l == nil {
		return ""
	}
	if doc.Running() { // no round begins with a start of a server, so each sees the level of the one start there was
		if !l.CorrelationNoticed.Known() {
			return doc.Say(doc.ofOne("limits.running.few", "limits.running.few.one"), "rounds", doc.Count(l.Rounds, "round"))
		}
		return doc.Say(doc.ofOne("limits.running", "limits.running.one"), "rounds", doc.Count(l.Rounds, "round"), "noticed", whole(l.CorrelationNoticed))
	}
	slots := []string{"rounds", doc.Count(l.Rounds, "round"), "absent", whole(l.RareAbsent), "noticed", whole(l.CorrelationNoticed)}
	if !l.CorrelationNoticed.Known() {
		return doc.Say("limits.few", slots...)
	}
	return doc.Say("limits", slots...)
}

// whole is a probability in % without decimals; what is not certain is not called so.
func whole(p Number) string {
	return fmt.Sprintf("%.0f", math.Min(99, math.Max(1, 100*float64(p))))
}

// newRunSentence says how many rounds another run needs, in the pattern for one interval ("sentence")
// or for several ("levels"); "" where that is not known.
func (doc *Document) newRunSentence(pattern string, n *NewRun) string {
	if n == nil {
		return ""
	}
	if n.Rounds == 0 || n.Rounds > compare.MostRounds {
		return doc.Say(pattern+".more.never", "n", language.Grouped(compare.MostRounds), "p", whole(n.Probability1000))
	}
	return doc.Say(pattern+".more", "n", language.Grouped(int64(n.Rounds)), "takes", doc.takes(n.Rounds), "p", whole(n.Probability)) + doc.newRunRange(n)
}

// newRunRange is how many rounds give a verdict with a probability of 50 and of 95 %.
func (doc *Document) newRunRange(n *NewRun) (s string) {
	if n.Rounds50 < n.Rounds {
		s = doc.Say("more.even", "even", language.Grouped(int64(n.Rounds50)))
	}
	switch {
	case n.Rounds95 == 0 || n.Rounds95 > compare.MostRounds:
		s += doc.Say("more.sure.never", "most", language.Grouped(compare.MostRounds))
	case n.Rounds95 > n.Rounds:
		s += doc.Say("more.sure", "sure", language.Grouped(int64(n.Rounds95)))
	}
	return s
}

// takes is the time of a run of so many rounds in parentheses; "" where it is not known.
func (doc *Document) takes(rounds int) string {
	if doc.round <= 0 {
		return ""
	}
	return doc.Say("next.takes", "time", doc.Language().Span(time.Duration(rounds)*doc.round))
}

// hungriest is the contrast's need of those that need most rounds: no number of rounds is more than any.
func hungriest(contrasts []*Contrast) (most *NewRun) {
	for _, c := range contrasts {
		n := c.NewRun
		if n != nil && (most == nil || n.Rounds == 0 || most.Rounds != 0 && n.Rounds > most.Rounds) {
			most = n
		}
	}
	return most
}
