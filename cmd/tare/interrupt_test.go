package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/tarebench/tare/internal/target"
)

// TestSecondSignalEndsAtOnce: the first signal ends the context and says so, the second
// ends the process with the signal's code and says what is left. A verb that starts
// nothing ends at the first.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	// SIGWINCH: no other test asks for it, and its default is to do nothing.
	for verb, signals := range map[string]int{"run": 2, "report": 1} {
		said, exit := &lines{text: make(chan string, 20)}, make(chan int, 1)
		state := t.TempDir()
		owned, err := target.Own("t00000001", filepath.Join(state, "instances", "t00000001"), filepath.Join(state, "tare-run", "t00000001"), "x")
		if err != nil {
			t.Fatal(err)
		}
		defer owned.Close()
		var running atomic.Value
		running.Store(verb)
		ctx, stop := untilSignal(&terminal{err: said, stateDir: state}, []os.Signal{syscall.SIGWINCH}, &running, func(code int) { exit <- code })
		for n := range signals {
			if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
				t.Fatal(err)
			}
			if n == 0 && signals == 2 {
				<-ctx.Done()
				var ends interrupted
				if !errors.As(context.Cause(ctx), &ends) || ends.code() != 128+int(syscall.SIGWINCH) {
					t.Errorf("%s: the cause is %v", verb, context.Cause(ctx))
				}
			}
		}
		if code := <-exit; code != 128+int(syscall.SIGWINCH) {
			t.Errorf("%s: exit %d", verb, code)
		}
		stop()
		close(said.text)
		var all []string
		for line := range said.text {
			all = append(all, line)
		}
		text := strings.Join(all, "")
		for _, want := range []string{"a second signal ends it at once", "ended at once", "t00000001", "tare clean"} {
			if strings.Contains(text, want) != (verb == "run") {
				t.Errorf("%s: %q in: %s", verb, want, text)
			}
		}
	}
}

// lines passes on what is written.
type lines struct{ text chan string }

func (l *lines) Write(b []byte) (int, error) {
	l.text <- string(b)
	return len(b), nil
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
