//go:build lab

package main

// `kubectl tare explain -n NAMESPACE POD` on servers in pods that `tare load` loads from
// further pods, with the image that `make image` writes and with the permissions of
// docs/kubernetes-rbac.yaml.

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestExplainPod: a pod throttled by its quota and a BestEffort pod beside a busy one are
// diagnosed with a pod that reads on their node, and without one; nothing is left of it.
func TestExplainPod(t *testing.T) {
	t.Cleanup(func() {
		kubectl(t, "delete", "--ignore-not-found", "--wait", "-f", "testdata/explain.yaml", "-f", "testdata/busy.yaml")
	})
	image := importImage(t)
	kubectl(t, "apply", "-f", "testdata/explain.yaml")
	for _, pod := range []string{"explain-quota", "explain-besteffort"} {
		kubectl(t, "wait", "-n", "tare", "pod/"+pod, "--for=condition=Ready", "--timeout=300s")
		produce(t, pod, image)
	}
	kubectl(t, "apply", "-f", "testdata/busy.yaml")
	kubectl(t, "wait", "-n", "tare", "pod/explain-busy", "--for=condition=Ready", "--timeout=60s")
	for _, c := range []struct{ pod, rule string }{{"explain-quota", "C-CPU-01"}, {"explain-besteffort", "C-CPU-03"}} {
		for name, more := range map[string][]string{"probe pod": {"--probe-namespace", "tare-probe", "--image", image}, "kubelet": nil} {
			t.Run(c.pod+", "+name, func(t *testing.T) {
				causes := explain(t, c.pod, more...)
				if !strings.HasPrefix(causes[c.rule], "present: ") {
					t.Errorf("%s is %s", c.rule, causes[c.rule])
				}
				t.Log(c.rule, causes[c.rule])
				for _, other := range []string{"C-CPU-01", "C-CPU-03"} {
					if other != c.rule && strings.HasPrefix(causes[other], "present: ") {
						t.Errorf("%s too: %s", other, causes[other])
					}
				}
			})
		}
	}
	if left := kubectl(t, "get", "pods", "-n", "tare-probe", "-o", "name"); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
}

// importImage has every node's containerd import the archive of `make image`, and returns
// the image's name.
func importImage(t *testing.T) string {
	t.Helper()
	archive := os.Getenv("TARE_TEST_ARCHIVE")
	if archive == "" {
		t.Fatal("TARE_TEST_ARCHIVE names no archive of make image; `make lab-test` writes one")
	}
	var said string
	for _, n := range nodes {
		said = command(t, "exec", n.name, "ctr", "-a", "/run/containerd/containerd.sock", "-n", "k8s.io", "images", "import", archive)
	}
	name := regexp.MustCompile(`localhost/tare:[\w.-]+`).FindString(said)
	if name == "" {
		t.Fatalf("ctr does not print the name of the image:\n%s", said)
	}
	return name
}

// produce loads a server from a pod of its own until the pod is deleted.
func produce(t *testing.T, server, image string) {
	t.Helper()
	address := strings.TrimSpace(string(kubectl(t, "get", "pod", "-n", "tare", server, "-o", "jsonpath={.status.podIP}")))
	name, flags := "load-"+server, []string{"--mysql-host=" + address, "--mysql-user=root", "--mysql-ssl-mode=off", "--mysql-db=sbtest", "--tables=1", "--table-size=5000", "--threads=4"}
	pod := func(name string, args ...string) {
		b, err := json.Marshal(map[string]any{
			"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name, "namespace": "tare"},
			"spec": map[string]any{"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "nodeSelector": map[string]any{"kubernetes.io/hostname": "n3"},
				"containers": []any{map[string]any{"name": "tare", "image": image, "imagePullPolicy": "Never", "args": append(append([]string{"load"}, flags...), args...),
					"resources": map[string]any{"requests": map[string]any{"cpu": "300m"}}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "pod.json")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kubectl(t, "delete", "--ignore-not-found", "--wait", "-f", file) })
		kubectl(t, "apply", "-f", file)
	}
	pod(name+"-prepare", "oltp_read_only", "prepare")
	kubectl(t, "wait", "-n", "tare", "pod/"+name+"-prepare", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=300s")
	pod(name, "--time=3600", "--report-interval=1", "oltp_read_only", "run")
	kubectl(t, "wait", "-n", "tare", "pod/"+name, "--for=condition=Ready", "--timeout=60s")
}

// explain watches a pod as the plugin of kubectl; what is said of a rule is its state and its
// evidence.
func explain(t *testing.T, pod string, more ...string) map[string]string {
	t.Helper()
	plugins := t.TempDir()
	if err := os.Symlink(filepath.Join(programs(), "tare"), filepath.Join(plugins, "kubectl-tare")); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(filepath.Join(programs(), "kubectl"), append([]string{"tare", "explain", "-n", "tare", pod, "--for", "30s", "--json"}, more...)...)
	c.Env = append(os.Environ(), "PATH="+plugins+":"+os.Getenv("PATH"), "KUBECONFIG="+filepath.Join(programs(), "../run/pki/tare.kubeconfig"))
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("%v\n%s%s", err, out, &said)
	}
	var report struct {
		Causes []struct{ Rule, State, Evidence string }
		Rate   float64 `json:"per_second"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v\n%s%s", err, out, &said)
	}
	if report.Rate <= 0 {
		t.Errorf("%v transactions a second", report.Rate)
	}
	t.Logf("%s", &said)
	causes := map[string]string{}
	for _, c := range report.Causes {
		causes[c.Rule] = c.State + ": " + c.Evidence
	}
	return causes
}
