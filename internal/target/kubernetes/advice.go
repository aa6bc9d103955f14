package kubernetes

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/record"
)

// advice is what to do about a refusal, by a part of what Kubernetes says of it.
// The words are those of the scheduler's plugins (pkg/scheduler/framework/plugins),
// of the quota and Pod Security admission (apiserver's resourcequota,
// pod-security-admission), and of the kubelet (pkg/kubelet/images).
var advice = []struct {
	part string
	next record.Sentence
}{
	{"exceeded quota", record.AdviseQuota},
	{"failed quota", record.AdviseRequests},
	{"violates PodSecurity", record.AdviseSecurity},
	{"maximum memory usage per", record.AdviseLimitRange},
	{"maximum cpu usage per", record.AdviseLimitRange},
	{"unbound immediate PersistentVolumeClaims", record.AdviseUnboundClaim},
	{"didn't find available persistent volumes to bind", record.AdviseNoVolume},
	{"storageclass.storage.k8s.io", record.AdviseStorageClass},
	// Before those of nodes that the pod is not meant for: with a node of its own, all others do not match.
	{"Insufficient hugepages", record.AdviseHugePages},
	{"Insufficient", record.AdviseResources},
	{"untolerated taint", record.AdviseTaint},
	{"didn't match Pod's node affinity/selector", record.AdviseNode},
	{"ErrImageNeverPull", record.AdviseLoadImage},
	{"ErrImagePull", record.AdviseImage},
	{"ImagePullBackOff", record.AdviseImage},
	{"InvalidImageName", record.AdviseImageName},
	{"PriorityClass", record.AdvisePriorityClass},
}

// advised adds the next step to what Kubernetes said, where there is one.
func advised(said string) string {
	for _, a := range advice {
		if strings.Contains(said, a.part) {
			return record.WithAdvice.Say(said, a.next.Say())
		}
	}
	return said
}

// refused says why a controller may not make the pods of its object, "" while it may.
// Waiting does not change a refusal by admission (the controller keeps asking). With a uid,
// the events of an earlier object of the same name do not count.
func (c *cluster) refused(ctx context.Context, kind, name, uid string) string {
	about := "involvedObject.kind=" + kind + ",involvedObject.name=" + name + ",reason=FailedCreate"
	if uid != "" {
		about += ",involvedObject.uid=" + uid
	}
	all, err := list[corev1.Event](ctx, c.scoped(events), "events", metav1.ListOptions{FieldSelector: about})
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
