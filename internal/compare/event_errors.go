package compare

// This file tells the errors that an experiment's own events cause from others: a server that is killed on purpose
// answers its clients with errors, and the arm can be compared all the same.

import "github.com/tarebench/tare/internal/record"

// besideEvents is how many attempts of an arm's trials failed while no event disturbed them, with the client's own
// errors and those of transactions for each other; ok is false where a trial had no event, or does not tell when its
// attempts failed.
func (a *Arm) besideEvents(warmup float64) (failed float64, ok bool) {
	trials := a.numbers()
	for _, t := range trials {
		beside, known := attemptsBesideEvents(t, warmup)
		if !known {
			return 0, false
		}
		failed += beside
	}
	return failed, len(trials) > 0
}

// warmupOf is the length of a run's warm-up in s, 0 of imported trials.
func warmupOf(r *record.Run) float64 {
	if r.Experiment == nil {
		return 0
	}
	return r.Experiment.Protocol.Warmup.Std().Seconds()
}

// attemptsBesideEvents is that of one trial, in its window.
func attemptsBesideEvents(t *record.Trial, warmup float64) (failed float64, ok bool) {
	w := t.Window
	if w == nil || w.Timeline == nil || w.Timeline.Step <= 0 {
		return 0, false
	}
	facts, line := endFacts(t), w.Timeline
	calm := warmup // the last event is over
	for number := 1; ; number++ {
		if _, there := facts[eventPrefix(facts, number)+"kind"]; !there {
			break
		}
		s, took := eventSpan(t, facts, number, warmup)
		if !took {
			continue // it could not be carried out, which is said elsewhere
		}
		ok = true
		// What fails in the step in which it began is of the event.
		failed += sumOf(line, line.Failed, calm, max(calm, s.from-line.Step))
		calm = max(calm, sighting{trial: t, span: s, facts: facts}.over(number))
	}
	return failed + sumOf(line, line.Failed, calm, float64(len(line.Failed))*line.Step), ok
}

// over is when clients are served again as before the event: at 95 % of the throughput, or, where it does not come to
// that, when the last stretch without service ended; and not before the end of an event that has one.
func (s sighting) over(number int) float64 {
	over := s.served()
	if most, ok := s.recovered(0.95); ok {
		over = max(over, s.span.from+most)
	}
	if _, ends := s.facts[eventPrefix(s.facts, number)+"ended_s"]; ends {
		over = max(over, s.span.to)
	}
	return over + s.trial.Window.Timeline.Step
}
