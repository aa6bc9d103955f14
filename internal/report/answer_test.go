package report_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/text"
)

// besideArms are the classes of a pod, each without and with a neighbour.
const besideArms = `baseline: besteffort
arms:
  besteffort: {target: container, qos: BestEffort}
  guaranteed: {target: container, qos: Guaranteed, cpu: 1, memory: 1Gi}
  besteffort-busy: {target: container, qos: BestEffort, neighbour: &b {cpu: 1}}
  burstable-busy: {target: container, qos: Burstable, cpuRequest: 500m, neighbour: *b}
  guaranteed-busy: {target: container, qos: Guaranteed, cpu: 1, memory: 1Gi, neighbour: *b}
  other-busy: {target: container, qos: Guaranteed, cpu: 1, memory: 1Gi, neighbour: *b, config: {innodb_io_capacity: 300}}
`

// throttledArms have a CPU quota that the first stands at, and another size of it.
const throttledArms = `baseline: bare
arms:
  bare: {target: process}
  small: {target: container, qos: Guaranteed, cpu: 500m, memory: 1Gi}
  large: {target: container, qos: Guaranteed, cpu: 2, memory: 1Gi}
`

// simulated is a run of arms whose throughputs are known. Each round deviates by up to noise; arms in starving wait
// for a CPU, those in throttling stand at their quota, and others use a share of the machine.
type simulated struct {
	arms                 string
	tps                  map[string]float64
	rounds               int
	noise                map[string]float64
	starving, throttling []string
	others               float64
}

func (s simulated) run(t *testing.T) *record.Run {
	t.Helper()
	e, err := experiment.Parse("experiment.yaml", fmt.Appendf(nil, "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: t}\n"+
		"protocol: {kind: windows, rounds: %d, warmup: 1s, measure: 3s, aa: false}\n%s", s.rounds, s.arms))
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Run{Experiment: e, Plan: experiment.NewPlan(e)}
	for _, p := range r.Plan.Trials {
		deviates := 0.001 * float64((p.Round*7+len(p.Arm))%5-2)
		if n := s.noise[p.Arm]; n > 0 {
			deviates = n * math.Sin(float64(7*p.Round))
		}
		trial := &record.Trial{
			Header: record.Header{Version: 1, Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads},
			End:    &record.End{Outcome: record.Measured},
			Window: &record.Window{Seconds: 1e3, Counts: record.Counts{Transactions: int64(1e3 * s.tps[p.Arm] * (1 + deviates))}},
		}
		counter := func(key string, end float64) {
			trial.Facts = append(trial.Facts, record.Fact{Key: key, Value: "0", Phase: "start"}, record.Fact{Key: key, Value: fmt.Sprint(end), Phase: "end"})
		}
		wait, stood := 1e9, 0.0
		if slices.Contains(s.starving, p.Arm) {
			wait = 50e9
		}
		if slices.Contains(s.throttling, p.Arm) {
			stood = 80
		}
		counter(keys.ServerRunNS, 30e9)
		counter(keys.ServerRunQueueWaitNS, wait)
		counter("cgroup.pod.cpu.stat.nr_periods", 100)
		counter("cgroup.pod.cpu.stat.nr_throttled", stood)
		counter(keys.GateMachineS, 100)
		counter(keys.GateForeignS, 100*s.others)
		r.Trials = append(r.Trials, trial)
	}
	return r
}

