package compare

// This file is what the clients of a trial saw of an event, and how arms differ by it.

import (
	"maps"
	"slices"

	"github.com/tarebench/tare/internal/record"
)

// Figures of an event, as results name them.
const (
	// WithoutService is the time in s in which transactions were due and none was completed, of
	// stretches of 0.2 s or longer.
	WithoutService = "without_service_s"
	// ShortestOutage is the shortest time in s that counts in it (docs/events.md).
	ShortestOutage = 0.2
	// ToHalf and ToMost are the times in s from the event's beginning to that of the first second, after
	// the last stretch without service, which has 50 and 95 % of the throughput before the first event.
	ToHalf = "to_half_s"
	ToMost = "to_95_percent_s"
	// FailedAttempts are attempts at transactions that ended in an error, Broken connections that were lost.
	FailedAttempts = "failed_attempts"
	Broken         = "broken_connections"
	// P99 is that of the transactions in ms that were completed until ToMost.
	P99 = "p99_ms"
	// LostWrites were acknowledged and are gone after the load, by the ledger, of the whole trial.
	LostWrites = "lost_writes"
)

// EventFigure is one figure of an event over the trials of an arm.
type EventFigure struct {
	Name string
	Estimate
	// Against is the difference from the baseline's event of the same number and kind; nil for the
	// baseline, and where the arms cannot be compared.
	Against *EventContrast
	// Missing is in how many trials there is no such figure: nothing was served again, or not as much as it asks for.
	Missing int
	rounds  byRounds // the mean of each round's trials
}

// EventContrast is a difference from the baseline over the rounds that both have. There is none where the figure is
// missing in a trial of one of the two: the others are those in which the server came back.
type EventContrast struct {
	Difference float64
	// Interval is at 95 %, and holds for all events that are compared by this figure at once; nil below
	// two rounds.
	Interval *Interval
	Rounds   int
	// Verdict is Costs where the figure is higher than the baseline's, Gains where it is lower, and
	// Inconclusive where the interval has 0, where others used the machine, or below six rounds.
	Verdict Verdict
}

// figureNames are in the order in which a table has them.
func figureNames() []string {
	return []string{WithoutService, ToHalf, ToMost, FailedAttempts, Broken, P99, LostWrites}
}

// sighting is what is known of an event in one trial.
type sighting struct {
	trial  *record.Trial
	span   span
	facts  map[string]record.Fact
	prefix string
}

// sightings are those of all trials, by their place in the arm.
type sightings struct {
	byFigure, byPart map[string]byRounds
	trials           map[int]*record.Trial
	stepped          []sighting // those of the trials that counted their transactions in steps
	unserved         int
	unrecovered      int     // served again, and never with 95 % of the throughput before
	atLeast          float64 // the least time without service of the trials that are unserved
}

func newSightings() *sightings {
	return &sightings{byFigure: map[string]byRounds{}, byPart: map[string]byRounds{}, trials: map[int]*record.Trial{}}
}

// add takes a trial's figures.
func (s *sightings) add(at int, one sighting) {
	s.trials[at] = one.trial
	set := func(of map[string]byRounds, name string, v float64) {
		if of[name] == nil {
			of[name] = byRounds{}
		}
		of[name][at] = v
	}
	if lost, ok := lostWrites(one.facts); ok {
		set(s.byFigure, LostWrites, lost)
	}
	w := one.trial.Window
	if w == nil || w.Timeline == nil || w.Timeline.Step <= 0 {
		return
	}
	s.stepped = append(s.stepped, one)
	if one.unserved() {
		s.unserved++
		if without := one.span.without(one.trial); s.unserved == 1 || without < s.atLeast {
			s.atLeast = without
		}
		return
	}
	set(s.byFigure, WithoutService, one.span.without(one.trial))
	until := one.span.until
	if half, ok := one.recovered(0.5); ok {
		set(s.byFigure, ToHalf, half)
	}
	if most, ok := one.recovered(0.95); ok {
		set(s.byFigure, ToMost, most)
		until = one.span.from + most
	} else if one.before() > 0 {
		s.unrecovered++
	}
	t := w.Timeline
	set(s.byFigure, FailedAttempts, sumOf(t, t.Failed, one.span.from, one.span.until))
	set(s.byFigure, Broken, sumOf(t, t.Broken, one.span.from, one.span.until))
	if p99, ok := p99Between(one.trial, one.span.from, until); ok {
		set(s.byFigure, P99, p99)
	}
	for name, length := range one.parts() {
		set(s.byPart, name, length)
	}
}

