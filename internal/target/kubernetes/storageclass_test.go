package kubernetes

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/tarebench/tare/internal/target"
)

// TestNoClass: a class that the cluster does not have, and one that may not be read, are named before the run. Neither is
// refused: volumes made by hand can have the name of a class that is no object.
func TestNoClass(t *testing.T) {
	mayNot := scopedRight{right: right{"get", "storage.k8s.io", "storageclasses", ""}}
	for name, c := range map[string]struct {
		class  string
		denied scopedRight
		notes  string
	}{
		"there":           {class: "gp3"},
		"not there":       {class: "gp9", notes: "the cluster has no StorageClass gp9"},
		"may not be read": {class: "gp9", denied: mayNot, notes: "whether the cluster has the StorageClass gp9"},
	} {
		s := Settings{Image: "m", Kubeconfig: guardedCluster(t, &guarded{denied: c.denied}), Namespace: "bench", Volume: claimVolume, StorageClass: c.class}
		made, err := New(func(into any) error { *into.(*Settings) = s; return nil })
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(made.Check(t.Context())...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		notes := strings.Join(made.Capabilities().Notes, "\n")
		if has := strings.Contains(notes, "StorageClass"); has != (c.notes != "") || !strings.Contains(notes, c.notes) {
			t.Errorf("%s: %s", name, notes)
		}
	}
}

// TestClassOfClaim: a pod whose claim names a class that is not there fails long before the end of its time, and the class is
// named. What was said of an earlier run's claim does not count.
func TestClassOfClaim(t *testing.T) {
	const missing = `storageclass.storage.k8s.io "gp9" not found`
	for uid, within := range map[string]time.Duration{"2": 10 * time.Second, "1": 6 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			k := withCluster(t, Settings{Image: "m", Volume: claimVolume, StorageClass: "gp9"})
			s := &server{target: k, name: "tare-1-0", request: target.Request{Name: "t1", ReadyWithin: 5 * time.Minute}}
			client := k.cluster.dynamic.(*fake.FakeDynamicClient)
			client.PrependReactor("list", "persistentvolumeclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": claimKind + "List"}, Items: []unstructured.Unstructured{
					{Object: map[string]any{"apiVersion": "v1", "kind": claimKind, "metadata": map[string]any{"name": k.id, "uid": "2"}}}}}, nil
			})
			create(t, k.cluster, pods, &corev1.Pod{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "tare-1-0", Namespace: k.cluster.namespace},
				Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
					Message: "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"}}},
			})
			asked := "involvedObject.kind=" + claimKind + ",involvedObject.name=" + k.id + ",involvedObject.uid=" + uid + ",reason=ProvisioningFailed"
			client.PrependReactor("list", "events", about(asked, missing))
			begun := time.Now()
			err := s.running(t.Context())
			if took := time.Since(begun); err == nil || took > within {
				t.Errorf("after %s: %v", took, err)
			}
			if at := errors.As(err, &target.Hopeless{}); at != (uid == "2") || strings.Contains(err.Error(), missing+"; next: write storageClass") != at {
				t.Errorf("claim %s: %v", uid, err)
			}
		})
	}
}
