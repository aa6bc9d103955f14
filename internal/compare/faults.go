package compare

// This file is what faults of members cost, and what a ledger says of the members afterwards.

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Fault is one fault of an arm at one level of the load, over its trials.
type Fault struct {
	Arm     string
	Threads int
	Number  int    // from 1, in the order of the experiment
	Kind    string // kill, pause, cutOff, slowDisk or slowLink
	Named   string // the member as the experiment names it
	// At and For are in seconds of the measured window; For is 0 where it lasts to the end.
	At, For float64
	Trials  int
	// Lost is how many % of the throughput before the first fault were lost while it lasted,
	// Without how many seconds no transaction was completed from its beginning to the next
	// fault or the end of the window, Promoted after how many seconds another member was
	// the primary, over the trials in which one was.
	Lost, Without, Promoted Estimate
	// Primaries counts the trials by who was the primary before and after.
	Primaries []Succession
	// Failed says why the fault could not be carried out in a trial, "" for none.
	Failed string
	// NotPromoted is in how many trials an automatic failover failed, WhyNot the reason in one.
	NotPromoted int
	WhyNot      string
}

// Estimate is a mean over trials with its 95 % interval (Student's t), nil below two trials.
type Estimate struct {
	Mean     float64
	Interval *Interval
	Trials   int
}

// Succession is who was the primary before and after a fault, in so many trials.
type Succession struct{ Before, After, Trials int }

// Ledger is what the members of an arm hold after the load, over its trials.
type Ledger struct {
	Arm          string
	Threads      int
	Trials       int
	Acknowledged int64
	Members      []LedgerMember
}

// LedgerMember is one member's part: in how many trials it was compared and held every
// acknowledged entry once, and what the others lacked.
type LedgerMember struct {
	Number, Compared, Whole              int
	Lost, Doubled, NeverSent, Unanswered int64
	// Balances says which accounts contradict their entries, in one trial; Left why the
	// member was not compared in another; Examples are entries. All are "" for none.
	Balances, Left, Examples string
}

// Broken says that a trial showed something that must not be.
func (m LedgerMember) Broken() bool { return m.Whole < m.Compared }

// faultsOf are the faults of all arms.
func faultsOf(arms []Arm, warmup float64) (all []Fault) {
	for i := range arms {
		a := &arms[i]
		for number := 1; ; number++ {
			f, ok := a.fault(number, warmup)
			if !ok {
				break
			}
			all = append(all, f)
		}
	}
	return all
}

// fault is that of a number over the arm's trials; ok is false where none has one.
func (a *Arm) fault(number int, warmup float64) (f Fault, ok bool) {
	f = Fault{Arm: a.Name, Threads: a.Threads, Number: number}
	lost, without, promoted := byRounds{}, byRounds{}, byRounds{} // by trial: a round can have two of the baseline
	for i, t := range a.Trials {
		facts := endFacts(t)
		prefix := fmt.Sprintf(keys.ReplicationFaultPrefix+"%d.", number)
		kind, there := facts[prefix+"kind"]
		if !there || t.End == nil || t.End.Outcome != record.Measured {
			continue
		}
		f.Kind, f.Named, f.At, f.For = kind.Value, facts[prefix+"named"].Value, numberOf(facts[prefix+"at_s"]), numberOf(facts[prefix+"for_s"])
		f.Trials++
		if failed := facts[prefix+"failed"].Unknown; failed != "" {
			f.Failed = failed
			continue
		}
		f.succeed(int(numberOf(facts[prefix+"primary_before"])), int(numberOf(facts[prefix+"primary_after"])))
		if p, ok := facts[prefix+"promoted_after_s"]; ok {
			promoted[i+1] = numberOf(p)
		}
		if why := facts[prefix+"failover_failed"].Value; why != "" {
			f.NotPromoted, f.WhyNot = f.NotPromoted+1, cmp.Or(f.WhyNot, why)
		}
		span, ok := faultSpan(t, facts, number, warmup)
		if !ok {
			continue
		}
		if share, ok := span.lost(t); ok {
			lost[i+1] = 100 * share
		}
		without[i+1] = span.without(t)
	}
	f.Lost, f.Without, f.Promoted = a.stopping.meanOver(lost), a.stopping.meanOver(without), a.stopping.meanOver(promoted)
	return f, f.Trials > 0
}

func (f *Fault) succeed(before, after int) {
	for i := range f.Primaries {
		if p := &f.Primaries[i]; p.Before == before && p.After == after {
			p.Trials++
			return
		}
	}
	f.Primaries = append(f.Primaries, Succession{before, after, 1})
	slices.SortFunc(f.Primaries, func(a, b Succession) int { return cmp.Or(b.Trials-a.Trials, a.Before-b.Before, a.After-b.After) })
}

// meanOver is the mean over trials.
func (s stopping) meanOver(of byRounds) Estimate {
	return Estimate{Mean: meanOfRounds(of), Interval: s.alone(of), Trials: len(of)}
}

func endFacts(t *record.Trial) map[string]record.Fact {
	facts := map[string]record.Fact{}
	for _, f := range t.Facts {
		if f.Phase == "end" {
			facts[f.Key] = f
		}
	}
	return facts
}

