//go:build lab

package main

// `tare demo --kubernetes` and its experiment in the cluster, by a user with a token of one namespace and nothing else.

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tenant is a user of a namespace of their own.
type tenant struct{ namespace, kubeconfig string }

// newTenant makes a namespace with an account that has the capabilities run and in-cluster there. at is the API server's
// address for the user, "" for its own.
func newTenant(t *testing.T, at string) tenant {
	t.Helper()
	dir, namespace := t.TempDir(), fmt.Sprintf("lab-demo-%d", time.Now().UnixNano()%1e9)
	all, err := os.ReadFile("../docs/kubernetes-rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rbac := strings.NewReplacer("namespace: tare,", "namespace: "+namespace+",", "namespace: tare}", "namespace: "+namespace+"}",
		"metadata: {name: tare, labels", "metadata: {name: "+namespace+", labels").Replace(string(all))
	apply(t, rbac, "-l", "tarebench.io/capability in (run, in-cluster)")
	t.Cleanup(func() { kubectl(t, "delete", "namespace", namespace, "--wait") })
	apply(t, fmt.Sprintf(seesQuotas, namespace))
	token := strings.TrimSpace(string(kubectl(t, "create", "token", "tare", "-n", namespace, "--duration=2h")))
	authority, err := os.ReadFile(filepath.Join(programs(), "../run/pki/ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	if at == "" {
		at = net.JoinHostPort(apiAddress, "6443")
	}
	user := tenant{namespace, filepath.Join(dir, "kubeconfig")}
	text := fmt.Sprintf(tokenConfig, at, base64.StdEncoding.EncodeToString(authority), namespace, token)
	if err := os.WriteFile(user.kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return user
}

// seesQuotas is without what the demo finds out about the namespace by asking for it.
const seesQuotas = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: sees-quotas, namespace: %[1]s}
rules: [{apiGroups: [""], resources: [resourcequotas, limitranges], verbs: [list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: sees-quotas, namespace: %[1]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: sees-quotas}
subjects: [{kind: ServiceAccount, name: tare, namespace: %[1]s}]
`

const tokenConfig = `{apiVersion: v1, kind: Config, current-context: lab,
  clusters: [{name: lab, cluster: {server: "https://%s", certificate-authority-data: %s}}],
  contexts: [{name: lab, context: {cluster: lab, user: tare, namespace: %s}}],
  users: [{name: tare, user: {token: %s}}]}
`

// apply applies objects as the administrator.
func apply(t *testing.T, objects string, more ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(objects), 0o600); err != nil {
		t.Fatal(err)
	}
	kubectl(t, append([]string{"apply", "-f", file}, more...)...)
}

// demo is the shortest one: a round.
func (u tenant) demo(t *testing.T) *exec.Cmd {
	t.Helper()
	c := exec.Command(filepath.Join(programs(), "tare"), "demo", "--kubernetes", "--yes", "--rounds", "1", "--database", "localhost/mysql:1",
		"--kubeconfig", u.kubeconfig, "--out", filepath.Join(t.TempDir(), "run"))
	c.Env = append(os.Environ(), "LANG=C.UTF-8")
	return c
}

// clean fails where a run has left something in the namespace.
func (u tenant) clean(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"statefulsets", "jobs", "pods", "services", "secrets", "pvc", "configmaps", "roles", "rolebindings", "serviceaccounts"} {
		left := kubectl(t, "get", kind, "-n", u.namespace, "-l", "app.kubernetes.io/managed-by=tare", "-o", "name")
		if len(left) > 0 {
			t.Errorf("left: %s", left)
		}
	}
	if left := kubectl(t, "get", "statefulsets,jobs,pods,services,pvc", "-n", u.namespace, "-o", "name"); len(left) > 0 {
		t.Errorf("left, without a label: %s", left)
	}
}

// measured runs the demo, and all trials of the arms.
func (u tenant) measured(t *testing.T, arms ...string) (said string) {
	t.Helper()
	out, err := u.demo(t).CombinedOutput()
	said = string(out)
	if err != nil {
		t.Errorf("tare demo: %v", err)
	}
	for _, arm := range arms {
		if !regexp.MustCompile(`arm=` + arm + ` outcome=measured`).MatchString(said) {
			t.Errorf("arm %s was not measured", arm)
		}
	}
	if got := strings.Count(said, "event=trial"); got != len(arms) {
		t.Errorf("%d trials, want %d", got, len(arms))
	}
	if !strings.Contains(said, "next: ") {
		t.Error("no next command")
	}
	if t.Failed() {
		t.Log(said)
	}
	u.clean(t)
	return said
}

// TestDemoRestricted: in a namespace of the level restricted all pods of the demo are admitted.
func TestDemoRestricted(t *testing.T) {
	u := newTenant(t, "")
	kubectl(t, "label", "namespace", u.namespace, "pod-security.kubernetes.io/enforce=restricted")
	u.measured(t, "besteffort", "burstable", "guaranteed", "service", "besteffort-busy", "burstable-busy", "guaranteed-busy")
}

// TestDemoFarFromTheClocks: tare has a clock of another day than the nodes, and a path to them whose round trips take longer than
// what lies between two turns. The load pods share a clock, so that the turns exclude each other all the same.
func TestDemoFarFromTheClocks(t *testing.T) {
	path := newCutPath(t, net.JoinHostPort(apiAddress, "6443"))
	path.late = 15 * time.Millisecond
	u := newTenant(t, path.listener.Addr().String())
	c := u.demo(t)
	c.Args = append([]string{"unshare", "--time", "--monotonic", "86400", "--boottime", "86400", "--fork", c.Path}, c.Args[1:]...)
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		t.Fatal(err)
	}
	c.Path = unshare
	out, err := c.CombinedOutput()
	if err != nil || strings.Count(string(out), "outcome=measured") != 7 {
		t.Fatalf("%v\n%s", err, out)
	}
	result := tare(t, "report", c.Args[len(c.Args)-1], "--format", "json")
	if !strings.Contains(result, `"clock_uncertainty_ms": 0,`) || !strings.Contains(result, `"kind": "slices"`) {
		t.Errorf("the clocks differ: %s", regexp.MustCompile(`"protocol": \{[^}]*`).FindString(result))
	}
	u.clean(t)
}

// usualQuota is what many namespaces have: a range that gives every container requests and limits, and a quota of both.
const usualQuota = `
apiVersion: v1
kind: LimitRange
metadata: {name: usual, namespace: %[1]s}
spec: {limits: [{type: Container, default: {cpu: 500m, memory: 1Gi}, defaultRequest: {cpu: 50m, memory: 128Mi}, max: {cpu: "2", memory: 2Gi}}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: usual, namespace: %[1]s}
spec: {hard: {requests.cpu: "2", requests.memory: 6Gi, limits.cpu: %[2]s, limits.memory: %[3]s, pods: "20"}}
`

// quota gives the namespace both, and waits until they count.
func (u tenant) quota(t *testing.T, cpu, memory string) {
	t.Helper()
	apply(t, fmt.Sprintf(usualQuota, u.namespace, cpu, memory))
	kubectl(t, "wait", "-n", u.namespace, "resourcequota/usual", "--for=jsonpath={.status.hard.pods}=20", "--timeout=60s")
}

// TestDemoWithinQuota: the demo says what a LimitRange and a ResourceQuota take from it and runs the rest, or says what does not
// fit, and makes nothing.
func TestDemoWithinQuota(t *testing.T) {
	t.Run("room for some", func(t *testing.T) {
		u := newTenant(t, "")
		u.quota(t, `"4"`, "8Gi")
		said := u.measured(t, "burstable", "guaranteed", "service")
		for _, want := range []string{"The arms of class BestEffort are left out: LimitRange usual gives every container requests or limits",
			"The arms beside a busy neighbour are left out: a ResourceQuota leaves limits of 4000m CPU"} {
			if !strings.Contains(said, want) {
				t.Errorf("not said: %s\n%s", want, said)
			}
		}
	})
	t.Run("room for none", func(t *testing.T) {
		u := newTenant(t, "")
		u.quota(t, `"2"`, "8Gi")
		out, err := u.demo(t).CombinedOutput()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != 3 || !strings.Contains(string(out), "a ResourceQuota leaves limits of 2000m CPU, and ") {
			t.Errorf("%v\n%s", err, out)
		}
		u.clean(t)
	})
}

// TestDemoInterrupted: after Ctrl-C, with servers, load pods and neighbours of a round there, nothing is left.
func TestDemoInterrupted(t *testing.T) {
	u := newTenant(t, "")
	c := u.demo(t)
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			t.Log(lines.Text())
		}
	}()
	becomesThere(t, func() bool {
		running := string(kubectl(t, "get", "pods", "-n", u.namespace, "--field-selector=status.phase=Running", "-o", "name"))
		return strings.Count(running, "-load-") == 7 && strings.Count(running, "-neighbour") == 3
	})
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ended
	if err := c.Wait(); err == nil {
		t.Error("an interrupted demo has succeeded")
	}
	u.clean(t)
}

// becomesThere waits for what takes minutes at most.
func becomesThere(t *testing.T, there func() bool) {
	t.Helper()
	for begun := time.Now(); !there(); time.Sleep(500 * time.Millisecond) {
		if time.Since(begun) > 10*time.Minute {
			t.Fatal("not within ten minutes")
		}
	}
}

// TestDemoWithoutConnection: the connection is away from when the run has begun until it has measured a round, which takes more
// than a minute. The demo goes on in the cluster meanwhile, is followed again, fetched and removed.
func TestDemoWithoutConnection(t *testing.T) {
	path := newCutPath(t, net.JoinHostPort(apiAddress, "6443"))
	u := newTenant(t, path.listener.Addr().String()) // the API server's certificate has 127.0.0.1 as well
	c := u.demo(t)
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	c.Stdout = &report
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	name, away := "", false
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		line := lines.Text()
		fmt.Fprintln(&said, line)
		if started := regexp.MustCompile(`run (tare-run-\S+) goes on`).FindStringSubmatch(line); started != nil {
			name = started[1]
		}
		if strings.Contains(line, "event=plan") && name != "" && !away {
			away = true
			begun := time.Now()
			path.refuse()
			becomesThere(t, func() bool {
				return strings.Contains(string(kubectl(t, "logs", "-n", u.namespace, "job/"+name)), "outcome=measured")
			})
			t.Logf("the connection was away for %s, in which a round was measured", time.Since(begun).Round(time.Second))
			path.restore()
		}
	}
	if err := c.Wait(); err != nil || !away || !strings.Contains(said.String(), "the run continues in the cluster") {
		t.Errorf("%v; away %v\n%s", err, away, &said)
	}
	if got := strings.Count(said.String(), "outcome=measured"); got < 7 {
		t.Errorf("%d of 7 trials were shown as measured:\n%s", got, &said)
	}
	if !strings.Contains(report.String(), "1 of 1 round") {
		t.Errorf("the report:\n%s", &report)
	}
	u.clean(t)
}
