package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

func facts(pairs ...string) func(*record.Trial) {
	return func(t *record.Trial) {
		for i := 0; i < len(pairs); i += 2 {
			value := strings.ReplaceAll(pairs[i+1], "#", fmt.Sprint(t.Header.Trial))
			t.Facts = append(t.Facts, record.Fact{Key: pairs[i], Value: value, Phase: "start"})
		}
	}
}

func TestAudit(t *testing.T) {
	const process, pod = "{target: process}", "{target: container, qos: Guaranteed}"
	const managed, other = "{target: external, host: a.example.com}", "{target: external, host: b.example.com}"
	const replicated = "{target: process, replication: {mode: async}}"
	const byOperator = "{target: kubernetes, operator: perconaxtradbcluster}"
	for _, tc := range []struct {
		name      string
		bare, pod string // the arms' bodies
		bareFacts []string
		podFacts  []string
		listed    bool
		declared  bool
		invalid   bool
	}{
		{"same variable", process, pod, []string{"mysql.variable.a", "1"}, []string{"mysql.variable.a", "1"}, false, false, false},
		{"other variable", process, pod, []string{"mysql.variable.a", "1"}, []string{"mysql.variable.a", "2"}, true, false, true},
		{"empty is a value", process, pod, []string{"mysql.variable.sql_mode", "ANSI"}, []string{"mysql.variable.sql_mode", ""}, true, false, true},
		{"declared variable", process, "{target: container, config: {sync-binlog: 0}}",
			[]string{"mysql.variable.sync_binlog", "1"}, []string{"mysql.variable.sync_binlog", "0"}, true, true, false},
		{"derived variable", process, pod,
			[]string{"mysql.variable.innodb_purge_threads", "4"}, []string{"mysql.variable.innodb_purge_threads", "1"}, true, true, false},
		{"derived, but the arms are alike", process, process,
			[]string{"mysql.variable.innodb_purge_threads", "4"}, []string{"mysql.variable.innodb_purge_threads", "1"}, true, false, true},
		{"uuid", process, pod, []string{"mysql.variable.server_uuid", "a"}, []string{"mysql.variable.server_uuid", "b"}, false, false, false},
		{"changes with every start", process, pod, []string{"mysql.variable.x", "a#"}, []string{"mysql.variable.x", "b#"}, false, false, false},
		{"binary", process, pod, []string{"server.sha256", "a"}, []string{"server.sha256", "b"}, true, false, true},
		{"data", process, pod, []string{"data.sha256", "a"}, []string{"data.sha256", "b"}, true, false, true},
		{"checksum unknown in one arm", process, pod, []string{"server.sha256", "a", "mysql.variable.a", "1"}, []string{"mysql.variable.a", "1"}, true, false, false},
		{"cgroup", process, pod, []string{"host.arch", "amd64"}, []string{"host.arch", "amd64", "cgroup.pod.cpu.shares", "2"}, true, true, false},
		{"cgroup of like arms", process, process, []string{"cgroup.own.cpu.shares", "1024"}, []string{"cgroup.own.cpu.shares", "2"}, true, false, false},
		{"host", process, pod, []string{"host.memory.thp", "never"}, []string{"host.memory.thp", "always"}, true, false, false},
		{"process", process, pod, []string{"server.oom_score_adj", "0"}, []string{"server.oom_score_adj", "1000"}, true, true, false},
		{"pod", process, pod, []string{"host.arch", "a"}, []string{"host.arch", "a", "pod.qos", "Guaranteed"}, true, true, false},
		{"a kubelet's, of one arm", managed, byOperator, []string{"host.arch", "a"}, []string{"host.arch", "a", "kubelet.cpuCFSQuota", "true"}, true, true, false},
		{"a node's, of the baseline", byOperator, managed, []string{"host.arch", "a", "node.os", "Debian"}, []string{"host.arch", "a"}, true, true, false},
		{"two kubelets'", byOperator, "{target: kubernetes}", []string{"kubelet.cpuManagerPolicy", "static"}, []string{"kubelet.cpuManagerPolicy", "none"}, true, false, false},
		{"pid", process, pod, []string{"process.pid", "7"}, []string{"process.pid", "8"}, false, false, false},
		{"load of the moment", process, pod, []string{"host.load", "7"}, []string{"host.load", "8"}, false, false, false},
		{"other variable of someone else's server", process, managed, []string{"mysql.variable.a", "1"}, []string{"mysql.variable.a", "2"}, true, true, false},
		{"other variable, the baseline being someone else's", managed, pod, []string{"mysql.variable.a", "1"}, []string{"mysql.variable.a", "2"}, true, true, false},
		{"two servers of someone else's", managed, other, []string{"mysql.variable.a", "1"}, []string{"mysql.variable.a", "2"}, true, true, false},
		{"one server of someone else's, twice", managed, managed, []string{"mysql.variable.a", "1"}, []string{"mysql.variable.a", "2"}, true, false, true},
		{"a variable that only someone else's server has", process, managed, []string{"mysql.variable.a", "1"}, []string{"mysql.variable.a", "1", "mysql.variable.b", "2"}, true, true, false},
		{"data unlike someone else's", process, managed, []string{"data.sha256", "a"}, []string{"data.sha256", "b"}, true, false, true},
		{"an option of replication", process, replicated, []string{"mysql.variable.gtid_mode", "OFF"},
			[]string{"mysql.variable.gtid_mode", "ON", "replication.mode", "async", "replication.option.gtid_mode", "ON"}, true, true, false},
		{"a variable of replication's plugin", process, replicated, []string{"mysql.variable.a", "1", "mysql.variable.rpl_semi_sync_source_enabled", "OFF"},
			[]string{"mysql.variable.a", "1", "mysql.variable.rpl_semi_sync_source_enabled", "ON", "replication.mode", "semisync"}, true, true, false},
		{"a variable that replication does not set", process, replicated, []string{"mysql.variable.sync_binlog", "1"},
			[]string{"mysql.variable.sync_binlog", "0", "replication.mode", "async", "replication.option.gtid_mode", "ON"}, true, false, true},
		{"MariaDB with a binary log", process, replicated, []string{"mysql.variable.version", "10.11.19-MariaDB"},
			[]string{"mysql.variable.version", "10.11.19-MariaDB-log", "replication.mode", "async"}, true, true, false},
		{"another MariaDB with a binary log", process, replicated, []string{"mysql.variable.version", "10.11.18-MariaDB"},
			[]string{"mysql.variable.version", "10.11.19-MariaDB-log", "replication.mode", "async"}, true, false, true},
		{"an option of the operator's own", process, byOperator, []string{"mysql.variable.sync_binlog", "1"},
			[]string{"mysql.variable.sync_binlog", "0", "operator.name", "PXC", "operator.option.sync_binlog", "PXC"}, true, true, false},
		{"an option that the operator reverted", process, byOperator, []string{"mysql.variable.a", "1"},
			[]string{"mysql.variable.a", "2", "operator.name", "PXC", "operator.option.a", "PXC"}, true, false, true},
		{"the server of an operator", process, byOperator, []string{"mysql.variable.version", "9.7"},
			[]string{"mysql.variable.version", "8.4", "operator.name", "PXC"}, true, true, false},
		{"two databases of one operator, declared alike", byOperator, byOperator, []string{"mysql.variable.version", "9.7", "operator.name", "PXC"},
			[]string{"mysql.variable.version", "8.4", "operator.name", "PXC"}, true, false, true},
		{"one arm never read", process, pod, []string{"mysql.variable.a", "1"}, nil, false, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := fill(planned(t, spec(6, "1%", "bare: "+tc.bare, "pod: "+tc.pod)), func(string, int) float64 { return 1000 })
			each(r, "bare", facts(tc.bareFacts...))
			each(r, "pod", facts(tc.podFacts...))
			r.Experiment.Database.Config = map[string]string{}
			if strings.Contains(tc.name, "reverted") {
				r.Experiment.Database.Config["a"] = "1"
			}
			res := Run(r)
			if got := len(res.Differences) > 0; got != tc.listed {
				t.Fatalf("differences: %+v", res.Differences)
			}
			if tc.listed && (res.Differences[0].Declared != tc.declared || res.Differences[0].Why == nil) {
				t.Errorf("got %+v", res.Differences[0])
			}
			c := only(t, res)
			if got := c.Verdict == Invalid; got != tc.invalid {
				t.Errorf("verdict %s: %v", c.Verdict, c.Reasons)
			}
			if tc.invalid && (c.Interval95 != nil || !strings.Contains(fmt.Sprint(c.Reasons), res.Differences[0].Key)) {
				t.Errorf("invalid, with interval %v: %v", c.Interval95, c.Reasons)
			}
		})
	}
}

