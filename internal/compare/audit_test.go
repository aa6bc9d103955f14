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
		{"a variable of replication's plugin, without replication", process, pod, []string{"mysql.variable.rpl_semi_sync_source_enabled", "OFF"},
			[]string{"mysql.variable.rpl_semi_sync_source_enabled", "ON"}, true, false, true},
		{"a variable of replication's plugin, of arms that are alike", replicated, replicated,
			[]string{"mysql.variable.rpl_semi_sync_source_enabled", "OFF", "replication.mode", "semisync"},
			[]string{"mysql.variable.rpl_semi_sync_source_enabled", "ON", "replication.mode", "semisync"}, true, false, true},
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
