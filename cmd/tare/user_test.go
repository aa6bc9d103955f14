package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// userSpec has an arm for everything that only root can make.
const userSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: user}
database: {config: {innodb_buffer_pool_size: 32M}}
data: {tables: 1, rows: 1000}
load: {engine: sysbench, workload: oltp_point_select, threads: 2, rate: 50/s}
protocol: {rounds: 1, warmup: 0s, measure: 1s, ready: 300s}
baseline: bare
arms:
  bare: {target: process}
  more: {target: process, config: {max_connections: 50}}
`

const rootArms = `  client: {target: process, client: host}
  neighbour: {target: process, neighbour: {cpu: 1}}
  pod: {target: container}
`

// TestWithoutRoot: whoever is not root can compare servers of this host, and is
// told of the rest, arm by arm and layer by layer, that it is root's.
func TestWithoutRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user; whoever is not runs all of this as that user anyway")
	}
	t.Parallel()
	u := asNobody(t)
	out, code := u.tare(t, "check", u.write(t, "root.yaml", userSpec+rootArms))
	for _, want := range []string{
		":12:37: arms.client.client: only root can make the network namespaces of a client over TCP; run tare as root, or leave client out",
		":13:43: arms.neighbour.neighbour: only root can make its cgroups; run tare as root, or leave neighbour out",
		":14:8: arms.pod: target container: only root can make cgroups and containers; run tare as root, or use target: process",
	} {
		if code != 2 || !strings.Contains(out, want) {
			t.Errorf("check ends with %d and does not say %q:\n%s", code, want, out)
		}
	}
	spec, run := u.write(t, "user.yaml", userSpec), filepath.Join(u.home, "run")
	mysqldtest.Attempts(t, 3, func() error { // the load may have no CPU in its second
		if err := os.RemoveAll(run); err != nil {
			return err
		}
		if out, code := u.tare(t, "run", spec, "--out", run); code != 0 || strings.Count(out, "outcome=measured") != 2 {
			return fmt.Errorf("run ends with %d:\n%s", code, out)
		}
		return nil
	})
	out, _ = u.tare(t, "list", "layers", "--json")
	var layers []layerEntry
	if err := json.Unmarshal([]byte(out), &layers); err != nil {
		t.Fatal(err, out)
	}
	for _, l := range layers {
		if want := l.Setting == "client: socket"; l.Here != want || !want && !strings.Contains(l.Why, "run tare as root") {
			t.Errorf("%s: here %v, because %q", l.Setting, l.Here, l.Why)
		}
	}
}

// user is one without rights, with a copy of tare that it can run.
type user struct{ binary, home string }

func asNobody(t *testing.T) user {
	t.Helper()
	dir, err := os.MkdirTemp("", "tare-user-") // t.TempDir is root's alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	u := user{binary: filepath.Join(dir, "tare"), home: filepath.Join(dir, "home")}
	if out, err := exec.Command("cp", builtTare(t), u.binary).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v: %s", err, out)
	}
	for path, owner := range map[string]int{dir: 0, u.home: nobody} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, owner, owner); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

// nobody is the user without rights of Debian and most others.
const nobody = 65534

func (u user) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(u.home, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// tare runs the binary and returns what it prints and its exit code.
func (u user) tare(t *testing.T, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(u.binary, args...)
	cmd.Dir = u.home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + u.home, fmt.Sprintf("TARE_STATE=%s/state", u.home)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
