package report_test

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/text"
)

// TestNeighbours: the first sentences separate what a class costs by itself from what
// the neighbour takes, in every view and language, with costs positive.
func TestNeighbours(t *testing.T) {
	e, err := experiment.Parse("experiment.yaml", []byte(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: t}
protocol: {rounds: 8, warmup: 1s, measure: 3s, aa: false}
baseline: bare
arms:
  bare: {target: process}
  bare-busy: {target: process, neighbour: &b {cpu: 1}}
  besteffort: {target: container, qos: BestEffort}
  besteffort-busy: {target: container, qos: BestEffort, neighbour: *b}
  guaranteed-busy: {target: container, qos: Guaranteed, cpu: 1, memory: 1Gi, neighbour: *b}
`))
	if err != nil {
		t.Fatal(err)
	}
	tps := map[string]int64{"bare": 1000, "bare-busy": 500, "besteffort": 990, "besteffort-busy": 396, "guaranteed-busy": 900}
	r := &record.Run{Experiment: e, Plan: experiment.NewPlan(e)}
	for _, p := range r.Plan.Trials {
		wobble := int64((p.Round*7 + len(p.Arm)) % 5)
		r.Trials = append(r.Trials, &record.Trial{
			Header: record.Header{Version: 1, Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads},
			End:    &record.End{Outcome: record.Measured},
			Window: &record.Window{Seconds: 1e3, Counts: record.Counts{Transactions: tps[p.Arm] * (1000 + wobble)}},
		})
	}
	doc, err := report.Build(r, "test")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"besteffort by itself costs 0.96", "compared with bare. The neighbour takes 60.0", "of the throughput of besteffort. The neighbour takes 50.0", "of the throughput of bare. With the same neighbour, besteffort-busy costs 20.77", "compared with bare-busy.",
		"With the same neighbour, guaranteed-busy is 80.0", "faster than bare-busy.",
	}
	if got := strings.Join(doc.Leads(), " "); !inOrder(got, want) {
		t.Errorf("%q\nwant, in this order: %q", got, want)
	}
	if err := schema(t).Validate(jsonValue(t, doc)); err != nil {
		t.Error(err)
	}
	chinese, err := doc.In("zh")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(chinese.Leads(), ""); !inOrder(got, []string{"besteffort", "代价为 0.96", "邻居使", "bare-busy"}) {
		t.Errorf("Chinese: %q", got)
	}
	var plain strings.Builder
	if err := text.Write(&plain, doc, text.Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(plain.String()), " "); !inOrder(got, append(want, "COSTS")) {
		t.Errorf("the terminal does not begin with it:\n%s", got)
	}
}

// inOrder says whether the parts stand in text one after the other.
func inOrder(text string, parts []string) bool {
	for _, p := range parts {
		i := strings.Index(text, p)
		if i < 0 {
			return false
		}
		text = text[i+len(p):]
	}
	return true
}
