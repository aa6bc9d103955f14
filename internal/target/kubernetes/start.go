package kubernetes

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
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// hopeless are the reasons of a waiting container that waiting does not resolve,
// or not within a trial (pkg/kubelet/images/types.go, pkg/kubelet/container/sync_result.go).
var hopeless = []string{"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "CrashLoopBackOff"}

// isHopeless tells whether waiting does not help a container. A kubelet on a busy node that did not get a Secret or ConfigMap in
// time says CreateContainerConfigError too, and tries again (pkg/kubelet/util/manager, "failed to sync %s cache: %v").
func isHopeless(w *corev1.ContainerStateWaiting) bool {
	return slices.Contains(hopeless, w.Reason) && !strings.Contains(w.Message, "cache: timed out waiting for the condition")
}

// within is how long a pod may take to be ready.
func (s *server) within() time.Duration {
	if s.request.ReadyWithin <= 0 {
		return time.Minute
	}
	return s.request.ReadyWithin
}

// running waits until the server's container runs.
func (s *server) running(ctx context.Context) error {
	within := s.within()
	limit, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var last *corev1.Pod
	var waited wait
	var asks refusing
	asked := time.Now() // whether the pod may be made
	for {
		pod, err := get[corev1.Pod](limit, s.target.cluster, pods, s.podName())
		switch {
		case err == nil:
			last = pod
			if started(pod) {
				s.pod = pod
				return nil
			}
			if why := stuck(pod); why != "" {
				err := errors.New(record.PodStuck.Say(s.podName(), advised(why)))
				if isNowhere(pod, why) {
					return target.Hopeless{Err: err}
				}
				return s.unstarted(ctx, pod, err)
			}
			s.waits(&waited, pending(pod))
		case !apierrors.IsNotFound(err) && !retryable(err) && limit.Err() == nil:
			return s.target.cluster.explain(err)
		}
		if err := pause(limit, pollEvery); err != nil {
			if ctx.Err() != nil {
				return awaiting(notScheduled(last), context.Cause(ctx))
			}
			return s.late(ctx, last, within)
		}
		if time.Since(asked) > 2*time.Second {
			asked = time.Now()
			if err := s.asks(limit, last, &asks, &waited); err != nil {
				return err
			}
		}
	}
}

// asks looks in events for what waiting does not change: that the pod may not be made, or that its claim names a
// StorageClass which the cluster does not have.
func (s *server) asks(ctx context.Context, pod *corev1.Pod, r *refusing, w *wait) error {
	if pod == nil {
		why := s.target.cluster.refused(ctx, "StatefulSet", statefulSets, s.target.id)
		s.waits(w, why)
		return r.see(why, time.Now())
	}
	if unscheduled(pod) != "" && s.target.settings.makesClaim() {
		if why := s.target.cluster.classless(ctx, s.target.id); why != "" {
			return target.Hopeless{Err: errors.New(record.PodStuck.Say(s.podName(), advised(why)))}
		}
	}
	return nil
}

func started(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.Name == containerName && c.State.Running != nil
	}) && pod.Status.PodIP != ""
}

// stuck says why a pod will not start, "" while it may.
func stuck(pod *corev1.Pod) string {
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := c.State.Waiting; w != nil && isHopeless(w) {
			return record.ContainerWaits.Say(w.Reason, w.Message, c.Image)
		}
		if t := c.State.Terminated; t != nil && t.ExitCode != 0 {
			return record.ContainerFailed.Say(c.Name, fmt.Sprint(t.ExitCode), strings.TrimSpace(t.Reason+" "+t.Message))
		}
	}
	if pod.Status.Phase == corev1.PodFailed {
		return fmt.Sprintf("%s: %s", pod.Status.Reason, pod.Status.Message)
	}
	if why := unscheduled(pod); isNowhere(pod, why) {
		return why
	}
	return ""
}

// nowhere are the words of the scheduler of a pod whose selector no node has (pkg/scheduler/framework/types.go, FitError).
var nowhere = regexp.MustCompile(`^0/(\d+) nodes are available: (\d+) node\(s\) didn't match Pod's node affinity/selector`)

// isNowhere tells that a pod is for one node by its name, which no node of the cluster has: an autoscaler makes none of that
// name. For a selector of other labels it may make one.
func isNowhere(pod *corev1.Pod, why string) bool {
	m := nowhere.FindStringSubmatch(why)
	return m != nil && m[1] == m[2] && pod.Spec.NodeSelector[corev1.LabelHostname] != ""
}