// figures are means over the trials.
func (s *sightings) figures(by stopping) (all []EventFigure) {
	for _, name := range figureNames() {
		of := s.byFigure[name]
		if len(of) == 0 {
			continue
		}
		f := EventFigure{Name: name, Estimate: by.meanOver(of).fromZero(), rounds: s.rounds(by, of)}
		if name != LostWrites { // which servers were asked after the load
			f.Missing = max(0, len(s.stepped)-len(of))
		}
		all = append(all, f)
	}
	return all
}

// rounds are the means of each round's trials: the baseline has two in a round with A/A.
func (s *sightings) rounds(by stopping, of byRounds) byRounds {
	sums, counts := byRounds{}, map[int]int{}
	for _, at := range slices.Sorted(maps.Keys(of)) {
		round := by.roundOf(s.trials[at])
		sums[round] += of[at]
		counts[round]++
	}
	for round, n := range counts {
		sums[round] /= float64(n)
	}
	return sums
}

// parts are means over all trials with an outage: one that a trial does not have is 0 there.
func (s *sightings) parts(by stopping) (all []EventPart) {
	outages := map[int]bool{}
	for _, of := range s.byPart {
		for at := range of {
			outages[at] = true
		}
	}
	for _, name := range partNames() {
		of := s.byPart[name]
		if len(of) == 0 {
			continue
		}
		for at := range outages {
			of[at] += 0
		}
		all = append(all, EventPart{Name: name, Estimate: by.meanOver(of).fromZero()})
	}
	return all
}

// lostWrites are the acknowledged entries that a server lacks which was compared: the most of any.
func lostWrites(facts map[string]record.Fact) (lost float64, ok bool) {
	var l Ledger
	l.add(facts)
	for _, m := range l.Members {
		if m.Compared > 0 {
			lost, ok = max(lost, float64(m.Lost)), true
		}
	}
	return lost, ok
}

// unserved says that the longest stretch without service lasted to the next event or the window's end. A short one there
// is a stall: the database had come back.
func (s sighting) unserved() bool {
	if s.trial.Window == nil || s.trial.Window.Timeline == nil {
		return false
	}
	_, to, ok := s.outage()
	return ok && to >= s.span.until-s.trial.Window.Timeline.Step
}

// served is when the last stretch without service of the event ended, its beginning where there was none.
func (s sighting) served() float64 {
	at := s.span.from
	for _, silence := range s.trial.Window.Silences {
		if silence[1] > s.span.from && silence[0] < s.span.until {
			at = max(at, silence[1])
		}
	}
	return at
}

// before is the throughput before the first event.
func (s sighting) before() float64 {
	t := s.trial.Window.Timeline
	return sumOf(t, t.Completed, s.span.zero, s.span.undisturbed) / (s.span.undisturbed - s.span.zero)
}

// recovered is how long after the event's beginning the first second begins that has a share of the
// throughput before the first event; ok is false where there is none before the next event.
func (s sighting) recovered(share float64) (after float64, ok bool) {
	t, before := s.trial.Window.Timeline, s.before()
	if !(before > 0) {
		return 0, false
	}
	served := s.served()
	for at := served; at+1 <= s.span.until; at += t.Step {
		if sumOf(t, t.Completed, at, at+1) >= share*before {
			return at - s.span.from, true
		}
	}
	return 0, false
}

