package compare

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Interval is a range of changes in % of the baseline.
type Interval struct{ Lo, Hi float64 }

// Pair is the complete rounds of a contrast: both throughputs in transactions/s.
type Pair struct {
	Round         int
	Baseline, Arm float64
}

// logRatio is the unit of the comparison: additive over layers, and the same
// size either way round, which a percentage is not.
func (p Pair) logRatio() float64 { return math.Log(p.Arm) - math.Log(p.Baseline) }

// Effect is the change of throughput in %, negative when slower.
func (p Pair) Effect() float64 { return stats.Percent(p.logRatio()) }

// pairs are the rounds in which both arms gave a number, in their order.
func pairs(base, arm []*record.Trial) []Pair {
	byRound := map[int]*record.Trial{}
	for _, t := range base {
		byRound[t.Header.Round] = t
	}
	var all []Pair
	for _, t := range arm {
		if b, ok := byRound[t.Header.Round]; ok {
			all = append(all, Pair{t.Header.Round, b.Throughput(), t.Throughput()})
		}
	}
	return all
}

func logRatios(pairs []Pair) []float64 {
	d := make([]float64, len(pairs))
	for i, p := range pairs {
		d[i] = p.logRatio()
	}
	return d
}

// estimate is a mean log-ratio with its two intervals, on the log scale.
type estimate struct {
	kind           string
	mean, sd       float64 // sd of one round's log-ratio, NaN when unpaired
	in95, in90     Interval
	signFlip       float64
	haveInterval   bool
	rounds, family int
}

// paired is the headline: a t interval over the rounds' log-ratios. For a family
// of k contrasts against one baseline the error rate is shared out (Bonferroni): each
// interval depends on nothing but its own two arms. Intervals that also use what the other
// arms did are at most 3 % narrower, and those of the largest |t| over shuffled residuals
// miss in 14 % of the runs where one arm is ten times as noisy (C9).
func (j comparison) paired(c Contrast) estimate {
	d := logRatios(c.Pairs)
	k := max(1, j.family)
	p := stats.PairedTFamily(d, k)
	e := estimate{
		mean: p.Mean, sd: p.SD, signFlip: p.SignFlipP,
		haveInterval: len(d) >= 2, rounds: len(d), family: k,
	}
	kind, bounds := j.bounds(len(d), within(c.Pairs, j.pilot))
	e.kind = kind
	e.in95.Lo, e.in95.Hi = bounds(d, 0.05/float64(k))
	e.in90.Lo, e.in90.Hi = bounds(d, 0.10/float64(k))
	if kind == "looks-t" || kind == "anytime-t" {
		e.signFlip = math.NaN() // it knows nothing of the other looks
	}
	if math.IsInf(e.in95.Hi, 0) {
		e.haveInterval = false // too early for an interval that holds at all times
	}
	return e.named()
}

// welchKind is the kind of interval of two samples that are not paired, before what a family adds to it.
const welchKind = "welch"

// welch compares imported trials, of which neither order nor pairing is known:
// two independent samples of log throughput with their own variances (Welch,
// Biometrika 34, 1947). It needs two trials of each.
func welch(base, arm *Arm, k int) estimate { return welchOf(logs(base), logs(arm), k) }

func welchOf(x, y []float64, k int) estimate { return welchWider(x, y, k, 1, 1) }

