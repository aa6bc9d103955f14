package kubernetes

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// about answers lists of events that are asked for with these fields with one, as an API server
// selects it.
func about(asked, message string) clienttesting.ReactionFunc {
	return func(a clienttesting.Action) (bool, runtime.Object, error) {
		l := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "EventList"}}
		if a.(clienttesting.ListAction).GetListRestrictions().Fields.String() == asked {
			l.Items = []unstructured.Unstructured{{Object: map[string]any{"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"name": "e"},
				"type": "Warning", "reason": "FailedCreate", "message": message}}}
		}
		return true, l, nil
	}
}

// refusal are the fields of the event of a controller that may not make a pod.
func refusal(kind, name, uid string) string {
	return "involvedObject.kind=" + kind + ",involvedObject.name=" + name + ",involvedObject.uid=" + uid + ",reason=FailedCreate"
}

// TestLoadRefused: a pod of the load that a quota does not admit is refused, in the words of
// the quota, and is not gone. What was said of an earlier trial's Job does not count.
func TestLoadRefused(t *testing.T) {
	const quota = `Error creating: pods "tare-1-load-0-x" is forbidden: exceeded quota: small`
	for name, c := range map[string]struct {
		uid, says string
		within    time.Duration
	}{
		"this Job":           {"2", "load pod 0 is refused: " + quota + "; ", 15 * time.Second},
		"an earlier trial's": {"1", "load pod 0 is gone", 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := withCluster(t, Settings{Operator: "innodbcluster", Clients: 1, ClientImage: "tare:1"})
				s := &server{target: k, request: target.Request{Name: "t1"}}
				l := s.loaders()
				job := l.job(time.Minute)
				job.UID = "2"
				create(t, k.cluster, jobs, job)
				k.cluster.dynamic.(*fake.FakeDynamicClient).PrependReactor("list", "events", about(refusal("Job", job.Name, c.uid), quota))
				begun := time.Now()
				err := l.follow(t.Context(), 0, func(int, []byte) error { return nil })
				if err == nil || !strings.HasPrefix(err.Error(), c.says) || time.Since(begun) > c.within {
					t.Errorf("after %s: %v", time.Since(begun), err)
				}
			})
		})
	}
}

// TestLoadWithoutLimits: where a quota wants limits of every pod, what is to be done about a pod of the load is not what is
// to be done about the server's.
func TestLoadWithoutLimits(t *testing.T) {
	const quota = `pods "tare-1-load-0-x" is forbidden: failed quota: small: must specify limits.cpu for: load`
	if got := advisedOfLoad(quota); !strings.HasPrefix(got, quota+"; next: ") || !strings.Contains(got, "leave clients (or load.from) out") || strings.Contains(got, "Guaranteed") {
		t.Error(got)
	}
	if got := advisedOfLoad("exceeded quota: small"); got != advised("exceeded quota: small") {
		t.Error(got)
	}
}

// TestRefusedByUID: a StatefulSet whose pod is not admitted is refused long before the end of the
// time. What was said of an earlier trial's, which had the same name, does not count.
func TestRefusedByUID(t *testing.T) {
	const quota = `pods "tare-1-0" is forbidden: exceeded quota: small`
	for name, c := range map[string]struct {
		uid, says string
		within    time.Duration
	}{
		"this StatefulSet":   {"2", record.PodRefused.Say(advised(quota)), 10 * time.Second},
		"an earlier trial's": {"1", record.PodLate.Say("tare-1-0", "5m0s", record.NoWarnings.Say()), 6 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := withCluster(t, Settings{Operator: "innodbcluster"})
				create(t, k.cluster, statefulSets, &appsv1.StatefulSet{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"},
					ObjectMeta: metav1.ObjectMeta{Name: k.id, Namespace: "tare", UID: "2"}})
				k.cluster.dynamic.(*fake.FakeDynamicClient).PrependReactor("list", "events", about(refusal("StatefulSet", k.id, c.uid), quota))
				s := &server{target: k, name: k.id + "-0", request: target.Request{ReadyWithin: 5 * time.Minute}}
				begun := time.Now()
				if err := s.running(t.Context()); err == nil || err.Error() != c.says || time.Since(begun) > c.within {
					t.Errorf("after %s: %v, want %s", time.Since(begun), err, c.says)
				}
			})
		})
	}
}

