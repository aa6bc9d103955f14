package compare

// This file takes the runs of one experiment on several machines, or several runs on one, together.

import (
	"maps"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Combined is the runs of one experiment together.
type Combined struct {
	Experiment string
	// Margin is that of the first run, as a ratio.
	Margin   float64
	Machines []Machine
	// OverMachines says that the machines are the unit of analysis; else, on one machine, its runs are.
	OverMachines bool
	// Throughput and Latency are the changes of each arm from the baseline at each level of the load: those of
	// throughput, and those of p95 and p99. The intervals of each of the two hold together.
	Throughput, Latency []CombinedEffect
	Warnings            []Reason
}

// Machine is the runs of one machine, in the order in which they began.
type Machine struct {
	Name string
	Runs []*record.Run
}

// inOrder are the runs of all machines, one machine after the other.
func (c *Combined) inOrder() (all []*record.Run) {
	for _, m := range c.Machines {
		all = append(all, m.Runs...)
	}
	return all
}

// CombinedEffect is a change from the baseline over several runs, in %. Of throughput it is negative when slower, of
// a percentile positive.
type CombinedEffect struct {
	// Percentile is "95" or "99"; "" for throughput.
	Percentile    string
	Arm, Baseline string
	Threads       int
	// Effect is the mean over the units, NaN where a run has none. The intervals are nil below three units.
	Effect                 float64
	Interval95, Interval90 *Interval
	Kind                   string // of the intervals
	// Units is the number of machines, or of runs on one machine; Family how many effects hold together.
	Units, Family int
	// RoundSD, RunSD and MachineSD are the standard deviations in %: between the rounds of a run, between the runs of a
	// machine beyond what their rounds explain, and between machines beyond what their runs explain. NaN where the runs
	// do not tell.
	RoundSD, RunSD, MachineSD float64
	Runs                      []RunEffect
	Serial                    *Serial // between runs of one machine; nil below six
	Verdict                   Verdict
	PastMargin                string
	Reasons                   []Reason
}

// RunEffect is the same change in one run, with the interval of that run's report; NaN and nil where it has none.
type RunEffect struct {
	Machine string
	Run     *record.Run
	Rounds  int
	Effect  float64
	In95    *Interval

	d []float64 // log-ratios of the rounds
}

// leastUnits is the number of machines, or of runs on one, from which there is an interval: that of two is 13
// times as wide as their spread.
const leastUnits = 3

// Combine takes the runs of one experiment together; an error says which runs are not. names are the machines of the
// runs, as the user says; nil where the records tell.
func Combine(runs []*record.Run, names []string) (*Combined, error) {
	runs, names = byTime(runs, names)
	if err := oneExperiment(runs); err != nil {
		return nil, err
	}
	machines, err := machinesOf(runs, names)
	if err != nil {
		return nil, err
	}
	c := &Combined{Experiment: nameOf(runs[0]), Margin: margin(runs[0]), Machines: machines, OverMachines: len(machines) > 1}
	var all []*Result
	for _, r := range c.inOrder() {
		all = append(all, Run(r))
	}
	for _, first := range all[0].Contrasts {
		c.Throughput = append(c.Throughput, c.effect(CombinedEffect{Arm: first.Arm, Baseline: first.Baseline, Threads: first.Threads, Family: first.Family}, all))
	}
	for i := range all[0].Arms {
		for _, t := range all[0].Arms[i].Tails {
			if t.Family > 0 {
				a := &all[0].Arms[i]
				c.Latency = append(c.Latency, c.effect(CombinedEffect{Percentile: t.Percentile, Arm: a.Name, Baseline: all[0].Baseline, Threads: a.Threads, Family: t.Family}, all))
			}
		}
	}
	c.takeBack(all)
	c.Warnings = append(c.scope(), otherBinaries(runs)...)
	return c, nil
}

// scope says what the intervals hold for.
func (c *Combined) scope() []Reason {
	if n := max(len(c.Machines), len(c.Machines[0].Runs)); c.OverMachines && len(c.Machines) < leastUnits || n < leastUnits {
		return []Reason{reason("combined-no-interval").count("least", leastUnits)}
	}
	if c.OverMachines {
		return []Reason{reason("combined-machines").count("n", len(c.Machines))}
	}
	return []Reason{reason("combined-one-machine").name("machine", c.Machines[0].Name)}
}

// effect is one change over all runs, which are in the order of the machines.
func (c *Combined) effect(e CombinedEffect, all []*Result) CombinedEffect {
	var means [][]float64 // of the runs of each machine
	e.Effect, e.RoundSD, e.RunSD, e.MachineSD = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	var without []string
	at := 0
	for _, m := range c.Machines {
		var ofMachine []float64
		for _, r := range m.Runs {
			one := e.inRun(all[at])
			one.Machine, one.Run = m.Name, r
			if len(one.d) == 0 {
				without = append(without, r.Dir)
			}
			ofMachine, e.Runs = append(ofMachine, stats.Mean(one.d)), append(e.Runs, one)
			at++
		}
		means = append(means, ofMachine)
	}
	if len(without) > 0 {
		return e.say(NotMeasured, reason("combined-without").name("runs", baseNames(without)...))
	}
	units := means[0]
	if c.OverMachines {
		units = nil
		for _, ofMachine := range means {
			units = append(units, stats.Mean(ofMachine))
		}
	}
	e.spread(means)
	return e.judge(units, c)
}

// inRun is the change in one run. A run in which the arm has rounds without a figure, or is not comparable, has none.
func (e *CombinedEffect) inRun(res *Result) RunEffect {
	one := RunEffect{Effect: math.NaN()}
	for i := range res.Contrasts {
		c := &res.Contrasts[i]
		if c.Arm != e.Arm || c.Threads != e.Threads || c.Baseline != e.Baseline || len(c.Pairs) == 0 || math.IsNaN(c.Effect) {
			continue
		}
		if e.Percentile == "" {
			return RunEffect{Rounds: len(c.Pairs), Effect: c.Effect, In95: c.Interval95, d: logRatios(c.Pairs)}
		}
		if t := e.tail(res); t != nil {
			return RunEffect{Rounds: t.Rounds, Effect: t.Cost, In95: t.CostInterval, d: t.changes}
		}
	}
	return one
}

// tail is the percentile of the arm in a run; nil where it has no change.
func (e *CombinedEffect) tail(res *Result) *Tail {
	for i := range res.Arms {
		if res.Arms[i].Name != e.Arm || res.Arms[i].Threads != e.Threads {
			continue
		}
		for k := range res.Arms[i].Tails {
			if t := &res.Arms[i].Tails[k]; t.Percentile == e.Percentile && t.Rounds > 0 {
				return t
			}
		}
	}
	return nil
}

// judge is the interval over the units, with its verdict: Student's t over their means. It holds where machines are
// unequally noisy (Ibragimov & Müller, Journal of Business & Economic Statistics 28, 2010); weighting machines by their
// variances does not (C28).
func (e CombinedEffect) judge(units []float64, c *Combined) CombinedEffect {
	e.Units, e.Effect = len(units), stats.Percent(stats.Mean(units))
	if e.Units < leastUnits {
		code := "combined-few-runs"
		if c.OverMachines {
			code = "combined-few-machines"
		}
		return e.say(Inconclusive, reason(code).count("n", e.Units).count("least", leastUnits))
	}
	p := stats.PairedTFamily(units, e.Family)
	of := estimate{kind: "runs-t", mean: p.Mean, in95: Interval{p.Lo95, p.Hi95}, in90: Interval{p.Lo90, p.Hi90}, haveInterval: true, family: e.Family}
	var caveats []Reason
	if c.OverMachines {
		of.kind = "machines-t"
	} else if e.Serial = of.serial(units); e.Serial != nil && e.Serial.P <= serialLevel {
		caveats = append(caveats, reason(runsDepend).num("rho", e.Serial.Rho).num("p", e.Serial.P).num("factor", e.Serial.Factor))
	}
	if !of.in95.useful() {
		return e.say(Inconclusive, reason("combined-not-determined").num("ratio", of.in95.mostRatio()))
	}
	in95, in90 := of.in95.percent(), of.in90.percent()
	e.Interval95, e.Interval90, e.Kind = &in95, &in90, of.named().kind
	v, past := e.verdict(100 * c.Margin)
	e.PastMargin = past
	if e.Units < Least(e.Kind) {
		return e.say(Inconclusive, append([]Reason{reason("combined-early").count("n", e.Units).count("enough", Least(e.Kind))}, caveats...)...)
	}
	return e.say(v, append([]Reason{reason("rule-"+string(v)).num("margin", 100*c.Margin)}, caveats...)...)
}

// verdict is by the rule of a contrast, whose change is negative when slower.
func (e *CombinedEffect) verdict(margin float64) (Verdict, string) {
	in95, in90 := *e.Interval95, *e.Interval90
	if e.Percentile != "" {
		in95, in90 = Interval{-in95.Hi, -in95.Lo}, Interval{-in90.Hi, -in90.Lo}
	}
	if e.Units < Least(e.Kind) {
		return Inconclusive, ""
	}
	v := VerdictOf(in95, in90, margin)
	return v, pastMargin(v, in95, margin)
}

func (e CombinedEffect) say(v Verdict, reasons ...Reason) CombinedEffect {
	e.Verdict, e.Reasons = v, reasons
	return e
}

// spread are the components of variance of a nested design, by moments: what the means of one level vary, less what the
// level below explains. One that the level below explains altogether is 0.
func (e *CombinedEffect) spread(means [][]float64) {
	var rounds, runs squares
	errors := 0.0 // the sum of the variances of runs' means that their rounds explain
	for i := range e.Runs {
		rounds.add(e.Runs[i].d)
	}
	for i := range e.Runs {
		errors += rounds.variance() / float64(len(e.Runs[i].d))
	}
	error := errors / float64(len(e.Runs))
	var ofMachines []float64
	perMachine := 0.0 // the mean of 1/runs
	for _, m := range means {
		runs.add(m)
		ofMachines = append(ofMachines, stats.Mean(m))
		perMachine += 1 / float64(len(m)) / float64(len(means))
	}
	deviation := func(variance float64) float64 {
		if math.IsNaN(variance) {
			return variance
		}
		return 100 * math.Sqrt(math.Max(0, variance))
	}
	e.RoundSD, e.RunSD = deviation(rounds.variance()), deviation(runs.variance()-error)
	ofRun := runs.variance()
	if math.IsNaN(ofRun) { // no machine has two runs: theirs is in that of machines
		ofRun = error
	}
	if len(means) > 1 && !math.IsNaN(ofRun) {
		e.MachineSD = deviation(stats.Variance(ofMachines) - ofRun*perMachine)
	}
}

// squares is a variance within groups.
type squares struct {
	sum float64
	df  int
}

func (s *squares) add(group []float64) {
	if len(group) > 1 {
		s.sum, s.df = s.sum+stats.Variance(group)*float64(len(group)-1), s.df+len(group)-1
	}
}

func (s *squares) variance() float64 {
	if s.df == 0 {
		return math.NaN()
	}
	return s.sum / float64(s.df)
}

// otherBinaries says where runs had other builds of the server, which machines of two architectures have, or of tare.
func otherBinaries(runs []*record.Run) []Reason {
	values := map[string][]string{}
	for _, r := range runs {
		if v, ok := still(r)[keys.ServerSHA256]; ok && !slices.Contains(values[keys.ServerSHA256], v) {
			values[keys.ServerSHA256] = append(values[keys.ServerSHA256], v)
		}
		for _, t := range r.Trials {
			if v := t.Header.Tare; v != "" && !slices.Contains(values["tare"], v) {
				values["tare"] = append(values["tare"], v)
			}
		}
	}
	var all []Reason
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if of := values[key]; len(of) > 1 {
			all = append(all, reason("combined-unlike").name("key", key).name("values", shortOf(of)...))
		}
	}
	return all
}

func shortOf(values []string) []string {
	var all []string
	for _, v := range values {
		all = append(all, shortened(v))
	}
	return all
}