func (s simulated) document(t *testing.T) *report.Document {
	t.Helper()
	doc, err := report.Build(s.run(t), "test")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestAnswers: an arm that differs from another only in what a remedy prescribes is that remedy measured. What is said
// of it follows from the verdict on the change between the two, and nothing is said first where no change is
// established.
func TestAnswers(t *testing.T) {
	beside := func(besteffort, burstable, guaranteed float64) map[string]float64 {
		return map[string]float64{"besteffort": 1000, "guaranteed": 1000, "besteffort-busy": besteffort, "burstable-busy": burstable, "guaranteed-busy": guaranteed, "other-busy": 900}
	}
	starving := []string{"besteffort-busy"}
	limited := map[string]float64{"bare": 1000, "small": 300, "large": 900}
	for name, c := range map[string]struct {
		of        simulated
		decisions map[string]string
		rules     []string // of every answer
		answer    []string // in this order; nil for no answer
		step      string   // the first to do
	}{
		"kept": {
			simulated{arms: besideArms, tps: beside(400, 400, 900), rounds: 10, starving: starving},
			map[string]string{"burstable-busy": "rejected", "guaranteed-busy": "kept"}, []string{"C-CPU-03"},
			[]string{"A busy neighbour takes 60.", "% [", "of the throughput of besteffort. With the same neighbour, guaranteed-busy keeps ", "% [", "of it: use it."},
			"Use the settings of guaranteed-busy in place of those of besteffort-busy.",
		},
		"two remedies": {
			simulated{arms: besideArms, tps: beside(400, 700, 900), rounds: 10, starving: starving},
			map[string]string{"burstable-busy": "kept", "guaranteed-busy": "kept"}, []string{"C-CPU-03"},
			[]string{"A busy neighbour takes 60.", "With the same neighbour, guaranteed-busy keeps ", " and burstable-busy keeps ", " of it: use one of them."},
			"Use the settings of guaranteed-busy in place of those of besteffort-busy.",
		},
		"kept, without counters that confirm a cause": {
			simulated{arms: besideArms, tps: beside(400, 390, 900), rounds: 10},
			map[string]string{"burstable-busy": "rejected", "guaranteed-busy": "kept"}, nil,
			[]string{"A busy neighbour takes 60.", "guaranteed-busy keeps ", "use it."}, "Use the settings of guaranteed-busy in place of those of besteffort-busy.",
		},
		"not established": {
			simulated{arms: besideArms, tps: beside(400, 410, 420), rounds: 10, starving: starving, noise: map[string]float64{"besteffort-busy": 0.2}},
			map[string]string{"burstable-busy": "undecided", "guaranteed-busy": "undecided"}, []string{"C-CPU-03"}, nil, "",
		},
		"worse": {
			simulated{arms: besideArms, tps: beside(400, 300, 200), rounds: 10, starving: starving},
			map[string]string{"burstable-busy": "rejected", "guaranteed-busy": "rejected"}, []string{"C-CPU-03"},
			[]string{"A busy neighbour takes 60.", "burstable-busy is besteffort-busy with {qos: Burstable, cpuRequest: 500m}, the remedy of C-CPU-03: throughput is 25.", " lower in 10 rounds, not kept.", "guaranteed-busy is", "not kept."}, "",
		},
		"busy machine": {
			simulated{arms: besideArms, tps: beside(400, 700, 900), rounds: 10, starving: starving, others: 0.4},
			map[string]string{"burstable-busy": "undecided", "guaranteed-busy": "undecided"}, []string{"C-CPU-03"}, nil, "",
		},
		"too few rounds": {
			simulated{arms: besideArms, tps: beside(400, 700, 900), rounds: 4, starving: starving},
			map[string]string{"burstable-busy": "undecided", "guaranteed-busy": "undecided"}, []string{"C-CPU-03"}, nil, "",
		},
		"another size of a quota": {
			simulated{arms: throttledArms, tps: limited, rounds: 10, throttling: []string{"small"}},
			map[string]string{"large": "kept"}, []string{"C-CPU-01"},
			[]string{"large has 200.", "% [", " more throughput than small: use it."}, "Use the settings of large in place of those of small.",
		},
		"the cause in both": {
			simulated{arms: throttledArms, tps: limited, rounds: 10, throttling: []string{"small", "large"}},
			map[string]string{}, nil, nil, "Measure small without the condition that its counters or settings show.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc := c.of.document(t)
			got := map[string]string{}
			for _, a := range doc.Answers {
				got[a.Arm] = a.Decision
				if c.rules == nil && a.Rules != nil || c.rules != nil && !slices.Equal(a.Rules, c.rules) {
					t.Errorf("%s: rules %q, want %q", a.Arm, a.Rules, c.rules)
				}
				follows(t, a)
			}
			if fmt.Sprint(got) != fmt.Sprint(c.decisions) {
				t.Errorf("decisions %v, want %v", got, c.decisions)
			}
			if (doc.Answer == "") != (c.answer == nil) || !inOrder(doc.Answer, c.answer) {
				t.Errorf("answer %q, want %q", doc.Answer, c.answer)
			}
			if c.step != "" && (len(doc.Next) == 0 || doc.Next[0].Do != c.step) {
				t.Errorf("steps %+v, want %q", doc.Next, c.step)
			}
			for _, step := range doc.Next {
				if strings.HasPrefix(step.Command, "tare remedy") && len(c.decisions) > 0 {
					t.Errorf("a remedy that was measured is to be measured: %+v", step)
				}
			}
			if err := schema(t).Validate(jsonValue(t, doc)); err != nil {
				t.Error(err)
			}
			answerFirst(t, doc)
		})
	}
}

