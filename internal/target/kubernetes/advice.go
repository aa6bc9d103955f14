package kubernetes

import (
	"strings"

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
	{"exceeded quota", record.AdviseQuota}, // of other resources: exceededAdvice
	{"failed quota", record.AdviseRequests},
	{"violates PodSecurity", record.AdviseSecurity},
	{"must be less than or equal to", record.AdviseLimitBelow},
	{"maximum memory usage per", record.AdviseLimitRange},
	{"maximum cpu usage per", record.AdviseLimitRange},
	{"minimum memory usage per", record.AdviseMinRange},
	{"minimum cpu usage per", record.AdviseMinRange},
	{"max limit to request ratio per", record.AdviseRatioRange},
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
	if next := exceededAdvice(said); next != "" {
		return record.WithAdvice.Say(said, next.Say())
	}
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
