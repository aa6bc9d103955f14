package compare

// This file finds the arms of a run by slices for which slices do not hold: their transactions
// are too long for the slices, or go on while their server is frozen. Their figures are not of
// a server under constant load (docs/slices.md).

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// The bounds within which slices hold. In a simulated closed loop on a server that is frozen
// between its turns the figure is off by less than 1.5 % inside them where CPU time decides, and by
// up to 5 % where every request to a device takes about as long (±10 %), so that transactions
// begin and end in waves; outside it is off by up to 100 % (docs/results/calibration.md, Slices and windows).
const (
	// mostLong is the largest share of transactions that take longer than a quarter of a slice.
	mostLong = 0.25
	// mostP99 is the largest 99th percentile of transactions, as a share of a slice; slices that
	// replace shorter ones have fourfold the percentile.
	mostP99, enoughP99 = 0.5, 0.25
	// uncountedSlack is by how much the uncounted transactions for each counted one may exceed
	// what the schedule gives (interleave.Slices.Uncounted), and fall below it; real servers have
	// .95 to 1.1 of it.
	uncountedSlack = 1.25
	// surely is how many standard errors of the ratio lie between it and its bound.
	surely = 3
)

// Misfit is an arm at one level of the load for which slices do not hold.
type Misfit struct {
	Arm     string
	Threads int
	// Code is what shows it: clocks, uncounted, long or slow, in this order.
	Code string
	// Counted are the transactions that ended in slices, Uncounted those that ended outside.
	Counted, Uncounted int64
	// Least and Most are what the schedule gives of uncounted ones for each counted one.
	Least, Most float64
	// Long is the share of the counted that took longer than a quarter of a slice, P99 the 99th
	// percentile of their durations.
	Long  float64
	P99   time.Duration
	Slice time.Duration
	// Clocks is by how much the clock of a load generator may have differed from tare's, Guard what lies between turns,
	// of the code clocks.
	Clocks, Guard time.Duration
}

// Misfits are the arms of a run by slices for which slices do not hold, in the order of the
// plan's cells. It looks at how long transactions take and where in the turns they end, never
// at an effect. nil for a run by windows.
func Misfits(r *record.Run) []Misfit {
	if r.Imported != nil || r.Experiment == nil || !r.Plan.Sliced() {
		return nil
	}
	sums, clocks := map[cell]*turnSum{}, map[cell]time.Duration{}
	guard := r.Plan.Current().Slices.Guard
	for _, t := range r.Trials {
		if c := clockUncertainty(t); 2*c > guard { // the trial itself has failed
			of := cell{t.Header.Arm, t.Header.Threads}
			clocks[of] = max(clocks[of], c)
		}
		if t.Window == nil || kind(t) == incomplete || kind(t) == failed {
			continue
		}
		of := cell{t.Header.Arm, t.Header.Threads}
		if sums[of] == nil {
			sums[of] = &turnSum{hist: record.Histogram{}}
		}
		sums[of].add(t)
	}
	var all []Misfit
	for _, of := range cells(r) {
		if c := clocks[of]; c > 0 {
			all = append(all, Misfit{Arm: of.arm, Threads: of.threads, Code: "clocks", Clocks: c, Guard: guard})
			continue
		}
		if sum := sums[of]; sum != nil {
			if m := sum.misfit(r.Plan); m.Code != "" {
				m.Arm, m.Threads = of.arm, of.threads
				all = append(all, m)
			}
		}
	}
	return all
}

// clockUncertainty is by how much the clocks that kept a trial's turns may have differed; 0 where one kept all.
func clockUncertainty(t *record.Trial) (most time.Duration) {
	for _, f := range t.Facts {
		if ms, err := strconv.ParseFloat(f.Value, 64); f.Key == keys.ClockUncertaintyMS && err == nil && ms > 0 && ms < 1e9 {
			most = max(most, time.Duration(ms*float64(time.Millisecond)))
		}
	}
	return most
}

// turnSum is what the trials of an arm had in their turns.
type turnSum struct {
	counted, uncounted int64
	// turns are the transactions that were counted in each.
	turns []float64
	hist  record.Histogram
}

func (s *turnSum) add(t *record.Trial) {
	w := t.Window
	for _, i := range t.Intervals {
		if i.Turn > 0 && !i.Warmup {
			s.turns = append(s.turns, i.Transactions*i.Length)
		}
	}
	s.counted += w.Counts.Transactions
	s.uncounted += w.Uncounted
	if w.Latency == nil || w.Latency.Histogram == nil {
		return
	}
	if s.hist.Scheme == "" {
		s.hist.Scheme = w.Latency.Histogram.Scheme
	}
	s.hist.Merge(w.Latency.Histogram)
}

// misfit compares the sum with the bounds; Code is "" inside them.
func (s *turnSum) misfit(p experiment.Plan) Misfit {
	lengths := *p.Current().Slices
	m := Misfit{Counted: s.counted, Uncounted: s.uncounted, Slice: lengths.Slice}
	m.Least, m.Most = lengths.Uncounted()
	quarter, long := int64(lengths.Slice/4), int64(0)
	for _, c := range s.hist.Counts {
		if c[0] > quarter {
			long += c[1]
		}
	}
	if total := s.hist.Total(); total > 0 {
		m.Long = float64(long) / float64(total)
		p99, _ := s.hist.Percentile(99)
		m.P99 = time.Duration(p99)
	}
	switch {
	case s.counted+s.uncounted == 0:
	case s.outside(m, lengths.Idle || sharedServers(p)):
		m.Code = "uncounted"
	case m.Long > mostLong:
		m.Code = "long"
	case m.P99 > time.Duration(mostP99*float64(lengths.Slice)):
		m.Code = "slow"
	}
	return m
}