// A server that someone else runs is compared as it is, and the reader is told
// once that it is another server; the same server twice is no such thing.
func TestSomeoneElsesServerIsSaid(t *testing.T) {
	const two = "two-servers n=2 arm=managed other=bare"
	for _, tc := range []struct {
		name, arms string
		facts      map[string][]string
		want       []string
	}{
		{"beside one of tare's own", "bare: {target: process}\n  managed: {target: external, host: a}\n  pod: {target: container}",
			map[string][]string{"bare": {"a", "1", "b", "1", "c", "1"}, "managed": {"a", "2", "b", "2", "c", "1"}, "pod": {"a", "1", "b", "1", "c", "1"}},
			[]string{two}},
		{"as the baseline", "bare: {target: external, host: a}\n  managed: {target: process}",
			map[string][]string{"bare": {"a", "1"}, "managed": {"a", "2"}},
			[]string{"two-servers n=1 arm=bare other=managed"}},
		{"never read", "bare: {target: process}\n  managed: {target: external, host: a}\n  pod: {target: container, config: {a: 2}}",
			map[string][]string{"bare": {"a", "1"}, "pod": {"a", "2"}},
			[]string{"two-servers n=0 arm=managed other=bare"}},
		{"one server twice", "bare: {target: external, host: a}\n  managed: {target: external, host: a}",
			map[string][]string{"bare": {"a", "1"}, "managed": {"a", "1"}}, nil},
		{"none", "bare: {target: process}\n  managed: {target: process}",
			map[string][]string{"bare": {"a", "1"}, "managed": {"a", "1"}}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			yaml := strings.Replace(spec(6, "1%", tc.arms), "threads: 4", "threads: [4, 8]", 1)
			r := fill(planned(t, yaml), func(string, int) float64 { return 1000 })
			for arm, pairs := range tc.facts {
				for i := 0; i < len(pairs); i += 2 {
					each(r, arm, facts("mysql.variable."+pairs[i], pairs[i+1]))
				}
			}
			res := Run(r)
			var said []string
			for _, w := range res.Warnings {
				if w.Code == "two-servers" {
					said = append(said, w.String())
				}
			}
			if diff := cmp.Diff(tc.want, said); diff != "" {
				t.Error(diff)
			}
			for _, c := range res.Contrasts {
				if c.Verdict != Equivalent || c.Interval95 == nil {
					t.Errorf("%s at %d threads is %s: %v", c.Arm, c.Threads, c.Verdict, c.Reasons)
				}
			}
		})
	}
}

