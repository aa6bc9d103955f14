package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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
	runs := filepath.Join(state, "tare-run")
	if found, err := Instances(state, runs); err != nil || len(found) != 0 {
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
		`{"pid": 4194304, "name": "number-of-no-process", "run_dir": "`+filepath.Join(runs, "number-of-no-process")+`"}`)
	mkdir(t, filepath.Join(state, "instances", "bare"))
	dead("stray", func(n *Note) { n.RunDir = home(t) })
	// Where a user of that name, or another program, has files.
	tarek := mkdir(t, filepath.Join(home(t), "tarek"))
	dead("prefix", func(n *Note) { n.RunDir = tarek })
	other := mkdir(t, filepath.Join(runs, "other"))
	dead("of-another", func(n *Note) { n.RunDir = other })
	dead("above", func(n *Note) { n.RunDir = runs })
	dead("relative", func(n *Note) { n.RunDir = "tare/run" })
	dead("empty", func(n *Note) { n.RunDir = "" })
	write(t, filepath.Join(dead("torn", nil), ownerFile), `{"pid": 1`)
	mkdir(t, filepath.Join(state, "instances", unfinished+"without-note"))
	write(t, filepath.Join(mkdir(t, filepath.Join(state, "instances", unfinished+"torn-note")), ownerFile), `{"pid`)

	want := map[string]struct{ alive, broken bool }{
		"alive": {alive: true}, "number-of-a-living-process": {}, "number-of-no-process": {alive: true},
		"prefix": {broken: true}, "of-another": {broken: true}, "above": {broken: true},
		"stray": {broken: true}, "relative": {broken: true}, "empty": {broken: true}, "torn": {broken: true}, "bare": {broken: true},
		unfinished + "without-note": {broken: true}, unfinished + "torn-note": {broken: true},
	}
	found, err := Instances(state, runs)
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
	for _, dir := range []string{home(t), tarek, other} {
		if !exists(dir) {
			t.Errorf("a note led the sweep to %s, which is not the instance's", dir)
		}
	}
}

// TestInstancesOfAnotherUser: nothing is listed where another user can have put a note, and no
// instance is made where it would not be listed.
func TestInstancesOfAnotherUser(t *testing.T) {
	state := t.TempDir()
	o, dir := own(t, state, "a")
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	refused := func(why, want string) {
		t.Helper()
		found, err := Instances(state, filepath.Join(state, "tare-run"))
		if err == nil || !strings.Contains(err.Error(), want) || len(found) > 0 {
			t.Errorf("%s: %v, %v; want %q", why, found, err, want)
		}
		b := filepath.Join(state, "instances", "b")
		made, err := Own("b", b, filepath.Join(state, "tare-run", "b"), "/runs/x")
		if err == nil || !strings.Contains(err.Error(), want) || exists(b) || exists(filepath.Join(state, "instances", unfinished+"b")) {
			t.Errorf("%s: an instance was made, or %v; want %q", why, err, want)
		}
		if err == nil {
			_ = made.Close()
		}
	}
	instances := filepath.Dir(dir)
	if err := os.Chmod(instances, 0o777); err != nil {
		t.Fatal(err)
	}
	refused("a directory for everyone", "other users can write")
	elsewhere := filepath.Join(state, "elsewhere")
	if err := errors.Join(os.Chmod(instances, 0o755), os.Rename(instances, elsewhere), os.Symlink(elsewhere, instances)); err != nil {
		t.Fatal(err)
	}
	refused("a link", "symbolic link")
	if os.Geteuid() != 0 {
		return
	}
	if err := errors.Join(os.Remove(instances), os.Rename(elsewhere, instances), os.Chown(instances, 65534, -1)); err != nil {
		t.Fatal(err)
	}
	refused("another user's", "belongs to user 65534")
}

// TestSweepWaitsForNote: a tare may just be making the instance.
func TestSweepWaitsForNote(t *testing.T) {
	state := t.TempDir()
	dir := mkdir(t, filepath.Join(state, "instances", unfinished+"new"))
	found, err := Instances(state, filepath.Join(state, "tare-run"))
	if err != nil || len(found) != 1 || found[0].Err == nil {
		t.Fatalf("Instances: %+v, %v", found, err)
	}
	note, err := lockedNote(dir, Note{Name: "new", RunDir: filepath.Join(state, "tare-run", "new")})
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

// hiddenVariable has the note that TestEndedHidden reads in a process of its own.
const hiddenVariable = "TARE_TEST_HIDDEN_NOTE"

// TestEndedHidden: a tare whose directory in /proc cannot be read, as that of another user
// under hidepid (proc(5)), runs. An empty file system over its directory hides it.
func TestEndedHidden(t *testing.T) {
	if text := os.Getenv(hiddenVariable); text != "" {
		var n Note
		if err := json.Unmarshal([]byte(text), &n); err != nil {
			t.Fatal(err)
		}
		if _, err := startTicks(n.PID); err == nil {
			t.Fatal("the process is not hidden")
		}
		if n.Ended() {
			t.Error("a tare that runs counts as ended")
		}
		n.PID = 4194305 // above PID_MAX_LIMIT
		if !n.Ended() {
			t.Error("a tare that has ended does not count as ended")
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can mount")
	}
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(self)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("unshare", "--mount", "sh", "-c", `mount -t tmpfs none "/proc/$1" && exec "$2" -test.run='^TestEndedHidden$' -test.v`, "sh", strconv.Itoa(self.PID), os.Args[0])
	cmd.Env = append(os.Environ(), hiddenVariable+"="+string(b))
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: TestEndedHidden") {
		t.Errorf("%v\n%s", err, out)
	}
}
