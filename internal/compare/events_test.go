package compare

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarebench/tare/internal/record"
)

// faulted is a trial of 2 s of warm-up and 10 s of window at 100 transactions a second, in
// which from second 4 to 6 of the window none is completed, and half of them to second 7.
func faulted(round, after int, more ...record.Fact) *record.Trial {
	t := &record.Trial{Header: record.Header{Arm: "a", Threads: 8, Round: round}, End: &record.End{Outcome: record.Measured}, Window: &record.Window{Silences: [][2]float64{{1, 1.5}, {6, 8}}}}
	for s := 1; s <= 12; s++ {
		tps := 100.0
		switch {
		case s == 7 || s == 8:
			tps = 0
		case s == 9:
			tps = 50
		}
		t.Intervals = append(t.Intervals, record.Interval{End: float64(s), Length: 1, Warmup: s <= 2, Transactions: tps})
	}
	for key, value := range map[string]string{"kind": "pause", "named": "primary", "at_s": "4.000", "for_s": "4.000", "began_s": "4.0", "ended_s": "8.0", "member": "1", "primary_before": "1", "primary_after": fmt.Sprint(after)} {
		t.Facts = append(t.Facts, record.Fact{Key: "event.1." + key, Value: value, Phase: "end"})
	}
	t.Facts = append(t.Facts, more...)
	return t
}