func numberOf(f record.Fact) float64 {
	v, err := strconv.ParseFloat(f.Value, 64)
	if err != nil {
		return 0
	}
	return v
}

// span is when a fault took place in a trial, in seconds since the load began: the window
// began at zero, the first fault at undisturbed, this one at from; it lasted to and its
// effects are looked for until.
type span struct{ zero, undisturbed, from, to, until float64 }

// faultSpan has warmup, the seconds before the window: an interval of the series can be in both.
func faultSpan(t *record.Trial, facts map[string]record.Fact, number int, warmup float64) (s span, ok bool) {
	end := 0.0
	for _, i := range t.Intervals {
		end = max(end, i.End)
	}
	s.zero = warmup
	at := func(number int, what string) float64 {
		f, there := facts[fmt.Sprintf(keys.ReplicationFaultPrefix+"%d.%s", number, what)]
		if !there {
			return end
		}
		return s.zero + numberOf(f)
	}
	s.undisturbed, s.from, s.to, s.until = at(1, "began_s"), at(number, "began_s"), at(number, "ended_s"), at(number+1, "began_s")
	return s, s.from < s.to
}

// lost is the share of the throughput before the first fault that was lost during this one.
func (s span) lost(t *record.Trial) (share float64, ok bool) {
	before, during := meanRate(t, s.zero, s.undisturbed), meanRate(t, s.from, s.to)
	return 1 - during/before, before > 0
}

// meanRate is the mean throughput from one second of the load to another; of an interval that
// is partly in it that part counts.
func meanRate(t *record.Trial, from, to float64) float64 {
	sum, length := 0.0, 0.0
	for _, i := range t.Intervals {
		if part := min(to, i.End) - max(from, i.End-i.Length); part > 0 {
			sum, length = sum+i.Transactions*part, length+part
		}
	}
	if length == 0 {
		return 0
	}
	return sum / length
}

// without is for how long no transaction was completed.
func (s span) without(t *record.Trial) float64 {
	sum := 0.0
	if t.Window != nil {
		for _, silence := range t.Window.Silences {
			sum += max(0, min(s.until, silence[1])-max(s.from, silence[0]))
		}
	}
	return sum
}

// ledgersOf are those of all arms whose workload keeps a ledger.
func ledgersOf(arms []Arm) (all []Ledger) {
	for i := range arms {
		a := &arms[i]
		l := Ledger{Arm: a.Name, Threads: a.Threads}
		for _, t := range a.Trials {
			// A trial that was cut short has no end, and its ledger may not have been compared to the last.
			if facts := endFacts(t); t.End != nil && facts[keys.LedgerAcknowledged].Value != "" {
				l.Trials++
				l.Acknowledged += int64(numberOf(facts[keys.LedgerAcknowledged]))
				l.add(facts)
			}
		}
		if l.Trials > 0 {
			all = append(all, l)
		}
	}
	return all
}

// add is one trial's.
func (l *Ledger) add(facts map[string]record.Fact) {
	for number := 1; ; number++ {
		prefix := fmt.Sprintf(keys.LedgerMemberPrefix+"%d.", number)
		result, there := facts[prefix+"result"]
		if !there {
			return
		}
		if number > len(l.Members) {
			l.Members = append(l.Members, LedgerMember{Number: number})
		}
		m := &l.Members[number-1]
		if result.Unknown != "" {
			m.Left = result.Unknown
			continue
		}
		m.Compared++
		if result.Value == "whole" {
			m.Whole++
		}
		for key, sum := range map[string]*int64{"lost": &m.Lost, "doubled": &m.Doubled, "never_sent": &m.NeverSent, "unanswered": &m.Unanswered} {
			*sum += int64(numberOf(facts[prefix+key]))
		}
		m.Balances = cmp.Or(m.Balances, facts[prefix+"balances"].Value)
		m.Examples = cmp.Or(m.Examples, strings.TrimSpace(facts[prefix+"examples"].Value))
	}
}

// unwaited names the arms of semisynchronous replication in which commits did not wait for a replica.
func unwaited(res *Result) []Reason {
	var w []Reason
	for i := range res.Arms {
		a := &res.Arms[i]
		all, trials := 0.0, 0
		for _, t := range a.numbers() {
			if n := notWaited(t); n > 0 {
				all, trials = all+n, trials+1
			}
		}
		if trials > 0 {
			w = append(w, reason("semisync-not-waited").part("arm", armName(*a, res)).num("n", all).count("trials", trials).count("of", len(a.numbers())))
		}
	}
	return w
}

// notWaited are the commits of a trial's load that did not wait for a replica. A member that was
// promoted during the load has a count at the end alone.
func notWaited(t *record.Trial) (all float64) {
	start := map[string]float64{}
	for _, f := range t.Facts { // those of the start come first
		switch {
		case !strings.HasPrefix(f.Key, keys.ReplicationMemberPrefix) || !strings.HasSuffix(f.Key, ".semisync_not_waited"):
		case f.Phase == "start":
			start[f.Key] = numberOf(f)
		default:
			all += max(0, numberOf(f)-start[f.Key])
		}
	}
	return all
}