// unscheduled is what the scheduler said of a pod that it has found no node for, else "".
func unscheduled(pod *corev1.Pod) string {
	if c := scheduling(pod); c != nil && c.Status == corev1.ConditionFalse {
		return c.Message
	}
	return ""
}

// scheduling is the condition that the scheduler sets; nil without one, and of no pod.
func scheduling(pod *corev1.Pod) *corev1.PodCondition {
	if pod == nil {
		return nil
	}
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodScheduled {
			return c
		}
	}
	return nil
}

// notScheduled is what keeps a pod from being scheduled; "" of one that is, and of no pod.
func notScheduled(pod *corev1.Pod) string {
	if why := unscheduled(pod); why != "" {
		return fmt.Sprintf("pod %s is not scheduled: %s", pod.Name, advised(why))
	}
	return ""
}

// awaiting is what ended a wait, with what was waited for, "" for nothing in particular: a user
// who interrupts a long wait wants to know that.
func awaiting(what string, cause error) error {
	if what == "" {
		return cause
	}
	return fmt.Errorf("%s: %w", what, cause)
}

// late says why there is no running pod at the end of its time: what the
// scheduler said, else what the pod's events say, else what those of the
// StatefulSet do, which knows of quotas and of Pod Security.
func (s *server) late(ctx context.Context, pod *corev1.Pod, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if why := unscheduled(pod); why != "" {
		return errors.New(s.whyUnscheduled(ctx, within, advised(why)))
	}
	said, err := s.warnings(ctx, pod)
	if err != nil {
		said = record.EventsUnread.Say(err.Error())
	}
	return errors.New(record.PodLate.Say(s.podName(), within.String(), advised(said)))
}

// warnings are those about the pod, and without one those about its StatefulSet.
func (s *server) warnings(ctx context.Context, pod *corev1.Pod) (string, error) {
	if pod != nil {
		return s.target.cluster.events(ctx, pod.Name, pod.UID)
	}
	uid, err := s.target.cluster.uid(ctx, statefulSets, s.target.id)
	if err != nil {
		return "", err
	}
	return s.target.cluster.events(ctx, s.target.id, uid)
}

// events are the last warnings about an object, or about all with "", in words. The uid
// tells it from earlier ones of its name, whose events stay for an hour.
func (c *cluster) events(ctx context.Context, name string, uid types.UID) (string, error) {
	all, err := c.eventsOf(ctx, name, uid)
	if err != nil {
		return "", err
	}
	var said []string
	for _, e := range all {
		if e.Type == corev1.EventTypeWarning {
			said = append(said, e.Reason+": "+e.Message)
		}
	}
	slices.Sort(said)
	said = slices.Compact(said)
	if len(said) == 0 {
		return record.NoWarnings.Say(), nil
	}
	return strings.Join(said, "; "), nil
}

// eventsOf are the events about an object of this uid, or all with the name "".
func (c *cluster) eventsOf(ctx context.Context, name string, uid types.UID) ([]corev1.Event, error) {
	o := metav1.ListOptions{}
	if name != "" {
		o.FieldSelector = fields.Set{"involvedObject.name": name, "involvedObject.uid": string(uid)}.String()
	}
	return list[corev1.Event](ctx, c.scoped(events), "events", o)
}

// copyLog puts what the server printed into the trial's log. A pod that never
// ran has printed nothing, and an API server that is away must not keep a pod
// from being stopped: then it says why there is no log.
func (s *server) copyLog(ctx context.Context) {
	if s.pod == nil || s.request.Log == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	s.mu.Lock()
	earlier := s.earlier
	s.mu.Unlock()
	if earlier {
		s.copyLogOf(ctx, true)
	}
	s.copyLogOf(ctx, false)
}

// copyLogOf copies the log of the server's container, or with previous that of the one before its last start.
func (s *server) copyLogOf(ctx context.Context, previous bool) {
	stream, err := s.target.cluster.logOf(ctx, s.podName(), url.Values{"container": {s.container}, "previous": {strconv.FormatBool(previous)}})
	if err == nil {
		_, err = io.Copy(s.request.Log, stream)
		err = errors.Join(err, stream.Close())
	}
	if err != nil {
		fmt.Fprintf(s.request.Log, "the server's log is not whole: %v\n", err)
	}
}