// outside tells whether more or fewer transactions end outside of the slices than a server has
// that works while it is on. One that works on between its turns completes there what is under
// way, so that only too few say something.
func (s *turnSum) outside(m Misfit, worksOn bool) bool {
	if s.uncounted == 0 { // an older record, or one of another engine
		return false
	}
	ratio := (float64(s.uncounted) + 0.5) / (float64(s.counted) + 0.5) // Haldane's, for a count of 0
	chance := math.Max(surely*math.Sqrt(1/(float64(s.counted)+0.5)+1/(float64(s.uncounted)+0.5)), s.betweenTurns())
	more := math.Log(ratio/(m.Most*uncountedSlack)) > chance
	fewer := m.Least > 0 && math.Log(m.Least/uncountedSlack/ratio) > chance
	return more && !worksOn || fewer
}

// betweenTurns is by how much the logarithm of the ratio can be off because turns differ: what else
// the machine does in a lead-in is not what it does in the slice. Counts of events alone would say
// that five turns on a busy machine are enough. The parts that are not counted are taken to vary
// from turn to turn as the counted ones do, at the level of the standard errors (surely). 0 of a
// record without turns.
func (s *turnSum) betweenTurns() float64 {
	mean := stats.Mean(s.turns)
	if len(s.turns) < 2 || !(mean > 0) {
		return 0
	}
	lo, hi := stats.TInterval(s.turns, math.Erfc(surely/math.Sqrt2))
	return math.Sqrt2 * (hi - lo) / 2 / mean
}

// sharedServers tells whether levels of the load share a server, which then works in the turns
// of all of them.
func sharedServers(p experiment.Plan) bool {
	for _, t := range p.Trials {
		if t.Threads != p.Trials[0].Threads {
			return true
		}
	}
	return false
}

// NextProtocol is the protocol that a run goes over to because slices do not hold for an arm;
// false where they do, and where the plan has no other. Slices that are long enough for the arm
// come before windows, unless it is not the length of its transactions that is wrong.
func NextProtocol(r *record.Run) (experiment.Change, bool) {
	misfits := Misfits(r)
	if len(misfits) == 0 {
		return experiment.Change{}, false
	}
	worst := misfits[0]
	for _, m := range misfits {
		if rank(m) < rank(worst) || m.Code == worst.Code && (m.P99 > worst.P99 || m.Clocks > worst.Clocks) {
			worst = m
		}
	}
	next := r.Plan.Next()
	for to := range len(r.Plan.Protocol.Otherwise) {
		other, possible := next[to]
		if !possible || other.Slices != nil && (worst.notLength() || tooShort(other.Slices.Slice, misfits)) {
			continue
		}
		return experiment.Change{To: to, Reason: worst.why()}, true
	}
	return experiment.Change{}, false
}

// notLength says that no longer slices would hold either.
func (m Misfit) notLength() bool { return m.Code == "clocks" || m.Code == "uncounted" }

// rank orders misfits by what they take: those that no longer slices help against first.
func rank(m Misfit) int {
	if i := slices.Index([]string{"clocks", "uncounted"}, m.Code); i >= 0 {
		return i
	}
	return 2
}

func tooShort(slice time.Duration, misfits []Misfit) bool {
	for _, m := range misfits {
		if float64(m.P99) > enoughP99*float64(slice) {
			return true
		}
	}
	return false
}

// why is the reason of a change of the protocol.
func (m Misfit) why() experiment.Reason {
	ms := func(d time.Duration) string {
		return strconv.FormatFloat(math.Round(10*d.Seconds()*1000)/10, 'f', -1, 64)
	}
	return experiment.Reason{Code: "misfit-" + m.Code, Arguments: map[string]string{
		"arm": m.Arm, "slice": ms(m.Slice), "quarter": ms(m.Slice / 4), "p99": ms(m.P99), "long": fmt.Sprintf("%.0f", 100*m.Long),
		"counted": strconv.FormatInt(m.Counted, 10), "uncounted": strconv.FormatInt(m.Uncounted, 10),
		"least": fmt.Sprintf("%.2f", m.Least), "most": fmt.Sprintf("%.2f", m.Most),
		"clocks": ms(m.Clocks), "guard": ms(m.Guard),
	}}
}

// sentence is the same reason for a verdict.
func (m Misfit) sentence() Reason {
	return reason(misfitCode+m.Code).name("arm", m.Arm).num("slice", m.Slice.Seconds()*1000).num("quarter", m.Slice.Seconds()*250).
		num("p99", m.P99.Seconds()*1000).num("long", 100*m.Long).num("counted", float64(m.Counted)).num("uncounted", float64(m.Uncounted)).
		num("least", m.Least).num("most", m.Most).num("clocks", m.Clocks.Seconds()*1000).num("guard", m.Guard.Seconds()*1000)
}

// misfitCode begins the codes of misfits.
const misfitCode = "misfit-"

// misfit refuses a comparison by slices that do not hold for one of the arms.
func (j comparison) misfit(c *Contrast, base, arm *Arm) bool {
	for _, a := range []*Arm{arm, base} {
		if a.misfit != nil {
			*c = c.say(NotMeasured, a.misfit.sentence(), reason("misfit-windows"))
			c.Pairs = nil
			return true
		}
	}
	return false
}
