//go:build lab

package main

// Events of a pod that tare makes, from this host and from a pod of the cluster, by a user with a token of one namespace.

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// eventReport is what the JSON of a report says of events.
type eventReport struct {
	Events []struct {
		Arm     string
		Kind    string
		Trials  int
		Failed  string
		Figures []struct {
			Name string
			Mean float64
		}
		Parts []struct{ Name string }
	}
}

// TestEventsOfAPod: in every round a killed server and a deleted pod come back, no acknowledged write is lost, and the parts
// of the outage were seen.
func TestEventsOfAPod(t *testing.T) {
	text, err := os.ReadFile("../examples/failover-pod.yaml")
	if err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(t.TempDir(), "failover-pod.yaml")
	if err := os.WriteFile(spec, []byte(strings.ReplaceAll(string(text), `"mysql:8.4"`, "localhost/mysql:1")), 0o600); err != nil {
		t.Fatal(err)
	}
	for place, more := range map[string][]string{"host": nil, "in-cluster": {"--in-cluster", "--volume-size", "1Gi"}} {
		t.Run(place, func(t *testing.T) {
			u, dir := newTenant(t, ""), filepath.Join(t.TempDir(), "run")
			c := exec.Command(filepath.Join(programs(), "tare"), append([]string{"run", spec, "--namespace", u.namespace, "--out", dir}, more...)...)
			c.Env = append(os.Environ(), "LANG=C.UTF-8", "KUBECONFIG="+u.kubeconfig)
			if said, err := c.CombinedOutput(); err != nil {
				t.Fatalf("tare run: %v\n%s", err, said)
			}
			c = exec.Command(filepath.Join(programs(), "tare"), "report", dir, "--format", "json")
			said, err := c.Output()
			var r eventReport
			if err == nil {
				err = json.Unmarshal(said, &r)
			}
			if err != nil {
				t.Fatal(err)
			}
			r.check(t)
		})
	}
}

func (r eventReport) check(t *testing.T) {
	t.Helper()
	if len(r.Events) != 2 {
		t.Fatalf("%d events, want 2", len(r.Events))
	}
	for _, e := range r.Events {
		if e.Trials != 6 || e.Failed != "" {
			t.Errorf("%s: %d trials, want 6; %s", e.Arm, e.Trials, e.Failed)
		}
		for _, f := range e.Figures {
			if f.Name == "lost_writes" && f.Mean != 0 {
				t.Errorf("%s: %v writes were lost", e.Arm, f.Mean)
			}
		}
		var parts []string
		for _, p := range e.Parts {
			parts = append(parts, p.Name)
		}
		if got := strings.Join(parts, " "); !strings.HasPrefix(got, "shutdown container start") {
			t.Errorf("%s: the parts are %s", e.Arm, got)
		}
	}
}
