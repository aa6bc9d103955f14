package diagnose

// What rules read from several trials of an arm, and from several levels of the load.

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

func trialsWith(facts ...record.Fact) *compare.Arm {
	arm := &compare.Arm{Name: "x"}
	for _, f := range facts {
		arm.Trials = append(arm.Trials, &record.Trial{Facts: []record.Fact{f}})
	}
	return arm
}

// TestFactOfAllTrials: a fact is known if every trial has it alike; what was read at the end, or could not
// be read, does not count.
func TestFactOfAllTrials(t *testing.T) {
	for _, c := range []struct {
		name  string
		facts []record.Fact
		want  string
		known bool
	}{
		{"alike", []record.Fact{{Key: "k", Value: "1"}, {Key: "k", Value: "1"}}, "1", true},
		{"different", []record.Fact{{Key: "k", Value: "1"}, {Key: "k", Value: "2"}}, "", false},
		{"another at the end", []record.Fact{{Key: "k", Value: "1"}, {Key: "k", Value: "2", Phase: "end"}}, "1", true},
		{"not read once", []record.Fact{{Key: "k", Value: "1"}, {Key: "k", Unknown: "no permission"}}, "1", true},
		{"another key", []record.Fact{{Key: "other", Value: "1"}}, "", false},
	} {
		if got, known := fact(trialsWith(c.facts...), "k"); got != c.want || known != c.known {
			t.Errorf("%s: %q %v, want %q %v", c.name, got, known, c.want, c.known)
		}
	}
}

// TestWhyNotRead: the reason for which a probe or a counter is missing is that of its own fact.
func TestWhyNotRead(t *testing.T) {
	arm := trialsWith(
		record.Fact{Key: "probe.other", Unknown: "wrong"}, record.Fact{Key: "probe.tcp", Value: "runs"},
		record.Fact{Key: "probe.tcp", Unknown: "no permission"}, record.Fact{Key: keys.WatchedMemory, Value: "1"})
	if got := unknown("not read").unstarted(arm, "tcp").Says; got != "not read: no permission" {
		t.Errorf("the probe: %q", got)
	}
	if got := unknown("not read").unstarted(arm, "clients").Says; got != "not read" {
		t.Errorf("a probe that nothing is known of: %q", got)
	}
	if got := unreadAfter(arm); got != "" {
		t.Errorf("counters that were read: %q", got)
	}
	if got := unreadAfter(trialsWith(record.Fact{Key: keys.WatchedMemory, Unknown: "it ended"})); got != "it ended" {
		t.Errorf("counters that were not read: %q", got)
	}
}

// TestBaseOfTheSameLevel: an arm is compared with the baseline at its own number of threads.
func TestBaseOfTheSameLevel(t *testing.T) {
	res := &compare.Result{Arms: []compare.Arm{
		{Name: "bare", Baseline: true, Threads: 1}, {Name: "pod", Threads: 1}, {Name: "bare", Baseline: true, Threads: 8}, {Name: "pod", Threads: 8}, {Name: "pod", Threads: 64},
	}}
	for i, want := range []int{-1, 0, -1, 2, -1} {
		base := baseOf(res, &res.Arms[i])
		if want < 0 && base != nil || want >= 0 && base != &res.Arms[want] {
			t.Errorf("%s at %d threads: %+v", res.Arms[i].Name, res.Arms[i].Threads, base)
		}
	}
}

// TestSeverityOfARule: a finding has the rule's severity unless it has one of its own, and the rule's
// counters only where they confirmed it.
func TestSeverityOfARule(t *testing.T) {
	own := seen("a")
	own.Severity = Note
	rule := Rule{ID: "X", Severity: Error, Counters: []string{"c"}, Run: func(*Observed) []Finding {
		return []Finding{seen("a"), own, ruledOut("b")}
	}}
	all := observe(rule, &Observed{Arm: &compare.Arm{Name: "x"}})
	if len(all) != 3 || all[0].Severity != Error || all[1].Severity != Note || len(all[0].Counters) != 1 || len(all[2].Counters) != 0 {
		t.Errorf("%+v", all)
	}
	if crashed := observe(Rule{ID: "X", Run: func(*Observed) []Finding { panic("out") }}, &Observed{Arm: &compare.Arm{}}); len(crashed) != 1 || crashed[0].Verdict != Unknown || !strings.Contains(crashed[0].Says, "out") {
		t.Errorf("a rule that crashes: %+v", crashed)
	}
}
