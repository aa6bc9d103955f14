package kubernetes

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/tarebench/tare/internal/target"
)

// aboutJob answers lists of events with one about a Job, as an API server selects it.
func aboutJob(name, uid, message string) clienttesting.ReactionFunc {
	return func(a clienttesting.Action) (bool, runtime.Object, error) {
		l := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "EventList"}}
		asked := a.(clienttesting.ListAction).GetListRestrictions().Fields
		if asked.String() == "involvedObject.kind=Job,involvedObject.name="+name+",involvedObject.uid="+uid+",reason=FailedCreate" {
			l.Items = []unstructured.Unstructured{{Object: map[string]any{"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"name": "e"}, "message": message}}}
		}
		return true, l, nil
	}
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
				create(t, k.cluster, job)
				k.cluster.dynamic.(*fake.FakeDynamicClient).PrependReactor("list", "events", aboutJob(job.Name, c.uid, quota))
				begun := time.Now()
				err := l.follow(t.Context(), 0, func(int, []byte) error { return nil })
				if err == nil || !strings.HasPrefix(err.Error(), c.says) || time.Since(begun) > c.within {
					t.Errorf("after %s: %v", time.Since(begun), err)
				}
			})
		})
	}
}

// create puts a Job into the cluster.
func create(t *testing.T, c *cluster, job *batchv1.Job) {
	t.Helper()
	all, err := loosely(job)
	if err == nil {
		_, err = c.scoped(jobs).Create(t.Context(), all[0], metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}
