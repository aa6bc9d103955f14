package progress

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// job is a plan of that many arms and rounds, the baseline twice in each.
func job(t *testing.T, arms, rounds int, threads string) runner.Job {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: qos}
database: {rootfs: /srv/mysql}
data: {tables: 1, rows: 100}
load: {workload: oltp_read_only, threads: %s}
protocol: {rounds: %d, warmup: 5s, measure: 20s, seed: 7}
baseline: arm-1
arms:
`, threads, rounds)
	for i := range arms {
		fmt.Fprintf(&b, "  arm-%d: {target: process}\n", i+1)
	}
	e, err := experiment.Parse("qos.yaml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return runner.Job{Dir: "runs/qos", Experiment: e, Plan: experiment.NewPlan(e)}
}

var began = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// play carries out the first n trials of a plan, 30 s each, and then eight seconds
// of the next.
func play(s *state, n int, outcome func(experiment.Trial) record.Outcome) time.Time {
	now := began
	s.observe(runner.Progress{Kind: runner.Began}, now)
	s.observe(runner.Progress{Kind: runner.Phase, Phase: "make data"}, now)
	for i, trial := range s.plan.Trials[:min(n+1, len(s.plan.Trials))] {
		s.observe(runner.Progress{Kind: runner.Phase, Trial: trial, Phase: "start server"}, now)
		if i == n {
			for second := range 8 {
				s.observe(runner.Progress{Kind: runner.Second, Trial: trial, Interval: &record.Interval{
					End: float64(second + 1), Length: 1, Warmup: second < 5, Transactions: 1500 + 100*float64(second), Percentile: 95, Latency: 8.1, Errors: 2,
				}}, now.Add(time.Duration(second+2)*time.Second))
			}
			return now.Add(10 * time.Second)
		}
		s.observe(runner.Progress{Kind: runner.Second, Trial: trial, Interval: &record.Interval{End: 6, Length: 1, Transactions: 987654}}, now)
		now = now.Add(30*time.Second + time.Duration(i%3)*time.Second)
		s.observe(runner.Progress{Kind: runner.Ended, Trial: trial, Outcome: outcome(trial)}, now)
	}
	return now
}

func measured(experiment.Trial) record.Outcome { return record.Measured }

// scenes are moments of a run.
func scenes(t *testing.T) map[string]func() (*state, time.Time) {
	make := func(arms, rounds int, threads string) *state {
		return newState(job(t, arms, rounds, threads), 30*time.Second, began)
	}
	return map[string]func() (*state, time.Time){
		"preparing": func() (*state, time.Time) {
			s := make(3, 6, "8")
			s.observe(runner.Progress{Kind: runner.Phase, Phase: "make data"}, began)
			return s, began.Add(time.Minute)
		},
		"running": func() (*state, time.Time) {
			s := make(3, 6, "8")
			return s, play(s, 10, func(t experiment.Trial) record.Outcome {
				if t.Arm == "arm-2" {
					return record.NotReady
				}
				return record.Measured
			})
		},
		"voided": func() (*state, time.Time) {
			s := make(2, 4, "[4, 16]")
			now := play(s, 24, measured)
			s.setAside(record.Void{Round: 2, Causes: []record.Cause{{Gate: "steal", Sign: record.Sign{Seen: 0.04, Median: 0.001}}}})
			s.observe(runner.Progress{Kind: runner.Phase, Trial: s.plan.Trials[7], Phase: "copy data"}, now)
			return s, now
		},
		"large": func() (*state, time.Time) {
			s := make(40, 200, "8")
			return s, play(s, 41*90+3, measured)
		},
	}
}

func TestView(t *testing.T) {
	for name, scene := range scenes(t) {
		s, now := scene()
		for _, width := range []int{40, 80, 120} {
			got := strings.Join(s.view(look{width: width, height: 24, unicode: true}, now), "\n") + "\n"
			golden(t, fmt.Sprintf("%s.%d.txt", name, width), got)
		}
		golden(t, name+".ascii.txt", strings.Join(s.view(look{width: 80, height: 24}, now), "\n")+"\n")
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestTurns: arms that take turns are shown together. Their rates are never shown apart, and
// the time that is left is that of the rounds, not of the moments at which their trials end.
func TestTurns(t *testing.T) {
	j := job(t, 2, 4, "8")
	j.Plan = j.Plan.Interleave(j.Experiment, experiment.Interleaving{Kind: experiment.KindSlices, Slices: &interleave.Slices{Slice: time.Second, Cycles: 20}})
	s := newState(j, 30*time.Second, began)
	now, rates := began, map[string]float64{"arm-1": 500, "arm-2": 100}
	for round := 1; round <= 2; round++ {
		trials := slices.DeleteFunc(slices.Clone(j.Plan.Trials), func(t experiment.Trial) bool { return t.Round != round })
		for _, trial := range trials {
			s.observe(runner.Progress{Kind: runner.Phase, Trial: trial, Phase: "start server"}, now)
			now = now.Add(10 * time.Second)
		}
		for turn := 1; turn <= 3; turn++ {
			for _, trial := range trials {
				now = now.Add(10 * time.Second)
				s.observe(runner.Progress{Kind: runner.Second, Trial: trial, Interval: &record.Interval{Turn: turn, End: float64(turn), Length: 1, Transactions: rates[trial.Arm], Percentile: 95, Latency: 8.1}}, now)
			}
		}
		if round == 2 {
			break
		}
		for _, trial := range slices.Backward(trials) {
			s.observe(runner.Progress{Kind: runner.Phase, Trial: trial, Phase: "stop"}, now)
			s.observe(runner.Progress{Kind: runner.Ended, Trial: trial, Outcome: record.Measured}, now)
		}
	}
	// A round takes 80 s: of the second nothing is left, and two more follow.
	if left, _, _ := s.left(now); left != 160*time.Second {
		t.Errorf("%v are left, want 2m40s", left)
	}
	const mean = (500 + 100) / 2.0
	if diff := cmp.Diff([]float64{mean, mean}, s.rates); diff != "" {
		t.Errorf("the curve has more than means over all arms: %s", diff)
	}
	view := strings.Join(s.view(look{width: 80, height: 24, unicode: true}, now), "\n")
	for _, want := range []string{"round 2: all arms in turn, measure", "300 tx/s", "arm-1  ■ ▶ · ·", "arm-2  ■ ▶ · ·"} {
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
}

// The lines fit whatever the terminal's size: one that is too long would fold, and
// the next drawing would leave its rest standing.
func TestViewFits(t *testing.T) {
	for name, scene := range scenes(t) {
		s, now := scene()
		for width := 20; width <= 200; width += 29 {
			for height := 10; height <= 60; height += 19 {
				for _, l := range []look{{width: width, height: height}, {width: width, height: height, unicode: true, color: true}} {
					lines := s.view(l, now)
					if len(lines) >= height {
						t.Errorf("%s: %d lines on %d", name, len(lines), height)
					}
					for _, line := range lines {
						if w := ansi.StringWidth(line); w >= width {
							t.Errorf("%s: %d cells on %d: %q", name, w, width, line)
						}
						if !l.unicode && strings.IndexFunc(line, func(r rune) bool { return r > 126 }) >= 0 {
							t.Errorf("%s: not ASCII: %q", name, line)
						}
					}
				}
			}
		}
	}
}

// Nothing of an earlier trial's throughput is shown, by any view: the same run with
// other effects looks the same.
func TestSealed(t *testing.T) {
	s, now := scenes(t)["running"]()
	p := &Progress{state: s}
	all := strings.Join(s.view(look{width: 200, height: 50}, now), "\n") + scrape(t, p)
	if strings.Contains(all, "987") {
		t.Errorf("the rate of an earlier trial is shown:\n%s", all)
	}
	if strings.Contains(scrape(t, p), "arm=") {
		t.Error("a sample has an arm")
	}
}

func scrape(t *testing.T, p *Progress) string {
	t.Helper()
	w := httptest.NewRecorder()
	p.Handler("test").ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	return w.Body.String()
}

// Unknown figures are absent: a zero would be drawn.
func TestMetrics(t *testing.T) {
	s, _ := scenes(t)["preparing"]()
	out := scrape(t, &Progress{state: s})
	if strings.Contains(out, "tare_trial_throughput") || !strings.Contains(out, `tare_run_trials{state="pending"} 24`) {
		t.Error(out)
	}
	s, _ = scenes(t)["running"]()
	out = scrape(t, &Progress{state: s})
	for _, want := range []string{
		`tare_trial_throughput_transactions_per_second 2200`, `tare_trial_latency_seconds 0.0081`, `tare_run_rounds_complete 2`,
		`tare_run_trials{state="not-ready"} 2`, `tare_load_errors_total 16`, `tare_run_phase{phase="measure"} 1`,
	} {
		if !strings.Contains(out, "\n"+want+"\n") {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

// Without a terminal there is one line for each event, with JSON one object.
func TestEvents(t *testing.T) {
	j := job(t, 2, 2, "8")
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		p := New(j, Options{Out: &out, JSON: asJSON, PerTrial: 30 * time.Second})
		disturbed := []record.Void{{Round: 1, Causes: []record.Cause{{Trial: 2, Arm: "arm-2", Gate: "steal", Sign: record.Sign{Seen: 0.04, Median: 0.001}}}}}
		p.Observe(runner.Progress{Kind: runner.Began, Complete: map[int]record.Outcome{1: record.Measured}})
		p.Observe(runner.Progress{Kind: runner.Waiting, Reason: "no node"})
		for _, trial := range j.Plan.Trials[1:3] {
			p.Observe(runner.Progress{Kind: runner.Waiting, Trial: trial, Reason: "no node"})
			p.Observe(runner.Progress{Kind: runner.Phase, Trial: trial, Phase: "measure"})
			p.Observe(runner.Progress{Kind: runner.Second, Trial: trial, Interval: &record.Interval{Transactions: 5}})
			p.Observe(runner.Progress{Kind: runner.Ended, Trial: trial, Outcome: record.Starved, Reason: "a b"})
			p.RoundEnded(trial.Round, disturbed[:2-trial.Round])
		}
		p.Voided(record.Void{Round: 1, Causes: []record.Cause{{Gate: "steal"}}})
		p.Observe(runner.Progress{Kind: runner.Began, Complete: map[int]record.Outcome{3: record.Starved}}) // for the round that is repeated
		p.Answers(false, "the API server has not answered")
		p.Answers(true, "the API server answers again")
		p.Close()
		want := "plan resume waiting waiting trial gate waiting trial void api-server api-server"
		if asJSON {
			want = "plan resume waiting waiting second trial gate waiting second trial void api-server api-server"
		}
		var names []string
		for line := range strings.Lines(out.String()) {
			if !asJSON {
				names = append(names, regexp.MustCompile(`event=([\w-]+)`).FindStringSubmatch(line)[1])
				continue
			}
			var m map[string]any
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err, line)
			}
			names = append(names, m["event"].(string))
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s, want %s\n%s", got, want, out.String())
		}
		if text := out.String(); !strings.Contains(text, "trial 2, arm-2: the start of a server waits: no node") || !strings.Contains(text, `"the start of a server waits: no node"`) {
			t.Errorf("what is waited for is missing:\n%s", text)
		}
		// 4 trials of 30 s, of which 3 are left.
		if text := strings.ReplaceAll(strings.ReplaceAll(out.String(), `"`, ""), ":", "="); !strings.Contains(text, "estimate=2m0s") || !strings.Contains(text, "estimate=1m30s") {
			t.Errorf("the estimate of what is left is missing:\n%s", text)
		}
		if strings.Contains(out.String(), "\x1b") || strings.Contains(out.String(), "\r") {
			t.Errorf("no terminal, yet driven like one: %q", out.String())
		}
	}
}

