package kubernetes

// The stream of tare's program into a container that waits for it.

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"

	"github.com/tarebench/tare/internal/fault"
)

//go:embed program-store.sh
var programStore string

// programLook asks a container for its machine, and whether it has gzip.
const programLook = `uname -m; if command -v gzip >/dev/null; then echo gzip; fi`

const (
	// streamAttempts is how often a stream is begun: its connection breaks where a proxy cuts it
	// or the API server restarts. The whole program is sent again.
	streamAttempts = 6
	streamAfter    = time.Second // between two attempts
	// foundWithin is how long a kubelet on a busy machine may not know a container that it has reported as running: exec
	// looks into the kubelet's cache of the runtime (pkg/kubelet/kubelet_pods.go, findContainer).
	foundWithin = time.Minute
)

// errUntaken is the cause of the end of a stream that the pod no longer takes.
var errUntaken = errors.New("the pod has stopped reading")

// deliver streams the program into a directory of a running container, which waits for it.
func (c *cluster) deliver(ctx context.Context, s supply, pod, container, dir string) error {
	if !s.streamed {
		return nil
	}
	return c.put(ctx, s.choose, pod, container, dir)
}

// put streams the program that choose has for the container's architecture.
func (c *cluster) put(ctx context.Context, choose func(arch string) (*program, error), pod, container, dir string) error {
	failed := func(err error) error { return fmt.Errorf("stream tare's program into pod %s: %w", pod, c.explain(err)) }
	var looked string
	err := repeatedly(ctx, func() (err error) {
		looked, err = c.exec(ctx, pod, container, []string{"sh", "-c", programLook}, nil)
		return err
	})
	if err != nil {
		return failed(err)
	}
	machine, tool, _ := strings.Cut(strings.TrimSpace(looked), "\n")
	arch, known := machines[machine]
	if !known {
		return failed(fmt.Errorf("uname -m says %.40q, which is no architecture that tare has a program for", machine))
	}
	p, err := choose(arch)
	if err == nil {
		err = repeatedly(ctx, func() error { return c.store(ctx, p, tool == "gzip", pod, container, dir) })
	}
	if err != nil {
		return failed(err)
	}
	fault.At("cluster: streamed")
	return nil
}

// repeatedly does something until it succeeds, has been attempted often enough, or fails in a way
// that another attempt does not change.
func repeatedly(ctx context.Context, do func() error) error {
	begun := time.Now()
	for attempt := 1; ; attempt++ {
		err := do()
		if err != nil && strings.Contains(err.Error(), "container not found") && time.Since(begun) < foundWithin {
			attempt = 0
		}
		if err == nil || apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || ctx.Err() != nil {
			return err
		}
		if attempt == streamAttempts {
			return fmt.Errorf("after %d attempts: %w", attempt, err)
		}
		if err := pause(ctx, streamAfter); err != nil {
			return err
		}
	}
}

// store sends the program once. That it is there is what the pod says, not that nothing failed:
// client-go takes the end of a connection for the end of a command (remotecommand, watchErrorStream).
func (c *cluster) store(ctx context.Context, p *program, packed bool, pod, container, dir string) error {
	form, length, text, err := p.form(packed)
	if err != nil {
		return fmt.Errorf("unpack program: %w", err)
	}
	command := []string{"sh", "-c", programStore, "sh", dir, strconv.FormatInt(length, 10), form, strconv.FormatInt(p.size, 10), p.sha256}
	said, err := c.exec(ctx, pod, container, command, text)
	if err == nil && strings.TrimSpace(said) != "stored" {
		err = errors.New("the connection broke before the program was stored")
	}
	return err
}

// exec runs a command in a container and returns what it printed. SPDY by POST, as for forwarded
// ports, takes the permission create alone; a WebSocket by GET takes get as well.
func (c *cluster) exec(ctx context.Context, pod, container string, command []string, in io.Reader) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(stallAfter, func() { cancel(errUntaken) })
	defer late.Stop()
	var out, errs bytes.Buffer
	o := remotecommand.StreamOptions{Stdout: &out, Stderr: &errs}
	if in != nil {
		o.Stdin = takenReader{in, late}
	}
	e, err := c.executor(pod, container, command, in != nil)
	if err != nil {
		return "", err
	}
	err = e.StreamWithContext(ctx, o)
	if ctx.Err() != nil { // the buffers may still be written to
		return "", context.Cause(ctx)
	}
	var ended exec.ExitError
	if errors.As(err, &ended) {
		err = fmt.Errorf("%w: %s", ended, strings.TrimSpace(errs.String()))
	}
	return out.String(), err
}

// takenReader postpones a stall with everything that is taken of it.
type takenReader struct {
	from io.Reader
	late *time.Timer
}

func (t takenReader) Read(p []byte) (int, error) {
	t.late.Reset(stallAfter)
	return t.from.Read(p)
}
