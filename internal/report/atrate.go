package report

// This file is the latency at a rate that all arms share: the fixed rate of load.latency, or that of an open loop
// (load.rate).

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
)

// Offered is the load of an arm at that rate.
type Offered struct {
	// Trials were measured at it, Behind those among them whose backlog grew.
	Trials int `json:"trials"`
	Behind int `json:"behind"`
	// Due are the transactions that fell due, Unsent those among them that no connection had become free for.
	Due    int64 `json:"due"`
	Unsent int64 `json:"unsent"`
	// Why is why response times have no figure; left out where they have.
	Why *compare.Reason `json:"why,omitempty"`
}

func offered(o compare.Offered) *Offered {
	return &Offered{Trials: o.Trials, Behind: o.Behind, Due: o.Due, Unsent: o.Unsent, Why: o.Why}
}

// offered puts what an open loop asked of an arm into the document. An arm that could not serve the rate has no
// latency: it is as long as the windows are.
func (out *Arm) offered(a *compare.Arm) {
	if a.Offered == nil {
		return
	}
	out.Offered = offered(*a.Offered)
	if a.Offered.Why != nil {
		out.Latency = nil
	}
}

// atRate puts the latencies at the fixed rate in the place of those of the closed loop, which are kept
// apart. An arm that could not be measured at it has none.
func (out *Arm) atRate(a *compare.Arm) {
	out.Closed, out.Latency = out.Latency, nil
	r := a.AtRate
	if r == nil {
		return
	}
	out.AtRate = offered(r.Offered)
	if r.Why == nil {
		out.Latency = latency(r.Latency)
	}
}

// latencyRate says at which rate latencies are measured.
func (info *RunInfo) latencyRate(run *record.Run) {
	if l := run.Experiment.Load.Latency; l != nil && run.Plan.LatencyRate > 0 {
		info.LatencyRate, info.LatencyShare = run.Plan.LatencyRate, language.Round(100*float64(l.Rate.Share), 9)
	}
}

// Rate is the rate of latencies as text, with its unit; "" of a closed loop.
func (doc *Document) Rate() string {
	perSecond := max(doc.Run.LatencyRate, doc.Run.Rate)
	if perSecond == 0 {
		return ""
	}
	n := Trimmed(Number(perSecond))
	if rate := int64(perSecond); float64(rate) == perSecond {
		n = language.Grouped(rate)
	}
	return doc.Say("rate", "n", n)
}

// AtRate says what rate latencies are measured at, and where it is from; "" of a run without one.
func (doc *Document) AtRate() string {
	switch {
	case doc.Run.LatencyRate == 0:
		return ""
	case doc.Run.LatencyShare == 0:
		return doc.Say("arrivals.rate", "rate", doc.Rate())
	}
	return doc.Say("arrivals.rate-share", "rate", doc.Rate(), "share", Trimmed(Number(doc.Run.LatencyShare)))
}

// rateSentence says which of p95 and p99 at the fixed rate cost or gain.
func (doc *Document) rateSentence(c *Contrast) string {
	var all []string
	for _, t := range doc.decidedTails(c) {
		all = append(all, doc.tailChange("rate.longer", "rate.shorter", t))
	}
	if len(all) == 0 {
		return ""
	}
	return doc.Say("sentence.rate", "rate", doc.Rate(), "parts", doc.Language().List("clauses", all))
}

// tailChange is a percentile's change with its interval, by the key for a longer or a shorter one.
func (doc *Document) tailChange(longer, shorter string, t *Tail) string {
	key, cost := longer, Cost{Mid: float64(t.CostPercent), Lo: float64(t.CostInterval[0]), Hi: float64(t.CostInterval[1])}
	if cost.Mid < 0 {
		key, cost = shorter, Cost{Mid: -cost.Mid, Lo: -cost.Hi, Hi: -cost.Lo}
	}
	n := cost.Digits()
	return doc.Say(key, "p", t.Percentile, "size", language.Decimal(cost.Mid, n), "lo", language.Decimal(cost.Lo, n), "hi", language.Decimal(cost.Hi, n))
}

// NoTail says why an arm has no latency at the rate; "" where it has.
func (doc *Document) NoTail(a *Arm) string {
	at := a.AtRate
	if at == nil {
		at = a.Offered
	}
	switch {
	case at == nil || doc.Rate() == "":
		return ""
	case at.Why != nil:
		return doc.Language().Reason(*at.Why)
	case len(a.Tails) == 0:
		return doc.Say("rate.few", "arm", doc.Called(a.Name, a.Threads), "rate", doc.Rate())
	}
	return ""
}
