package kubernetes

// Why a server's container ended: the kernel killed it for memory, the kubelet killed it by a probe, or what the server
// itself said last.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

const (
	// diedWithin bounds the questions about a container that ended.
	diedWithin = 10 * time.Second
	// eventWithin is how long the event of a probe is waited for: the kubelet sends events beside its work.
	eventWithin = 2 * time.Second
	// lastLogLines is more than a server prints that does not start, and little of the log of one that has run.
	lastLogLines = 60
)

// lastEnd is how a container of a pod ended, which does not run or has been started again since so many restarts; nil where
// it has not.
func lastEnd(pod *corev1.Pod, container string, restarts int32) (corev1.ContainerStatus, *corev1.ContainerStateTerminated) {
	for _, c := range pod.Status.ContainerStatuses {
		t := c.State.Terminated
		if t == nil && c.RestartCount != restarts {
			t = c.LastTerminationState.Terminated
		}
		if c.Name == container && t != nil {
			return c, t
		}
	}
	return corev1.ContainerStatus{}, nil
}

// failedEnd is how a container of a pod ended that keeps the pod from being ready; nil where none has ended.
func failedEnd(pod *corev1.Pod) (corev1.ContainerStatus, *corev1.ContainerStateTerminated) {
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := c.State.Waiting; c.Ready || w != nil && w.Reason != "CrashLoopBackOff" {
			continue
		}
		if t := c.State.Terminated; t != nil && t.ExitCode != 0 {
			return c, t
		}
		if t := c.LastTerminationState.Terminated; t != nil {
			return c, t
		}
	}
	return corev1.ContainerStatus{}, nil
}

// died is how the server's container ended, with what is known of why; nil while it runs.
func (s *server) died(ctx context.Context, pod *corev1.Pod) error {
	how := death(pod, s.container, s.restarts)
	if c, t := lastEnd(pod, s.container, s.restarts); t != nil {
		return s.because(ctx, pod, c, t, how)
	}
	return how
}

// unstarted is why a pod of the server is not ready, with what is known of why its container ended. The container's log is
// that of the trial.
func (s *server) unstarted(ctx context.Context, pod *corev1.Pod, why error) error {
	c, t := failedEnd(pod)
	if t == nil {
		return why
	}
	s.pod, s.name, s.container = pod, pod.Name, c.Name
	return s.because(ctx, pod, c, t, why)
}

// because adds to how a container ended why it did.
func (s *server) because(ctx context.Context, pod *corev1.Pod, c corev1.ContainerStatus, t *corev1.ContainerStateTerminated, how error) error {
	s.earlier = c.State.Terminated == nil
	if t.Reason == oomKilled {
		return ended(pod, c, t)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), diedWithin)
	defer cancel()
	if probe, said := s.target.cluster.probeKill(ctx, pod, c.Name, t); probe != "" {
		return record.WithAdvice.Error(target.ErrProbe, record.KilledByProbe.Say(probe, said), record.AdviseProbe.Say())
	}
	if said := s.target.cluster.saidBy(ctx, pod.Name, c.Name, c.State.Terminated == nil); said != "" {
		return record.Said.Error(errors.Join(mysqld.ErrDied, how), how.Error(), said)
	}
	return how
}

// probeEvent are the kubelet's words of a container that it ends by a probe (pkg/kubelet/kuberuntime/kuberuntime_manager.go),
// and failedProbe those of the probe before (pkg/kubelet/prober/prober.go).
var (
	probeEvent  = regexp.MustCompile(`failed (liveness|startup) probe`)
	failedProbe = regexp.MustCompile(`(?i)^(liveness|startup) probe (?:failed|errored[^:]*): `)
)

// probeKill is the probe by which the kubelet ended a container, and what the probe said; "" where no event says that. The
// kubelet's events can be later than the end.
func (c *cluster) probeKill(ctx context.Context, pod *corev1.Pod, container string, t *corev1.ContainerStateTerminated) (probe, said string) {
	ctx, cancel := context.WithTimeout(ctx, diedWithin/2)
	defer cancel()
	for begun := time.Now(); ; {
		all, err := c.eventsOf(ctx, pod.Name, pod.UID)
		if err == nil {
			if probe, said = killedByProbe(all, container, t); probe != "" {
				return probe, said
			}
		}
		if !bySignal(t) || time.Since(begun) > eventWithin || pause(ctx, pollEvery) != nil {
			return "", ""
		}
	}
}

// bySignal tells whether a container can have ended by the signals of a kubelet: SIGTERM, on which a server shuts down, and
// SIGKILL.
func bySignal(t *corev1.ContainerStateTerminated) bool {
	return t.ExitCode == 0 || t.ExitCode == 128+9 || t.ExitCode == 128+15
}

// killedByProbe is probeKill of these events. Those of an earlier or later end of the container do not count.
func killedByProbe(all []corev1.Event, container string, t *corev1.ContainerStateTerminated) (probe, said string) {
	of := slices.DeleteFunc(slices.Clone(all), func(e corev1.Event) bool {
		return e.InvolvedObject.FieldPath != "spec.containers{"+container+"}" || !during(e, t)
	})
	for _, e := range of {
		if m := probeEvent.FindStringSubmatch(e.Message); e.Reason == "Killing" && m != nil {
			probe, said = m[1], e.Message
		}
	}
	for _, e := range of {
		if m := failedProbe.FindStringSubmatch(e.Message); e.Reason == "Unhealthy" && m != nil && strings.EqualFold(m[1], probe) {
			said = e.Message[len(m[0]):]
		}
	}
	return probe, inLine(said)
}

// during tells whether an event can have happened while the container ran that ended so. Times of events are whole seconds.
func during(e corev1.Event, t *corev1.ContainerStateTerminated) bool {
	first, last := e.FirstTimestamp.Time, e.LastTimestamp.Time
	if last.IsZero() { // of the newer API of events
		first, last = e.EventTime.Time, e.EventTime.Time
		if e.Series != nil {
			last = e.Series.LastObservedTime.Time
		}
	}
	began, ended := t.StartedAt.Truncate(time.Second), t.FinishedAt.Add(time.Second)
	return !last.Before(began) && !first.After(ended)
}

// longestWords is more than the words of a probe need that say something.
const longestWords = 400

// inLine is a text in one line, and not longer than what is read.
func inLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > longestWords {
		return strings.ToValidUTF8(text[:longestWords], "") + "..."
	}
	return text
}

// saidBy is what a container, or with previous the one before its last start, said last: the errors of a server, else its last
// line; "" where that is unknown.
func (c *cluster) saidBy(ctx context.Context, pod, container string, previous bool) string {
	stream, err := c.logOf(ctx, pod, url.Values{"container": {container}, "previous": {strconv.FormatBool(previous)}, "tailLines": {fmt.Sprint(lastLogLines)}})
	if err != nil { // the message that this is for says enough
		return ""
	}
	defer stream.Close()
	b, _ := io.ReadAll(io.LimitReader(stream, 1<<20)) // as much as came
	if said := mysqld.ErrorLines(string(b)); said != "" {
		return said
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return inLine(lines[len(lines)-1])
}

// lastWords is saidBy behind a message about a container.
func (c *cluster) lastWords(ctx context.Context, pod, container string) string {
	if said := c.saidBy(ctx, pod, container, false); said != "" {
		return "; it said: " + said
	}
	return ""
}
