package compare

// This file is what events cost, and what a ledger says of the servers afterwards.

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Event is one event of an arm at one level of the load, over its trials.
type Event struct {
	Arm     string
	Threads int
	Number  int    // from 1, in the order of the experiment
	Kind    string // kill, restart, pause, delete, cutOff, slowDisk, slowLink or command
	Named   string // whom it happens to, as the experiment names it; "" for a command
	// At and For are in seconds of the measured window; For is 0 where it lasts to the end.
	At, For float64
	Trials  int
	// Lost is how many % of the throughput before the first event were lost while it lasted,
	// Without how many seconds no transaction was completed from its beginning to the next
	// event or the end of the window where one was completed then, Promoted after how many seconds another member was
	// the primary, over the trials in which one was.
	Lost, Without, Promoted Estimate
	// Figures are what the clients saw of it, Parts what the outage consisted of, in order.
	Figures []EventFigure
	Parts   []EventPart
	// Timeline is the throughput around it; nil where no trial counted its transactions in steps.
	Timeline *EventTimeline
	// Unserved is in how many trials nothing was served again before the next event or the window's
	// end. Figures and Parts are of the others. AtLeast is for how many seconds each of these trials was
	// without service at least: the least of their times until then.
	Unserved int
	AtLeast  float64
	// Unrecovered is in how many of the other trials the throughput never was 95 % of that before the first event.
	Unrecovered int
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

// Succession is who was the primary before and after an event, in so many trials.
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

// eventsOf are the events of all arms.
func eventsOf(arms []Arm, warmup float64) (all []Event) {
	for i := range arms {
		a := &arms[i]
		for number := 1; ; number++ {
			f, ok := a.event(number, warmup)
			if !ok {
				break
			}
			all = append(all, f)
		}
	}
	return all
}

// event is that of a number over the arm's trials; ok is false where none has one.
func (a *Arm) event(number int, warmup float64) (e Event, ok bool) {
	e = Event{Arm: a.Name, Threads: a.Threads, Number: number}
	lost, without, promoted, seen := byRounds{}, byRounds{}, byRounds{}, newSightings() // by trial: a round can have two of the baseline
	for i, t := range a.Trials {
		facts := endFacts(t)
		prefix := eventPrefix(facts, number)
		kind, there := facts[prefix+"kind"]
		if !there || t.End == nil || t.End.Outcome != record.Measured {
			continue
		}
		e.Kind, e.Named, e.At, e.For = kind.Value, facts[prefix+"named"].Value, numberOf(facts[prefix+"at_s"]), numberOf(facts[prefix+"for_s"])
		e.Trials++
		if failed := facts[prefix+"failed"].Unknown; failed != "" {
			e.Failed = failed
			continue
		}
		if _, member := facts[prefix+"member"]; member {
			e.succeed(int(numberOf(facts[prefix+"primary_before"])), int(numberOf(facts[prefix+"primary_after"])))
		}
		if p, ok := facts[prefix+"promoted_after_s"]; ok {
			promoted[i+1] = numberOf(p)
		}
		if why := facts[prefix+"failover_failed"].Value; why != "" {
			e.NotPromoted, e.WhyNot = e.NotPromoted+1, cmp.Or(e.WhyNot, why)
		}
		span, ok := eventSpan(t, facts, number, warmup)
		if !ok {
			continue
		}
		_, member := facts[prefix+"member"] // of others, an open load makes good for what was lost
		if share, ok := span.lost(t); ok && (member || e.For > 0) {
			lost[i+1] = 100 * share
		}
		one := sighting{trial: t, span: span, facts: facts, prefix: prefix}
		if !one.unserved() {
			without[i+1] = span.without(t)
		}
		seen.add(i+1, one)
	}
	e.Lost, e.Without, e.Promoted = a.stopping.meanOver(lost), a.stopping.meanOver(without).fromZero(), a.stopping.meanOver(promoted).fromZero()
	e.Figures, e.Parts, e.Unserved, e.AtLeast = seen.figures(a.stopping), seen.parts(a.stopping), seen.unserved, seen.atLeast
	e.Unrecovered, e.Timeline = seen.unrecovered, timelineOf(seen.stepped)
	return e, e.Trials > 0
}

// eventPrefix is that of an event's facts. Records from before there were events of other kinds have
// the faults of members by the older one.
func eventPrefix(facts map[string]record.Fact, number int) string {
	if older := fmt.Sprintf(olderEventPrefix+"%d.", number); facts[older+"kind"].Value != "" {
		return older
	}
	return fmt.Sprintf(keys.EventPrefix+"%d.", number)
}

const olderEventPrefix = "replication.fault."

func (f *Event) succeed(before, after int) {
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

// fromZero is the estimate of what cannot be negative, a time or a number of something: Student's interval of few
// trials can begin below 0, and is cut there.
func (e Estimate) fromZero() Estimate {
	if e.Interval != nil && e.Interval.Lo < 0 {
		e.Interval = &Interval{Lo: 0, Hi: e.Interval.Hi}
	}
	return e
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

// span is when an event took place in a trial, in seconds since the load began: the window
// began at zero, the first event at undisturbed, this one at from; it lasted to and its
// effects are looked for until.
type span struct{ zero, undisturbed, from, to, until float64 }

// eventSpan has warmup, the seconds before the window: an interval of the series can be in both.
func eventSpan(t *record.Trial, facts map[string]record.Fact, number int, warmup float64) (s span, ok bool) {
	end := 0.0
	for _, i := range t.Intervals {
		end = max(end, i.End)
	}
	s.zero = warmup
	at := func(number int, what string) float64 {
		f, there := facts[eventPrefix(facts, number)+what]
		if !there {
			return end
		}
		return s.zero + numberOf(f)
	}
	s.undisturbed, s.from, s.to, s.until = at(1, "began_s"), at(number, "began_s"), at(number, "ended_s"), at(number+1, "began_s")
	return s, s.from < s.to
}

// lost is the share of the throughput before the first event that was lost during this one.
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
