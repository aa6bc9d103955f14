package targettest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/target"
)

// orphanVariable, when set, makes this test binary a tare that is going to be
// killed: it holds the request to start.
const orphanVariable = "TARE_TEST_ORPHAN"

// freezeVariable, when set, has it freeze its server.
const freezeVariable = "TARE_TEST_FREEZE"

// frozenLater is a moment at which the server is frozen, as one that is not on.
const frozenLater = "frozen, later"

// up is what that process prints when its server runs.
const up = "orphan: server started"

// testTareKilled: a tare that is killed leaves nothing that a sweep does not
// find and remove.
func testTareKilled(t *testing.T, s suite) {
	for _, moment := range []struct {
		name  string
		delay time.Duration // after the server runs; negative: kill it in Start
	}{{"in Start", -1}, {"at once", 0}, {frozenLater, 2 * time.Second}} {
		t.Run(moment.name, func(t *testing.T) {
			r := s.request()
			tare := startTare(t, r, moment.delay >= 0)
			if moment.delay < 0 {
				time.Sleep(50 * time.Millisecond)
			}
			time.Sleep(max(0, moment.delay))
			if err := tare.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = tare.Wait() // "signal: killed"
			var log bytes.Buffer
			if err := target.Sweep(context.Background(), r.Name, r.Dir, r.RunDir, &log); err != nil {
				t.Errorf("Sweep: %v\n%s", err, log.String())
			}
			t.Logf("swept:\n%s", log.String())
			found, err := target.Scan(r.Name, r.Dir, r.RunDir)
			if err != nil || found.String() != "" {
				t.Errorf("left behind after the sweep (error %v):\n%s", err, found)
			}
		})
	}
}

// startTare runs this test again, in a process of its own, up to where its
// server runs or, without wait, to where Start begins.
func startTare(t *testing.T, r target.Request, wait bool) *exec.Cmd {
	t.Helper()
	r.Log = nil
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	// Up to the test that called Run, without this one.
	names := strings.Split(t.Name(), "/")
	for i := range names {
		names[i] = "^" + regexp.QuoteMeta(names[i]) + "$"
	}
	tare := exec.Command(os.Args[0], "-test.v", "-test.run="+strings.Join(names[:len(names)-2], "/"))
	// What it makes for its own tests it cannot remove: it is killed.
	tare.Env = append(os.Environ(), orphanVariable+"="+string(b), "TMPDIR="+t.TempDir())
	if names[len(names)-1] == "^"+regexp.QuoteMeta(strings.ReplaceAll(frozenLater, " ", "_"))+"$" {
		tare.Env = append(tare.Env, freezeVariable+"=1")
	}
	out, err := tare.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tare.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tare.Process.Signal(syscall.SIGKILL) })
	want := up
	if !wait {
		want = "orphan: starting"
	}
	var seen strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		seen.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), want) {
			go func() { _, _ = io.Copy(io.Discard, out) }() // until it is killed
			return tare
		}
	}
	t.Fatalf("the second process did not come to %q:\n%s", want, seen.String())
	return nil
}

// orphanage is the other process's part. It tells whether this is that process.
func orphanage(t *testing.T, s suite) bool {
	text := os.Getenv(orphanVariable)
	if text == "" {
		return false
	}
	var r target.Request
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	r.Log = io.Discard
	say := func(line string) {
		if _, err := os.Stdout.WriteString(line + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	say("orphan: starting")
	server, err := s.target.Start(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if freeze := server.Capabilities().Freeze; freeze != nil && os.Getenv(freezeVariable) != "" {
		_ = freeze() // some may still run
	}
	say(up)
	time.Sleep(time.Minute)
	return true
}
