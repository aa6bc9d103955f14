//go:build lab

package main

// An experiment with the stand-in operator, by tare's own program, in the lab that runs.

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// standInReport is what the test reads of a result document.
type standInReport struct {
	Arms []struct {
		Name     string         `json:"name"`
		Outcomes map[string]int `json:"outcomes"`
	} `json:"arms"`
	Contrasts []struct {
		Arm     string `json:"arm"`
		Verdict string `json:"verdict"`
	} `json:"contrasts"`
	Differences []struct {
		Key      string            `json:"key"`
		Declared bool              `json:"declared"`
		Values   map[string]string `json:"values"`
	} `json:"differences"`
	WarningReasons []struct {
		Code string `json:"code"`
	} `json:"warning_reasons"`
}

// TestStandInExperiment: an operator's database, a pod and a process of the node are
// measured in one experiment from the same pods. The option that the operator reverts is an
// undeclared difference and makes its comparison invalid, the one that it sets itself is
// not; and nothing of the run is left.
func TestStandInExperiment(t *testing.T) {
	program, kubeconfig := filepath.Join(programs(), "tare"), filepath.Join(programs(), "../run/pki/admin.kubeconfig")
	operator := exec.Command(filepath.Join(programs(), "operator"), "-kubeconfig", kubeconfig, "-descriptor", "operator/descriptor.yaml")
	operator.Stderr = os.Stderr
	if err := operator.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = operator.Process.Signal(os.Interrupt) // Wait says how it ended
		if err := operator.Wait(); err != nil {
			t.Errorf("the stand-in ended: %v", err)
		}
	})
	run := filepath.Join(t.TempDir(), "run")
	tare := func(args ...string) []byte {
		t.Helper()
		c := exec.Command(program, args...)
		c.Dir = "operator" // where the experiment's descriptor is
		c.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "TARE_STATE="+filepath.Join(filepath.Dir(run), "state"))
		var said bytes.Buffer
		c.Stderr = &said
		out, err := c.Output()
		if err != nil {
			t.Fatalf("tare %v: %v\n%s%s", args, err, out, &said)
		}
		return out
	}
	tare("run", "compare.yaml", "--allow", "node", "--out", run)
	var result standInReport
	if err := json.Unmarshal(tare("report", run, "--json"), &result); err != nil {
		t.Fatal(err)
	}
	for _, a := range result.Arms {
		if a.Outcomes["measured"] != 2 {
			t.Errorf("arm %s: outcomes %v", a.Name, a.Outcomes)
		}
	}
	for _, w := range result.WarningReasons {
		if w.Code == "load-places" {
			t.Error("arms that the same pods loaded have a warning about different places")
		}
	}
	reverted := false
	for _, d := range result.Differences {
		reverted = reverted || d.Key == "mysql.variable.sync_binlog" && !d.Declared && d.Values["operator"] == "1" && d.Values["pod"] == "100"
		if d.Key == "mysql.variable.max_connections" && !d.Declared {
			t.Errorf("the operator's own option is undeclared: %+v", d)
		}
	}
	if !reverted {
		t.Errorf("the option that the operator reverts is not among the differences: %+v", result.Differences)
	}
	for _, c := range result.Contrasts {
		if (c.Arm == "operator") != (c.Verdict == "invalid") {
			t.Errorf("arm %s: %s", c.Arm, c.Verdict)
		}
	}
	kinds := "databases,statefulsets,jobs,pods,services,secrets,persistentvolumeclaims,configmaps"
	for _, selector := range []string{"tarebench.io/arm", "lab.tarebench.io/database"} {
		if left := strings.TrimSpace(string(kubectl(t, "get", kinds, "--namespace", "tare", "--selector", selector, "--output", "name"))); left != "" {
			t.Errorf("left in the cluster:\n%s", left)
		}
	}
}
