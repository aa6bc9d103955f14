// Package targettest provides the tests that every target must pass.
package targettest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// Make makes the target under test and a function whose requests each are for
// another instance (see [Requests]).
type Make func(t *testing.T) (target.Target, func() target.Request)

// hang is how long a test waits for what is about to end. What takes longer waits for
// something that never comes: it is not a measure of speed, and a disk that other tests
// write to has kept the end of a server waiting for a quarter of a minute.
const hang = 5 * time.Minute

// suite is a target under test.
type suite struct {
	target  target.Target
	request func() target.Request
}

// Run runs the tests on the target that make makes. Each leaves nothing behind,
// and fails if it does.
func Run(t *testing.T, make Make) {
	tg, request := make(t)
	s := suite{tg, request}
	if orphanage(t, s) {
		return
	}
	tests := []struct {
		name  string
		files bool // only for targets that start a server
		run   func(*testing.T, suite)
	}{
		{"Check", false, testCheck},
		{"Life", false, testLife},
		{"Initialize", true, testInitialize},
		{"Exec", false, testExec},
		{"CancelBeforeStart", false, testCancelBeforeStart},
		{"CancelDuringStart", false, testCancelDuringStart},
		{"CancelWhileReady", false, testCancelWhileReady},
		{"StopAtOnce", true, testStopAtOnce},
		{"ServerDies", true, testServerDies},
		{"NoData", true, testNoData},
		{"Turns", false, testTurns},
		{"TareKilled", true, testTareKilled},
	}
	for _, test := range tests {
		if test.files && tg.Data() != target.Files {
			continue
		}
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
	}
}

// testCheck: a target that can run says so, and its looking changes nothing.
func testCheck(t *testing.T, s suite) {
	r := s.request()
	before := look(t, r)
	if errs := s.target.Check(context.Background()); len(errs) > 0 {
		t.Errorf("Check: %v", errs)
	}
	before.same(t)
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if errs := s.target.Check(done); len(errs) == 0 {
		t.Error("Check with a context that is done finds nothing wrong; it cannot have looked")
	}
}

// testLife: start, connect, look, stop, stop again.
func testLife(t *testing.T, s suite) {
	r := s.request()
	before := look(t, r)
	server := s.start(t, r)
	if err := server.Alive(); err != nil {
		t.Errorf("Alive of a server that answers: %v", err)
	}
	for _, phase := range []string{"start", "end"} {
		checkFacts(t, server.Facts(context.Background(), phase), phase)
	}
	for range 2 {
		if err := server.Stop(context.Background()); err != nil {
			t.Errorf("Stop: %v", err)
		}
	}
	if s.target.Data() == target.Files && server.Alive() == nil {
		t.Error("Alive says that a stopped server runs")
	}
	before.same(t)
	if facts := server.Facts(context.Background(), "end"); len(facts) == 0 {
		t.Error("no facts of a stopped server: each should say that it is unknown")
	}
}

// start starts a server and waits until it answers. It is stopped at the end of
// the test at the latest.
func (s suite) start(t *testing.T, r target.Request) target.Server {
	t.Helper()
	server, err := s.target.Start(context.Background(), r)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	answers(t, server, r)
	return server
}

func answers(t *testing.T, server target.Server, r target.Request) {
	t.Helper()
	if err := mysqld.Ready(context.Background(), server.Address(), r.ReadyWithin, server.Alive); err != nil {
		t.Fatalf("server is not ready: %v", err)
	}
	db, err := mysqld.Open(server.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var version string
	if err := db.QueryRow("SELECT VERSION()").Scan(&version); err != nil || version == "" {
		t.Errorf("query: version %q, error %v", version, err)
	}
}

// checkFacts: each fact is of its phase, has a key of its own, and has a value
// with its source or a reason for having none.
func checkFacts(t *testing.T, facts []record.Fact, phase string) {
	t.Helper()
	if len(facts) == 0 {
		t.Errorf("no facts at phase %q", phase)
	}
	seen := map[string]bool{}
	known := 0
	for _, f := range facts {
		switch {
		case f.Key == "" || f.Phase != phase:
			t.Errorf("fact %+v has no key, or not the phase %q", f, phase)
		case seen[f.Key]:
			t.Errorf("fact %s stands twice in phase %q", f.Key, phase)
		case f.Value != "" && f.Unknown != "":
			t.Errorf("fact %s is known and unknown: %+v", f.Key, f)
		case f.Value == "" && f.Source == "" && f.Unknown == "":
			t.Errorf("fact %s says neither what nor where nor why not", f.Key)
		}
		seen[f.Key] = true
		if f.Value != "" {
			known++
		}
	}
	if known == 0 {
		t.Errorf("nothing is known at phase %q", phase)
	}
}

// testInitialize: an empty data directory becomes a server's.
func testInitialize(t *testing.T, s suite) {
	r := empty(t, s.request())
	before := look(t, r)
	server := s.start(t, r)
	if err := server.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	before.same(t)
}

// testNoData: a data directory that is not there is an error, not an empty
// server.
func testNoData(t *testing.T, s suite) {
	r := s.request()
	r.DataDir = filepath.Join(r.Dir, "absent")
	before := look(t, r)
	server, err := s.target.Start(context.Background(), r)
	if err == nil {
		_ = server.Stop(context.Background())
		t.Error("Start without a data directory succeeded")
	}
	before.same(t)
}

// testServerDies: a server that ends by itself is seen to have ended.
func testServerDies(t *testing.T, s suite) {
	r := s.request()
	before := look(t, r)
	server := s.start(t, r)
	found, err := target.Scan(r.Name, r.Dir, r.RunDir)
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, p := range found.Processes {
		if slices.Contains([]string{"mysqld", "mariadbd"}, p.Command) {
			killed++
			process, err := os.FindProcess(p.PID)
			if err == nil {
				err = process.Kill()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if killed == 0 {
		t.Fatalf("found no server process of instance %s:\n%s", r.Name, found)
	}
	for deadline := time.Now().Add(hang); server.Alive() == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("Alive says that a killed server runs")
		}
	}
	t.Logf("Alive: %v", server.Alive())
	if err := server.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	before.same(t)
}

// machine is what an instance has on the machine, and the names of the files in
// its directories.
type machine struct {
	request target.Request
	found   string
	files   []string
}

// look is to be called before Start; what it saw is to be the same afterwards.
func look(t *testing.T, r target.Request) machine {
	t.Helper()
	l, err := target.Scan(r.Name, r.Dir, r.RunDir)
	if err != nil {
		t.Fatal(err)
	}
	return machine{r, l.String(), files(t, r)}
}

// same fails the test for whatever there is now that was not there before, or
// the other way round.
func (m machine) same(t *testing.T) {
	t.Helper()
	after := look(t, m.request)
	if diff := cmp.Diff(m.found, after.found); diff != "" {
		t.Errorf("left behind (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(m.files, after.files); diff != "" {
		t.Errorf("files of the instance (-before +after):\n%s", diff)
	}
}

// files lists the instance's directories without the data.
func files(t *testing.T, r target.Request) []string {
	t.Helper()
	var names []string
	for _, dir := range []string{r.Dir, r.RunDir} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case path == r.DataDir:
				return fs.SkipDir
			}
			names = append(names, path)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}
