package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// ofMachine is a run of 6 rounds in which pod has the given share of the throughput of bare; rounds alternate by 1 %
// about it.
func ofMachine(t *testing.T, machine string, hour int, share float64) *record.Run {
	t.Helper()
	r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: {target: container}")), func(arm string, round int) float64 {
		if arm == "bare" {
			return 1000
		}
		return 1000 * share * math.Exp(0.01*math.Pow(-1, float64(round)))
	})
	for _, trial := range r.Trials {
		trial.Header.Started = time.Date(2026, 11, 28, hour, 0, trial.Header.Trial, 0, time.UTC)
	}
	r.Dir = fmt.Sprintf("runs/%s-%d", machine, hour)
	if machine == "" {
		return r
	}
	return fact(r, keys.HostMachine, machine)
}

func fleetOf(t *testing.T, perMachine int, shares ...float64) []*record.Run {
	t.Helper()
	var all []*record.Run
	for i, share := range shares {
		all = append(all, ofMachine(t, fmt.Sprint("m", i/perMachine), i, share))
	}
	return all
}

func throughput(t *testing.T, runs []*record.Run, names []string) (*Combined, CombinedEffect) {
	t.Helper()
	c, err := Combine(runs, names)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Throughput) != 1 {
		t.Fatalf("%d effects", len(c.Throughput))
	}
	return c, c.Throughput[0]
}

// TestCombine: the interval is Student's over the means of machines, or of the runs of one machine.
func TestCombine(t *testing.T) {
	for _, c := range []struct {
		name       string
		perMachine int
		shares     []float64
		units      []float64 // their mean log-ratios
		verdict    Verdict
		code       string
	}{
		{"six machines", 1, []float64{.90, .91, .89, .90, .92, .88}, []float64{.90, .91, .89, .90, .92, .88}, Costs, "rule-costs"},
		{"three machines, two runs each", 2, []float64{.90, .92, .80, .82, .70, .72}, []float64{math.Sqrt(.90 * .92), math.Sqrt(.80 * .82), math.Sqrt(.70 * .72)}, Inconclusive, "combined-early"},
		{"seven runs of a machine", 7, []float64{1, 1.001, .999, 1.002, .998, 1.001, .999}, []float64{1, 1.001, .999, 1.002, .998, 1.001, .999}, Equivalent, "rule-equivalent"},
		{"two machines", 2, []float64{.90, .90, .90, .90}, nil, Inconclusive, "combined-few-machines"},
		{"two runs of a machine", 2, []float64{.90, .91}, nil, Inconclusive, "combined-few-runs"},
	} {
		_, e := throughput(t, fleetOf(t, c.perMachine, c.shares...), nil)
		if e.Verdict != c.verdict || e.Reasons[0].Code != c.code || len(e.Runs) != len(c.shares) {
			t.Errorf("%s: %s, %v, %d runs", c.name, e.Verdict, e.Reasons, len(e.Runs))
		}
		if c.units == nil {
			if e.Interval95 != nil || math.IsNaN(e.Effect) || e.Runs[0].In95 == nil {
				t.Errorf("%s: %+v", c.name, e)
			}
			continue
		}
		var logs []float64
		for _, u := range c.units {
			logs = append(logs, math.Log(u))
		}
		lo, hi := stats.TInterval(logs, 0.05)
		if in := e.Interval95; in == nil || math.Abs(in.Lo-stats.Percent(lo)) > 1e-3 || math.Abs(in.Hi-stats.Percent(hi)) > 1e-3 || e.Units != len(c.units) {
			t.Errorf("%s: %v over %d, want %.4f to %.4f", c.name, in, e.Units, stats.Percent(lo), stats.Percent(hi))
		}
	}
}

