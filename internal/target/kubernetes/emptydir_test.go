package kubernetes

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// TestEmptyDir: the pod has a volume of its own life, of the node's disk or of its
// memory; no claim is named, and a second start in it keeps what the first has made.
func TestEmptyDir(t *testing.T) {
	for _, c := range []struct {
		settings Settings
		medium   corev1.StorageMedium
		limit    string
	}{
		{Settings{Image: "m", Volume: "emptyDir"}, corev1.StorageMediumDefault, ""},
		{Settings{Image: "m", Volume: "tmpfs", VolumeSize: 512 << 20}, corev1.StorageMediumMemory, "512Mi"},
	} {
		k := offline(c.settings)
		s := &server{target: k, request: target.Request{Name: "t1"}, requirements: node.Requirements{}}
		spec := s.podSpec()
		v := spec.Volumes[0]
		if v.EmptyDir == nil || v.PersistentVolumeClaim != nil || v.HostPath != nil || v.EmptyDir.Medium != c.medium {
			t.Fatalf("%+v: %+v", c.settings, v)
		}
		if got := v.EmptyDir.SizeLimit; (got != nil) != (c.limit != "") || got != nil && got.String() != c.limit {
			t.Errorf("%+v: size %v, want %q", c.settings, got, c.limit)
		}
		if got := spec.Containers[0].Command; got[len(got)-1] != "kept" {
			t.Errorf("%+v: %v", c.settings, got)
		}
		if k.Data() != target.PerTrial || len(k.Notes()) != 1 || !strings.Contains(k.Notes()[0], "every trial creates the data again") {
			t.Errorf("data %v, notes %v", k.Data(), k.Notes())
		}
	}
	if k := offline(Settings{Image: "m"}); k.Data() != target.InServer || len(k.Notes()) != 0 {
		t.Errorf("a claim: data %v, notes %v", k.Data(), k.Notes())
	}
}

// TestStartedAgain: a restart that was asked for is not a death, one that was not is,
// and the first moments after the order are neither.
func TestStartedAgain(t *testing.T) {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}
	pod := func(restarts int32, now, last corev1.ContainerState) *corev1.Pod {
		return &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: containerName, RestartCount: restarts, State: now, LastTerminationState: last}}}}
	}
	none := corev1.ContainerState{}
	for _, c := range []struct {
		name  string
		pod   *corev1.Pod
		again bool  // after the order
		asked int32 // restarts that were asked for
		dead  bool
	}{
		{"before", pod(0, running, none), false, 0, false},
		{"it has ended", pod(0, ended, none), false, 0, true},
		{"it runs again", pod(1, running, ended), true, 1, false},
		{"it runs again, of itself", pod(1, running, ended), true, 0, true},
		{"once too often", pod(2, running, ended), false, 1, true},
	} {
		if got := startedAgain(c.pod, containerName, 0); got != c.again {
			t.Errorf("%s: started again %v", c.name, got)
		}
		if err := death(c.pod, containerName, c.asked); (err != nil) != c.dead {
			t.Errorf("%s, %d asked for: %v", c.name, c.asked, err)
		}
	}
}
