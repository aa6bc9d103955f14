package main

// This file tests which experiments with servers that run already are run by slices.

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/layer"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/process"
)

// runsAlready is a target whose server has said what it is.
type runsAlready struct {
	target.Target
	said *target.Running
}

func (r runsAlready) Capabilities() target.Capabilities {
	return target.Capabilities{
		Endpoint: &mysqld.Address{}, Running: r.said, NeverFrozen: true,
		Memories: []layer.Memory{layer.CacheMemory(), layer.ElsewhereMemory()},
	}
}

// ofHost is a MySQL of a host, with other variables than the usual.
func ofHost(host string, others ...string) *target.Running {
	r := &target.Running{Version: "8.4.4", Flavour: mysqld.MySQL, Variables: map[string]string{
		"hostname": host, "port": "3306", "datadir": "/var/lib/mysql/", "server_id": "1",
		"innodb_io_capacity": "10000", "sync_binlog": "1", "innodb_redo_log_capacity": "104857600",
	}}
	for i := 0; i+1 < len(others); i += 2 {
		r.Variables[others[i]] = others[i+1]
	}
	return r
}

// runningJob is a job with a first arm that is such a server and another one.
func runningJob(t *testing.T, workload, protocol string, other target.Target) *runner.Job {
	t.Helper()
	e, err := experiment.Parse("two.yaml", fmt.Appendf(nil, `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: two}
data: {tables: 1, rows: 10}
protocol: {rounds: 6, measure: 2s, warmup: 1s, %s}
load: {engine: tare, workload: %s, threads: 1}
baseline: db1.example.com:3306
arms:
  "db1.example.com:3306": {target: external}
  db2: {target: external}
`, protocol, workload))
	if err != nil {
		t.Fatal(err)
	}
	return &runner.Job{Experiment: e, Targets: map[string]target.Target{"db1.example.com:3306": runsAlready{said: ofHost("db1")}, "db2": other}}
}

// TestRunningServersTakeTurns: servers that run already are left idle between their turns, with a lead-in for a quota
// that they may have, and windows are used where turns would not show what windows do.
func TestRunningServersTakeTurns(t *testing.T) {
	own := membersJob(t, 2, process.Settings{}).Targets["a0"]
	for name, c := range map[string]struct {
		workload string
		other    target.Target
		pods     bool
		want     string // the reason's code
	}{
		"two servers":                     {"oltp_read_write", runsAlready{said: ofHost("db2")}, false, ""},
		"other settings, not of flushing": {"oltp_read_write", runsAlready{said: ofHost("db2", "innodb_adaptive_hash_index", "OFF")}, false, ""},
		"other settings of flushing":      {"oltp_read_write", runsAlready{said: ofHost("db2", "innodb_io_capacity", "200")}, false, "by-the-clock"},
		"the same, nothing is written":    {"oltp_read_only", runsAlready{said: ofHost("db2", "innodb_io_capacity", "200")}, false, ""},
		"a server that does not sync":     {"oltp_read_write", runsAlready{said: ofHost("db2", "sync_binlog", "0")}, false, "left-to-the-kernel"},
		"a small redo log":                {"oltp_read_write", runsAlready{said: ofHost("db2", "innodb_redo_log_capacity", "8388608")}, false, "by-the-clock"},
		"one server, two addresses":       {"oltp_read_only", runsAlready{said: ofHost("db1")}, false, "same-server"},
		"a server of tare's, read":        {"oltp_read_only", own, false, ""},
		"a server of tare's, written":     {"oltp_read_write", own, false, "settings-unknown"},
		"an open loop":                    {"oltp_read_only, rate: 100/s", runsAlready{said: ofHost("db2")}, false, "open-idle"},
		"a load from pods":                {"oltp_read_only", runsAlready{said: ofHost("db2")}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			job := runningJob(t, c.workload, "aa: true", c.other)
			if c.pods {
				job.From = &target.Load{}
			}
			if problems := choosePlan(job, nil); problems != nil {
				t.Fatal(problems)
			}
			p := job.Plan.Protocol
			if got := p.Reason.Code; c.want != "" && (got != c.want || p.Slices != nil) || c.want == "" && p.Slices == nil {
				t.Fatalf("%s (%s: %s), want the reason %q", p.Kind, got, p.Why, c.want)
			}
			if p.Slices == nil {
				return
			}
			if s := *p.Slices; !s.Idle || s.LeadIn != 200*time.Millisecond || s.Slice%(100*time.Millisecond) != 0 {
				t.Errorf("%+v", s)
			}
			if last := p.Otherwise[len(p.Otherwise)-1]; last.Kind != experiment.KindWindows {
				t.Errorf("the run does not go over to windows at last: %+v", p.Otherwise)
			}
			if line := protocolLine(*p); !strings.Contains(line, "without load (possible CPU quota needs that long to take effect)") {
				t.Error(line)
			}
		})
	}
}

// TestFreezeOfRunningServers: what cannot be frozen is refused where the file asks for it, before anything starts.
func TestFreezeOfRunningServers(t *testing.T) {
	job := runningJob(t, "oltp_read_only", "freeze: true", runsAlready{said: ofHost("db2")})
	if problems := choosePlan(job, nil); len(problems) != 1 || !strings.Contains(problems.Error(), "two.yaml:5:56: protocol.freeze: the server of arm db1.example.com:3306 runs already, and tare cannot freeze it") {
		t.Errorf("%v", problems)
	}
}

// TestVersusBySlices: two servers that differ in almost everything take turns under a load that only reads, and views
// call them by their addresses.
func TestVersusBySlices(t *testing.T) {
	t.Parallel()
	password := "slices-" + canaryEnd[:6] // as in TestVersus
	var addresses []string
	for _, d := range mysqldtest.Distributions(t) {
		server := mysqldtest.StartTCP(t, d, map[string]string{"innodb_buffer_pool_size": "64M"})
		root, err := mysqld.Open(server.Address)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		for _, statement := range []string{"CREATE USER bench@'%' IDENTIFIED BY '" + password + "'", "GRANT ALL ON tare_bench.* TO bench@'%'"} {
			if _, err := root.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		addresses = append(addresses, fmt.Sprintf("127.0.0.1:%d", server.Options.Port))
	}
	if len(addresses) < 2 {
		addresses = append(addresses, addresses...)
		t.Log("there is one product here: it is measured against itself, by windows")
	}
	dir := t.TempDir()
	tare := func(args ...string) string {
		cmd := exec.Command(builtTare(t), args...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "MYSQL_PWD="+password, "TARE_STATE="+filepath.Join(dir, "state"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tare %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	out := tare("versus", addresses[0], addresses[1], "--user", "bench", "--workload", "oltp_point_select", "--out", "run", "--rounds", "2", "--time", "1s",
		"--warmup-time", "0s", "--tables", "1", "--table-size", "100", "--threads", "2")
	if !strings.Contains(out, "arm="+addresses[1]) {
		t.Errorf("the server is not called by its address %s:\n%s", addresses[1], out)
	}
	if addresses[0] == addresses[1] {
		return
	}
	text := strings.Join(strings.Fields(tare("report", "run", "--format", "json")), "")
	for _, want := range []string{`"kind":"slices"`, `"off":"idle"`, `"clock_uncertainty_ms":0`, `"arm":"` + addresses[1] + `"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the result", want)
		}
	}
	if scope := strings.Join(strings.Fields(tare("report", "run")), " "); !strings.Contains(scope, "Between its turns a server had no load and was not frozen.") {
		t.Errorf("no sentence about idle servers:\n%s", scope)
	}
}
