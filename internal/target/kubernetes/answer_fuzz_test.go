package kubernetes

import (
	"encoding/json"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// FuzzAnswer: whatever an API server answers where an object is expected, tare reads it or
// returns an error, in bounded memory.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"kind": "Pod", "spec": {"nodeName": "n1", "containers": [{"name": "server", "ports": [{"containerPort": 3306}]}]}, "status": {"phase": "Running", "podIP": "10.0.0.1", "containerStatuses": [{"name": "server", "state": {"terminated": {"exitCode": 1}}}]}}`,
		`{"kind": "Service", "spec": {"clusterIP": "None", "ports": [{"port": 3306, "targetPort": "mysql"}]}}`,
		`{"kind": "Node", "status": {"allocatable": {"cpu": "4", "memory": "1e99"}}}`,
		`{"kind": "Secret", "data": {"kinds": "Ly8vLy8="}, "metadata": {"labels": {"a": null}}}`,
		`{"metadata": {"annotations": 7}}`, `{"spec": {"containers": [null]}}`, `{"status": null}`, `[]`, `{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var fields map[string]any
		if json.Unmarshal(text, &fields) != nil || fields == nil {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		readPod(fields)
		if s, err := typed[corev1.Service](fields); err == nil {
			_, _ = Login{}.port(s)
		}
		u := unstructured.Unstructured{Object: fields}
		(&leftArm{id: "tare-1"}).readOwner(u)
		_, _ = kindsOf(u)
		_, _ = leftOf(u)
		_ = (&Settings{}).readHostPath(u)
		_, _ = typed[corev1.Node](fields)
		_, _ = typed[corev1.Event](fields)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 64<<20 {
			t.Errorf("%d bytes allocated for %d", got, len(text))
		}
	})
}

// readPod asks everything that is asked of a pod.
func readPod(fields map[string]any) {
	pod, err := typed[corev1.Pod](fields)
	if err != nil {
		return
	}
	started(pod)
	stuck(pod)
	isReady(pod)
	unplaced(pod)
	podRequirements(*pod)
	_ = death(pod, "server", 0)
	if len(pod.Spec.Containers) > 0 {
		_, _, _ = containerAt(pod, intstr.FromInt(3306))
	}
}
