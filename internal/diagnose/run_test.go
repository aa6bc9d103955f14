package diagnose

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/record"
)

// observed is an arm with settings and the change of counters over its trials.
func observed(t *testing.T, settings string, evidence map[string]float64) *Observed {
	t.Helper()
	yaml := fmt.Sprintf("apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: t}\nbaseline: bare\narms:\n  bare: {target: process}\n  x: %s\n", settings)
	e, err := experiment.Parse("t.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	arm := &compare.Arm{Name: "x", Target: e.Arms[1].Target, Threads: 8}
	for key, change := range evidence {
		item := compare.Evidence{Key: key, Change: change}
		if change == 0 {
			item.Value = "-1"
		}
		arm.Evidence = append(arm.Evidence, item)
	}
	return &Observed{Arm: arm, Spec: e.Arms[1]}
}

const (
	periods = "cgroup.container.cpu.stat.nr_periods"
	stopped = "cgroup.container.cpu.stat.nr_throttled"
	quota   = "cgroup.container.cpu.cfs_quota_us"
	ran     = "server.run_ns"
	waited  = "server.runqueue_wait_ns"
)

// evidenceCase is the change of counters over an arm's trials, and what a rule makes of it.
type evidenceCase struct {
	rule     Rule
	settings string
	evidence map[string]float64
	want     Verdict
	change   string
}

// evidenceCases are those of the rules that read the arm's cgroup.
func evidenceCases() []evidenceCase {
	pod := "{target: container, qos: BestEffort}"
	busy := "{target: container, qos: BestEffort, neighbour: {cpu: 1}}"
	return []evidenceCase{
		{cCPU01(), "{target: container, cpu: 500m}", map[string]float64{periods: 200, stopped: 180}, Confirmed, "{cpu: max}"},
		{cCPU01(), "{target: container, quota: 500m}", map[string]float64{periods: 200, stopped: 4}, Confirmed, "{quota: false}"},
		{cCPU01(), "{target: container, cpu: 2}", map[string]float64{periods: 200, stopped: 1}, RuledOut, ""},
		{cCPU01(), "{target: container, cpu: 500m}", map[string]float64{periods: 1000, stopped: 12}, Confirmed, "{cpu: max}"},
		{cCPU01(), "{target: container, cpu: 500m}", map[string]float64{periods: 1000, stopped: 8}, RuledOut, ""},
		{cCPU01(), pod, map[string]float64{quota: 0}, RuledOut, ""},
		{cCPU01(), pod, nil, Unknown, ""},
		{cCPU03(), busy, map[string]float64{ran: 10e9, waited: 15e9}, Confirmed, "{qos: Guaranteed, cpu: max}"},
		{cCPU03(), busy, map[string]float64{ran: 10e9, waited: 1e9}, RuledOut, ""},
		{cCPU03(), busy, map[string]float64{ran: 10e9, waited: 2.2e9}, Confirmed, "{qos: Guaranteed, cpu: max}"},
		{cCPU03(), busy, map[string]float64{ran: 10e9, waited: 1.8e9}, RuledOut, ""},
		{cCPU03(), pod, map[string]float64{ran: 10e9, waited: 15e9}, Unknown, ""},
		{cCPU03(), "{target: container, cpuRequest: 1, neighbour: {cpu: 1}}", map[string]float64{ran: 10e9, waited: 15e9}, Unknown, ""},
		{cCPU03(), busy, map[string]float64{ran: 10e9, waited: 15e9, periods: 100, stopped: 90}, Unknown, ""},
		{cCPU03(), busy, map[string]float64{ran: 10e9, waited: 15e9, periods: 1000, stopped: 1}, Confirmed, "{qos: Guaranteed, cpu: max}"},
		{cCPU03(), "{target: container, qos: Burstable, cpu: 500m, neighbour: {cpu: 1}}", map[string]float64{ran: 10e9, waited: 15e9}, Unknown, ""},
		{cCPU03(), busy, nil, Unknown, ""},
	}
}

// TestRunRules: what the arm's cgroup counted confirms a rule, excludes it or does not
// tell.
func TestRunRules(t *testing.T) {
	for _, c := range evidenceCases() {
		all := observe(c.rule, observed(t, c.settings, c.evidence))
		if len(all) != 1 || all[0].Verdict != c.want || all[0].Change != c.change || all[0].Rule != c.rule.ID || all[0].Subject != "x" || all[0].Says == "" {
			t.Errorf("%s %s %v: %+v, want %s %s", c.rule.ID, c.settings, c.evidence, all, c.want, c.change)
		}
		if shown := all[0].Counters; (len(shown) > 0) != (c.want == Confirmed) {
			t.Errorf("%s, %s: counters %v", c.rule.ID, c.want, shown)
		}
		// A plain process meets the limits of what tare runs in: they are said where they are
		// confirmed, and no arm can change them. Its neighbours are the machine's.
		said := c.want == Confirmed && c.rule.ID != cCPU03().ID
		if all := observe(c.rule, observed(t, "{target: process}", c.evidence)); said != (len(all) == 1) || said && (all[0].Verdict != Confirmed || all[0].Change != "") {
			t.Errorf("%s of a plain process with %v: %+v", c.rule.ID, c.evidence, all)
		}
	}
}

func TestRunOfEveryArm(t *testing.T) {
	yaml := "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: t}\nload: {threads: [4, 8]}\nbaseline: bare\narms:\n  bare: {target: process}\n  x: {target: container}\n"
	e, err := experiment.Parse("t.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	run := &record.Run{Experiment: e, Plan: experiment.NewPlan(e)}
	bad := Rule{ID: "X", Severity: Warning, Run: func(*Observed) []Finding { panic("boom") }}
	got := map[string]int{}
	for _, f := range Run(run, compare.Run(run), []Rule{bad, kQOS01(), cCPU01()}) {
		got[fmt.Sprint(f.Rule, f.Subject, f.Threads, f.Verdict)]++
	}
	want := map[string]int{"Xbare4unknown": 1, "Xbare8unknown": 1, "Xx4unknown": 1, "Xx8unknown": 1, "C-CPU-01x4unknown": 1, "C-CPU-01x8unknown": 1}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A server that runs is judged by its container's limits, not by the machine's
// memory; what is not known of it is said.
func TestLive(t *testing.T) {
	variables := map[string]string{
		"innodb_buffer_pool_size": "134217728", "max_connections": "151", "innodb_redo_log_capacity": "104857600", "innodb_log_file_size": "50331648",
		"sync_binlog": "1", "innodb_flush_log_at_trx_commit": "1", "innodb_flush_method": "O_DIRECT", "thread_handling": "pool-of-threads", "thread_pool_size": "16", "skip_name_resolve": "ON", "innodb_log_writer_threads": "OFF",
	}
	r := manifest.Running{Name: "db", Version: "8.4.3", Variables: variables, Bounds: "cgroups of process 7", MilliCPU: 2000, Memory: 4 << 30}
	counters := map[string]float64{"cgroup.cpu.nr_periods": 1000, "cgroup.cpu.nr_throttled": 300}
	got := map[string]string{}
	for _, f := range Live(r, 64<<30, counters, Rules()).Findings {
		if f.Found() {
			got[f.Rule] = fmt.Sprintf("%s: %s", f.Where, f.Says)
		}
		if len(f.Edits)+len(f.Proposed) > 0 {
			t.Errorf("%s would edit a running server: %+v", f.Rule, f)
		}
	}
	want := map[string]string{
		"M-BP-01":   "@@innodb_buffer_pool_size: buffer pool 128Mi (set in the running server) with a memory limit of 4Gi",
		"M-REDO-01": "@@innodb_redo_log_capacity: redo log capacity 100Mi (the running server)",
		"K-CFS-02":  "@@thread_pool_size: thread_pool_size=16 is more than twice the CPU limit of 2",
		"C-CPU-01":  "cgroups of process 7: throttled in 30 % of 1000 CFS periods",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	// Every variable of a running server has a value, also a size that the server has computed.
	for _, c := range []struct {
		set  map[string]string
		want map[string]string
	}{
		{map[string]string{"innodb_dedicated_server": "ON", "innodb_buffer_pool_size": "18253611008"}, map[string]string{"M-BP-02": "confirmed", "M-BP-04": "confirmed"}},
		{map[string]string{"innodb_dedicated_server": "ON", "innodb_buffer_pool_size": "2147483648"}, map[string]string{}},
		{map[string]string{"large_pages": "ON", "innodb_buffer_pool_size": "17179869184"}, map[string]string{"M-BP-01": "unknown", "M-BP-02": "unknown"}},
	} {
		other := r
		other.Variables = maps.Clone(variables)
		maps.Copy(other.Variables, c.set)
		verdicts := map[string]string{}
		for _, f := range Live(other, 24<<30, nil, Rules()).Findings {
			if strings.HasPrefix(f.Rule, "M-BP") {
				verdicts[f.Rule] = string(f.Verdict)
			}
		}
		if d := cmp.Diff(c.want, verdicts); d != "" {
			t.Errorf("%v: %s", c.set, d)
		}
	}
	r.Memory = 0
	for host, want := range map[int64]string{
		24 << 30: "hint, warning: buffer pool 128Mi (set in the running server) with no memory limit, on a machine with 24Gi", 2 << 30: "",
	} {
		got := ""
		for _, f := range Live(r, host, counters, Rules()).Findings {
			if f.Rule == "M-BP-01" {
				got = fmt.Sprintf("%s, %s: %s", f.Verdict, f.Severity, f.Says)
			}
		}
		if got != want {
			t.Errorf("on a machine of %d bytes: %q, want %q", host, got, want)
		}
	}
	r.Bounds, r.MilliCPU = "", 0
	elsewhere := Live(r, 64<<30, nil, Rules())
	for _, f := range elsewhere.Findings {
		if f.Rule == "M-BP-01" && f.Verdict != Unknown || f.Rule == "C-CPU-01" {
			t.Errorf("%+v", f)
		}
	}
	if says := elsewhere.Databases[0].Says; !strings.Contains(says, "limits unknown") {
		t.Error(says)
	}
}

// TestRedoOfRunningServer: the variable of the capacity has its default also where the old options
// size the redo log.
func TestRedoOfRunningServer(t *testing.T) {
	for _, c := range []struct {
		inEffect int64
		want     string
	}{
		{4 << 30, ""}, {144 << 20, "hint: redo log capacity 144Mi (the running server)"},
		{0, "unknown: whether innodb_redo_log_capacity or innodb_log_file_size is in effect was not read"},
	} {
		variables := map[string]string{"innodb_redo_log_capacity": "104857600", "innodb_log_file_size": "50331648", "innodb_log_files_in_group": "3"}
		r := manifest.Running{Name: "db", Version: "8.4.3", Variables: variables, RedoLog: c.inEffect}
		says := ""
		for _, f := range Live(r, 64<<30, nil, Rules()).Findings {
			if f.Rule == "M-REDO-01" {
				says += fmt.Sprintf("%s: %s", f.Verdict, f.Says)
			}
		}
		if says != c.want {
			t.Errorf("%d in effect: %q, want %q", c.inEffect, says, c.want)
		}
	}
}
