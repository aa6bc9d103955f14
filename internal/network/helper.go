package network

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ready is what a helper prints when it is at work.
const ready = "ready\n"

// helper is a process that packets go through. It ends with its standard input,
// and so with the tare that started it.
type helper struct {
	cmd   *exec.Cmd
	stdin io.Closer
	once  sync.Once
}

// startHelper starts one in a namespace and waits until it is at work.
func (n *Network) startHelper(ctx context.Context, name string, args ...string) error {
	if len(n.helper) == 0 {
		return errors.New("start helper: this tare does not know its own command")
	}
	cmd := exec.Command(n.helper[0], append(n.helper[1:len(n.helper):len(n.helper)], args...)...)
	cmd.Env = []string{"TARE_INSTANCE=" + n.instance}
	// A terminal's interrupt is not for it: the trial ends in its own order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var complaint strings.Builder
	cmd.Stderr = &complaint
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start helper %s: %w", args[0], err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start helper %s: %w", args[0], err)
	}
	if err := Inside(n.path(name), cmd.Start); err != nil {
		return fmt.Errorf("start helper %s: %w", args[0], err)
	}
	h := &helper{cmd: cmd, stdin: stdin}
	n.helpers = append(n.helpers, h)
	said := make(chan error, 1)
	go func() {
		line, err := bufio.NewReader(stdout).ReadString('\n')
		if err == nil && line != ready {
			err = fmt.Errorf("it said %q", line)
		}
		said <- err
	}()
	select {
	case err = <-said:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		h.stop()
		return fmt.Errorf("start helper %s: %w: %s", args[0], err, oneLine(complaint.String()))
	}
	return nil
}

// stop ends the process and waits for it. It can be repeated.
func (h *helper) stop() {
	h.once.Do(func() {
		h.stdin.Close()
		kill := time.AfterFunc(2*time.Second, func() { _ = h.cmd.Process.Kill() }) // it has ended by itself
		defer kill.Stop()
		_ = h.cmd.Wait() // how it ended is of no use to anyone
	})
}

// oneLine is a text of several lines as one.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(strings.TrimSpace(text), func(r rune) bool { return r == '\n' }), "; ")
}
