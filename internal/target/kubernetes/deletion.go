package kubernetes

// What keeps an object that was deleted: a removal that waits for it says so at the end of its
// time.

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// armWithin is how long the removal of one arm may take: an operator takes minutes to end a
// database of several members.
const armWithin = 5 * time.Minute

// limit bounds the removal of an arm.
type limit func(ctx context.Context, arm string) (context.Context, context.CancelFunc)

// timeOfArm is the limit of armWithin.
func timeOfArm(ctx context.Context, _ string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, armWithin, fmt.Errorf("not done within %s", armWithin))
}

// staying is an object that is still there, with what is known to keep it: a kubelet that does
// not answer keeps a pod, and whoever set a finalizer has to remove it.
func staying(kind schema.GroupVersionResource, u unstructured.Unstructured) string {
	words := kind.Resource + " " + u.GetName()
	if node, _, _ := unstructured.NestedString(u.Object, "spec", "nodeName"); kind == pods && node != "" {
		words += " on node " + node
	}
	if f := u.GetFinalizers(); len(f) > 0 && u.GetDeletionTimestamp() != nil {
		words += " with the finalizers " + strings.Join(f, ", ")
	}
	return words
}

// mostNamed is how many objects an error names.
const mostNamed = 3

// some are the first of all in a list.
func some(all []string) string {
	if n := len(all) - mostNamed; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:mostNamed], ", "), n)
	}
	return strings.Join(all, ", ")
}

// idle is what a pod waits for: that it runs, or its end.
func idle(pod *corev1.Pod) string {
	if pod == nil {
		return "the API server has not answered"
	}
	if why := pending(pod); why != "" {
		return why
	}
	if pod.Status.Phase == corev1.PodRunning {
		return fmt.Sprintf("pod %s is running on node %s and has not ended", pod.Name, pod.Spec.NodeName)
	}
	if pod.Spec.NodeName != "" {
		return fmt.Sprintf("pod %s is %s on node %s; the kubelet of that node may not answer", pod.Name, strings.ToLower(string(pod.Status.Phase)), pod.Spec.NodeName)
	}
	return fmt.Sprintf("pod %s is not scheduled: %s", pod.Name, unplaced(pod))
}