// A third arm's difference says nothing about the other two.
func TestAuditIsPerContrast(t *testing.T) {
	r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "a: {target: container}", "b: {target: container}")),
		func(string, int) float64 { return 1000 })
	for arm, value := range map[string]string{"bare": "1", "a": "1", "b": "2"} {
		each(r, arm, facts("mysql.variable.v", value))
	}
	res := Run(r)
	if a, b := res.Contrasts[0].Verdict, res.Contrasts[1].Verdict; a != Equivalent || b != Invalid {
		t.Errorf("a is %s, b is %s", a, b)
	}
}

// An arm that failed before its facts were read has not "none" of each: nothing of it
// is compared, and the list stays short.
func TestAuditLeavesFailedTrialsOut(t *testing.T) {
	r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: {target: container}")), func(string, int) float64 { return 1000 })
	each(r, "bare", facts("host.arch", "amd64", "server.sha256", "a"))
	each(r, "pod", facts("pod.qos", "Guaranteed"))
	each(r, "pod", end(record.Failed, "no such runtime"))
	if d := Run(r).Differences; len(d) > 0 {
		t.Errorf("differences of an arm that never ran: %v", d)
	}
}

// Data or a server's program that changed while the run was under way are no basis for a
// comparison, even where every arm had as many trials on each.
func TestAuditOfWhatChangedInTheRun(t *testing.T) {
	for _, key := range []string{"data.sha256", "server.sha256"} {
		r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: {target: container}")), func(string, int) float64 { return 1000 })
		for _, trial := range r.Trials {
			value := "before"
			if trial.Header.Round > 3 {
				value = "after"
			}
			facts(key, value)(trial)
		}
		res := Run(r)
		if len(res.Differences) != 1 || res.Differences[0].Key != key || res.Differences[0].Why.Code != "changed-in-run" || res.Contrasts[0].Verdict != Invalid {
			t.Errorf("%s: %s, differences %+v", key, res.Contrasts[0].Verdict, res.Differences)
		}
	}
}

// What nobody could read of an arm is unknown, and no difference; whose binary or data are
// unknown may be another database, which a reader has to see.
func TestAuditOfWhatIsUnknown(t *testing.T) {
	r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: {target: container}")), func(string, int) float64 { return 1000 })
	each(r, "bare", facts("data.filesystem", "ext4", "server.sha256", "a"))
	each(r, "pod", func(tr *record.Trial) {
		for _, key := range []string{"data.filesystem", "server.sha256"} {
			tr.Facts = append(tr.Facts, record.Fact{Key: key, Phase: "start", Unknown: "permission denied"})
		}
	})
	if d := Run(r).Differences; len(d) != 1 || d[0].Key != "server.sha256" {
		t.Errorf("got %+v", d)
	}
}

