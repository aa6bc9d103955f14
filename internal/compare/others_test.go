package compare

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// beside is disturbedRun with shares of the hypervisor and of other processes that are the same in all trials.
func beside(t *testing.T, steal, foreign float64) *record.Run {
	t.Helper()
	return disturbedRun(t, func(trial *record.Trial) {
		trial.Facts = nil
		counted(trial, steal, foreign, 0)
	})
}

// TestNoVerdictOnABusyMachine: from the limit on, others that use the same in all trials leave no verdict, be they
// processes or virtual machines; a plan that declares them has one. The interval stays.
func TestNoVerdictOnABusyMachine(t *testing.T) {
	limit := experiment.OthersLimit
	for _, c := range []struct {
		steal, foreign float64
		declared       experiment.Percent // 0 for none
		busy           bool
	}{
		{0, limit - 0.03, 0, false},
		{0, limit, 0, true},
		{limit / 2, limit / 2, 0, true},
		{limit, 0, 0, true},
		{0, 0.73, 0, true},
		{0, 0.73, 0.99, false},
		{0, 0.06, 0.05, true},
	} {
		r := beside(t, c.steal, c.foreign)
		if c.declared > 0 {
			r.Experiment.Protocol.OthersCPU = &c.declared
		}
		res := Run(r)
		got, want := only(t, res), Costs
		if c.busy {
			want = Inconclusive
		}
		if got.Verdict != want || got.Busy != c.busy || got.Interval95 == nil || res.Others.Busy() != c.busy {
			t.Errorf("%+v: %s, busy %v, %v", c, got.Verdict, got.Busy, got.Reasons)
		}
		if said := got.Reasons[0].Code == "busy-machine"; said != c.busy {
			t.Errorf("%+v: %v", c, got.Reasons)
		}
		if c.busy && (got.NewRun() != nil || got.PastMargin != "") {
			t.Errorf("%+v: more rounds are advised, or a size is said to be past the margin", c)
		}
	}
}

// TestBusyBeforeEarly: too few rounds on a busy machine are not told to be the only thing that lacks.
func TestBusyBeforeEarly(t *testing.T) {
	r := beside(t, 0, 0.5)
	kept := r.Trials[:0]
	for _, trial := range r.Trials {
		if trial.Header.Round <= 3 {
			kept = append(kept, trial)
		}
	}
	r.Trials, r.Unsealed = kept, true
	if c := only(t, Run(r)); !c.Busy || c.Verdict != Inconclusive {
		t.Errorf("%+v", c)
	}
}

// TestSlowClientOnABusyMachine: a client that could not keep up beside others is no fault of its own place, unless a
// quota held it; on a quiet machine the client is too small.
func TestSlowClientOnABusyMachine(t *testing.T) {
	for name, c := range map[string]struct {
		foreign float64
		code    string
		want    Verdict
		reasons string
	}{
		"busy":         {0.65, "busy", Inconclusive, "busy-machine client-saturated"},
		"late":         {0.65, "late", Inconclusive, "busy-machine client-saturated"},
		"quota":        {0.65, "quota", Invalid, "client-saturated client-needs-cpus"},
		"quiet, small": {0.01, "busy", Invalid, "client-saturated client-needs-cpus"},
	} {
		r := beside(t, 0, c.foreign)
		last := r.Trials[len(r.Trials)-1]
		last.Facts = append(last.Facts, record.Fact{Key: keys.LoadInvalid, Value: "it was late", Phase: "end"}, record.Fact{Key: keys.LoadInvalidCode, Value: c.code, Phase: "end"})
		got := only(t, Run(r))
		var codes []string
		for _, why := range got.Reasons {
			codes = append(codes, why.Code)
		}
		if got.Verdict != c.want || got.Busy != (c.want == Inconclusive) || got.Interval95 != nil || strings.Join(codes, " ") != c.reasons {
			t.Errorf("%s: %s, busy %v, %v", name, got.Verdict, got.Busy, got.Reasons)
		}
	}
}

