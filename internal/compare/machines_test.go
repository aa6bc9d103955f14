package compare

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

// TestChangedMachine: a run that was resumed on another machine, or by another tare, says so, also where
// every arm has trials on both.
func TestChangedMachine(t *testing.T) {
	trial := func(second int, tare, kernel, load string) *record.Trial {
		fact := func(key, value string) record.Fact { return record.Fact{Key: key, Value: value, Phase: "start"} }
		return &record.Trial{Header: record.Header{Tare: tare, Started: time.Unix(int64(second), 0)}, End: &record.End{Outcome: record.Measured}, Window: &record.Window{Seconds: 1, Counts: record.Counts{Transactions: 9}},
			Facts: []record.Fact{fact("host.kernel", kernel), fact("host.load", load), fact("host.cpu.model", "x")}}
	}
	arms := func(kernel, tare string) *Result {
		res := &Result{}
		for _, name := range []string{"bare", "pod"} {
			res.Arms = append(res.Arms, Arm{Name: name, Trials: []*record.Trial{trial(9, tare, kernel, "2"), trial(1, "1", "6.1", "1")}})
		}
		return res
	}
	if all := changedMachine(arms("6.1", "1")); len(all) != 0 {
		t.Errorf("one machine: %v", all)
	}
	want := []Reason{reason("machine-changed").name("key", "host.kernel").name("before", "6.1").name("after", "6.12"), reason("machine-changed").name("key", "tare").name("before", "1").name("after", "2")}
	if d := cmp.Diff(want, changedMachine(arms("6.12", "2"))); d != "" {
		t.Error(d)
	}
}
