package kubernetes

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
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

// TestRunRefused: a run whose pod is not admitted is an error at once while it waits for its program, and an obstacle that is
// told while it is followed.
func TestRunRefused(t *testing.T) {
	const account = `Error creating: pods "tare-run-first-" is forbidden: error looking up service account bench/nobody: serviceaccount "nobody" not found`
	a, _, r := streamedRun(t)
	a.mu.Lock()
	nested(a.objects["/apis/batch/v1/namespaces/bench/jobs/tare-run-first"], "metadata")["uid"] = "2"
	a.objects["/api/v1/namespaces/bench/events/e"] = map[string]any{"kind": "Event", "apiVersion": "v1", "type": "Warning", "reason": "FailedCreate",
		"metadata": map[string]any{"name": "e"}, "message": account}
	a.mu.Unlock()
	if err := r.Provide(t.Context(), "tare-run-first", Program{}, io.Discard); err == nil || !strings.HasSuffix(err.Error(), account) {
		t.Errorf("provided: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	note := writerFunc(func(line string) {
		if !strings.Contains(line, account) {
			t.Errorf("told %q", line)
		}
		cancel()
	})
	if _, err := r.Follow(ctx, "tare-run-first", io.Discard, note); !errors.Is(err, context.Canceled) {
		t.Errorf("followed: %v", err)
	}
}

// writerFunc is told of every write.
type writerFunc func(string)

func (f writerFunc) Write(b []byte) (int, error) {
	f(string(b))
	return len(b), nil
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

// TestContainerNotFoundYet: a kubelet that does not know a running container yet is asked for a minute; what fails otherwise
// is attempted a few times.
func TestContainerNotFoundYet(t *testing.T) {
	for _, c := range []struct {
		name, fails string
		until       time.Duration // it succeeds after that
		ok          bool
	}{
		{"a busy kubelet", `unable to upgrade connection: container not found ("load")`, 40 * time.Second, true},
		{"a container that is gone", `unable to upgrade connection: container not found ("load")`, time.Hour, false},
		{"a connection that breaks", "unexpected EOF", 3 * time.Second, true},
		{"no connection", "unexpected EOF", 40 * time.Second, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				err := repeatedly(t.Context(), func() error {
					if time.Since(begun) < c.until {
						return errors.New(c.fails)
					}
					return nil
				})
				if (err == nil) != c.ok || time.Since(begun) > foundWithin+10*time.Second {
					t.Errorf("after %s: %v", time.Since(begun), err)
				}
			})
		})
	}
}

// TestProvideImage: a run with an image of tare is told of as started when its container runs; an image that cannot be pulled,
// a name that is none and a missing Secret are errors with what to do.
func TestProvideImage(t *testing.T) {
	for reason, says := range map[string]string{
		"ErrImagePull": "image", "ImagePullBackOff": "image", "InvalidImageName": "image", "CreateContainerConfigError": `secret "x" not found`, "": "",
	} {
		a := &apiServer{}
		r := remote(t, a)
		if _, err := r.Start(t.Context(), inCluster(), &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		if reason == "" {
			a.pod("first", "2026-11-29T10:00:01Z", "Running")
		} else {
			a.pod("first", "2026-11-29T10:00:01Z", "Pending")
			a.mu.Lock()
			a.objects["/api/v1/namespaces/bench/pods/first"]["status"].(map[string]any)["containerStatuses"] = []any{map[string]any{
				"name": "tare", "image": "registry.example.com/tare:1", "state": map[string]any{"waiting": map[string]any{"reason": reason, "message": `secret "x" not found`}}}}
			a.mu.Unlock()
		}
		err := r.Provide(t.Context(), "tare-run-first", Program{}, &bytes.Buffer{})
		if (err == nil) != (reason == "") || err != nil && (!strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", reason, err, says)
		} else if err != nil {
			t.Log(err)
		}
	}
}

// TestStartFailed: a run whose container has ended is not removed, because what it printed says why; it is told of as failed.
func TestStartFailed(t *testing.T) {
	a := &apiServer{}
	r := remote(t, a)
	if _, err := r.Start(t.Context(), inCluster(), &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	for phase, want := range map[string]string{"Pending": "container tare ended with status 1: Error", "Failed": "container tare ended with status 1: Error", "Running": ""} {
		a.pod("first", "2026-11-29T10:00:01Z", phase)
		if want != "" {
			a.mu.Lock()
			a.objects["/api/v1/namespaces/bench/pods/first"]["status"].(map[string]any)["containerStatuses"] = []any{map[string]any{
				"name": "tare", "state": map[string]any{"terminated": map[string]any{"exitCode": 1, "reason": "Error"}}}}
			a.mu.Unlock()
		}
		if err := r.Provide(t.Context(), "tare-run-first", Program{}, &bytes.Buffer{}); err != nil {
			t.Errorf("%s: %v", phase, err)
		}
		if why, err := r.Failure(t.Context(), "tare-run-first"); err != nil || strings.TrimSpace(why) != want {
			t.Errorf("%s: %q, %v, want %q", phase, why, err, want)
		}
	}
}
