package target

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// own makes an instance in a state directory.
func own(t *testing.T, state, name string) (*Owned, string) {
	t.Helper()
	dir := filepath.Join(state, "instances", name)
	o, err := Own(name, dir, filepath.Join(state, "tare-run", name), "/runs/x")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o, dir
}

func TestInstances(t *testing.T) {
	state := t.TempDir()
	if found, err := Instances(state); err != nil || len(found) != 0 {
		t.Errorf("instances of an empty state: %v, %v", found, err)
	}
	// dead is an instance whose tare has ended; change is made to its note.
	dead := func(name string, change func(*Note)) string {
		o, dir := own(t, state, name)
		n, err := readOwner(dir)
		if err == nil {
			err = o.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(&n)
			b, _ := json.Marshal(n)
			write(t, filepath.Join(dir, ownerFile), string(b))
		}
		return dir
	}
	own(t, state, "alive")
	// The number of a process says nothing: it holds in one PID namespace only.
	dead("number-of-a-living-process", func(n *Note) { n.PID = os.Getpid() })
	own(t, state, "number-of-no-process")
	write(t, filepath.Join(state, "instances", "number-of-no-process", ownerFile),
		`{"pid": 4194304, "name": "number-of-no-process", "run_dir": "`+filepath.Join(state, "tare-run")+`"}`)
	mkdir(t, filepath.Join(state, "instances", "bare"))
	dead("stray", func(n *Note) { n.RunDir = home(t) })
	dead("relative", func(n *Note) { n.RunDir = "tare/run" })
	dead("empty", func(n *Note) { n.RunDir = "" })
	write(t, filepath.Join(dead("torn", nil), ownerFile), `{"pid": 1`)
	mkdir(t, filepath.Join(state, "instances", unfinished+"without-note"))
	write(t, filepath.Join(mkdir(t, filepath.Join(state, "instances", unfinished+"torn-note")), ownerFile), `{"pid`)

	want := map[string]struct{ alive, broken bool }{
		"alive": {alive: true}, "number-of-a-living-process": {}, "number-of-no-process": {alive: true},
		"stray": {broken: true}, "relative": {broken: true}, "empty": {broken: true}, "torn": {broken: true}, "bare": {broken: true},
		unfinished + "without-note": {broken: true}, unfinished + "torn-note": {broken: true},
	}
	found, err := Instances(state)
	if err != nil || len(found) != len(want) {
		t.Fatalf("Instances: %v, %v", found, err)
	}
	for _, l := range found {
		w := want[filepath.Base(l.Dir)]
		if l.Alive != w.alive || (l.Err != nil) != w.broken {
			t.Errorf("%s: alive %v, error %v; want alive %v, broken %v", l.Dir, l.Alive, l.Err, w.alive, w.broken)
		}
		// What is left of any instance can be asked for, whatever its note says.
		if _, err := Scan(l.Name, l.Dir, l.RunDir); err != nil {
			t.Errorf("%s: scan: %v", l.Dir, err)
		}
		err := l.Sweep(context.Background(), false, &bytes.Buffer{})
		if refused := err != nil; refused != w.alive {
			t.Errorf("%s: sweep: %v", l.Dir, err)
		}
		if err := l.Sweep(context.Background(), true, &bytes.Buffer{}); err != nil || exists(l.Dir) {
			t.Errorf("%s: forced sweep: %v; still there: %v", l.Dir, err, exists(l.Dir))
		}
	}
	if !exists(home(t)) {
		t.Error("a note led the sweep to a directory that is not tare's")
	}
}

// TestSweepWaitsForNote: a tare may just be making the instance.
func TestSweepWaitsForNote(t *testing.T) {
	state := t.TempDir()
	dir := mkdir(t, filepath.Join(state, "instances", unfinished+"new"))
	found, err := Instances(state)
	if err != nil || len(found) != 1 || found[0].Err == nil {
		t.Fatalf("Instances: %+v, %v", found, err)
	}
	note, err := lockedNote(dir, Note{Name: "new", RunDir: filepath.Join(state, "tare-run")})
	if err != nil {
		t.Fatal(err)
	}
	defer note.Close()
	if err := found[0].Sweep(context.Background(), false, &bytes.Buffer{}); err == nil || !exists(dir) {
		t.Errorf("an instance in the making was swept (error %v)", err)
	}
}

// TestOwnLeavesNothingHalf: an instance that cannot be made is not there.
func TestOwnLeavesNothingHalf(t *testing.T) {
	state := t.TempDir()
	_, dir := own(t, state, "a")
	if _, err := Own("a", dir, filepath.Join(state, "tare-run"), "/runs/x"); err == nil {
		t.Error("one instance was made twice")
	}
	entries, err := os.ReadDir(filepath.Join(state, "instances"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "a" {
		t.Errorf("instances: %v, %v", entries, err)
	}
	if alive, err := locked(dir); err != nil || !alive {
		t.Errorf("the first instance is no longer held: %v, %v", alive, err)
	}
}

// TestSweepRefusesOwnerAlive: the owner's process number is not to be found here,
// as where it runs in another PID namespace. Its lock is.
func TestSweepRefusesOwnerAlive(t *testing.T) {
	name, dir, runDir := testInstance(t)
	write(t, filepath.Join(dir, ownerFile), `{"pid": 4194304, "start_ticks": 1, "name": "`+name+`", "run_dir": "`+runDir+`"}`)
	owner := exec.Command("flock", "--no-fork", filepath.Join(dir, ownerFile), "sh", "-c", "echo locked; exec sleep 600")
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = owner.Wait() }()
	defer func() { _ = owner.Process.Kill() }()
	if _, err := out.Read(make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(context.Background(), name, dir, runDir, &bytes.Buffer{}); err == nil || !exists(dir) {
		t.Errorf("the instance of a living tare was swept (error %v)", err)
	}
}

// TestEnded: of a tare in another PID namespace, or from before the last boot,
// nothing is known.
func TestEnded(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Note)
		want   bool
	}{
		"runs":                  {func(*Note) {}, false},
		"has ended":             {func(n *Note) { n.StartTicks++ }, true},
		"another machine":       {func(n *Note) { n.Boot, n.StartTicks = "another", 0 }, false},
		"another PID namespace": {func(n *Note) { n.Namespace, n.PID = "pid:[1]", 4194304 }, false},
		"namespace not known":   {func(n *Note) { n.Namespace, n.PID = "", 4194304 }, false},
	} {
		n := self
		c.change(&n)
		if n.Ended() != c.want {
			t.Errorf("%s: ended %v", name, !c.want)
		}
	}
	if !strings.HasPrefix(self.Namespace, "pid:[") {
		t.Errorf("PID namespace %q", self.Namespace)
	}
}