// TestHopelessIsNotSaid: the error that ends the run says the reason of a trial that each other attempt has too.
func TestHopelessIsNotSaid(t *testing.T) {
	for _, live := range []bool{false, true} {
		var out bytes.Buffer
		j := job(t, 2, 2, "8")
		p := New(j, Options{Out: &out, Live: live, PerTrial: 30 * time.Second, Size: func() (int, int) { return 100, 30 }})
		p.Observe(runner.Progress{Kind: runner.Ended, Trial: j.Plan.Trials[0], Outcome: record.Failed, Reason: "no such class", Hopeless: true})
		p.Close()
		if strings.Contains(out.String(), "no such class") {
			t.Errorf("live %v: %s", live, out.String())
		}
	}
}

// Of two drawings only what changed is written again.
func TestScreenWritesWhatChanged(t *testing.T) {
	var out bytes.Buffer
	s := screen{out: &out}
	s.show([]string{"one", "two", "three"}, 80)
	out.Reset()
	s.show([]string{"one", "2", "three"}, 80)
	if got := out.String(); strings.Contains(got, "one") || strings.Contains(got, "three") || !strings.Contains(got, "2") {
		t.Errorf("%q", got)
	}
}

// TestGatesOfABusyMachine: nothing is said to be undisturbed where others use the machine, where that is unknown, and
// where only the load generator's gate applies.
func TestGatesOfABusyMachine(t *testing.T) {
	for _, c := range []struct {
		others float64
		sliced bool
		want   string
	}{
		{0.01, false, "1 round, none disturbed"},
		{0.01, true, "1 round; the load generator kept up"},
		{math.NaN(), false, "1 round; the load generator kept up"},
		{0.07, true, "1 round; others use 7 % of the CPU time"},
		{0.73, false, "busy machine: others use 73 % of the CPU time; a verdict needs less than 10 %"},
	} {
		s := newState(job(t, 2, 2, "8"), 30*time.Second, began)
		if c.sliced {
			s.plan.Protocol = &experiment.Interleaving{Kind: experiment.KindSlices, Slices: &interleave.Slices{Slice: time.Second, Cycles: 1}}
		}
		for _, trial := range s.plan.Trials[:2] {
			s.observe(runner.Progress{Kind: runner.Phase, Trial: trial, Phase: "measure"}, began)
			s.observe(runner.Progress{Kind: runner.Ended, Trial: trial, Outcome: record.Measured, Others: c.others}, began)
		}
		if got := s.gatesLine(look{width: 120, height: 24}); !strings.HasSuffix(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestEventOfATrialBesideOthers: the line of a trial says what others used, from 5 % on.
func TestEventOfATrialBesideOthers(t *testing.T) {
	j := job(t, 2, 2, "8")
	var out bytes.Buffer
	p := New(j, Options{Out: &out, PerTrial: 30 * time.Second})
	for i, others := range []float64{0.04, 0.73} {
		p.Observe(runner.Progress{Kind: runner.Ended, Trial: j.Plan.Trials[i], Outcome: record.Measured, Others: others})
	}
	p.Close()
	if text := out.String(); strings.Count(text, "others=") != 1 || !strings.Contains(text, "others=73%") {
		t.Error(text)
	}
}

// TestAliveEvery: a run of minutes shows more often that it goes on than one of hours.
func TestAliveEvery(t *testing.T) {
	for run, want := range map[time.Duration]time.Duration{3 * time.Minute: 15 * time.Second, time.Hour: 3 * time.Minute, 24 * time.Hour: 5 * time.Minute} {
		if got := aliveEvery(run); got != want {
			t.Errorf("a run of %v: every %v, want %v", run, got, want)
		}
	}
}