// What an arm lacks whose server was killed before it was ready is not known, whichever arm
// it is; what was read of it counts.
func TestAuditOfArmsThatWereNeverReady(t *testing.T) {
	for _, killed := range []string{"bare", "pod"} {
		r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: {target: container}")), func(string, int) float64 { return 1000 })
		each(r, "bare", facts("host.rack", "a"))
		each(r, "pod", facts("host.rack", "b"))
		each(r, map[string]string{"bare": "pod", "pod": "bare"}[killed], facts("host.arch", "amd64", "server.sha256", "a"))
		each(r, killed, end(record.NotReady, "out of memory"))
		if d := Run(r).Differences; len(d) != 1 || d[0].Key != "host.rack" {
			t.Errorf("%s was killed: %v", killed, d)
		}
	}
}

// What is read at both ends is a state: it is evidence, not a difference.
func TestAuditLeavesStatesOut(t *testing.T) {
	r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: {target: container}")), func(string, int) float64 { return 1000 })
	for arm, wait := range map[string]string{"bare": "100", "pod": "900"} {
		each(r, arm, func(tr *record.Trial) {
			for _, f := range [][3]string{{"server.run_ns", "0", "start"}, {"server.run_ns", "300", "end"},
				{"server.runqueue_wait_ns", "0", "start"}, {"server.runqueue_wait_ns", wait, "end"}, {"server.swap", wait, "start"}, {"server.swap", wait, "end"}} {
				tr.Facts = append(tr.Facts, record.Fact{Key: f[0], Value: f[1], Phase: f[2]})
			}
		})
	}
	res := Run(r)
	if len(res.Differences) != 0 {
		t.Errorf("got %+v", res.Differences)
	}
	if ratio, ok := res.Arms[1].Waited(); !ok || ratio != 3 {
		t.Errorf("waited %v, %v", ratio, ok)
	}
}

func TestEvidence(t *testing.T) {
	r := fill(planned(t, spec(2, "1%", "bare: {target: process}", "pod: {target: container}")), func(string, int) float64 { return 1000 })
	each(r, "pod", func(tr *record.Trial) {
		add := func(key, value, phase string) {
			tr.Facts = append(tr.Facts, record.Fact{Key: key, Value: value, Phase: phase})
		}
		for _, p := range []string{"cgroup.pod.", "neighbour.cgroup.pod."} {
			add(p+"cpu.shares", "2", "start")
			add(p+"cpu.stat.nr_periods", "100", "start")
			add(p+"cpu.stat.nr_throttled", "10", "start")
			add(p+"cpu.stat.nr_periods", "300", "end")
		}
		add("cgroup.pod.cpu.stat.nr_throttled", "60", "end")
		add("neighbour.cgroup.pod.cpu.stat.nr_throttled", "210", "end")
	})
	arm := Run(r).Arms[1]
	share, periods, ok := arm.Throttled()
	if !ok || share != 0.25 || periods != 400 { // (60-10)/(300-100), in two trials
		t.Errorf("throttled in %v of %v periods, %v", share, periods, ok)
	}
	if e := arm.Evidence[0]; e.Key != "cgroup.pod.cpu.shares" || e.Value != "2" {
		t.Errorf("got %+v", e)
	}
	if e := arm.Evidence[1]; e.Value != "" || e.Change != 400 {
		t.Errorf("a counter has its change, not a value: %+v", e)
	}
}

// TestEvidenceOfLevels: what is read once before and once after the load of a server that several levels
// share is of all of them; the probes tell them apart.
func TestEvidenceOfLevels(t *testing.T) {
	arm := Arm{Evidence: []Evidence{
		{Key: runKey, Change: 100}, {Key: waitKey, Change: 900},
		{Key: "cgroup.pod.cpu.stat.nr_periods", Change: 100}, {Key: "cgroup.pod.cpu.stat.nr_throttled", Change: 90},
	}}
	for name, v := range map[string]float64{
		"server.session.run_ns": 8, "server.background.run_ns": 2, "server.session.wait_ns": 15, "server.background.wait_ns": 5,
		"cgroup.cpu.nr_periods": 10, "cgroup.cpu.nr_throttled": 1,
	} {
		arm.Counters = append(arm.Counters, Counter{Metric: record.Metric{Name: name}, PerSecond: v})
	}
	arm.Trials = []*record.Trial{{Window: &record.Window{Seconds: 4}}}
	for _, c := range []struct {
		turns                      bool
		waited, throttled, periods float64
	}{{false, 9, 0.9, 100}, {true, 2, 0.1, 40}} {
		arm.turns = c.turns
		waited, _ := arm.Waited()
		throttled, periods, ok := arm.Throttled()
		if waited != c.waited || throttled != c.throttled || periods != c.periods || !ok {
			t.Errorf("turns %v: waited %v, throttled in %v of %v periods", c.turns, waited, throttled, periods)
		}
	}
}