// TestBusyWithoutAnInterval: rounds that disagree so much that there is no interval are told to be those of a busy machine.
func TestBusyWithoutAnInterval(t *testing.T) {
	r := beside(t, 0, 0.7)
	kept := r.Trials[:0]
	for _, trial := range r.Trials {
		if trial.Header.Round == 1 {
			kept = append(kept, trial)
		}
	}
	r.Trials, r.Unsealed = kept, true
	if c := only(t, Run(r)); !c.Busy || c.Interval95 != nil || c.Verdict != Inconclusive || len(c.Reasons) < 2 || c.Reasons[0].Code != "busy-machine" {
		t.Errorf("%+v", c)
	}
}

// TestBusyRunsOfTwoSessions: a busy machine of either run leaves the two without a verdict.
func TestBusyRunsOfTwoSessions(t *testing.T) {
	quiet, busy := beside(t, 0, 0.01), beside(t, 0, 0.5)
	for _, c := range []struct {
		before, after *record.Run
		want          string
	}{{quiet, quiet, ""}, {busy, quiet, "earlier-run"}, {quiet, busy, "later-run"}} {
		s, err := Between(c.before, c.after, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, contrast := range s.Contrasts {
			if contrast.Busy != (c.want != "") || contrast.Busy && (contrast.Verdict != Inconclusive || !strings.Contains(fmt.Sprint(contrast.Reasons), c.want)) {
				t.Errorf("%q: %+v", c.want, contrast)
			}
		}
	}
}

// TestOthersExplainTwoRuns: a difference between two runs that the larger of what others used can have made is none,
// of throughput and of a percentile, as in one run; one beyond that stands. What a plan declares is for the arms of its run.
func TestOthersExplainTwoRuns(t *testing.T) {
	night := func(level, foreign float64) *record.Run {
		r := session(t, 1, map[string]float64{"bare": level, "pod": level})
		for _, trial := range r.Trials {
			counted(trial, 0, foreign, 0)
		}
		return r
	}
	declared := night(940, 0.09)
	most := experiment.Percent(0.5)
	declared.Experiment.Protocol.OthersCPU = &most
	for name, c := range map[string]struct {
		before, after *record.Run
		run           string // that explains it
	}{
		"more beside the later run": {night(1000, 0), night(950, 0.09), "later-run"},
		"more beside the earlier":   {night(1000, 0.08), night(1050, 0.03), "earlier-run"},
		"beyond it":                 {night(1000, 0), night(850, 0.09), ""},
		"quiet":                     {night(1000, 0), night(950, 0), ""},
		"declared":                  {night(1000, 0), declared, "later-run"},
	} {
		s, err := Between(c.before, c.after, 0)
		if err != nil {
			t.Fatal(err)
		}
		g, err := ParseGate("throughput<-3%")
		if err != nil {
			t.Fatal(err)
		}
		got, said := s.Contrasts[0], fmt.Sprint(s.Contrasts[0].Reasons)
		if taken := got.Verdict == Inconclusive; taken != (c.run != "") || taken && (got.PastMargin != "" || got.Busy || !strings.Contains(said, othersExplain) || !strings.Contains(said, c.run)) {
			t.Errorf("%s: %s %s", name, got.Verdict, said)
		}
		if o := g.Of(got, s.Tails[0], s.Margin, false); o.Failed != (c.run == "") || o.Failed == o.Open() {
			t.Errorf("%s: gate %+v", name, o)
		}
		longer, beyond := s.others.explaining(Interval{2, 4}), s.others.explaining(Interval{12, 14})
		if (longer != nil) != (c.run != "" || name == "beyond it") || beyond != nil {
			t.Errorf("%s: a percentile that is 2 to 4 %% longer %v, 12 to 14 %% %v", name, longer, beyond)
		}
	}
}

// TestGateOfPercentileThatOthersExplain: a condition on a percentile of two runs decides nothing by a change that others
// can have made.
func TestGateOfPercentileThatOthersExplain(t *testing.T) {
	why := reason(othersExplain)
	throughput := Contrast{Arm: "pod", Rounds: 8, Verdict: Costs, Interval95: &Interval{-20, -19}, Interval90: &Interval{-20, -19}}
	g, err := ParseGate("p99>3%")
	if err != nil {
		t.Fatal(err)
	}
	for _, explained := range []*Reason{nil, &why} {
		o := g.Of(throughput, []SessionTail{{Percentile: "99", Before: TailOf{4, 8}, After: TailOf{5, 8}, Interval: &Interval{5, 8}, Explained: explained}}, 0.01, false)
		if o.Failed != (explained == nil) || o.Open() != (explained != nil) {
			t.Errorf("%v: %+v", explained, o)
		}
	}
}

// sampledBeside gives a trial two readings of its window: a machine of 2 CPUs for 10 s, of which others used a share.
func sampledBeside(trial *record.Trial, others float64) {
	for _, name := range []string{"user", "system", "irq", "idle", "steal", "others"} {
		trial.Metrics = append(trial.Metrics, record.Metric{Name: "host.cpu." + name + "_ns", Unit: "ns", Counter: true})
	}
	trial.Metrics = append(trial.Metrics, record.Metric{Name: "disk.busy_ns", Unit: "ns", Counter: true})
	at := func(seconds float64) record.Sample {
		return record.Sample{At: time.Duration(seconds * 1e9), Values: record.ValuesOf(map[string]float64{
			"host.cpu.user_ns": seconds * 1.5e9, "host.cpu.system_ns": seconds * 0.2e9, "host.cpu.irq_ns": 0, "host.cpu.idle_ns": seconds * 0.2e9,
			"host.cpu.steal_ns": seconds * 0.1e9, "host.cpu.others_ns": seconds * 2e9 * others, "disk.busy_ns": seconds * 0.25e9,
		})}
	}
	trial.Samples = []record.Sample{at(1), at(6), at(11)}
}

// TestArmsThatYield: where other processes used more beside an arm than beside the baseline, that is said; where
// they did not, it is not. Shares are those of each arm's own time.
func TestArmsThatYield(t *testing.T) {
	for _, c := range []struct {
		bare, pod float64
		said      bool
	}{{0.5, 0.9, true}, {0.5, 0.5 + yields/2, false}, {0.9, 0.5, false}} {
		r := disturbedRun(t, func(trial *record.Trial) {
			trial.Facts = nil
			counted(trial, 0, 0.7, 0)
			sampledBeside(trial, map[string]float64{"bare": c.bare, "pod": c.pod}[trial.Header.Arm])
		})
		res := Run(r)
		for _, a := range res.Others.ByArm {
			want := map[string]float64{"bare": c.bare, "pod": c.pod}[a.Arm]
			if math.Abs(a.Processes-want) > 1e-9 || math.Abs(a.Most-want) > 1e-9 || math.Abs(a.Steal-0.05) > 1e-9 || math.Abs(a.Disk-0.25) > 1e-9 || !math.IsNaN(a.Memory) {
				t.Errorf("%+v", a)
			}
		}
		if len(res.Others.ByArm) != 2 {
			t.Errorf("%+v", res.Others.ByArm)
		}
		if said := strings.Contains(fmt.Sprint(only(t, res).Reasons), "yields "); said == c.said {
			continue
		}
		t.Errorf("%+v: %v", c, only(t, res).Reasons)
	}
}

// TestBusiestOfARun: the processes of all trials are added up by name, as shares of the machine.
func TestBusiestOfARun(t *testing.T) {
	r := disturbedRun(t, func(trial *record.Trial) {
		trial.Facts = append(trial.Facts, record.Fact{Key: keys.GateBusiest, Phase: "end",
			Value: `[{"name":"cc1","cpu_s":30},{"name":"ld","cpu_s":2},{"name":"cron","cpu_s":0.5}]`})
	})
	if got := fmt.Sprint(othersOf(r).Busiest); got != "[{cc1 0.3} {ld 0.02}]" {
		t.Error(got)
	}
	r.Trials[0].Facts = append(r.Trials[0].Facts, record.Fact{Key: keys.GateBusiest, Phase: "end", Value: "no JSON"})
	if got := othersOf(r).Busiest; len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

// TestWhatOthersExplain: a cost or a gain stands below the limit if its interval lies beyond what the others used; any
// does where the plan measures beside a load.
func TestWhatOthersExplain(t *testing.T) {
	for _, c := range []struct {
		share, limit float64
		verdict      Verdict
		in           Interval
		taken        bool
	}{
		{0.05, experiment.OthersLimit, Costs, Interval{-9, -5.1}, false},
		{0.05, experiment.OthersLimit, Costs, Interval{-9, -4.9}, true},
		{0.05, experiment.OthersLimit, Gains, Interval{5.2, 9}, true},
		{0.05, experiment.OthersLimit, Gains, Interval{5.3, 9}, false},
		{0.05, experiment.OthersLimit, Equivalent, Interval{-0.5, 0.5}, false},
		{0.5, 0.99, Costs, Interval{-9, -4.9}, false},
		{0, experiment.OthersLimit, Costs, Interval{-9, -0.1}, false},
		{math.NaN(), experiment.OthersLimit, Costs, Interval{-9, -0.1}, false},
	} {
		j := comparison{res: &Result{Others: Others{Processes: c.share, Steal: math.NaN(), Limit: c.limit}}}
		got := j.busyMachine(Contrast{Verdict: c.verdict, Interval95: &c.in, PastMargin: "yes"})
		if taken := got.Verdict == Inconclusive; taken != c.taken || got.Busy || taken && (got.PastMargin != "" || got.Reasons[0].Code != "others-explain") {
			t.Errorf("%+v: %s, %v", c, got.Verdict, got.Reasons)
		}
	}
}

// elsewhere says where the server and the load of a trial were.
func elsewhere(trial *record.Trial, server, load string) {
	for key, value := range map[string]string{keys.GateServer: server, keys.GateLoad: load} {
		trial.Facts = append(trial.Facts, record.Fact{Key: key, Value: value, Phase: "end"})
	}
}

// TestOthersOfAnotherMachine: a busy machine of tare takes no verdict from trials that are elsewhere, whose machine
// was not watched; it does where the load generators were on it, and so does a busy node that probes watched.
func TestOthersOfAnotherMachine(t *testing.T) {
	for _, c := range []struct {
		name         string
		server, load string
		node         float64 // what the probes beside the server saw; 0 for none
		busy         bool
		of           CPUOf
		unwatched    bool
	}{
		{"all here", record.Here, record.Here, 0, true, OfServers, false},
		{"server here", record.Here, record.Elsewhere, 0, true, OfServers, false},
		{"load here", record.Elsewhere, record.Here, 0, true, OfLoad, true},
		{"nothing here", record.Elsewhere, record.Elsewhere, 0, false, OfServers, true},
		{"nothing here, quiet node", record.Elsewhere, record.Elsewhere, 0.001, false, OfNode, false},
		{"nothing here, busy node", record.Elsewhere, record.Elsewhere, 0.4, true, OfNode, false},
	} {
		r := disturbedRun(t, func(trial *record.Trial) {
			trial.Facts = nil
			counted(trial, 0, 0.7, 0)
			elsewhere(trial, c.server, c.load)
			if c.node > 0 {
				sampledBeside(trial, c.node)
				for i := range trial.Samples { // no steal
					values := maps.Collect(trial.Samples[i].Values.All())
					values["host.cpu.steal_ns"] = 0
					trial.Samples[i].Values = record.ValuesOf(values)
				}
			}
		})
		res := Run(r)
		if o := res.Others; o.Busy() != c.busy || o.CPU != c.of || o.Unwatched != c.unwatched || only(t, res).Busy != c.busy {
			t.Errorf("%s: busy %v of %q, unwatched %v, %v", c.name, o.Busy(), o.CPU, o.Unwatched, only(t, res).Reasons)
		}
		if n := len(causes(r)); n > 0 {
			t.Errorf("%s: %d trials are disturbed", c.name, n)
		}
	}
}

// TestUnwatchedWhy: where others are not known on the servers' machine, the run says why; where they are, it names the node
// whose boot id is that of tare's machine.
func TestUnwatchedWhy(t *testing.T) {
	noProbes := record.Fact{Key: "probe.host.others", Unknown: record.ServerOnNode.Say("n1"), Phase: "start"}
	node := record.Fact{Key: keys.PodNode, Value: "n1", Phase: "start"}
	foreign := record.Fact{Key: keys.GateForeignS, Unknown: "the processes of the machine cannot be seen", Phase: "end"}
	const onNode = "[ended-server-on-node node=n1"
	for _, c := range []struct {
		name   string
		facts  []record.Fact
		want   string // the code of why, or "" with the nodes
		cpu    string
		probes string
	}{
		{"from the host", []record.Fact{node, noProbes, {Key: keys.GateServer, Value: record.Here}}, "", "cpu-time-named nodes=n1", experiment.ProbesOn},
		{"no cluster", []record.Fact{{Key: keys.GateServer, Value: record.Here}}, "", "cpu-time", experiment.ProbesOn},
		{"in the cluster", []record.Fact{node, noProbes, foreign, {Key: keys.GateServer, Value: record.Here}}, "unwatched-in-pod why=" + onNode, "cpu-time-named nodes=n1", experiment.ProbesOn},
		{"another node", []record.Fact{node, noProbes, {Key: keys.GateServer, Value: record.Elsewhere}}, onNode[1:], "cpu-time-load", experiment.ProbesOn},
		{"an address", []record.Fact{{Key: keys.GateServer, Value: record.Elsewhere, Source: record.ByAddress + "db1"}}, "unwatched-elsewhere", "cpu-time-load", experiment.ProbesOff},
		{"probes off", []record.Fact{node, {Key: keys.GateServer, Value: record.Elsewhere}}, "unwatched-off", "cpu-time-load", experiment.ProbesOff},
	} {
		r := disturbedRun(t, func(trial *record.Trial) {
			trial.Facts = nil
			counted(trial, 0.05, 0.4, 0)
			trial.Facts = append(trial.Facts, record.Fact{Key: keys.GateLoad, Value: record.Here})
			trial.Facts = append(trial.Facts, c.facts...)
			if strings.HasPrefix(c.name, "an address") {
				sampledBeside(trial, 0.4) // of tare's machine
			}
		})
		r.Experiment.Protocol.Probes = c.probes
		o, got := othersOf(r), ""
		if o.UnwatchedWhy != nil {
			got = o.UnwatchedWhy.String()
		}
		if o.Unwatched != (c.want != "") || !strings.HasPrefix(got, c.want) || c.want == "" && got != "" || o.cpuTime().String() != c.cpu {
			t.Errorf("%s: %s; %s", c.name, got, o.cpuTime())
		}
	}
}

// TestBothRunsBusy: two busy runs are both named, and one that is busy alone is named alone.
func TestBothRunsBusy(t *testing.T) {
	night := func(others float64) *record.Run {
		r := session(t, 1, map[string]float64{"bare": 1000, "pod": 900})
		for _, trial := range r.Trials {
			for _, f := range []struct{ key, start, end string }{{keys.GateMachineS, "0", "100"}, {keys.GateForeignS, "0", fmt.Sprint(others)}, {keys.GateStealS, "0", "0"}} {
				trial.Facts = append(trial.Facts, record.Fact{Key: f.key, Value: f.start, Phase: "start"}, record.Fact{Key: f.key, Value: f.end, Phase: "end"})
			}
		}
		return r
	}
	for _, c := range []struct {
		before, after float64
		code          string
	}{{39, 45, "in-both-runs"}, {1, 45, "in-run"}, {39, 1, "in-run"}} {
		s, err := Between(night(c.before), night(c.after), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Contrasts[0]; got.Verdict != Inconclusive || !got.Busy || len(got.Reasons) != 1 || got.Reasons[0].Code != c.code {
			t.Errorf("%v and %v: %s %v", c.before, c.after, got.Verdict, got.Reasons)
		}
	}
}