// p99Between is that of the intervals in which a stretch of the load lies, in ms.
func p99Between(t *record.Trial, from, to float64) (ms float64, ok bool) {
	var counts [record.CoarseBuckets]int64
	total := int64(0)
	for _, i := range t.Intervals {
		if i.End > from && i.End-i.Length <= to && i.Coarse != nil {
			i.Coarse.AddTo(counts[:])
		}
	}
	for _, n := range counts {
		total += n
	}
	if total == 0 {
		return 0, false
	}
	rank, below := (99*total+99)/100, int64(0)
	for bucket, n := range counts {
		if below += n; below >= rank {
			return float64(record.CoarseBound(bucket)) / 1e6, true
		}
	}
	return 0, false
}

// against compares the figures of all events with those of the baseline.
func (j comparison) against(events []Event) {
	arms := map[[2]any]*Arm{}
	for i := range j.res.Arms {
		a := &j.res.Arms[i]
		arms[[2]any{a.Name, a.Threads}] = a
	}
	pairs := map[*Event]*Event{}
	for i := range events {
		e := &events[i]
		arm, base := arms[[2]any{e.Arm, e.Threads}], j.base(e.Threads)
		if arm == nil || base == nil || arm.Baseline || !claimed(j.run, arm) || j.forbidden(base, arm) {
			continue
		}
		same := slices.IndexFunc(events, func(b Event) bool {
			return b.Arm == base.Name && b.Threads == base.Threads && b.Number == e.Number && b.Kind == e.Kind
		})
		if same >= 0 {
			pairs[e] = &events[same]
		}
	}
	for e, base := range pairs {
		for i := range e.Figures {
			f := &e.Figures[i]
			at := slices.IndexFunc(base.Figures, func(b EventFigure) bool { return b.Name == f.Name })
			if at >= 0 {
				f.Against = j.differenceOf(&base.Figures[at], f, len(pairs))
			}
		}
	}
}

// differenceOf is the difference of a figure; nil where a trial of one of the two has none.
func (j comparison) differenceOf(base, arm *EventFigure, family int) *EventContrast {
	if base.Missing+arm.Missing > 0 {
		return nil
	}
	return j.difference(base.rounds, arm.rounds, family)
}

// difference is that of an arm over the rounds that both have, at an error rate that so many events share.
func (j comparison) difference(base, arm byRounds, family int) *EventContrast {
	d := changes(base, arm)
	if len(d) == 0 {
		return nil
	}
	c := &EventContrast{Difference: meanOfRounds(d), Interval: j.stopping.interval(d, error95/float64(max(1, family))), Rounds: len(d), Verdict: Inconclusive}
	switch {
	case c.Interval == nil || c.Rounds < Least(fixedRounds) || j.res.Others.Busy():
	case c.Interval.Lo > 0:
		c.Verdict = Costs
	case c.Interval.Hi < 0:
		c.Verdict = Gains
	}
	return c
}

// sumOf is a count of a timeline between two times since the load began; of a step that is partly
// between them that part counts.
func sumOf(t *record.Timeline, counts []int64, from, to float64) (sum float64) {
	first, last := max(0, int(from/t.Step)), min(len(counts)-1, int(to/t.Step))
	for i := first; i <= last; i++ {
		begins := float64(i) * t.Step
		if part := min(to, begins+t.Step) - max(from, begins); part > 0 {
			sum += float64(counts[i]) * part / t.Step
		}
	}
	return sum
}

// firstOf is when the first of a count was seen between two times, to a step.
func firstOf(t *record.Timeline, counts []int64, from, to float64) (at float64, ok bool) {
	for i := max(0, int(from/t.Step)); i < len(counts) && float64(i)*t.Step < to; i++ {
		if counts[i] > 0 {
			return max(from, float64(i)*t.Step), true
		}
	}
	return 0, false
}
