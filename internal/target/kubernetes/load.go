package kubernetes

// The load from inside the cluster: an Indexed Job whose pods run `tare load part`.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

const loadContainer = "load"

// A load ends by itself, and its context ends one that does not. The cluster's own
// deadline is later than both, and there is one for a load without a limit, too.
const (
	afterDeadline = time.Minute
	longestLoad   = 24 * time.Hour
)

// deadline is how long the cluster lets a load of this context run.
func deadline(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return longestLoad
	}
	return max(0, time.Until(end)) + afterDeadline
}

// loadName is that of the load's objects.
func (s *server) loadName() string { return s.target.id + "-" + s.loadPart() }

// Generators are the load's pods; 0: the load comes from this host.
func (s *server) Generators() int { return s.target.settings.generators() }

// loaders are the generators of the arm's own load.
func (s *server) loaders() loaders {
	set, m := s.target.settings, s.meta()
	m.Name = s.loadName()
	m.Labels[roleLabel] = loadRole
	return loaders{
		cluster: s.target.cluster, meta: m, trial: s.request.Name, count: s.Generators(), supply: s.supply(),
		nodes: onNode(set.ClientNode), tolerate: set.Tolerate, request: set.ClientCPURequest, beside: s.request.LoadBeside,
		annotations: set.attached(), device: set.AttachmentResource,
	}
}

// Generate has the load's pods, or a container of the server's pod, carry out the job.
func (s *server) Generate(ctx context.Context, job []byte, line func(int, []byte) error) error {
	if s.target.settings.Client == "" {
		return s.loaders().generate(ctx, job, line)
	}
	if err := s.target.cluster.apply(ctx, secrets, s.loadName(), s.loaders().secret(job)); err != nil {
		return err
	}
	return s.generateInside(ctx, line)
}

// clearGenerators removes the load's Job, its pods and its Secret.
func (s *server) clearGenerators(ctx context.Context) error {
	return s.target.cluster.removeAll(ctx, fromKinds, labels.Set(s.loaders().meta.Labels).String())
}

// loadFacts say where the load came from.
func (s *server) loadFacts(ctx context.Context) []record.Fact {
	if s.target.settings.Client != "" {
		return []record.Fact{{Key: keys.LoadClient, Value: s.target.settings.Client, Source: "job " + s.loadName()}}
	}
	return s.loaders().facts(ctx)
}

// follow passes on what one generator prints, until its pod has ended well.
func (l loaders) follow(ctx context.Context, number int, line func(int, []byte) error) error {
	passed := 0 // lines that have been passed on
	begun := time.Now()
	var away error                 // what kept the API server from answering the last time
	var seen, heard time.Time      // when the pod was found, and when its log was read
	delivered := false             // the program is in the pod
	ask := begun.Add(refusedAfter) // why there is no pod
	for {
		pod, err := l.pod(ctx, number)
		switch {
		case ctx.Err() != nil && away != nil:
			return fmt.Errorf("follow load pod %d: %w: %w", number, target.ErrUnseen, away)
		case err != nil && !retryable(err) && !settling(err, seen):
			return fmt.Errorf("look at load pod %d: %w", number, l.cluster.explain(err))
		case err != nil && !ownLimit(err):
			away = err
		case err != nil:
		case pod == nil && (passed > 0 || time.Since(begun) > time.Minute):
			return fmt.Errorf("load pod %d is gone", number)
		case pod == nil && time.Now().After(ask):
			if why := l.refused(ctx); why != "" {
				return fmt.Errorf("load pod %d is refused: %s", number, advisedOfLoad(why))
			}
			ask = time.Now().Add(2 * time.Second)
		case pod == nil:
		case stuck(pod) != "":
			return fmt.Errorf("load pod %d does not run: %s%s", number, advised(stuck(pod)), l.cluster.lastWords(ctx, pod.Name, loadContainer))
		case pod.Status.Phase == corev1.PodRunning && !delivered:
			if err := l.cluster.deliver(ctx, l.supply, pod.Name, loadContainer, programDir); err != nil {
				return err
			}
			delivered = true
			continue
		case pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodSucceeded:
			n, err := l.pass(ctx, pod.Name, loadContainer, number, passed, line)
			if passed += n; n > 0 {
				heard = time.Now()
			}
			if err == nil && pod.Status.Phase == corev1.PodSucceeded {
				return nil // and its log was read to the end after that
			}
			var refused errLine
			if errors.As(err, &refused) || ctx.Err() != nil {
				return errors.Join(err, context.Cause(ctx))
			}
			if apierrors.IsForbidden(err) && !settling(err, heard) {
				return fmt.Errorf("follow load pod %d: %w", number, l.cluster.explain(err))
			}
		case time.Since(begun) > time.Minute:
			return fmt.Errorf("load pod %d was not scheduled within a minute: %s", number, unplaced(pod))
		}
		if err == nil {
			away, seen = nil, time.Now()
		}
		if err := pause(ctx, pollEvery); err != nil && away == nil {
			return fmt.Errorf("follow load pod %d: %w", number, err)
		}
	}
}

// ownLimit tells that a request was not sent because client-go's own rate limiter would
// have sent it after the end of ctx: that says nothing of the API server. client-go has
// no error of its own for it (rest/request.go, tryThrottle).
func ownLimit(err error) bool { return strings.Contains(err.Error(), "client rate limiter Wait") }

// errLine is what a reader of lines returned: not the connection's, so not repaired
// by another.
type errLine struct{ error }

func (e errLine) Unwrap() error { return e.error }

// pass reads the log of a pod's container from the beginning, skips the lines that have been
// passed on, and says how many more it passed on.
func (l loaders) pass(ctx context.Context, pod, container string, number, skip int, line func(int, []byte) error) (int, error) {
	stream, err := l.cluster.logs(ctx, pod, container, true)
	if err != nil {
		return 0, err
	}
	defer stream.Close()
	n := 0
	lines := bufio.NewReaderSize(stream, 1<<16)
	for {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return max(0, n-skip), nil
		}
		if err != nil { // the connection broke; half a line comes whole the next time
			return max(0, n-skip), fmt.Errorf("read the log of load pod %d: %w", number, err)
		}
		n++
		if n <= skip {
			continue
		}
		if err := line(number, text); err != nil {
			return n - skip, errLine{err}
		}
	}
}

func unplaced(pod *corev1.Pod) string {
	c := scheduling(pod)
	if c == nil {
		return "the scheduler has not said why"
	}
	return c.Message
}
