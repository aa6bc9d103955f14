package kubernetes

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// logs answers requests for logs: of the container before the last start, and of the present one.
type logs struct{ previous, present string }

func (l logs) RoundTrip(r *http.Request) (*http.Response, error) {
	text := l.present
	if r.URL.Query().Get("previous") == "true" {
		text = l.previous
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

const misspelt = "2026-11-30T11:22:56Z 0 [System] [MY-015017] [Server] MySQL Server Initialization - start.\n" +
	"2026-11-30T11:22:56Z 0 [ERROR] [MY-000067] [Server] unknown variable 'innodb_buffer_pool_sise=256M'.\n" +
	"2026-11-30T11:22:56Z 0 [ERROR] [MY-010119] [Server] Aborting\n" +
	"2026-11-30T11:22:56Z 0 [System] [MY-015018] [Server] MySQL Server Initialization - end.\n"

// kubeletEvent is one of the pod's container mysql, so many seconds after its start.
func kubeletEvent(name, reason, message string, began time.Time, after time.Duration) *corev1.Event {
	at := metav1.NewTime(began.Add(after).Truncate(time.Second))
	return &corev1.Event{ObjectMeta: named(name, nil), Reason: reason, Message: message, FirstTimestamp: at, LastTimestamp: at,
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "db-0", UID: "1", FieldPath: "spec.containers{mysql}"}}
}

// TestWhyAContainerEnded: the end of a container by a probe is the arm's own, in the words of the event, and of any other end
// the server's errors are said.
func TestWhyAContainerEnded(t *testing.T) {
	began := time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC)
	killing := func(after time.Duration) *corev1.Event {
		return kubeletEvent("a", "Killing", "Container mysql failed liveness probe, will be restarted", began, after)
	}
	unhealthy := kubeletEvent("b", "Unhealthy", "Liveness probe failed: mysqladmin: connect to server failed\nerror: 'Access denied'\n", began, 20*time.Second)
	refused := kubeletEvent("c", "Unhealthy", "Readiness probe failed: not yet", began, 25*time.Second)
	const log = "; it said: [ERROR] [MY-000067] [Server] unknown variable 'innodb_buffer_pool_sise=256M'."
	for name, c := range map[string]struct {
		reason string
		status int32
		events []runtime.Object
		want   string
		own    bool
	}{
		"liveness": {"Completed", 0, []runtime.Object{killing(30 * time.Second), unhealthy, refused},
			"the kubelet ended mysqld because its liveness probe failed (mysqladmin: connect to server failed error: 'Access denied'); next: " + record.AdviseProbe.Say(), true},
		"startup": {"Error", 137, []runtime.Object{kubeletEvent("a", "Killing", "Container mysql failed startup probe, will be restarted", began, 30*time.Second), unhealthy},
			"the kubelet ended mysqld because its startup probe failed (Container mysql failed startup probe, will be restarted); next: " + record.AdviseProbe.Say(), true},
		"a probe that did not end it": {"Error", 1, []runtime.Object{unhealthy}, "the container ended: Error, exit status 1; restarted 1 times" + log, false},
		"the end before":              {"Error", 1, []runtime.Object{killing(-30 * time.Second)}, "the container ended: Error, exit status 1; restarted 1 times" + log, false},
		"the end after":               {"Error", 1, []runtime.Object{killing(90 * time.Second)}, "the container ended: Error, exit status 1; restarted 1 times" + log, false},
		"memory":                      {"OOMKilled", 137, []runtime.Object{killing(30 * time.Second)}, "the kernel ended mysqld because memory ran out; its container has no memory limit (OOMKilled, exit status 137)", true},
	} {
		t.Run(name, func(t *testing.T) {
			pod := startedBefore(&corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: named("db-0", nil)}, "mysql", 1)
			pod.Status.ContainerStatuses[1].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: c.reason, ExitCode: c.status,
				StartedAt: metav1.NewTime(began), FinishedAt: metav1.NewTime(began.Add(40 * time.Second))}
			k := withCluster(t, Settings{}, append(c.events, pod)...)
			k.cluster.config = &rest.Config{Host: "http://cluster", Transport: logs{previous: misspelt}}
			s := &server{target: k, name: "db-0", container: "mysql", pod: pod}
			err := s.Alive()
			if err == nil || err.Error() != c.want || target.ArmsOwn(err) != c.own {
				t.Errorf("%v, the arm's own: %t; want %s", err, target.ArmsOwn(err), c.want)
			}
		})
	}
}

// TestCrashAtStart: of a server from manifests that ends at its start, its errors are said, and its log is kept.
func TestCrashAtStart(t *testing.T) {
	const log = "2026-11-30T11:22:56Z 0 [ERROR] [MY-010095] [Server] Failed to access directory for --secure-file-priv.\n"
	crashed := &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 1}
	for name, c := range map[string]struct {
		state corev1.ContainerStatus
		want  string
		kept  string
	}{
		"ended": {corev1.ContainerStatus{Name: "mysql", State: corev1.ContainerState{Terminated: crashed}},
			"pod db-0 does not start: container mysql ended with status 1: Error", log},
		"started again": {corev1.ContainerStatus{Name: "mysql", RestartCount: 1, LastTerminationState: corev1.ContainerState{Terminated: crashed},
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off"}}},
			"pod db-0 does not start: CrashLoopBackOff: back-off (image )", log + log},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
				ObjectMeta: named("db-0", map[string]string{"app": "db", instanceLabel: "t1"}), Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{c.state}}}
			service := &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: named("db", nil), Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "db"}}}
			k := withCluster(t, Settings{Server: Login{Service: "db"}}, pod, service)
			k.cluster.config = &rest.Config{Host: "http://cluster", Transport: logs{previous: log, present: log}}
			var kept bytes.Buffer
			s := &server{target: k, request: target.Request{Name: "t1", Log: &kept, ReadyWithin: time.Minute}}
			err := s.ownPod(t.Context())
			want := c.want + "; it said: [ERROR] [MY-010095] [Server] Failed to access directory for --secure-file-priv."
			if err == nil || err.Error() != want || !errors.Is(err, mysqld.ErrDied) {
				t.Errorf("%v\nwant %s", err, want)
			}
			if s.copyLog(t.Context()); kept.String() != c.kept {
				t.Errorf("kept %q", kept.String())
			}
		})
	}
}
