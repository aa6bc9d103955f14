package kubernetes

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// advice is what to do about a refusal, by a part of what Kubernetes says of it.
// The words are those of the scheduler's plugins (pkg/scheduler/framework/plugins),
// of the quota and Pod Security admission (apiserver's resourcequota,
// pod-security-admission), and of the kubelet (pkg/kubelet/images).
var advice = []struct{ part, next string }{
	{"exceeded quota", "reduce cpu and memory, or have the namespace's ResourceQuota raised: kubectl describe resourcequota"},
	{"failed quota", "the namespace's ResourceQuota requires requests and limits: write qos: Guaranteed with cpu and memory, and volumeSize"},
	{"violates PodSecurity", "the namespace's Pod Security level forbids this pod: write seccomp: RuntimeDefault for restricted, volume: claim without hostPath and hostNetwork for baseline; bare: true and volume: hostPath need kubectl label namespace NAME pod-security.kubernetes.io/enforce=privileged"},
	{"maximum memory usage per", "reduce the requests: the namespace has a LimitRange, kubectl describe limitrange"},
	{"maximum cpu usage per", "reduce the requests: the namespace has a LimitRange, kubectl describe limitrange"},
	{"unbound immediate PersistentVolumeClaims", "no volume was made for the claim: write storageClass: one of kubectl get storageclass, a smaller volumeSize, or volume: hostPath"},
	{"didn't find available persistent volumes to bind", "no volume is free for the claim there: write another storageClass, a smaller volumeSize, another node, or volume: hostPath"},
	{"storageclass.storage.k8s.io", "write storageClass: one of kubectl get storageclass"},
	// Before those of nodes that the pod is not meant for: with a node of its own, all others do not match.
	{"Insufficient hugepages", "reserve huge pages on the node (vm.nr_hugepages) and restart its kubelet, or request fewer"},
	{"Insufficient", "reduce the requests, or use a node with more free resources"},
	{"untolerated taint", "write tolerate: true, or another node"},
	{"didn't match Pod's node affinity/selector", "write another node: one of kubectl get nodes -L kubernetes.io/hostname"},
	{"ErrImageNeverPull", "load the image into the node, or let it be pulled"},
	{"ErrImagePull", "check the image's name and tag, and that the nodes reach its registry; a private registry requires an imagePullSecret in the namespace's default ServiceAccount"},
	{"ImagePullBackOff", "check the image's name and tag, and that the nodes reach its registry; a private registry requires an imagePullSecret in the namespace's default ServiceAccount"},
	{"InvalidImageName", "write image: as REGISTRY/NAME:TAG"},
	{"PriorityClass", "write priorityClass: one of kubectl get priorityclass"},
}

// advised adds the next step to what Kubernetes said, where there is one.
func advised(said string) string {
	for _, a := range advice {
		if strings.Contains(said, a.part) {
			return said + "; next: " + a.next
		}
	}
	return said
}

// refused says why the StatefulSet may not make its pod, "" while it may. Waiting
// does not change a refusal by admission (the controller keeps asking).
func (s *server) refused(ctx context.Context) string {
	all, err := list[corev1.Event](ctx, s.target.cluster.scoped(events), "events", metav1.ListOptions{FieldSelector: "involvedObject.kind=StatefulSet,involvedObject.name=" + s.target.id + ",reason=FailedCreate"})
	if err != nil { // the end of the time says it another way
		return ""
	}
	for _, e := range all {
		if strings.Contains(e.Message, "is forbidden") {
			return e.Message
		}
	}
	return ""
}
