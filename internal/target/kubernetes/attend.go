package kubernetes

// Commands in the server's container that wait for a word, so that what they do happens at a known time.

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"

	"github.com/tarebench/tare/internal/target"
)

//go:embed attend.sh
var attendScript string

//go:embed age.sh
var ageScript string

// attendWithin bounds the start of such a command, and its answer.
const attendWithin = 10 * time.Second

// attendant is a command in a container that says "ready" and waits for a word.
type attendant struct {
	in    *io.PipeWriter
	lines chan string   // that it prints, closed at their end
	ended chan struct{} // closed when err is set
	err   error         // how it ended; nil also where its connection broke
	stop  context.CancelFunc
}

// attend starts a command in the server's container, and returns once it waits.
func (s *server) attend(ctx context.Context, script string, args ...string) (*attendant, error) {
	ctx, cancel := context.WithCancel(ctx)
	in, word := io.Pipe()
	out, print := io.Pipe()
	a := &attendant{in: word, lines: make(chan string, 8), ended: make(chan struct{}), stop: cancel}
	command := append([]string{"sh", "-c", script, "sh"}, args...)
	e, err := s.target.cluster.executor(s.podName(), s.container, command, true)
	if err != nil {
		cancel()
		return nil, err
	}
	var errs strings.Builder
	go func() {
		a.err = e.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: in, Stdout: print, Stderr: &errs})
		if ctx.Err() == nil && a.err != nil && errs.Len() > 0 { // else the text may still be written to
			a.err = fmt.Errorf("%w: %s", a.err, strings.TrimSpace(errs.String()))
		}
		_ = print.Close()
		_ = in.Close()
		close(a.ended)
	}()
	go func() {
		defer close(a.lines)
		for text := bufio.NewScanner(out); text.Scan(); {
			a.lines <- text.Text()
		}
	}()
	if _, err := a.line(ctx); err != nil {
		a.close()
		return nil, fmt.Errorf("run a command beside the server: %w", s.target.cluster.explain(withoutURL(err)))
	}
	return a, nil
}

// withoutURL is an error of a request without its URL, which has the whole script in it.
func withoutURL(err error) error {
	var sent *url.Error
	if errors.As(err, &sent) {
		at, _, _ := strings.Cut(sent.URL, "?")
		return &url.Error{Op: sent.Op, URL: at, Err: sent.Err}
	}
	return err
}

// line is the next that the command prints.
func (a *attendant) line(ctx context.Context) (string, error) {
	late := time.NewTimer(attendWithin)
	defer late.Stop()
	select {
	case text, more := <-a.lines:
		if more {
			return text, nil
		}
		<-a.ended
		if a.err != nil {
			return "", a.err
		}
		return "", errors.New("the connection broke")
	case <-late.C:
		return "", fmt.Errorf("no answer within %v", attendWithin)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// say sends the word.
func (a *attendant) say() error {
	_, err := io.WriteString(a.in, "now\n")
	return err
}

// close ends the command where it has not ended.
func (a *attendant) close() {
	_ = a.in.Close()
	a.stop()
}

// endedWithContainer tells, of a command that has ended, that it was killed with its container: a runtime then says that
// a signal ended it.
func (a *attendant) endedWithContainer() bool {
	var status exec.ExitError
	return errors.As(a.err, &status) && status.ExitStatus() > 128
}

// executor runs a command in a container.
func (c *cluster) executor(pod, container string, command []string, stdin bool) (remotecommand.Executor, error) {
	at, err := c.url("namespaces", c.namespace, "pods", pod, "exec")
	if err != nil {
		return nil, err
	}
	query := url.Values{"container": {container}, "command": command, "stdout": {"true"}, "stderr": {"true"}}
	if stdin {
		query.Set("stdin", "true")
	}
	at.RawQuery = query.Encode()
	return remotecommand.NewSPDYExecutor(c.config, http.MethodPost, at)
}

// pidFile is that of tare's own servers.
var pidFile = path.Join(target.InsideRun, target.PIDFile)

// ticks are those of a second in proc_pid_stat(5): USER_HZ is 100 on every architecture of a node.
const ticks = 100

// beganRunning is when the process of the server began, by its age: neither clock of the node is read.
func (s *server) beganRunning(ctx context.Context) (time.Time, error) {
	a, err := s.attend(ctx, ageScript, pidFile)
	if err != nil {
		return time.Time{}, err
	}
	defer a.close()
	asked := time.Now()
	if err := a.say(); err != nil {
		return time.Time{}, fmt.Errorf("ask for the server's age: %w", err)
	}
	text, err := a.line(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("ask for the server's age: %w", err)
	}
	half := time.Since(asked) / 2 // the answer was made between the two
	age, err := ageOf(text)
	return asked.Add(half - age), err
}

// ageOf reads what age.sh prints: the machine's uptime, and the line of a process, whose name in parentheses can have
// anything in it. Its start in ticks is the 22nd field.
func ageOf(text string) (time.Duration, error) {
	up, stat, _ := strings.Cut(text, " ")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const start = 22 - 3 // the first after the name is the third
	if len(fields) <= start {
		return 0, fmt.Errorf("read the server's age: %.80q", text)
	}
	uptime, err := strconv.ParseFloat(up, 64)
	if err != nil {
		return 0, fmt.Errorf("read the server's age: %w", err)
	}
	began, err := strconv.ParseFloat(fields[start], 64)
	if err != nil {
		return 0, fmt.Errorf("read the server's age: %w", err)
	}
	return time.Duration((uptime - began/ticks) * float64(time.Second)), nil
}
