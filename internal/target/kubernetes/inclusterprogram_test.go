package kubernetes

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// streamedRun is a run that was started without an image of tare, at an API server whose containers are this machine.
func streamedRun(t *testing.T) (*apiServer, *executing, *Remote) {
	t.Helper()
	a, e := &apiServer{}, &executing{dir: t.TempDir(), of: runProgramDir, path: os.Getenv("PATH")}
	r := remoteAt(t, a, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/exec") {
			e.ServeHTTP(w, q)
			return
		}
		a.ServeHTTP(w, q)
	}))
	run := inCluster()
	run.Image, run.Arch = "mysql:8.4", runtime.GOARCH
	if _, err := r.Start(t.Context(), run, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	return a, e, r
}

// pod puts a pod of the run beside the earlier ones.
func (a *apiServer) pod(name, made, phase string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.objects["/api/v1/namespaces/bench/pods/"+name] = map[string]any{"kind": "Pod", "apiVersion": "v1",
		"metadata": map[string]any{"name": name, "creationTimestamp": made}, "status": map[string]any{"phase": phase}}
}

// TestProvide: the program comes into the volume once, the pod that replaces a lost one finds it there, and a run that has
// ended gets none.
func TestProvide(t *testing.T) {
	file := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-o", file, "../../../cmd/tare-pod") // it knows its own hash
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p, err := FindProgram(file)
	if err != nil || p.Arch() != runtime.GOARCH {
		t.Fatal(p, err)
	}
	a, e, r := streamedRun(t)
	var note bytes.Buffer
	a.pod("lost", "2026-11-29T10:00:00Z", "Failed")
	a.pod("first", "2026-11-29T10:00:01Z", "Running")
	if err := r.Provide(t.Context(), "tare-run-first", p, &note); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(e.dir, "tare")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("in the volume: %d bytes of %d, %v", len(got), len(want), err)
	}
	before := e.commands
	a.pod("second", "2026-11-29T10:00:02Z", "Running")
	if err := r.Provide(t.Context(), "tare-run-first", p, &note); err != nil || e.commands != before+1 {
		t.Errorf("the program is there, and %d commands were executed: %v", e.commands-before, err)
	}
	a.mu.Lock()
	a.finish()
	a.mu.Unlock()
	before = e.commands
	if err := r.Provide(t.Context(), "tare-run-first", p, &note); err != nil || e.commands != before {
		t.Errorf("the run has ended, and %d commands were executed: %v", e.commands-before, err)
	}
}

// TestProvideOther: a node of another architecture gets no program, and the error names both.
func TestProvideOther(t *testing.T) {
	other := "arm64"
	if runtime.GOARCH == other {
		other = "amd64"
	}
	p, err := FindProgram(header(t, other))
	if err != nil {
		t.Fatal(err)
	}
	a, e, r := streamedRun(t)
	a.pod("first", "2026-11-29T10:00:01Z", "Running")
	says := "the node is linux/" + runtime.GOARCH + ", and the program is for linux/" + other
	if err := r.Provide(t.Context(), "tare-run-first", p, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%v, want %q", err, says)
	}
	if left, err := os.ReadDir(e.dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := FindProgram("/does/not/exist"); err == nil {
		t.Error("a file that is not there is a program")
	}
}

// TestShellImage: the pod of a run starts from the image that the arm's pods start from.
func TestShellImage(t *testing.T) {
	for want, s := range map[string]Settings{"mysql:8.4": {Image: "mysql:8.4"}, "busybox:1": {Image: "mysql:8.4", BaseImage: "busybox:1"}, "": {Operator: "mariadb"}} {
		got, err := ShellImage(func(into any) error {
			*into.(*Settings) = s
			return nil
		})
		if err != nil || got != want {
			t.Errorf("%+v: %q, %v; want %q", s, got, err, want)
		}
	}
}
