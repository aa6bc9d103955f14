package compare

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Series is one arm at one level of the load over the runs of an experiment that had the same data,
// load and windows, one point a run: runs are independent by construction, which seconds are not.
// Logs have the same unit, test, rate and work of a transaction.
type Series struct {
	Arm string
	// Experiment is the experiment's name; "" of imported runs.
	Experiment string
	Threads    int
	Unit       string // of the throughputs
	Points     []Point
	Shifts     []Shift
	// LeftOut are the runs that measured the arm and have no figure of it.
	LeftOut []LeftOut

	first *record.Run // with its arm: the first that has a figure, where one has
	arm   *Arm
}

// Point is what an arm gave in a run: the geometric mean of its throughputs, as in the run's report, and half of its
// 95 % interval in % (NaN for one trial), which changes of level are found by. Of a baseline with two trials in a round
// it is over both, as in [Between].
type Point struct {
	Run        string
	Started    time.Time
	Throughput float64
	Half       float64
	// Interval is that 95 % interval as throughputs; nil for one trial.
	Interval *Interval
	// Others is the share of the CPU time that others used, where it is that of a busy machine; 0 below it.
	Others float64

	log float64 // of the geometric mean
}

// LeftOut is a run whose figure of an arm does not count, and why.
type LeftOut struct {
	Run     string
	Started time.Time
	Why     Reason
}

// Shift is a change of level that lasts: Run is the first at the new level, Change
// the new level against the one before, in %. Interval is Welch's over the runs
// of both levels, nil where one of them has a single run; it holds for a change whose
// place was known, and is too narrow by what the search for the place adds.
type Shift struct {
	Run           string
	Change        float64
	Interval      *Interval
	Before, After int // runs
}

const (
	historyLevel = 0.01
	historyDraws = 999
	historySeed  = 1
)

// History follows every arm over runs. A change is reported where E-divisive (Matteson
// & James, JASA 109, 2014) finds one at 1 % and it is larger than the precision of
// the runs on either side: a move within a run's own interval is no news. A run of whose machine others used the share
// mostOthers or more has no figure; 0 is the limit of the run, and no more than the default, as in [Between].
func History(runs []*record.Run, mostOthers float64) []Series {
	sorted := slices.Clone(runs)
	slices.SortStableFunc(sorted, func(a, b *record.Run) int {
		return cmp.Or(Began(a).Compare(Began(b)), cmp.Compare(a.Dir, b.Dir))
	})
	var all []Series
	for i, r := range sorted {
		if slices.ContainsFunc(sorted[:i], func(o *record.Run) bool { return sameRun(o, r) }) {
			continue
		}
		res, others := outline(r), othersAmong(r, mostOthers)
		for i := range res.Arms {
			a := &res.Arms[i]
			if res.Sealed || len(a.Trials) == 0 {
				continue
			}
			k := slices.IndexFunc(all, func(s Series) bool { return s.holds(r, a) })
			if k < 0 {
				all, k = append(all, Series{Arm: a.Name, Threads: a.Threads, Experiment: nameOf(r), Unit: r.Unit(), first: r, arm: a}), len(all)
			}
			if why := a.noPoint(others); why != nil {
				all[k].LeftOut = append(all[k].LeftOut, LeftOut{filepath.Base(r.Dir), Began(r), *why})
				continue
			}
			if len(all[k].Points) == 0 {
				all[k].first, all[k].arm = r, a
			}
			point := pointOf(r, a)
			if others.Share() >= experiment.OthersLimit {
				point.Others = others.Share()
			}
			all[k].Points = append(all[k].Points, point)
		}
	}
	for i := range all {
		all[i].find()
	}
	return all
}

// sameRun says that two directories hold one run, as that of the cluster and its copy that was fetched once more.
func sameRun(a, b *record.Run) bool {
	return a.Imported == nil && b.Imported == nil && a.Plan.Hash != "" && a.Plan.Hash == b.Plan.Hash && !Began(a).IsZero() && Began(a).Equal(Began(b))
}

// holds says whether a run's arm is a point of the series: what [Between] would not compare with its
// first run is not a change of level.
func (s *Series) holds(r *record.Run, a *Arm) bool {
	return s.Arm == a.Name && s.Threads == a.Threads && s.Experiment == nameOf(r) && notAlike(s.first, r, s.arm, a) == nil
}

// nameOf is the name of a run's experiment, "" of an imported run.
func nameOf(r *record.Run) string {
	if r.Experiment == nil {
		return ""
	}
	return r.Experiment.Metadata.Name
}

// noPoint is why a run has no figure of the arm: trials without a number, a client that set the throughput of one, or
// others that used the machine; nil where it has.
func (a *Arm) noPoint(others Others) *Reason {
	if n := a.count(numberless); n > 0 || len(a.numbers()) == 0 {
		why := a.without(n, false).part("why", firstSaid(a, numberless)...)
		return &why
	}
	if n, fault := a.heldUp(); n > 0 {
		why := reason("client-saturated").count("n", n).count("of", len(a.numbers())).name("arm", a.Name).part("why", fault)
		return &why
	}
	if others.Busy() {
		why := others.namedReason()
		return &why
	}
	return nil
}

func pointOf(r *record.Run, a *Arm) Point {
	y := logs(a)
	lo, hi := stats.TInterval(y, 0.05)
	var in *Interval
	if !math.IsNaN(hi - lo) {
		in = &Interval{math.Exp(lo), math.Exp(hi)}
	}
	return Point{Interval: in, Run: filepath.Base(r.Dir), Started: Began(r), Throughput: math.Exp(stats.Mean(y)), Half: 50 * (hi - lo), log: stats.Mean(y)}
}

// Began is when the first trial of a run began; zero where no trial says.
func Began(r *record.Run) time.Time {
	var first time.Time
	for _, t := range r.Trials {
		if s := t.Header.Started; !s.IsZero() && (first.IsZero() || s.Before(first)) {
			first = s
		}
	}
	return first
}

func (s *Series) find() {
	if len(s.Points) == 0 {
		return
	}
	y := make([]float64, len(s.Points))
	for i, p := range s.Points {
		y[i] = p.log
	}
	cuts := append(append([]int{0}, stats.EDivisive(y, historyLevel, historyDraws, historySeed)...), len(y))
	for i := 1; i+1 < len(cuts); i++ {
		before, after := y[cuts[i-1]:cuts[i]], y[cuts[i]:cuts[i+1]]
		e := welchOf(before, after, 1)
		change := stats.Percent(e.mean)
		precision := math.Max(s.Points[cuts[i]-1].Half, s.Points[cuts[i]].Half)
		if math.IsNaN(precision) || math.Abs(change) > precision {
			shift := Shift{Run: s.Points[cuts[i]].Run, Change: change, Before: len(before), After: len(after)}
			if e.haveInterval {
				in := e.in95.percent()
				shift.Interval = &in
			}
			s.Shifts = append(s.Shifts, shift)
		}
	}
}
