package kubernetes

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// TestHowAContainerEnded: a container that reached its memory limit is said to have, with the limit; a signal is only
// named where there was one.
func TestHowAContainerEnded(t *testing.T) {
	limited := corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("512Mi")}}
	for name, c := range map[string]struct {
		own, pods corev1.ResourceRequirements
		ended     corev1.ContainerStateTerminated
		want      string
		killed    bool
	}{
		"its own limit": {own: limited, ended: corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137},
			want: "the kernel ended mysqld because its container reached its memory limit of 512 MiB (OOMKilled, exit status 137); next: " + record.AdviseMemory.Say(), killed: true},
		"the pod's limit": {pods: limited, ended: corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137},
			want: "the kernel ended mysqld because its container reached its memory limit of 512 MiB (OOMKilled, exit status 137); next: " + record.AdviseMemory.Say(), killed: true},
		"no limit": {ended: corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137},
			want: "the kernel ended mysqld because memory ran out; its container has no memory limit (OOMKilled, exit status 137)", killed: true},
		"an error": {own: limited, ended: corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 1},
			want: "the container ended: Error, exit status 1; restarted 2 times"},
		"a signal": {ended: corev1.ContainerStateTerminated{Reason: "Error", Signal: 11},
			want: "the container ended: Error, signal 11; restarted 2 times"},
	} {
		pod := &corev1.Pod{
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "server", Resources: c.own}}, Resources: &c.pods},
			Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
				{Name: "server", RestartCount: 2, LastTerminationState: corev1.ContainerState{Terminated: &c.ended}}}},
		}
		err := death(pod, "server", 1)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if errors.Is(err, target.ErrKilled) != c.killed {
			t.Errorf("%s: killed for memory: %v", name, !c.killed)
		}
	}
}
