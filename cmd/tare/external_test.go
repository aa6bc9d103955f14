package main

// Tests of runs on a server that someone else runs: the password, two tares, a kill.

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
)

// theirs is a server that someone else runs, and a tare that uses it.
type theirs struct {
	port   int
	root   *sql.DB
	dir    string
	binary string
}

const theirSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: theirs}
data: {tables: 1, rows: 200}
load: {engine: %s, workload: oltp_point_select, threads: 2, rate: 200/s}
protocol: {rounds: 1, warmup: 0s, measure: %ds, aa: false}
baseline: a
arms:
  a: {target: external, host: 127.0.0.1, port: %d, user: tare, %s, shared: true}
  b: {target: external, host: 127.0.0.1, port: %[3]d, user: tare, %[4]s, shared: true}
`

// TestExternalServer has one server for all that is done to it.
func TestExternalServer(t *testing.T) {
	d := mysqldtest.Flavour(t, "mysql")
	t.Parallel()
	s := &theirs{dir: t.TempDir(), binary: builtTare(t)}
	server := mysqldtest.StartTCP(t, d, map[string]string{"innodb_buffer_pool_size": "64M"})
	var err error
	if s.root, err = mysqld.Open(server.Address); err != nil {
		t.Fatal(err)
	}
	defer s.root.Close()
	s.port = server.Options.Port
	theirAccount(t, s.root)
	t.Run("Password", func(t *testing.T) { testPasswordIsNowhere(t, s) })
	t.Run("SecondTare", func(t *testing.T) { testSecondTare(t, s) })
	t.Run("Killed", func(t *testing.T) { testKilledOnTheirs(t, s) })
	t.Run("KilledWhileCreating", func(t *testing.T) { testKilledWhileCreating(t, s) })
	t.Run("Others", func(t *testing.T) { testOthersStatements(t, s) })
	t.Run("Network", func(t *testing.T) { testNetworkFaults(t, s) })
	t.Run("StoppedLoad", func(t *testing.T) { testStoppedLoad(t, s) })
}

// theirAccount makes the account that tare may use.
func theirAccount(t *testing.T, root *sql.DB) {
	t.Helper()
	for _, statement := range []string{"CREATE USER tare@'%' IDENTIFIED BY '" + canary + "'", "GRANT ALL ON `tare\\_%`.* TO tare@'%'"} {
		if _, err := root.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// spec writes an experiment on the server; login is how it gets the password.
func (s *theirs) spec(t *testing.T, name, engine, login string, seconds int) string {
	t.Helper()
	path := filepath.Join(s.dir, name+".yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, theirSpec, engine, seconds, s.port, login), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// tare is a command with a state directory of its own and two passwords in its
// environment: its own, and that of an arm with another server.
func (s *theirs) tare(state string, args ...string) *exec.Cmd {
	cmd := exec.Command(s.binary, args...)
	cmd.Env = append(os.Environ(), "TARE_STATE="+filepath.Join(s.dir, state), canaryVariable+"="+canary, secondVariable+"=second-"+canaryEnd)
	return cmd
}

// schemas are those of tare's on the server.
func (s *theirs) schemas(t *testing.T) (n int) {
	t.Helper()
	if err := s.root.QueryRow("SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'tare_bench'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// loading starts a run and returns when its first second of load is in the record. The channel
// is closed when the run has ended.
func (s *theirs) loading(t *testing.T, name string) (*exec.Cmd, <-chan struct{}) {
	t.Helper()
	run := filepath.Join(s.dir, name)
	cmd := s.tare(name+"-state", "run", s.spec(t, name, "tare", "passwordEnv: "+canaryVariable, 600), "--out", run)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the test looks at what it left
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-ended
	})
	for {
		streams, err := filepath.Glob(filepath.Join(run, record.TrialsDir, "*", record.StreamFile))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range streams {
			if b, err := os.ReadFile(file); err == nil && strings.Contains(string(b), `"interval"`) {
				return cmd, ended
			}
		}
		select {
		case <-ended:
			t.Fatalf("the run ended before it loaded the server: %s", said.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// testSecondTare: a second tare is refused and changes nothing; the first is stopped and
// leaves nothing.
func testSecondTare(t *testing.T, s *theirs) {
	first, ended := s.loading(t, "first")
	out, err := s.tare("second-state", "run", s.spec(t, "second", "tare", "passwordEnv: "+canaryVariable, 1), "--out", filepath.Join(s.dir, "second")).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFailed || !strings.Contains(string(out), fmt.Sprintf("in use by another tare: process %d on host ", first.Process.Pid)) {
		t.Errorf("a second tare: %v\n%s", err, out)
	}
	out, err = s.tare("second-state", "clean").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "0 removed") {
		t.Errorf("clean of the second: %v\n%s", err, out)
	}
	if out, err := s.tare("first-state", "clean").CombinedOutput(); err != nil || !strings.Contains(string(out), "schema tare_bench on") || !strings.Contains(string(out), "is not removed") {
		t.Errorf("clean beside the first: %v\n%s", err, out)
	}
	var rows int
	if err := s.root.QueryRow("SELECT COUNT(*) FROM tare_bench.sbtest1").Scan(&rows); err != nil || rows != 200 {
		t.Errorf("the first's rows: %d, %v", rows, err)
	}
	if err := first.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ended // or the test's own limit ends
	if n := s.schemas(t); n != 0 {
		t.Errorf("%d schemas are left", n)
	}
}

// testKilledOnTheirs: the schema of a tare that was killed is dropped by clean.
func testKilledOnTheirs(t *testing.T, s *theirs) {
	victim, _ := s.loading(t, "victim")
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// Until its parent has seen it end, it is there, and its schema with it.
	var out []byte
	var err error
	for {
		if out, err = s.tare("victim-state", "clean").CombinedOutput(); !strings.Contains(string(out), "is not removed") {
			break
		}
	}
	if err != nil || !strings.Contains(string(out), "drop schema tare_bench on 127.0.0.1:") || s.schemas(t) != 0 {
		t.Errorf("clean: %v, %d schemas\n%s", err, s.schemas(t), out)
	}
	if notes, err := filepath.Glob(filepath.Join(s.dir, "victim-state", "external", "*")); err != nil || len(notes) > 0 {
		t.Errorf("notes after clean: %v, %v", notes, err)
	}
}