// follows: words and decision are those of the verdict, with the interval.
func follows(t *testing.T, a report.Answer) {
	t.Helper()
	if !strings.Contains(a.Sentence, "% [") {
		t.Errorf("no interval: %s", a.Sentence)
	}
	want := map[string]string{"kept": " rounds, kept", "undecided": "no verdict"}[a.Decision]
	if a.Decision == "rejected" {
		want = "not kept"
	}
	if !strings.Contains(a.Sentence, want) {
		t.Errorf("%s: %s", a.Decision, a.Sentence)
	}
	if (a.Decision == "kept") != (a.Gain.Verdict == "gains" && a.Gain.Interval[0] > 0 && a.Decision != "undecided") {
		t.Errorf("%s: %+v", a.Decision, a.Gain)
	}
}

// answerFirst: in text and Markdown the answer stands above the chart, and the verdicts below it, in every language.
func answerFirst(t *testing.T, doc *report.Document) {
	t.Helper()
	if doc.Answer == "" {
		return
	}
	for _, l := range language.All() {
		said := doc.InLanguage(l)
		var plain, comment strings.Builder
		if err := text.Write(&plain, said, text.Options{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		if err := markdown.Write(&comment, said); err != nil {
			t.Fatal(err)
		}
		squeeze := func(s string) string { return strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "\\", "") }
		for view, of := range map[string]struct{ all, chart string }{
			"text": {plain.String(), said.Say("text.plot-head")}, "markdown": {comment.String(), "|---|"},
		} {
			parts := []string{squeeze(said.Answer), squeeze(of.chart), squeeze(said.Contrasts[0].Sentence)}
			if !inOrder(squeeze(of.all), parts) {
				t.Errorf("%s, %s does not have in this order: %q\n%s", l.Tag, view, parts, of.all)
			}
		}
		screen := strings.Split(plain.String(), "\n")[:24]
		if !strings.Contains(strings.Join(screen, "\n"), "●") {
			t.Errorf("%s: no chart on the first screen:\n%s", l.Tag, strings.Join(screen, "\n"))
		}
	}
}

// TestAnswerOfRemedies: a run that measures remedies by name says first which to keep.
func TestAnswerOfRemedies(t *testing.T) {
	arms := `baseline: as-written
arms:
  as-written: {target: container, cpu: 500m}
remedies:
  k-cfs-02: {rule: K-CFS-02, finding: a fraction of a CPU, change: {cpu: 2}}
  m-io-05: {rule: M-IO-05, finding: flushes neighbours, change: {config: {innodb_flush_neighbors: 0}}}
`
	doc := simulated{arms: arms, tps: map[string]float64{"as-written": 500, "k-cfs-02": 1000, "m-io-05": 500}, rounds: 10}.document(t)
	if !inOrder(doc.Answer, []string{"Compared with as-written, keep k-cfs-02 {cpu: 2}: cost ", "% [", "10 rounds."}) || strings.Contains(doc.Answer, "m-io-05") {
		t.Errorf("%q", doc.Answer)
	}
	doc = simulated{arms: arms, tps: map[string]float64{"as-written": 500, "k-cfs-02": 1000, "m-io-05": 500}, rounds: 10, others: 0.4}.document(t)
	if doc.Answer != "" {
		t.Errorf("on a busy machine: %q", doc.Answer)
	}
}
