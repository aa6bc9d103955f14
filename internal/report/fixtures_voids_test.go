package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// repeat sets rounds aside and measures them again, as the runner does.
func (f fixture) repeat(t *testing.T, dir string, plan experiment.Plan) {
	t.Helper()
	if f.disturbed == nil {
		return
	}
	run, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range compare.ToRepeat(run) {
		if err := record.SetAside(dir, plan, v); err != nil {
			t.Fatal(err)
		}
		for _, p := range plan.Trials {
			if p.Round == v.Round {
				f.trial(t, dir, p, 2)
			}
		}
	}
}

// disturb hits three rounds of eight, of which two are run again.
func disturb(p experiment.Trial, attempt int) string {
	switch {
	case attempt > 1:
		return ""
	case p.Round == 3 && p.Arm == "besteffort":
		return "steal"
	case p.Round == 5 && p.Arm != "guaranteed":
		return "foreign"
	case p.Round == 8 && p.Arm == "bare":
		return "steal"
	}
	return ""
}

// gateFacts are what the machine did for others during a trial.
func gateFacts(gate string) []record.Fact {
	var facts []record.Fact
	for key, values := range map[string][2]string{"gate.machine_s": {"50.0", "50.0"}, "gate.steal_s": {"0.05", "2.50"}, "gate.foreign_s": {"0.20", "3.10"}} {
		value := values[0]
		if key == "gate."+gate+"_s" {
			value = values[1]
		}
		facts = append(facts, record.Fact{Key: key, Value: "0", Source: "/proc/stat", Phase: "start"}, record.Fact{Key: key, Value: value, Source: "/proc/stat", Phase: "end"})
	}
	slices.SortFunc(facts, func(a, b record.Fact) int { return strings.Compare(a.Key+b.Phase, b.Key+a.Phase) })
	return facts
}

// busyFacts are a machine of which others use 73 % throughout; one of them has a name that commands a terminal.
func busyFacts() []record.Fact {
	facts := gateFacts("")
	for i := range facts {
		if facts[i].Key == "gate.foreign_s" && facts[i].Phase == "end" {
			facts[i].Value = "36.5"
		}
	}
	return append(facts, record.Fact{Key: keys.GateBusiest, Source: "/proc/*/stat", Phase: "end", Value: `[{"name":"stress-ng","cpu_s":31},{"name":"\u001b[2Jx<b>","cpu_s":4}]`})
}
