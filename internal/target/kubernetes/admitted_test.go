package kubernetes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/tarebench/tare/internal/target"
)

// TestPodAsAdmitted: the requests, the limits and the class of a record are those of the pod that ran. What a
// LimitRange has added is said beside what the arm asks for, and nothing is said of a pod as it was asked for.
func TestPodAsAdmitted(t *testing.T) {
	set := Settings{Image: "m", CPURequest: 300, MemoryRequest: 800 << 20, Memory: 1 << 30}
	for name, c := range map[string]struct {
		changes func(*corev1.Pod)
		want    map[string]string
	}{
		"as asked": {func(*corev1.Pod) {}, map[string]string{
			"pod.qos": "Burstable", "pod.cpu.request": "300m", "pod.cpu.limit": "none", "pod.memory.request": "800Mi", "pod.memory.limit": "1Gi",
		}},
		"limited by a LimitRange": {func(p *corev1.Pod) {
			p.Annotations = map[string]string{limitRanger: "LimitRanger plugin set: cpu limit for container mysqld"}
			p.Spec.Containers[0].Resources.Limits[corev1.ResourceCPU] = resource.MustParse("500m")
		}, map[string]string{
			"pod.qos": "Burstable", "pod.cpu.request": "300m", "pod.cpu.limit": "500m", "pod.asked.cpu.limit": "none", "pod.memory.request": "800Mi", "pod.memory.limit": "1Gi",
		}},
		"with a sidecar without limits": {func(p *corev1.Pod) {
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "proxy", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}}})
		}, map[string]string{
			"pod.qos": "Burstable", "pod.cpu.request": "400m", "pod.asked.cpu.request": "300m", "pod.cpu.limit": "none", "pod.memory.request": "800Mi", "pod.memory.limit": "1Gi",
		}},
		"of another class": {func(p *corev1.Pod) {
			r := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("300m"), corev1.ResourceMemory: resource.MustParse("1Gi")}
			p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: r, Limits: r}
			p.Status.QOSClass = corev1.PodQOSGuaranteed
		}, map[string]string{
			"pod.qos": "Guaranteed", "pod.asked.qos": "Burstable", "pod.cpu.request": "300m", "pod.cpu.limit": "300m", "pod.asked.cpu.limit": "none",
			"pod.memory.request": "1Gi", "pod.asked.memory.request": "800Mi", "pod.memory.limit": "1Gi",
		}},
	} {
		s := &server{target: offline(set), request: target.Request{Name: "t1"}, requirements: set.requirements(0), container: containerName}
		s.pod = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{s.mysqld()}}, Status: corev1.PodStatus{QOSClass: corev1.PodQOSBurstable}}
		c.changes(s.pod)
		got := map[string]string{}
		for _, f := range s.resourceFacts() {
			got[f.Key] = f.Value
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