// welchWider is Welch's with standard errors of the two means that are so many times as large as those of independent
// values.
func welchWider(x, y []float64, k int, ofX, ofY float64) estimate {
	n, m := float64(len(x)), float64(len(y))
	e := estimate{
		kind: welchKind, mean: stats.Mean(y) - stats.Mean(x), sd: math.NaN(), signFlip: math.NaN(),
		rounds: min(len(x), len(y)), family: k,
	}
	e.haveInterval = e.rounds >= 2
	if !e.haveInterval {
		return e.named()
	}
	vx, vy := ofX*ofX*stats.Variance(x)/n, ofY*ofY*stats.Variance(y)/m
	df := (vx + vy) * (vx + vy) / (vx*vx/(n-1) + vy*vy/(m-1))
	if vx+vy == 0 {
		df = n + m - 2 // no spread at all: any quantile times zero
	}
	half := func(alpha float64) float64 {
		return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1-alpha/2) * math.Sqrt(vx+vy)
	}
	h95, h90 := half(0.05/float64(k)), half(0.10/float64(k))
	e.in95, e.in90 = Interval{e.mean - h95, e.mean + h95}, Interval{e.mean - h90, e.mean + h90}
	return e.named()
}

// logs are the log throughputs of an arm, one for each round, in the order in which they were measured: a round that
// was repeated comes last. Trials of one server in one round share what the machine did then, so they are one sample,
// with their mean: as several they would make intervals too narrow.
func logs(a *Arm) []float64 {
	var y []float64
	var of [][]float64
	ofRound := map[int]int{}
	for _, t := range a.inTime() {
		ofRound[t.Header.Round] = len(of)
		of = append(of, []float64{math.Log(t.Throughput())})
	}
	repeats := a.repeats()
	if a.unwatched { // probes cost throughput
		repeats = nil
	}
	for _, t := range repeats {
		v := math.Log(t.Throughput())
		if i, ok := ofRound[t.Header.Round]; ok {
			of[i] = append(of[i], v)
		} else {
			of = append(of, []float64{v})
		}
	}
	for _, values := range of {
		y = append(y, stats.Mean(values))
	}
	return y
}

func (e estimate) named() estimate {
	if e.family > 1 {
		e.kind += "-bonferroni"
	}
	if !e.haveInterval {
		e.kind = ""
	}
	return e
}

// mostRatio is the largest ratio of the bounds of an interval that is shown: from a tenth of the
// baseline to ten times as much says nothing that a reader could use. Two rounds that disagree give
// bounds of any size, and a bound of -3173.6 % or of billions looks like a finding.
const mostRatio = 100

// mostAround is the same of a change that may be in either direction: between 342 % faster and 75 % slower tells
// nothing, while a loss of 80 to 99 %, whose bounds differ by as much, is a finding.
const mostAround = 10

// determined says of an interval on the log scale that it says something.
func (i Interval) determined() bool { return i.Hi-i.Lo <= math.Log(mostRatio) }

// useful says of the interval of a change that it says something.
func (i Interval) useful() bool {
	return i.determined() && (i.Lo >= 0 || i.Hi <= 0 || i.Hi-i.Lo <= math.Log(mostAround))
}

// percent is an interval on the log scale as changes in %.
func (i Interval) percent() Interval { return Interval{stats.Percent(i.Lo), stats.Percent(i.Hi)} }

// shown is percent, nil where the interval of a change says nothing.
func (i Interval) shown() *Interval {
	if !i.useful() {
		return nil
	}
	in := i.percent()
	return &in
}

// notDetermined is the reason of a contrast whose rounds, or imported trials, disagree so much that its
// interval says nothing.
func notDetermined(n int, trials bool, in Interval) Reason {
	unit := "interval-not-determined"
	if trials {
		unit = "interval-not-determined-trials"
	}
	return reason(unit).count("n", n).num("ratio", in.mostRatio())
}

// undetermined is notDetermined, or that the rounds are fewer than a verdict needs, which says what to do.
func (j comparison) undetermined(rounds int, in Interval) Reason {
	if enough := EnoughRounds(j.family); j.run.Imported == nil && rounds < enough {
		return reason("interval-of-few-rounds").count("n", rounds).num("ratio", in.mostRatio()).count("enough", enough)
	}
	return notDetermined(rounds, j.run.Imported != nil, in)
}

// mostRatio is the one that the interval exceeds.
func (i Interval) mostRatio() float64 {
	if i.determined() {
		return mostAround
	}
	return mostRatio
}
