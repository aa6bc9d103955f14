package report

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

// text makes a string that came from anywhere valid UTF-8, as JSON wants it; the
// views make it inert for their own format.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func evidence(e compare.Evidence) Evidence {
	return Evidence{
		Key: text(e.Key), Source: text(e.Source), Value: text(e.Value), Change: Number(e.Change),
		PerTrial: Number(e.Change / float64(e.Trials)), End: Number(e.End), Unknown: text(e.Unknown),
	}
}

// arm leaves out the totals of a sealed run: two means side by side are an
// effect.
func arm(a *compare.Arm, res *compare.Result, unit string) Arm {
	out := Arm{
		Name: text(a.Name), Baseline: a.Baseline, Target: text(a.Target), Threads: a.Threads, Trials: len(a.Trials),
		Outcomes: map[string]int{}, Unit: unit, Tails: []Tail{}, States: []State{}, Spread: []Number{}, Cgroup: []Evidence{},
		ThroughputMean: Unknown(), ThroughputMin: Unknown(), ThroughputMax: Unknown(), QueriesMean: Unknown(),
		Errors: a.Errors, Reconnects: a.Reconnects,
	}
	for _, t := range a.Trials {
		if server := text(t.Server()); server != "" && !slices.Contains(out.Servers, server) {
			out.Servers = append(out.Servers, server)
		}
	}
	for outcome, n := range a.Outcomes {
		out.Outcomes[text(outcome)] += n
	}
	for _, e := range a.Evidence {
		out.Cgroup = append(out.Cgroup, evidence(e))
	}
	if share, periods, ok := a.Throttled(); ok {
		out.Throttled = &Throttled{Number(share), Number(periods)}
	}
	out.CPUWait = Unknown()
	if ratio, ok := a.Waited(); ok {
		out.CPUWait = Number(ratio)
	}
	if res.Sealed {
		return out
	}
	out.ThroughputMean, out.ThroughputMin, out.ThroughputMax = Number(a.Mean), Number(a.Min), Number(a.Max)
	out.QueriesMean = Number(a.Queries)
	if g := a.Generator; g != nil {
		out.Generator = &Generator{Number(g.CPU), Number(g.Waited)}
	}
	for _, s := range a.States {
		out.States = append(out.States, State{Number(s.Level), Number(s.Share)})
	}
	out.Latency, out.Tails = latency(a.Latency), tails(a.Tails)
	if res.LatencyRate > 0 {
		out.atRate(a)
	}
	out.offered(a)
	out.Kinds, out.Statements = timed(a.Kinds), timed(a.Statements)
	out.Spread = secondsSpread(a)
	return out
}

// secondsSpread stands in for the seconds themselves where the page has not all of them:
// those that reduce keeps are the extreme ones.
func secondsSpread(a *compare.Arm) []Number {
	var all []float64
	long := false
	for _, t := range a.Trials {
		long = long || len(t.Intervals) > wholeSeries
		for _, i := range t.Intervals {
			if !i.Warmup && t.End != nil && Number(i.Transactions).Known() {
				all = append(all, i.Transactions)
			}
		}
	}
	if !long || len(all) == 0 {
		return []Number{}
	}
	slices.Sort(all)
	const dots = 50
	out := make([]Number, dots)
	for i := range out {
		out[i] = Number(all[len(all)*(2*i+1)/(2*dots)])
	}
	return out
}

func timed(in []compare.Timed) (out []Timed) {
	for _, t := range in {
		l := latency(t.Latency)
		l.Histogram = nil
		out = append(out, Timed{text(t.Name), l})
	}
	return out
}

func latency(l *compare.Latency) *Latency {
	if l == nil {
		return nil
	}
	out := &Latency{Mean: Number(l.Mean), Max: Number(l.Max), Percentiles: map[string]Number{}}
	for name, v := range l.Percentiles {
		out.Percentiles[name] = Number(v)
	}
	if l.Histogram != nil {
		out.Histogram = &Histogram{text(l.Histogram.Scheme), l.Histogram.Counts}
	}
	return out
}

