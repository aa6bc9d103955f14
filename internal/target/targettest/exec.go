package targettest

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/target"
)

// testExec: commands run on both sides, and end when they should.
func testExec(t *testing.T, s suite) {
	r := s.request()
	before := look(t, r)
	server := s.start(t, r)
	sides := []struct {
		name string
		side target.Side
	}{{"client", target.ClientSide}, {"server", target.ServerSide}}
	for _, side := range sides {
		t.Run(side.name, func(t *testing.T) {
			if side.side == target.ServerSide && s.target.Data() == target.InServer {
				if err := server.Exec(context.Background(), side.side, shell("true")); err == nil {
					t.Error("a command ran beside someone else's server")
				}
				return
			}
			execPrints(t, server, side.side)
			execExits(t, server, side.side)
			execCancelled(t, server, side.side, r)
			execLeavesChild(t, server, side.side, r)
		})
	}
	if err := server.Alive(); err != nil {
		t.Errorf("the server ended with a command beside it: %v", err)
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	before.same(t)
	if err := server.Exec(context.Background(), target.ServerSide, shell("true")); err == nil {
		t.Error("a command ran beside a stopped server")
	}
}

func shell(script string) target.Command {
	return target.Command{Path: "/bin/sh", Args: []string{"-c", script}}
}

// execPrints: standard input, output, error and environment arrive.
func execPrints(t *testing.T, server target.Server, side target.Side) {
	t.Helper()
	var out, complaint bytes.Buffer
	c := shell(`read line; echo "got $line"; echo "$WORD" >&2`)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader("a line\n"), &out, &complaint
	c.Env = []string{"WORD=a word"}
	if err := server.Exec(context.Background(), side, c); err != nil {
		t.Errorf("Exec: %v; %s", err, complaint.String())
	}
	if got, want := out.String()+complaint.String(), "got a line\na word\n"; got != want {
		t.Errorf("the command printed %q, want %q", got, want)
	}
}

// execExits: the exit status can be told, and so can a program that is missing.
func execExits(t *testing.T, server target.Server, side target.Side) {
	t.Helper()
	err := server.Exec(context.Background(), side, shell("exit 7"))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("a command with exit status 7 returned %v", err)
	}
	if err := server.Exec(context.Background(), side, target.Command{Path: "/no/such/program"}); err == nil {
		t.Error("a program that does not exist ran")
	}
}

// execCancelled: when the context ends, the command and its children end.
func execCancelled(t *testing.T, server target.Server, side target.Side, r target.Request) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- server.Exec(ctx, side, shell("sleep 1000 & sleep 1000; true")) }()
	for deadline := time.Now().Add(hang); sleepers(t, r) < 3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the command and its two children do not run: %d do", sleepers(t, r))
		}
	}
	cancel()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a command whose context ended returned no error")
		}
	case <-time.After(hang):
		t.Fatal("Exec does not return when its context ends")
	}
	gone(t, r)
}

// execLeavesChild: a child that outlives its command does not outlive Exec, and
// does not hold it up.
func execLeavesChild(t *testing.T, server target.Server, side target.Side, r target.Request) {
	t.Helper()
	var out bytes.Buffer
	c := shell("sleep 1000 & echo done")
	c.Stdout = &out
	begun := time.Now()
	if err := server.Exec(context.Background(), side, c); err != nil {
		t.Errorf("Exec: %v", err)
	}
	if took := time.Since(begun); took > hang {
		t.Errorf("Exec waited %s for a child of its command", took)
	}
	if out.String() != "done\n" {
		t.Errorf("the command printed %q", out.String())
	}
	gone(t, r)
}

// gone: killed processes have ended, though the kernel may not have removed them yet.
func gone(t *testing.T, r target.Request) {
	t.Helper()
	for deadline := time.Now().Add(hang); sleepers(t, r) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%d processes of the command still run", sleepers(t, r))
			return
		}
	}
}
