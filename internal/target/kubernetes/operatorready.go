package kubernetes

// How an operator's database becomes ready: what its status says, for how long, and which of its
// members ends again and again.

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/operator"
)

// failedFor is how long a status has to say without a break that the database failed before the run
// ends. Operators publish `error` of every failed pass of their loop: Percona's of the first one,
// which finds no StatefulSet yet, for a database that is ready two minutes later. Five minutes is
// more than that, and more than the longest pause between two starts of a container (the kubelet's
// MaxContainerBackOff, 300 s, is as long), so that a failure that the next start mends does not count.
const failedFor = 5 * time.Minute

// becoming is a database that is not ready yet.
type becoming struct {
	last   operator.State
	failed time.Time // since when the status says failed; zero where it does not
}

// see takes in a status that was read at now.
func (b *becoming) see(state operator.State, now time.Time) {
	switch {
	case !state.Failed:
		b.failed = time.Time{}
	case b.failed.IsZero():
		b.failed = now
	}
	b.last = state
}

// hasFailed tells whether the status has said so for long enough.
func (b *becoming) hasFailed(now time.Time) bool {
	return b.last.Failed && now.Sub(b.failed) >= failedFor
}

// pending is what keeps an operator's database from being ready: a pod without a node, a container
// that ends again and again, else what the resource's status says; "" where that has not been read once.
func (b *becoming) pending(name string, found []corev1.Pod) string {
	for i := range found {
		if why := notScheduled(&found[i]); why != "" {
			return why
		}
	}
	var said []string
	if b.last.Words != "" {
		said = append(said, fmt.Sprintf("%s is not ready: %s", name, b.last.Words))
	}
	if b.last.Failed {
		said = append(said, fmt.Sprintf("the run ends if that lasts %v", failedFor))
	}
	if c := crashing(found); c != nil {
		said = append(said, c.String())
	}
	return strings.Join(said, "; ")
}

// crash is a container that ended and is started again.
type crash struct {
	pod, container string
	exitCode       int32
	reason         string // of its last end
}

// crashing is the first container that waits until it is started again, or has been started again
// twice and is not ready; nil without one. Members of a cluster do that until the first of them is
// there, so it is told, and ends nothing.
func crashing(found []corev1.Pod) *crash {
	for i := range found {
		for _, c := range slices.Concat(found[i].Status.InitContainerStatuses, found[i].Status.ContainerStatuses) {
			waits := c.State.Waiting != nil && c.State.Waiting.Reason == "CrashLoopBackOff"
			end := c.LastTerminationState.Terminated
			if end == nil || c.Ready || !waits && c.RestartCount < 2 {
				continue
			}
			return &crash{found[i].Name, c.Name, end.ExitCode, end.Reason}
		}
	}
	return nil
}

// String says nothing that changes from one start to the next, because only what stays is told.
func (c crash) String() string {
	return fmt.Sprintf("container %s of pod %s ends and is started again (CrashLoopBackOff), the last time with exit code %d (%s)", c.container, c.pod, c.exitCode, c.reason)
}

// A server's error log says in its last lines why it ended, among much else.
const (
	lastLines   = 8
	lastLinesOf = 2000 // bytes of them that are kept
)

// saidLast are the last lines of a container before its last end, in one line, with what leads to
// them; "" where no container ends again and again.
func (c *cluster) saidLast(ctx context.Context, found []corev1.Pod) string {
	of := crashing(found)
	if of == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	stream, err := c.logOf(ctx, of.pod, url.Values{"container": {of.container}, "previous": {"true"}, "tailLines": {fmt.Sprint(lastLines)}})
	if err != nil {
		return fmt.Sprintf("; its log is unknown: %v", err)
	}
	defer stream.Close()
	text, err := io.ReadAll(io.LimitReader(stream, 1<<20))
	if err != nil {
		return fmt.Sprintf("; its log is unknown: %v", err)
	}
	said := strings.Join(strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' }), " | ")
	if said == "" {
		return "; its log is empty"
	}
	if cut := len(said) - lastLinesOf; cut > 0 {
		said = strings.ToValidUTF8(said[cut:], "")
	}
	return "; its last lines are: " + said
}