func contrast(c compare.Contrast, round time.Duration) Contrast {
	out := Contrast{
		Arm: text(c.Arm), Baseline: text(c.Baseline), Metric: "throughput", Threads: c.Threads,
		EffectPercent: Number(c.Effect), ArmThroughput: Number(c.ArmLevel), BaselineThroughput: Number(c.BaselineLevel),
		Interval: intervalOf(c.Interval95), Interval90: intervalOf(c.Interval90),
		IntervalKind: c.Kind, Joint: joint(c.FamilyName, c.Family), Rounds: c.Rounds, SignFlipP: Number(c.SignFlipP),
		Verdict: string(c.Verdict), PastMargin: c.PastMargin, Reasons: reasonsOf(c.Reasons),
		Exploratory: c.Exploratory, NewRun: newRun(c.NewRun(), round), Serial: serial(c.Serial), Starts: starts(c.Starts), Pairs: pairs(c.Pairs), Variants: []Variant{},
	}
	switch {
	case c.Busy:
		out.NoVerdict = NoVerdictBusy
	case c.Verdict == compare.Inconclusive && c.Interval95 != nil && c.Early():
		out.NoVerdict = NoVerdictEarly
	}
	for _, v := range c.Variants {
		out.Variants = append(out.Variants, Variant{"", v.Part, Number(v.Effect), intervalOf(v.Interval95), v.Rounds, v.Agrees})
	}
	return out
}

// reasonsOf is a list in JSON, also of none.
func reasonsOf(all []compare.Reason) []compare.Reason { return append([]compare.Reason{}, all...) }

func pairs(in []compare.Pair) []Pair {
	out := make([]Pair, 0, len(in))
	for _, p := range in {
		out = append(out, Pair{p.Round, Number(p.Baseline), Number(p.Arm), Number(p.Effect())})
	}
	return out
}

func intervalOf(i *compare.Interval) *[2]Number {
	if i == nil || !Number(i.Lo).Known() || !Number(i.Hi).Known() {
		return nil
	}
	return &[2]Number{Number(i.Lo), Number(i.Hi)}
}

func trial(t *record.Trial) Trial {
	h := t.Header
	out := Trial{
		Trial: h.Trial, Round: h.Round, Slot: h.Slot, Arm: text(h.Arm), Threads: h.Threads,
		Outcome: compare.Outcome(t), Throughput: Unknown(),
		Seconds: []Number{}, TPS: []Number{}, Latency: []Number{}, Warmup: []bool{},
	}
	if t.End != nil {
		out.Reason = text(t.End.Reason)
	}
	if t.Incomplete != "" {
		out.Reason = text(t.Incomplete)
	}
	if t.Window != nil && out.Outcome == string(record.Measured) {
		out.Throughput = Number(t.Throughput())
	}
	last := math.NaN()
	for _, i := range t.Intervals {
		// A missing interval becomes a null, so that no chart bridges it.
		if i.End-i.Length > last+i.Length/2 {
			out.add(i.End-i.Length, math.NaN(), math.NaN(), i.Warmup)
		}
		ms := i.Latency
		if i.Percentile == 0 {
			ms = math.NaN()
		}
		out.add(i.End, i.Transactions, ms, i.Warmup)
		last = i.End
	}
	change, _ := compare.ChangesAt(t)
	out.Change = Number(change)
	out.reduce()
	return out
}

func (t *Trial) add(end, tps, ms float64, warmup bool) {
	t.Seconds = append(t.Seconds, Number(end))
	t.TPS = append(t.TPS, Number(tps))
	t.Latency = append(t.Latency, Number(ms))
	t.Warmup = append(t.Warmup, warmup)
}

func difference(d compare.Difference) Difference {
	out := Difference{Key: text(d.Key), Values: map[string]string{}, Declared: d.Declared, WhyReason: d.Why}
	for arm, v := range d.Values {
		out.Values[text(arm)] = text(v)
	}
	return out
}
