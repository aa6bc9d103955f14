package kubernetes

// The requests and limits of the server's pod as the API server admitted it: a LimitRange and webhooks change
// what was asked for.

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
)

// limitRanger is the annotation in which the admission plugin LimitRanger says what it set
// (plugin/pkg/admission/limitranger).
const limitRanger = "kubernetes.io/limit-ranger"

// admitted are the requests and limits of a pod. Where a container beside the server has no limit, the pod has none,
// and that of the server's container is the one that the server meets.
func admitted(pod *corev1.Pod, container string) node.Requirements {
	r := podRequirements(*pod)
	c := containerOf(pod, container)
	if c == nil {
		return r
	}
	own := nodeAmounts(c.Resources.Limits)
	if r.Limit.CPU == 0 {
		r.Limit.CPU = own.CPU
	}
	if r.Limit.Memory == 0 {
		r.Limit.Memory = own.Memory
	}
	return r
}

// resourceFacts are the class, the requests and the limits of the pod, and what the arm asks for where that differs.
func (s *server) resourceFacts() []record.Fact {
	is, want := admitted(s.pod, s.container), s.requirements
	class := string(s.pod.Status.QOSClass)
	facts := []record.Fact{{Key: keys.PodQoS, Value: class, Source: "status.qosClass"}}
	source := "pod " + s.target.cluster.namespace + "/" + s.podName()
	asked := s.target.settings.makesServer()
	by := ""
	if said := s.pod.Annotations[limitRanger]; said != "" {
		by = "annotation " + limitRanger + ": " + said
	}
	for _, f := range []struct{ key, asked, value, want string }{
		{keys.PodCPURequest, keys.PodAskedCPURequest, orNone(is.Request.CPU), orNone(want.Request.CPU)},
		{keys.PodCPULimit, keys.PodAskedCPULimit, orNone(is.Limit.CPU), orNone(want.Limit.CPU)},
		{keys.PodMemoryRequest, keys.PodAskedMemoryRequest, orNone(is.Request.Memory), orNone(want.Request.Memory)},
		{keys.PodMemoryLimit, keys.PodAskedMemoryLimit, orNone(is.Limit.Memory), orNone(want.Limit.Memory)},
	} {
		facts = append(facts, record.Fact{Key: f.key, Value: f.value, Source: source})
		if asked && f.value != f.want {
			facts = append(facts, record.Fact{Key: f.asked, Value: f.want, Source: by})
		}
	}
	if want := string(node.Class(want)); asked && class != "" && class != want {
		facts = append(facts, record.Fact{Key: keys.PodAskedQoS, Value: want, Source: by})
	}
	return facts
}
