//go:build lab

package main

// `tare run --in-cluster` from a machine whose connection to the cluster breaks, with the
// image that `make image` writes.

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// insideSpec is a run of two trials, which together take longer than a connection that
// passes nothing on stays unnoticed (http2 asks after 30 s and waits for 15 s more).
const insideSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: inside}
data: {tables: 1, rows: 1000}
load: {engine: tare, workload: oltp_point_select, threads: 1}
protocol: {rounds: 1, warmup: 1s, measure: 60s, aa: false}
baseline: one
arms:
  one: &pod {target: kubernetes, image: "localhost/mysql:1", volumeSize: 1Gi}
  two: {<<: *pod, config: {max_connections: 50}}
`

// TestInClusterWithoutConnection: the connection breaks while the run measures, and later
// passes nothing on, as after the sleep of a laptop. The run ends, and its directory comes
// home whole; fetch brings it a second time and removes it.
func TestInClusterWithoutConnection(t *testing.T) {
	image, dir, path := importImage(t), t.TempDir(), newCutPath(t, net.JoinHostPort(apiAddress, "6443"))
	kubeconfig, spec := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "inside.yaml")
	admin, err := os.ReadFile(filepath.Join(programs(), "../run/pki/admin.kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	// The API server's certificate has 127.0.0.1 as well.
	moved := bytes.ReplaceAll(admin, []byte(net.JoinHostPort(apiAddress, "6443")), []byte(path.listener.Addr().String()))
	for file, text := range map[string][]byte{kubeconfig: moved, spec: []byte(insideSpec)} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := []string{"--kubeconfig", kubeconfig, "--namespace", "tare"}
	out, said := runInside(t, path, append([]string{"run", "--in-cluster", spec, "--image", image, "--volume-size", "1Gi", "--out", filepath.Join(dir, "home")}, at...))
	name := regexp.MustCompile(`run (tare-run-inside-\S+) started`).FindStringSubmatch(said)
	if name == nil {
		t.Fatalf("no name of the run in\n%s", said)
	}
	t.Cleanup(func() {
		kubectl(t, "delete", "-n", "tare", "--ignore-not-found", "--wait", "job/"+name[1], "pvc/"+name[1], "configmap/"+name[1], "serviceaccount/"+name[1], "role/"+name[1], "rolebinding/"+name[1])
		kubectl(t, "delete", "--ignore-not-found", "clusterrole/"+name[1], "clusterrolebinding/"+name[1])
	})
	if got := strings.Count(said, "outcome=measured"); got != 2 {
		t.Errorf("%d of 2 trials were shown as measured:\n%s", got, said)
	}
	if !strings.Contains(out, "Scope: ") {
		t.Errorf("no report:\n%s", out)
	}
	if listed := tare(t, append([]string{"fetch"}, at...)...); !regexp.MustCompile(regexp.QuoteMeta(name[1]) + `\s+\S+\s+finished`).MatchString(listed) {
		t.Errorf("list of runs:\n%s", listed)
	}
	again := tare(t, append([]string{"fetch", name[1], "--out", filepath.Join(dir, "again"), "--delete"}, at...)...)
	if !strings.Contains(again, "Scope: ") {
		t.Errorf("fetched again:\n%s", again)
	}
	for _, kind := range []string{"jobs", "pods", "pvc", "configmaps", "serviceaccounts", "roles", "rolebindings", "clusterroles", "clusterrolebindings"} {
		if left := kubectl(t, "get", kind, "-n", "tare", "-l", "tarebench.io/run="+name[1], "-o", "name"); len(left) > 0 {
			t.Errorf("left: %s", left)
		}
	}
}

// tare runs the lab's tare, which has to succeed.
func tare(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(programs(), "tare"), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("tare %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// runInside runs tare and takes the connection away twice: when the first trial has begun it
// refuses, until tare says that it waits; then it is there until the log goes on, and passes
// nothing on until tare says so.
func runInside(t *testing.T, path *cutPath, args []string) (out, said string) {
	t.Helper()
	var result bytes.Buffer
	c := exec.Command(filepath.Join(programs(), "tare"), args...)
	c.Stdout = &result
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	steps := []struct {
		see string
		do  func()
	}{
		{"event=plan", path.refuse}, {"the run continues in the cluster", path.restore},
		{"event=trial", path.mute}, {"the run continues in the cluster", path.restore},
	}
	buffer := make([]byte, 4096)
	for from := 0; ; {
		n, err := stderr.Read(buffer)
		all.Write(buffer[:n])
		for len(steps) > 0 && strings.Contains(all.String()[from:], steps[0].see) {
			t.Logf("%q was printed", steps[0].see)
			from = all.Len()
			steps[0].do()
			steps = steps[1:]
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("tare %v: %v\n%s%s", args, err, &result, all.String())
	}
	if len(steps) > 2 {
		t.Errorf("the connection was never lost:\n%s", all.String())
	}
	return result.String(), all.String()
}

// cutPath is a TCP proxy before the API server.
type cutPath struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	refuses  bool
	silent   chan struct{} // while not nil, nothing is passed on until it is closed
	late     time.Duration // what is passed on is late by this
	open     []net.Conn
}

func newCutPath(t *testing.T, to string) *cutPath {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &cutPath{listener: l, to: to}
	t.Cleanup(func() {
		l.Close()
		p.refuse()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.take(c)
		}
	}()
	return p
}

func (p *cutPath) take(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	server, err := net.Dial("tcp", p.to)
	if p.refuses || err != nil {
		c.Close()
		return
	}
	p.open = append(p.open, c, server)
	go p.pass(server, c)
	go p.pass(c, server)
}

// pass copies until one end closes; silence holds it up.
func (p *cutPath) pass(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		silent, late := p.silent, p.late
		p.mu.Unlock()
		if silent != nil {
			<-silent
		}
		time.Sleep(late)
		if _, e := to.Write(buffer[:n]); err != nil || e != nil {
			return
		}
	}
}

// refuse breaks all connections and refuses new ones.
func (p *cutPath) refuse() { p.set(true, false) }

// mute leaves the connections open and passes nothing on.
func (p *cutPath) mute() { p.set(false, true) }

// restore lets new connections through; those that were silent are broken.
func (p *cutPath) restore() { p.set(false, false) }

func (p *cutPath) set(refuses, silent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = refuses
	if p.silent != nil {
		close(p.silent)
		p.silent = nil
	}
	if silent {
		p.silent = make(chan struct{})
		return
	}
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}