// TestCombineTakesBackWhatRunsDo: a cost that no run by itself shows, because what others used below the limit or an A/A
// alarm can have made it, is none over all machines, by the means of both; a larger one stands.
func TestCombineTakesBackWhatRunsDo(t *testing.T) {
	fleet := func(share, foreign float64, aa float64) []*record.Run {
		var all []*record.Run
		for i := range 6 {
			r := planned(t, strings.Replace(spec(8, "1%", "bare: {target: process}", "pod: {target: container}"), "aa: false", "aa: true", 1))
			at := -1
			fill(r, func(arm string, round int) float64 {
				at++
				level := 1000.0
				switch {
				case arm == "pod":
					level = 1000 * (share + 0.0005*float64(i))
				case r.Plan.Trials[at].Again:
					level = aa
				}
				return level * math.Exp(0.002*math.Sin(float64(7*round+at)))
			})
			for _, trial := range r.Trials {
				trial.Header.Started = time.Date(2026, 11, 28, i, 0, trial.Header.Trial, 0, time.UTC)
				counted(trial, 0, foreign, 0)
			}
			r.Dir = fmt.Sprintf("runs/m%d", i)
			all = append(all, fact(r, keys.HostMachine, fmt.Sprint("m", i)))
		}
		return all
	}
	quietly := func(all []*record.Run, quiet int) []*record.Run {
		return append(fleet(0.95, 0, 1000)[:quiet], all[quiet:]...)
	}
	for name, c := range map[string]struct {
		runs []*record.Run
		want Verdict
		code string
	}{
		"quiet machines":                      {fleet(0.95, 0, 1000), Costs, "rule-costs"},
		"others use 8 %":                      {fleet(0.95, 0.08, 1000), Inconclusive, "combined-mean"},
		"others use 8 %, a larger cost":       {fleet(0.85, 0.08, 1000), Costs, "rule-costs"},
		"others use 8 % of one of six":        {quietly(fleet(0.95, 0.08, 1000), 5), Costs, "rule-costs"},
		"A/A of 8 %":                          {fleet(0.95, 0, 1080), Inconclusive, "combined-noise-floor"},
		"A/A of 8 %, a larger cost":           {fleet(0.85, 0, 1080), Costs, "rule-costs"},
		"A/A of 8 % in one of six":            {quietly(fleet(0.95, 0, 1080), 5), Costs, "rule-costs"},
		"equal arms, and others that use 8 %": {fleet(1, 0.08, 1000), Equivalent, "rule-equivalent"},
	} {
		_, e := throughput(t, c.runs, nil)
		if e.Verdict != c.want || e.Reasons[0].Code != c.code || e.Interval95 == nil || e.Verdict == Inconclusive && (e.PastMargin != "" || strings.Contains(fmt.Sprint(e.Reasons), "rule-")) {
			t.Errorf("%s: %s %v %+v", name, e.Verdict, e.Reasons, e.Interval95)
		}
	}
}

// TestCombinedSpread: rounds vary by 1.1 %, the runs of a machine by 1.4 %, machines by 10 %.
func TestCombinedSpread(t *testing.T) {
	log := func(machine, run float64) float64 { return math.Exp(machine + run) }
	_, e := throughput(t, fleetOf(t, 2, log(-.1, .01), log(-.1, -.01), log(0, .01), log(0, -.01), log(.1, .01), log(.1, -.01)), nil)
	near := func(name string, got, want float64) {
		if math.Abs(got-want) > 0.01 {
			t.Errorf("%s: %.4f, want %.4f", name, got, want)
		}
	}
	rounds := 1e-4 * 6 / 5
	near("rounds", e.RoundSD, 100*math.Sqrt(rounds))
	near("runs", e.RunSD, 100*math.Sqrt(2e-4-rounds/6))
	near("machines", e.MachineSD, 100*math.Sqrt(1e-2-1e-4))
	if _, e = throughput(t, fleetOf(t, 1, .9, .8, .7), nil); !math.IsNaN(e.RunSD) || math.IsNaN(e.MachineSD) {
		t.Errorf("one run of each machine: %v between runs", e.RunSD)
	}
	if _, e = throughput(t, fleetOf(t, 3, .9, .8, .7), nil); math.IsNaN(e.RunSD) || !math.IsNaN(e.MachineSD) {
		t.Errorf("one machine: %v between machines", e.MachineSD)
	}
}

