package kubernetes

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/tarebench/tare/internal/node"
)

// TestClass: a pod of manifests has the class that the API server gives it, whose defaults make a
// limit the request (kubernetes.io/docs/concepts/workloads/pods/pod-qos).
func TestClass(t *testing.T) {
	for _, c := range []struct {
		spec string
		want node.QoS
		why  string
	}{
		{"containers: [{name: a}]", node.BestEffort, "no container has a request or a limit"},
		{"containers: [{name: a, resources: {limits: {cpu: 2, memory: 4Gi}}}]", node.Guaranteed, "every container requests its limits"},
		{"containers: [{name: a, resources: {limits: {cpu: 2, memory: 4Gi}, requests: {cpu: 2000m, memory: 4096Mi}}}]", node.Guaranteed, "every container requests its limits"},
		{"containers: [{name: a, resources: {limits: {cpu: 2, memory: 4Gi}, requests: {cpu: 1}}}]", node.Burstable, "container a requests less cpu than its limit"},
		{"containers: [{name: a, resources: {limits: {memory: 4Gi}}}]", node.Burstable, "container a has no limit of cpu"},
		{"containers: [{name: a, resources: {limits: {cpu: 2, memory: 4Gi}}}, {name: metrics}]", node.Burstable, "container metrics has no limit of cpu"},
		{"{initContainers: [{name: wait}], containers: [{name: a, resources: {limits: {cpu: 2, memory: 4Gi}}}]}", node.Burstable, "container wait has no limit of cpu"},
	} {
		var spec corev1.PodSpec
		if err := yaml.Unmarshal([]byte(c.spec), &spec); err != nil {
			t.Fatal(err)
		}
		if got, why := classOf(spec); got != c.want || why != c.why {
			t.Errorf("%s: %s, %q; want %s, %q", c.spec, got, why, c.want, c.why)
		}
	}
}
