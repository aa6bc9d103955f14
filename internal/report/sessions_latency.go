package report

// This file is p95 and p99 of two runs.

import (
	"slices"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// SessionLatency is a percentile of an arm in both runs, in milliseconds, null where a run has none.
type SessionLatency struct {
	Arm        string `json:"arm"`
	Threads    int    `json:"threads"`
	Percentile string `json:"percentile"`
	Before     Number `json:"before_ms"`
	After      Number `json:"after_ms"`
	// TrialsBefore and TrialsAfter are of how many trials a figure is the geometric mean; 0 where it is the percentile
	// of all requests of the run together.
	TrialsBefore int `json:"trials_before"`
	TrialsAfter  int `json:"trials_after"`
	// CostPercent is the change from the earlier run, positive = slower, null where it is not known; CostInterval is its
	// 95 % interval, null below two trials of each run.
	CostPercent  Number     `json:"cost_percent"`
	CostInterval *[2]Number `json:"cost_interval"`
	*Joint                  // of CostInterval; left out without one
}

func sessionLatencies(c *compare.Contrast, in []compare.SessionTail) (all []SessionLatency) {
	for _, t := range in {
		l := SessionLatency{
			Arm: text(c.Arm), Threads: c.Threads, Percentile: t.Percentile, Before: Number(t.Before.Mean), After: Number(t.After.Mean),
			TrialsBefore: t.Before.Trials, TrialsAfter: t.After.Trials, CostPercent: Number(t.Cost), CostInterval: intervalOf(t.Interval),
		}
		if l.CostInterval != nil {
			j := joint(compare.FamilyRuns, t.Family)
			l.Joint = &j
		}
		all = append(all, l)
	}
	return all
}

// LatencyCaption says what the figures of Latencies are, and at which rate they were measured.
func (s *Sessions) LatencyCaption() string {
	before, after := s.rate(s.Before), s.rate(s.After)
	switch {
	case before == "" && after == "":
		return s.Say("sessions.latency")
	case before == after:
		return s.Say("sessions.latency-at", "rate", before)
	}
	none := s.Say("cell.none")
	if before == "" {
		before = none
	}
	if after == "" {
		after = none
	}
	return s.Say("sessions.latency-rates", "before", before, "after", after)
}

func (s *Sessions) rate(of RunRef) string {
	return (&Document{Run: RunInfo{LatencyRate: of.LatencyRate}, language: s.Language()}).Rate()
}

// LatencyNote says which figures are not means of trials, and why a change has no interval; "" where there is nothing to say.
func (s *Sessions) LatencyNote() string {
	var notes []string
	if slices.ContainsFunc(s.Latencies, func(l SessionLatency) bool {
		return l.Before.Known() && l.TrialsBefore == 0 || l.After.Known() && l.TrialsAfter == 0
	}) {
		notes = append(notes, s.Say("sessions.latency-all"))
	}
	if slices.ContainsFunc(s.Latencies, func(l SessionLatency) bool {
		return l.CostPercent.Known() && l.CostInterval == nil && l.TrialsBefore > 0
	}) {
		notes = append(notes, s.Say("sessions.latency-few"))
	}
	return s.Language().List("sentences", notes)
}

// Cells are the percentile in both runs, and the change with its interval, "" where it is not known.
func (l *SessionLatency) Cells(s *Sessions) (before, after, change string) {
	before, after = s.milliseconds(l.Before, l.TrialsBefore), s.milliseconds(l.After, l.TrialsAfter)
	if !l.CostPercent.Known() {
		return before, after, ""
	}
	if l.CostInterval == nil {
		return before, after, s.Say("text.session-estimate", "cost", language.Signed(float64(l.CostPercent), 1))
	}
	lo, hi := float64(l.CostInterval[0]), float64(l.CostInterval[1])
	n := Cost{Lo: lo, Hi: hi}.Digits()
	return before, after, s.Say("text.tail-change", "size", language.Signed(float64(l.CostPercent), n), "lo", language.Decimal(lo, n), "hi", language.Decimal(hi, n))
}

// milliseconds marks with a star what is not the mean of trials.
func (s *Sessions) milliseconds(n Number, trials int) string {
	switch {
	case !n.Known():
		return s.Say("cell.none")
	case trials == 0:
		return language.Significant(float64(n)) + "*"
	}
	return language.Significant(float64(n))
}
