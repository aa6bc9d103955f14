package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/target"
)

// TestProbeBeside asks a `tare probe beside` of this machine, as a run in a cluster
// asks one of the server's node. A program of the server's name stands for it.
func TestProbeBeside(t *testing.T) {
	t.Parallel()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	program := filepath.Join(t.TempDir(), "mysqld")
	copyFile(t, sleep, program)
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("TARE_INSTANCE=beside-%d", os.Getpid()) // another run of this test has a server too
	startWith(t, exec.Command(program, "600"), mark)
	watch := exec.Command(builtTare(t), "probe", "beside", "--variable", mark, "--data", "/")
	said, err := watch.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	startWith(t, watch, "A=1")
	line, err := bufio.NewReader(said).ReadString('\n')
	_, at, ok := strings.Cut(strings.TrimSpace(line), " on ")
	if err != nil || !ok || !strings.HasPrefix(line, target.ProbesOf) {
		t.Fatalf("it said %q, %v", line, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := probe.Reach(ctx, func(ctx context.Context) (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, "tcp", at) })
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	declared, known := map[string]bool{}, map[string]bool{}
	for _, l := range b.Lines {
		switch {
		case l.Metric != nil:
			declared[l.Metric.Name] = true
		case l.Fact != nil && l.Fact.Unknown == "":
			known[l.Fact.Key] = true
		}
	}
	if !declared["server.threads"] || !declared["host.cpu.idle_ns"] || !declared["probe.cpu_ns"] || declared["mysql.questions"] || declared["conntrack.entries"] {
		t.Errorf("declared: %v", declared)
	}
	if !known["host.kernel"] || !known["host.cpu.count"] || known["host.os"] || !known["data.filesystem"] {
		t.Errorf("facts: %v", known)
	}
	for args, says := range map[string]string{
		"":                                "name the server",
		"--container x --variable A=1":    "name the server",
		"--variable " + mark + "-of-none": "none of the",
		"--container x --listen moon":     "--listen",
	} {
		var conversation bytes.Buffer
		code := run(append([]string{"probe", "beside"}, strings.Fields(args)...), &terminal{in: os.Stdin, out: new(bytes.Buffer), err: &conversation})
		if code == exitDone || !strings.Contains(conversation.String(), says) {
			t.Errorf("beside %s: exit code %d, %s; want %q", args, code, conversation.String(), says)
		}
	}
}

// startWith starts a program with one more variable, and ends it with the test.
func startWith(t *testing.T, c *exec.Cmd, variable string) {
	t.Helper()
	c.Env = append(os.Environ(), variable)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
	})
}
