package compare

// This file is the budget of the slowest transactions: where they spend their time,
// beside an average one. The load engine tells them apart while the load runs;
// docs/report.md says how, and what of the budget's parts it cannot know.

import (
	"cmp"
	"slices"

	"github.com/tarebench/tare/internal/record"
)

// Slowest is where the slowest hundredth of an arm's transactions spend their time.
type Slowest struct {
	// All are the transactions that were told apart, over all trials, Slow the slow
	// ones among them.
	All, Slow int64
	// Whole is a transaction; its parts add up to it, the longest of a slow one first.
	Whole SlowPart
	Parts []SlowPart
	at    map[string]int // of Parts, by name, until they are sorted
}

// SlowPart is one place where a transaction spends time: a statement or one of the
// record's Spent places.
type SlowPart struct {
	// Average is of an average transaction, in milliseconds, the mean over the rounds.
	Average float64
	// Slow is of one of the slowest, and its change to the baseline's.
	Slow Spent
	// Interval of Slow's milliseconds, 95 %, over Rounds rounds; nil below two.
	Interval *Interval
	Rounds   int
	average  map[int]float64
}

// slowest of an arm; nil where the engine did not tell, or of too few.
func slowest(trials []*record.Trial, rule stopping) *Slowest {
	s := &Slowest{Whole: newSlowPart(SpentWhole), at: map[string]int{}}
	for _, t := range trials {
		if w := t.Window.Slowest; w != nil && w.All > 0 && w.Slow > 0 {
			s.add(t.Header.Round, w)
		}
	}
	if s.Slow < record.EnoughSlow {
		return nil
	}
	s.Whole.finish(rule)
	for i := range s.Parts {
		s.Parts[i].finish(rule)
	}
	s.Parts = slices.DeleteFunc(s.Parts, func(p SlowPart) bool { return p.Average == 0 && p.Slow.Milliseconds == 0 })
	slices.SortStableFunc(s.Parts, func(a, b SlowPart) int { return cmp.Compare(b.Slow.Milliseconds, a.Slow.Milliseconds) })
	return s
}

func newSlowPart(name string) SlowPart {
	return SlowPart{Slow: newSpent(name), average: map[int]float64{}}
}

// add counts a trial.
func (s *Slowest) add(round int, w *record.Slowest) {
	s.All += w.All
	s.Slow += w.Slow
	all, slow := w.Took()
	s.Whole.add(round, w, all, slow)
	for _, p := range w.Parts {
		k, ok := s.at[p.Name]
		if !ok {
			k = len(s.Parts)
			s.at[p.Name], s.Parts = k, append(s.Parts, newSlowPart(p.Name))
		}
		s.Parts[k].add(round, w, p.AllNS, p.SlowNS)
	}
}

func (p *SlowPart) add(round int, w *record.Slowest, all, slow int64) {
	p.average[round] = float64(all) / 1e6 / float64(w.All)
	p.Slow.rounds[round] = float64(slow) / 1e6 / float64(w.Slow)
}

func (p *SlowPart) finish(s stopping) {
	p.Slow.finish()
	average := Spent{rounds: p.average}
	average.finish()
	p.Average, p.Rounds = average.Milliseconds, len(p.Slow.rounds)
	if p.Interval = s.alone(p.Slow.rounds); p.Interval != nil {
		p.Interval.Lo = max(0, p.Interval.Lo) // no time is negative, however few the rounds
	}
}

// against sets the slowest of an arm beside those of the baseline. All arms are asked
// the same, so that a part which the baseline has not took no time there.
func (s *Slowest) against(base *Slowest, rule stopping) {
	if s == nil || base == nil {
		return
	}
	s.Whole.against(base.Whole.Slow.rounds, rule)
	before, none := map[string]map[int]float64{}, map[int]float64{}
	for round := range base.Whole.Slow.rounds {
		none[round] = 0
	}
	for _, p := range base.Parts {
		before[p.Slow.Name] = p.Slow.rounds
	}
	for i := range s.Parts {
		rounds, ok := before[s.Parts[i].Slow.Name]
		if !ok {
			rounds = none
		}
		s.Parts[i].against(rounds, rule)
	}
}

func (p *SlowPart) against(base map[int]float64, s stopping) {
	if change, in, n := differences(base, p.Slow.rounds, s); n > 0 {
		p.Slow.Change, p.Slow.Interval, p.Slow.Rounds = change, in, n
	}
}
