package kubernetes

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/operator"
	"github.com/tarebench/tare/internal/record"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAdvised: what Kubernetes says is followed by what to do, and stays as it is
// where tare knows nothing to do. The messages are those of Kubernetes 1.34.
func TestAdvised(t *testing.T) {
	for said, next := range map[string]string{
		`pods "tare-1-0" is forbidden: exceeded quota: small, requested: cpu=2, used: cpu=0, limited: cpu=1`:                                            "reduce cpu and memory",
		`pods "tare-1-0" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3`:                                         "have fewer pods at once",
		`exceeded quota: small, requested: requests.storage=2Gi, used: requests.storage=0, limited: requests.storage=1Gi`:                               "reduce volumeSize",
		`Pod "tare-1-0" is invalid: spec.containers[0].resources.requests: Invalid value: "768Mi": must be less than or equal to memory limit of 512Mi`: "raise the limit",
		`pods "tare-1-0" is forbidden: minimum cpu usage per Container is 400m, but request is 300m`:                                                    "raise the requests",
		`pods "tare-1-0" is forbidden: failed quota: small: must specify cpu for: mysqld`:                                                               "requires requests and limits",
		`pods "tare-1-0" is forbidden: violates PodSecurity "restricted:latest": seccompProfile`:                                                        "write seccomp: RuntimeDefault",
		`0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found`:                                                          "write storageClass: one of",
		`0/3 nodes are available: 3 node(s) didn't find available persistent volumes to bind.`:                                                          "no volume is free",
		`0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector.`:                                             "reduce the requests",
		`0/3 nodes are available: 3 Insufficient cpu.`:                                                                                                  "reduce the requests, or use a node",
		`0/3 nodes are available: 1 node(s) had untolerated taint {dedicated: db}, 2 node(s) didn't match Pod's node affinity/selector.`:                "write tolerate: true",
		`ErrImagePull: failed to pull and unpack image (image localhost:1/none:1)`:                                                                      "check the image's name",
		`load: StartError failed to start containerd task "load": OCI runtime create failed: exec: "sh": executable file not found in $PATH`:            "write baseImage: an image with sh",
		`pods "tare-1-0" is forbidden: no PriorityClass with name fast was found`:                                                                       "kubectl get priorityclass",
	} {
		if got := advised(said); !strings.HasPrefix(got, said+"; next: ") || !strings.Contains(got, next) {
			t.Errorf("advised: %q; want %q", got, next)
		}
	}
	for _, a := range advice {
		if !slices.ContainsFunc(record.Sentences(), func(s record.Coded) bool { return s.Sentence == a.next }) {
			t.Errorf("%q is not translated", a.next)
		}
	}
	if got := (operator.Descriptor{}).State(nil).Words; got != string(record.StatusEmpty) {
		t.Errorf("a status without words is %q", got)
	}
	if got := advised("the moon is full"); got != "the moon is full" {
		t.Errorf("advice about nothing known: %q", got)
	}
}

// TestAwaiting: whoever interrupts the wait for a pod is told what kept it, and the cause remains.
func TestAwaiting(t *testing.T) {
	cause := errors.New("ended by SIGINT")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "tare-1-0"}}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes are available"}}
	err := awaiting(notScheduled(pod), cause)
	if !errors.Is(err, cause) || err.Error() != "pod tare-1-0 is not scheduled: 0/3 nodes are available: ended by SIGINT" {
		t.Error(err)
	}
	if err := awaiting((&becoming{last: operator.State{}}).pending("Database db", []corev1.Pod{{}, *pod}), cause); !errors.Is(err, cause) || !strings.Contains(err.Error(), "0/3 nodes") {
		t.Error(err)
	}
	if err := awaiting((&becoming{last: operator.State{Words: "state is creating"}}).pending("Database db", nil), cause); err.Error() != "Database db is not ready: state is creating: ended by SIGINT" {
		t.Error(err)
	}
	pod.Status.Conditions[0].Status = corev1.ConditionTrue
	for _, p := range []*corev1.Pod{nil, pod} {
		if err := awaiting(notScheduled(p), cause); !errors.Is(err, cause) || err.Error() != cause.Error() {
			t.Error(err)
		}
	}
}
