package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tarebench/tare/internal/target"
)

// TestLaterSignalEndsAtOnce: the first signal cancels and says so; others within two seconds belong to
// it; a later one ends the process with the signal's code and says what is left. A verb that starts
// nothing ends at the first.
func TestLaterSignalEndsAtOnce(t *testing.T) {
	for _, c := range []struct {
		verb  string
		after []time.Duration // of each further signal, since the first
		code  int             // 0: it goes on until it has ended by itself
	}{
		{"report", nil, 143},
		{"run", nil, 0},
		{"run", []time.Duration{0, time.Millisecond, sameRequest - 1}, 0},
		{"run", []time.Duration{sameRequest}, 143},
		{"run", []time.Duration{time.Millisecond, time.Hour}, 143},
	} {
		t.Run(fmt.Sprint(c.verb, c.after), func(t *testing.T) {
			state := t.TempDir()
			owned, err := target.Own("t00000001", filepath.Join(state, "instances", "t00000001"), filepath.Join(state, "tare-run", "t00000001"), "x")
			if err != nil {
				t.Fatal(err)
			}
			defer owned.Close()
			synctest.Test(t, func(t *testing.T) {
				var said strings.Builder
				ctx, cancel := context.WithCancelCause(t.Context())
				caught, done := make(chan os.Signal, 2), make(chan struct{})
				code := 0
				go obey(&terminal{stateDir: state}, &said, caught, done, func() string { return c.verb }, cancel, func(n int) { code = n })
				start := time.Now()
				caught <- syscall.SIGTERM
				synctest.Wait()
				for _, after := range c.after {
					time.Sleep(time.Until(start.Add(after)))
					caught <- syscall.SIGTERM
					synctest.Wait()
				}
				close(done)
				synctest.Wait()
				if waits := slices.Contains(c.after, time.Hour); strings.Contains(said.String(), "10s after SIGTERM: waiting for the server of "+filepath.Join(state, "instances", "t00000001")+" to end") != waits {
					t.Errorf("what it waits for: %s", said.String())
				}
				if code != c.code {
					t.Errorf("exit %d, want %d: %s", code, c.code, said.String())
				}
				var ends interrupted
				if errors.As(context.Cause(ctx), &ends) != (c.verb == "run") {
					t.Errorf("the context's cause is %v", context.Cause(ctx))
				}
				if !strings.Contains(said.String(), "SIGTERM: stopping and removing what this command started; another") && c.verb == "run" {
					t.Errorf("what it does: %s", said.String())
				}
				for _, want := range []string{"ended at once", "t00000001", "tare clean"} {
					if strings.Contains(said.String(), want) != (c.verb == "run" && c.code != 0) {
						t.Errorf("%q in: %s", want, said.String())
					}
				}
			})
		})
	}
}

// TestSignalsEndWaits: every verb that waits for a server that accepts and never answers
// ends on SIGINT with 130 and on SIGTERM with 143, and says what it is doing.
func TestSignalsEndWaits(t *testing.T) {
	t.Parallel()
	port := muteServer(t)
	for _, c := range []struct {
		args   []string
		signal syscall.Signal
	}{
		{[]string{"load", "oltp_point_select", "run", "--mysql-host", "127.0.0.1", "--mysql-port", port.number}, syscall.SIGINT},
		{[]string{"load", "oltp_point_select", "prepare", "--mysql-host", "127.0.0.1", "--mysql-port", port.number}, syscall.SIGTERM},
		{[]string{"lint", "--live", "127.0.0.1:" + port.number}, syscall.SIGINT},
	} {
		// It waits for the server's greeting when it is signalled.
		if code, said := signalled(t, port.reached, c.signal, c.args...); code != 128+int(c.signal) || !strings.Contains(said, "tare: ") {
			t.Errorf("tare %s: exit %d: %s", strings.Join(c.args, " "), code, said)
		}
	}
}

// signalled starts tare, sends it a signal when it has reached what it waits for, and returns how it
// ended and what it said.
func signalled(t *testing.T, reached <-chan bool, signal syscall.Signal, args ...string) (code int, said string) {
	t.Helper()
	cmd := exec.Command(builtTare(t), args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-reached:
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		<-ended
	case <-ended:
		t.Errorf("tare %s did not connect", strings.Join(args, " "))
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

type mutePort struct {
	number  string
	reached chan bool
}

// muteServer accepts connections and says nothing on any of them.
func muteServer(t *testing.T) mutePort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := mutePort{strconv.Itoa(l.Addr().(*net.TCPAddr).Port), make(chan bool, 100)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.reached <- true
			go func() {
				_, _ = io.Copy(io.Discard, bufio.NewReader(c))
				c.Close()
			}()
		}
	}()
	return p
}

// TestLeftInClusterIsNamed: of an arm in a cluster the pod is named, and the command that removes its objects there.
func TestLeftInClusterIsNamed(t *testing.T) {
	l := left{arms: []target.Unremoved{{Context: "prod", Namespace: "shop", Arm: "tare-00000001", Pod: "tare-00000001-0"}, {Context: "prod", Namespace: "shop", Arm: "tare-00000002"}}}
	var said strings.Builder
	l.say(&said)
	want := "  may be left: pod shop/tare-00000001-0\n  may be left: the objects of tare-00000002 in namespace shop\n" +
		"  tare clean --namespace shop --context prod removes what is left, when the API server answers\n"
	if said.String() != want {
		t.Errorf("%s\nwant %s", said.String(), want)
	}
	if got := l.waits(); got != "waiting for the removal of pod shop/tare-00000001-0; waiting for the removal of the objects of tare-00000002 in namespace shop" {
		t.Error(got)
	}
}

// TestFollowedRunIsLeft: a signal to the command that follows a run in a cluster does not end the run, and it says so.
func TestFollowedRunIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said strings.Builder
		watching := &terminal{stateDir: t.TempDir()}
		watching.follows.Store("tare-run-x")
		caught, done := make(chan os.Signal, 1), make(chan struct{})
		go obey(watching, &said, caught, done, func() string { return "run" }, func(error) {}, func(int) {})
		caught <- syscall.SIGHUP
		synctest.Wait()
		close(done)
		synctest.Wait()
		if !strings.HasPrefix(said.String(), "tare: SIGHUP: leaving run tare-run-x; another signal, ") {
			t.Error(said.String())
		}
	})
}
