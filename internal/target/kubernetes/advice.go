package kubernetes

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

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
	{`exec: "sh": executable file not found`, record.AdviseShell}, // runc's words of a container that cannot start
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

// advisedOfLoad is advised of a pod of the load, whose requests and limits are not the arm's.
func advisedOfLoad(said string) string {
	if strings.Contains(said, "failed quota") {
		return record.WithAdvice.Say(said, record.AdviseLoadRequests.Say())
	}
	return advised(said)
}

// refused says why a controller may not make the pods of its object, "" while it may or where
// that is not known. Waiting does not change a refusal by admission (the controller keeps asking). The
// objects of all trials of an arm have the same name, and events stay for an hour: those of an
// earlier one do not count.
func (c *cluster) refused(ctx context.Context, kind string, of schema.GroupVersionResource, name string) string {
	uid, err := c.uid(ctx, of, name)
	if err != nil || uid == "" { // the end of the time says it another way
		return ""
	}
	all, err := list[corev1.Event](ctx, c.scoped(events), "events", metav1.ListOptions{FieldSelector: fields.Set{
		"involvedObject.kind": kind, "involvedObject.name": name, "involvedObject.uid": string(uid), "reason": "FailedCreate",
	}.String()})
	if err != nil {
		return ""
	}
	for _, e := range all {
		if strings.Contains(e.Message, "is forbidden") {
			return e.Message
		}
	}
	return ""
}

// uid tells an object from earlier ones of its name, "" without one. tare may list
// the objects that it makes, and not get them (docs/kubernetes-rbac.yaml).
func (c *cluster) uid(ctx context.Context, of schema.GroupVersionResource, name string) (types.UID, error) {
	found, err := list[metav1.PartialObjectMetadata](ctx, c.scoped(of), of.Resource, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	for _, o := range found {
		if o.Name == name {
			return o.UID, err
		}
	}
	return "", err
}