// A run in which the arm was lost has no figure, and then neither have the runs together: the others would be those in
// which it was well.
func TestCombineLosesNothing(t *testing.T) {
	runs := fleetOf(t, 1, .9, .8, .7, .6)
	last := runs[3].Trials[len(runs[3].Trials)-1]
	last.End.Outcome, last.Window = record.ServerLost, nil
	if _, e := throughput(t, runs, nil); e.Verdict != NotMeasured || e.Interval95 != nil || !math.IsNaN(e.Effect) || e.Reasons[0].Code != "combined-without" {
		t.Errorf("%+v", e)
	}
}

// TestMachinesOf: the machine is that of the record, or the user's; equal hardware is not taken for one machine.
func TestMachinesOf(t *testing.T) {
	c, _ := throughput(t, []*record.Run{ofMachine(t, "x", 3, .9), ofMachine(t, "y", 2, .9), ofMachine(t, "x", 1, .9)}, nil)
	if len(c.Machines) != 2 || len(c.Machines[0].Runs) != 2 || c.Machines[0].Name != "1" || c.Machines[1].Runs[0].Dir != "runs/y-2" {
		t.Errorf("%+v", c.Machines)
	}
	c, _ = throughput(t, []*record.Run{ofMachine(t, "", 3, .9), ofMachine(t, "", 2, .9), ofMachine(t, "", 1, .9)}, []string{"a", "b", "a"})
	if len(c.Machines) != 2 || c.Machines[0].Name != "a" || c.Machines[1].Name != "b" || len(c.Machines[0].Runs) != 2 {
		t.Errorf("%+v", c.Machines)
	}
	resized := fact(ofMachine(t, "x", 2, .9), "host.cpu.count", "4")
	if c, _ = throughput(t, []*record.Run{fact(ofMachine(t, "x", 1, .9), "host.cpu.count", "2"), resized}, nil); len(c.Machines) != 2 {
		t.Errorf("a machine with more CPUs is the same: %+v", c.Machines)
	}
	if _, err := Combine([]*record.Run{ofMachine(t, "x", 1, .9), ofMachine(t, "", 2, .9)}, nil); err == nil || !strings.Contains(err.Error(), "host.machine") {
		t.Errorf("an unknown machine: %v", err)
	}
}

// TestCombineRefuses: what is not one experiment is refused by what differs.
func TestCombineRefuses(t *testing.T) {
	first := ofMachine(t, "x", 1, .9)
	other := func(from, to string) *record.Run {
		r := fill(planned(t, strings.Replace(spec(6, "1%", "bare: {target: process}", "pod: {target: container}"), from, to, 1)), func(string, int) float64 { return 1000 })
		r.Dir = "runs/other"
		return fact(r, keys.HostMachine, "y")
	}
	unfinished := ofMachine(t, "y", 2, .9)
	unfinished.Trials = unfinished.Trials[:5]
	for want, r := range map[string]*record.Run{
		"arms.pod.target":        other("pod: {target: container}", "pod: {target: process}"),
		"protocol.measure":       other("measure: 3s", "measure: 4s"),
		"server.version":         fact(ofMachine(t, "y", 2, .9), "server.version", "8.4.1"),
		"not finished":           unfinished,
		"are the same run":       ofMachine(t, "y", 1, .9),
		"its results allowed it": other("rounds: 6", "rounds: {open: true, max: 20}"),
		"is imported":            {Dir: "log", Imported: &record.Import{}},
	} {
		if _, err := Combine([]*record.Run{first, r}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := Combine([]*record.Run{first}, nil); err == nil {
		t.Error("one run is combined")
	}
}
