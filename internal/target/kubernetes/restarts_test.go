package kubernetes

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/tarebench/tare/internal/target"
)

// startedBefore gives the pod a container that has been started again so many times.
func startedBefore(pod *corev1.Pod, container string, restarts int32) *corev1.Pod {
	pod.UID = "1"
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "sidecar", RestartCount: 7}, {
		Name: container, RestartCount: restarts,
		State:                corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137}},
	}}
	return pod
}

// setPod writes a pod into the cluster.
func setPod(t *testing.T, c *cluster, pod *corev1.Pod) {
	t.Helper()
	all, err := loosely(pod)
	if err == nil {
		_, err = c.scoped(pods).Update(t.Context(), all[0], metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRestartOfEarlierTrial: the end of a container in an earlier trial does not end a later
// one on the same pod; its end in this trial does.
func TestRestartOfEarlierTrial(t *testing.T) {
	operators := func(s *server) error {
		s.resource = innodbCluster("ONLINE")
		return s.operatorServer(t.Context())
	}
	manifests := func(s *server) error {
		pod, err := get[corev1.Pod](t.Context(), s.target.cluster, pods, "tare-1-0")
		if err != nil {
			return err
		}
		service := &corev1.Service{ObjectMeta: named("db", nil), Spec: corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, Ports: []corev1.ServicePort{{Name: "mysql", Port: 3306}}}}
		return s.takePod(t.Context(), pod, service)
	}
	for name, take := range map[string]func(*server) error{"operator": operators, "manifests": manifests} {
		t.Run(name, func(t *testing.T) {
			pod := startedBefore(mysqlPod("tare-1-0", "PRIMARY", "10.0.0.1"), "mysql", 2)
			if name == "manifests" { // the server is its first container
				pod.Spec.Containers = []corev1.Container{{Name: "mysql"}}
			}
			all := []runtime.Object{innodbCluster("ONLINE"), pod,
				&corev1.Service{ObjectMeta: named("tare-1-instances", nil), Spec: corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone}}}
			s := &server{target: withCluster(t, Settings{Operator: "innodbcluster", Address: podAddress}, all...), request: target.Request{Name: "t2"}}
			if err := take(s); err != nil {
				t.Fatal(err)
			}
			if err := s.Alive(); err != nil {
				t.Errorf("a server that runs: %v", err)
			}
			setPod(t, s.target.cluster, startedBefore(pod, "mysql", 3))
			s.asked = s.asked.Add(-2 * aliveFor)
			if s.Alive() == nil {
				t.Error("a server that has ended in this trial is alive")
			}
		})
	}
}