// TestEvents: what is lost is compared with the time before the fault, silences before it do
// not count, and trials without an answer are left out.
func TestEvents(t *testing.T) {
	promoted := record.Fact{Key: "event.1.promoted_after_s", Value: "2.0", Phase: "end"}
	stuck := record.Fact{Key: "event.1.failover_failed", Value: "the relay log is not applied", Phase: "end"}
	failed := faulted(4, 1, record.Fact{Key: "event.1.failed", Unknown: "no such member", Phase: "end"})
	unmeasured := faulted(5, 1)
	unmeasured.End.Outcome = record.Failed
	arms := []Arm{{Name: "a", Threads: 8, Trials: []*record.Trial{faulted(1, 2, promoted), faulted(2, 2, promoted), faulted(3, 1, stuck), failed, unmeasured}}, {Name: "b", Threads: 8}}
	got := eventsOf(arms, 2)
	// Of 4 s at 100/s: 0, 0, 50 and 100 remain.
	want := []Event{{
		Arm: "a", Threads: 8, Number: 1, Kind: "pause", Named: "primary", At: 4, For: 4, Trials: 4, Failed: "no such member",
		Lost: Estimate{62.5, &Interval{62.5, 62.5}, 3}, Without: Estimate{2, &Interval{2, 2}, 3}, Promoted: Estimate{2, &Interval{2, 2}, 2},
		Primaries: []Succession{{1, 2, 2}, {1, 1, 1}}, NotPromoted: 1, WhyNot: "the relay log is not applied",
	}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestEventWithinASecond: a fault's time counts from the end of the warm-up, which need not be that of
// an interval of the series.
func TestEventWithinASecond(t *testing.T) {
	trial := faulted(1, 1)
	s, ok := eventSpan(trial, endFacts(trial), 1, 1.5)
	if want := (span{zero: 1.5, undisturbed: 5.5, from: 5.5, to: 9.5, until: 12}); !ok || s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
}

// TestEventIntervals: the interval is that of the trials, and one trial has none.
func TestEventIntervals(t *testing.T) {
	e := stopping{}.meanOver(byRounds{1: 10, 2: 20, 3: 30})
	if e.Mean != 20 || e.Interval == nil || math.Abs(e.Interval.Hi-e.Mean-4.3027*10/math.Sqrt(3)) > 0.01 {
		t.Errorf("%+v %+v", e, e.Interval)
	}
	if e := (stopping{}).meanOver(byRounds{1: 10}); e.Interval != nil || e.Mean != 10 {
		t.Errorf("%+v", e)
	}
}

// TestNoTimeIsNegative: the interval of a time begins at 0 where Student's would begin below, and nothing else of it
// changes; what can be negative keeps its interval.
func TestNoTimeIsNegative(t *testing.T) {
	e := stopping{}.meanOver(byRounds{1: 0.29, 2: 1.61})
	if e.Interval == nil || e.Interval.Lo >= 0 {
		t.Fatalf("%+v", e)
	}
	if cut := e.fromZero(); cut.Interval.Lo != 0 || cut.Interval.Hi != e.Interval.Hi || cut.Mean != e.Mean || e.Interval.Lo >= 0 {
		t.Errorf("%+v of %+v", cut.Interval, e.Interval)
	}
	var trials []*record.Trial
	for round, served := range []float64{0.3, 4} {
		trials = append(trials, withEvent(round+1, "a", 500, outage{exited: 0.05, made: served, served: served}))
	}
	all := eventsOf([]Arm{{Name: "a", Threads: 8, Trials: trials}}, 2)
	if all[0].Without.Interval == nil || all[0].Without.Interval.Lo != 0 {
		t.Errorf("without service: %+v", all[0].Without.Interval)
	}
	for _, f := range all[0].Figures {
		if f.Interval != nil && f.Interval.Lo < 0 {
			t.Errorf("%s: %+v", f.Name, f.Interval)
		}
	}
}

// TestLedgers: a member that was not compared proves nothing, and what is missing in one trial
// stays.
func TestLedgers(t *testing.T) {
	trial := func(facts ...record.Fact) *record.Trial {
		for i := range facts {
			facts[i].Phase = "end"
		}
		return &record.Trial{Facts: facts, End: &record.End{Outcome: record.Measured}}
	}
	whole := func(member int) []record.Fact {
		return []record.Fact{{Key: fmt.Sprintf("ledger.member.%d.result", member), Value: "whole"}, {Key: fmt.Sprintf("ledger.member.%d.unanswered", member), Value: "1"}}
	}
	acknowledged := record.Fact{Key: "ledger.acknowledged", Value: "500"}
	arms := []Arm{{Name: "a", Trials: []*record.Trial{
		trial(append(append([]record.Fact{acknowledged}, whole(1)...), whole(2)...)...),
		trial(acknowledged, record.Fact{Key: "ledger.member.1.result", Unknown: "it was killed"},
			record.Fact{Key: "ledger.member.2.result", Value: "not whole"}, record.Fact{Key: "ledger.member.2.lost", Value: "7"}, record.Fact{Key: "ledger.member.2.examples", Value: "lost: 1#3"}),
	}}}
	want := []Ledger{{Arm: "a", Trials: 2, Acknowledged: 1000, Members: []LedgerMember{
		{Number: 1, Compared: 1, Whole: 1, Unanswered: 1, Left: "it was killed"},
		{Number: 2, Compared: 2, Whole: 1, Unanswered: 1, Lost: 7, Examples: "lost: 1#3"},
	}}}
	got := ledgersOf(arms)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got[0].Members[0].Broken() || !got[0].Members[1].Broken() {
		t.Error("a member that lacks entries is not broken, or one that was killed is")
	}
}

// TestUnwaited: commits of the load that did not wait for a replica are a warning, also those of a
// member that was promoted; those from before the load are not.
func TestUnwaited(t *testing.T) {
	trial := func(counts ...string) *record.Trial {
		t := &record.Trial{End: &record.End{Outcome: record.Measured}, Window: &record.Window{Seconds: 10, Counts: record.Counts{Transactions: 100}}}
		for i := 0; i < len(counts); i += 3 {
			t.Facts = append(t.Facts, record.Fact{Key: "replication.member." + counts[i] + ".semisync_not_waited", Phase: counts[i+1], Value: counts[i+2]})
		}
		return t
	}
	res := &Result{Arms: []Arm{
		{Name: "waited", Trials: []*record.Trial{trial("1", "start", "4", "1", "end", "4"), trial()}},
		{Name: "gave up", Trials: []*record.Trial{trial("1", "start", "4", "1", "end", "9"), trial("1", "start", "4", "2", "end", "7"), trial("1", "start", "0", "1", "end", "0")}},
	}}
	want := []Reason{reason("semisync-not-waited").part("arm", armName(res.Arms[1], res)).num("n", 12).count("trials", 2).count("of", 3)}
	if diff := cmp.Diff(want, unwaited(res)); diff != "" {
		t.Error(diff)
	}
}
