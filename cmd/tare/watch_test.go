package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/internal/export"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

const dashboardFile = "../../docs/grafana-dashboard.json"

// TestDashboardFollowsGrafanasSchema holds the dashboard against the types that
// Grafana publishes (scripts/grafana-schema.sh).
func TestDashboardFollowsGrafanasSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "grafana", "dashboard.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	dashboard := func() map[string]any {
		b, err := os.ReadFile(dashboardFile)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(b)))
		if err != nil {
			t.Fatal(err)
		}
		return v.(map[string]any)
	}
	if err := schema.Validate(dashboard()); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(map[string]any){
		"unknown field": func(d map[string]any) { d["titel"] = "x" },
		"wrong type":    func(d map[string]any) { d["panels"].([]any)[1].(map[string]any)["gridPos"] = "left" },
	} {
		d := dashboard()
		spoil(d)
		if schema.Validate(d) == nil {
			t.Errorf("the schema lets a dashboard with a %s pass", name)
		}
	}
}

const watchSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: watched}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 1000}
load: {engine: sysbench, workload: oltp_point_select, threads: 2, rate: 50/s}
protocol: {rounds: 2, warmup: 1s, measure: 4s, ready: 300s, seed: 1, aa: false}
baseline: bare
arms:
  bare: {target: process}
  same: {target: process}
`

// TestWatchARun runs an experiment in a real terminal (tmux) while a real
// Prometheus scrapes it, and the result of a finished run beside it: the terminal
// shows grid and rate and is left clean, and every query of the Grafana dashboard
// has an answer at some time.
func TestWatchARun(t *testing.T) {
	rootfs, tools := os.Getenv("TARE_TEST_ROOTFS"), os.Getenv("TARE_PROMETHEUS")
	if rootfs == "" || tools == "" {
		t.Skip("needs TARE_TEST_ROOTFS and TARE_PROMETHEUS; make test has both")
	}
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "spec.yaml"), fmt.Appendf(nil, watchSpec, rootfs), 0o644); err != nil {
		t.Fatal(err)
	}
	live := freeAddress(t)
	api := prometheus(t, filepath.Join(tools, "prometheus"), live, finishedRun(t))
	term := tmux(t, dir, builtTare(t)+" run spec.yaml --out run --metrics "+live+"; echo ended-with-$?")
	queries := dashboardQueries(t)
	seen := ""
	// Not a limit on how fast anything is: only on how long a failure takes.
	for deadline := time.Now().Add(10 * time.Minute); time.Now().Before(deadline); time.Sleep(500 * time.Millisecond) {
		shown := term.shown()
		if strings.Contains(shown, "tx/s") && strings.Contains(shown, "▶") {
			seen = shown
		}
		for q := range queries {
			if answered(t, api, q) {
				delete(queries, q)
			}
		}
		if strings.Contains(shown, "ended-with-") {
			break
		}
	}
	for _, want := range []string{" watched, plan", " bare ", " same ", " rounds ", "sealed until round 2", " left "} {
		if !strings.Contains(seen, want) {
			t.Errorf("the terminal did not show %q while the run was on:\n%s", want, seen)
		}
	}
	after := term.shown()
	if !strings.Contains(after, "ended-with-0") || strings.Contains(after, "Ctrl-C stops") || !strings.Contains(after, "Scope: one machine") {
		t.Errorf("after the run:\n%s", after)
	}
	for q := range queries {
		t.Errorf("the dashboard asks %s, and Prometheus never had an answer", q)
	}
}

// terminalSession is a shell command in a terminal of its own.
type terminalSession struct {
	t      *testing.T
	socket string
}

func tmux(t *testing.T, dir, command string) terminalSession {
	t.Helper()
	s := terminalSession{t, filepath.Join(dir, "tmux")}
	s.run("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "60", "-c", dir,
		"env LC_ALL=C.UTF-8 TARE_STATE="+filepath.Join(dir, "state")+" sh -c '"+command+"; sleep 600'")
	t.Cleanup(func() { s.run("kill-server") })
	return s
}

func (s terminalSession) run(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-u", "-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (s terminalSession) shown() string { return s.run("capture-pane", "-p") }

// finishedRun serves what tare exports of a recorded run, and returns its address.
func finishedRun(t *testing.T) string {
	t.Helper()
	doc, err := buildReport(filepath.Join("..", "..", "internal", "report", "testdata", "runs", "layers"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, f := range export.Formats() {
			if f.Name == "prometheus" {
				if err := f.File(w, doc, export.Options{}); err != nil {
					t.Error(err)
				}
			}
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func freeAddress(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", mysqldtest.FreePort(t))
}

// prometheus starts the real one on the targets and returns its API's address.
func prometheus(t *testing.T, program string, targets ...string) string {
	t.Helper()
	dir, at := t.TempDir(), freeAddress(t)
	config := fmt.Sprintf("global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: tare\n  static_configs: [{targets: [%q, %q]}]\n", targets[0], targets[1])
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+at)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return "http://" + at
}

// dashboardQueries are the queries of all panels, with Grafana's variables put in.
func dashboardQueries(t *testing.T) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all[strings.NewReplacer("$__rate_interval", "10s", "$workload", ".*").Replace(target.Expr)] = true
		}
	}
	if len(all) < 12 {
		t.Fatalf("%d queries found in the dashboard", len(all))
	}
	return all
}

// answered reports whether Prometheus has a sample for a query.
func answered(t *testing.T, api, query string) bool {
	t.Helper()
	res, err := http.Get(api + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return false // it is still starting
	}
	defer res.Body.Close()
	var answer struct {
		Error string
		Data  struct{ Result []any }
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return false
	}
	if answer.Error != "" {
		t.Fatalf("%s: %s", query, answer.Error)
	}
	return len(answer.Data.Result) > 0
}
