package container

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// This file is the load's side: a pod of its own with a CPU limit, and how long its
// connections stand.

func (s Settings) clientContradictions() []error {
	var errs []error
	if s.Reconnect < 0 {
		errs = append(errs, target.Wrong("reconnect", "%d is not a number of transactions; write 1 or more, or leave it out", s.Reconnect))
	}
	if s.ClientCPU < 0 || s.ClientCPU == node.MaxCPU {
		errs = append(errs, target.Wrong("clientCPU", "expected an amount, such as 200m"))
	}
	return errs
}

// Generators is one where the load comes from a pod of its own.
func (c *Container) Generators() int {
	if c.settings.ClientCPU == 0 {
		return 0
	}
	return 1
}

// Reconnect is after how many transactions a connection is ended.
func (c *Container) Reconnect() int { return c.settings.Reconnect }

// addClient makes the load's pod.
func (c *Container) addClient(s *server) func(context.Context) error {
	return func(context.Context) (err error) {
		s.reconnect, s.generator = c.settings.Reconnect, c.env.Generator
		if c.settings.ClientCPU == 0 {
			return nil
		}
		limit := node.Requirements{Limit: node.Resources{CPU: c.settings.ClientCPU}}
		s.client, err = s.tree.AddPod("client", "client.", limit.Defaulted(), node.Enforced{})
		return err
	}
}

// Generators is one where the load has a pod of its own.
func (s *server) Generators() int {
	if s.client == nil {
		return 0
	}
	return 1
}

// Generate runs the generator in the load's pod, where the client is. The job, which
// holds the password, goes through its standard input.
func (s *server) Generate(ctx context.Context, job []byte, line func(number int, text []byte) error) error {
	if len(s.generator) == 0 {
		return errors.New("start generator: this tare does not know its own command")
	}
	goruntime.LockOSThread() // the kernel kills the process when the thread that started it ends
	defer goruntime.UnlockOSThread()
	return s.network.InsideClient(func() error {
		var complaint bytes.Buffer
		cmd := target.Command{
			Path: s.generator[0], Args: append(s.generator[1:len(s.generator):len(s.generator)], "/dev/stdin"),
			Env: []string{"JOB_COMPLETION_INDEX=0"}, Stdin: bytes.NewReader(job), Stderr: &complaint,
		}.Here(ctx, s.request.Name)
		stdout, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			return fmt.Errorf("start generator: %w", err)
		}
		err = errors.Join(s.client.Enter(cmd.Process.Pid), eachLine(stdout, line))
		if err != nil {
			_ = cmd.Cancel() // what it has done is of no use any more
		}
		if e := cmd.Wait(); err == nil && e != nil {
			err = fmt.Errorf("%w: %s", e, strings.TrimSpace(complaint.String()))
		}
		if err != nil {
			return fmt.Errorf("run generator: %w", errors.Join(err, ctx.Err()))
		}
		return nil
	})
}

// eachLine calls f with every line, however long: a report is one.
func eachLine(from io.Reader, f func(number int, text []byte) error) error {
	in := bufio.NewReader(from)
	for {
		text, err := in.ReadBytes('\n')
		if len(text) > 0 {
			if err := f(0, text); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
