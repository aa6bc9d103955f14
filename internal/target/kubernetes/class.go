package kubernetes

// The QoS class of an arm's pod, from its settings or manifests: a name that promises another is
// a mistake that no cluster reports.

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/node"
)

// Class is the QoS class of the server's pod, "" where the cluster or an operator decides it, and
// what makes it that class.
func (k *Kubernetes) Class() (class node.QoS, why string) {
	switch {
	case k.settings.isOperator() || k.settings.Bare:
		return "", ""
	case k.settings.isOwn():
		return k.ownClass()
	}
	const some = 1000 // of cpu: max
	return node.Class(k.settings.requirements(some)), "by its requests and limits"
}

// ownClass is that of the pods of the manifests.
func (k *Kubernetes) ownClass() (node.QoS, string) {
	b, err := k.build(k.where().Namespace, nil)
	if err != nil { // CheckFiles says so
		return "", ""
	}
	service, err := k.settings.Server.serviceAmong(b.objects)
	if err != nil {
		return "", ""
	}
	for _, pod := range podsBehind(service, b.objects) {
		return classOf(pod.Spec)
	}
	return "", ""
}

// classOf is the class of a pod that no API server has given its defaults yet: a limit is the
// request where there is none (pkg/apis/core/v1, SetDefaults_Pod; component-helpers, GetPodQOS).
func classOf(spec corev1.PodSpec) (node.QoS, string) {
	asked, whole := false, ""
	for _, c := range append(append([]corev1.Container{}, spec.InitContainers...), spec.Containers...) {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			limit, limited := c.Resources.Limits[name]
			request, requested := c.Resources.Requests[name]
			asked = asked || limited || requested
			switch {
			case !limited || limit.IsZero():
				whole = cmp.Or(whole, "container "+c.Name+" has no limit of "+string(name))
			case requested && request.Cmp(limit) != 0:
				whole = cmp.Or(whole, "container "+c.Name+" requests less "+string(name)+" than its limit")
			}
		}
	}
	switch {
	case !asked && spec.Resources == nil:
		return node.BestEffort, "no container has a request or a limit"
	case whole == "":
		return node.Guaranteed, "every container requests its limits"
	}
	return node.Burstable, whole
}
