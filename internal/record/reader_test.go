package record

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
)

// measured writes a trial of a plan as the runner does.
func measured(tb testing.TB, dir string, p experiment.Trial, outcome Outcome) {
	tb.Helper()
	s, err := CreateStream(TrialDir(dir, p), Header{Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads})
	if err != nil {
		tb.Fatal(err)
	}
	for i := range 10 {
		for _, l := range []Line{
			{Interval: &Interval{End: float64(i + 1), Length: 1, Transactions: 100}},
			{Sample: &Sample{Values: ValuesOf(map[string]float64{"a": 1})}},
		} {
			if err := s.Write(l); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := s.Close(End{Outcome: outcome}); err != nil {
		tb.Fatal(err)
	}
}

func readerPlan(tb testing.TB, rounds int) (dir string, e *experiment.Experiment, p experiment.Plan) {
	tb.Helper()
	e, err := experiment.Parse("x.yaml", fmt.Appendf(nil, `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
protocol: {rounds: %d, aa: false}
baseline: a
arms: {a: {target: process}, b: {target: process}}
`, rounds))
	if err != nil {
		tb.Fatal(err)
	}
	dir, p = filepath.Join(tb.TempDir(), "run"), experiment.NewPlan(e)
	if err := Create(dir, e, p); err != nil {
		tb.Fatal(err)
	}
	return dir, e, p
}

func read(tb testing.TB, r *Reader, p experiment.Plan) *Run {
	tb.Helper()
	run, err := r.Read(p)
	if err != nil {
		tb.Fatal(err)
	}
	return run
}

// TestReaderReadsWhatIsNew: a trial with a result is read once, one without a result
// every time, and a round that was set aside is forgotten.
func TestReaderReadsWhatIsNew(t *testing.T) {
	dir, e, p := readerPlan(t, 3)
	r := NewReader(dir, e)
	if run := read(t, r, p); len(run.Trials) != 0 || len(run.Voids) != 0 {
		t.Fatalf("a run that has not begun: %+v", run)
	}
	measured(t, dir, p.Trials[0], Measured)
	measured(t, dir, p.Trials[1], Failed)
	run := read(t, r, p)
	if len(run.Trials) != 2 || !run.Trials[0].HasResult() || run.Trials[1].HasResult() || len(run.Trials[0].Intervals) != 10 || run.Trials[0].Samples != nil {
		t.Fatalf("%+v", run.Trials)
	}
	// What has been read is not looked at again: its file may be gone.
	if err := os.Remove(filepath.Join(TrialDir(dir, p.Trials[0]), StreamFile)); err != nil {
		t.Fatal(err)
	}
	measured(t, dir, p.Trials[1], Measured)
	measured(t, dir, p.Trials[2], Measured)
	if run = read(t, r, p); len(run.Trials) != 3 || !run.Trials[1].HasResult() {
		t.Fatalf("%d trials, the second has a result: %v", len(run.Trials), run.Trials[1].HasResult())
	}
	if err := r.SetAside(p, Void{Round: p.Trials[0].Round, Causes: []Cause{{Trial: 1, Gate: "steal"}}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if run = read(t, r, p); len(run.Trials) != 1 || run.Trials[0].Header.Trial != 3 || len(run.Voids) != 1 || run.Voids[0].Round != p.Trials[0].Round {
			t.Fatalf("%d trials, voids %+v", len(run.Trials), run.Voids)
		}
	}
}

// TestReaderAgreesWithOpen: but for the probes' readings it reads what Open reads, also of a round
// that was set aside.
func TestReaderAgreesWithOpen(t *testing.T) {
	dir, e, p := readerPlan(t, 3)
	r := NewReader(dir, e)
	for _, trial := range p.Trials[:4] {
		measured(t, dir, trial, Measured)
		read(t, r, p)
	}
	if err := r.SetAside(p, Void{Round: p.Trials[0].Round, Causes: []Cause{{Trial: 1, Gate: "steal"}}}); err != nil {
		t.Fatal(err)
	}
	for _, trial := range p.Trials[:2] {
		measured(t, dir, trial, Measured)
	}
	opened, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run := read(t, r, p)
	if len(run.Voids) != 1 || len(opened.Voids) != 1 || len(opened.Voids[0].Trials) != 2 || len(run.Voids[0].Trials) != 2 {
		t.Fatalf("void rounds: %+v, Open has %+v", run.Voids, opened.Voids)
	}
	run.Trials, opened.Trials = append(run.Trials, run.Voids[0].Trials...), append(opened.Trials, opened.Voids[0].Trials...)
	if len(run.Trials) != len(opened.Trials) {
		t.Fatalf("%d trials, Open has %d", len(run.Trials), len(opened.Trials))
	}
	for i, trial := range run.Trials {
		if other := opened.Trials[i]; trial.Header != other.Header || trial.Throughput() != other.Throughput() || len(trial.Intervals) != len(other.Intervals) || *trial.End != *other.End {
			t.Errorf("trial %d: %+v, Open has %+v", i+1, trial.Header, other.Header)
		}
	}
}

// BenchmarkReaderRound is what a round's end costs after so many rounds: the time does not
// grow with them, but for walking the plan.
func BenchmarkReaderRound(b *testing.B) {
	for _, rounds := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(rounds), func(b *testing.B) {
			dir, e, p := readerPlan(b, rounds)
			for _, trial := range p.Trials {
				measured(b, dir, trial, Measured)
			}
			r := NewReader(dir, e)
			read(b, r, p)
			last := p.Trials[len(p.Trials)-2:]
			for b.Loop() {
				for _, trial := range last { // the round that has just been measured
					delete(r.trials, trial.Number)
				}
				read(b, r, p)
			}
		})
	}
}