// TestRefusedForGood: a refusal that waiting does not change ends the run's first attempt at once, of tare's own pod and of
// one of manifests. A quota that other pods use up is waited for, and told, for half a minute.
func TestRefusedForGood(t *testing.T) {
	const invalid = `create Pod tare-1-0 in StatefulSet tare-1 failed error: Pod "tare-1-0" is invalid: spec.containers[0].resources.requests: Invalid value: "768Mi": must be less than or equal to memory limit of 512Mi`
	for name, c := range map[string]struct {
		why      string
		hopeless bool
		within   time.Duration
		told     bool
	}{
		"a request above the limit": {invalid, true, 5 * time.Second, false},
		"max of a range":            {`pods "tare-1-0" is forbidden: maximum memory usage per Container is 512Mi, but limit is 1Gi`, true, 5 * time.Second, false},
		"more than a whole quota":   {`pods "tare-1-0" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=0, limited: requests.cpu=1`, true, 5 * time.Second, false},
		"what others use":           {`pods "tare-1-0" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3`, false, 40 * time.Second, true},
	} {
		for _, own := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", own), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told []string
					k := withCluster(t, Settings{Operator: "innodbcluster"})
					s := &server{target: k, name: k.id + "-0", request: target.Request{Name: "t1", ReadyWithin: 5 * time.Minute, Waiting: func(what string) { told = append(told, what) }}}
					create(t, k.cluster, statefulSets, &appsv1.StatefulSet{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"},
						ObjectMeta: metav1.ObjectMeta{Name: k.id, Namespace: "tare", UID: "2", Labels: map[string]string{instanceLabel: "t1"}}})
					create(t, k.cluster, services, &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "tare"},
						Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "db"}}})
					k.cluster.dynamic.(*fake.FakeDynamicClient).PrependReactor("list", "events", about(refusal("StatefulSet", k.id, "2"), c.why))
					begun, start := time.Now(), s.running
					if own {
						k.settings.Server.Service, start = "db", s.ownPod
					}
					err := start(t.Context())
					if err == nil || err.Error() != record.PodRefused.Say(advised(c.why)) || !strings.Contains(err.Error(), "; next: ") || errors.As(err, &target.Hopeless{}) != c.hopeless || time.Since(begun) > c.within {
						t.Errorf("after %s: %v", time.Since(begun), err)
					}
					if (len(told) > 0) != c.told {
						t.Errorf("told %q", told)
					}
				})
			})
		}
	}
}

// TestWarningsOfThisPod: the pods of all trials of an arm have the same name.
func TestWarningsOfThisPod(t *testing.T) {
	for uid, want := range map[string]string{"2": "FailedCreate: restarted", "1": record.NoWarnings.Say()} {
		pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "tare-1-0", Namespace: "tare", UID: "2"}}
		k := withCluster(t, Settings{Operator: "innodbcluster"}, pod)
		k.cluster.dynamic.(*fake.FakeDynamicClient).PrependReactor("list", "events", about("involvedObject.name=tare-1-0,involvedObject.uid="+uid, "restarted"))
		s := &server{target: k, name: "tare-1-0"}
		for _, f := range s.podFacts(t.Context()) {
			if f.Key == "pod.warnings" && f.Value != want {
				t.Errorf("the event of pod %s: %q, want %q", uid, f.Value, want)
			}
		}
	}
}

// create puts an object into the cluster.
func create(t *testing.T, c *cluster, of schema.GroupVersionResource, o runtime.Object) {
	t.Helper()
	all, err := loosely(o)
	if err == nil {
		_, err = c.scoped(of).Create(t.Context(), all[0], metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}
