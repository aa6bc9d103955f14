package kubernetes

// One node for all arms, where nodes may not be read: the scheduler chooses it for a pod that has the size of all servers
// of a round together. Arms on different nodes would be compared with their nodes.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// placeWithin is enough for a node that is added because of the pod, and for a large image.
const placeWithin = 10 * time.Minute

// rightsToPlace are those on the pod that finds a node.
func rightsToPlace() []right {
	var all []right
	for _, verb := range []string{"create", "delete", "get", "list", "patch"} {
		all = append(all, right{verb, "", "pods", ""})
	}
	return all
}

// Place is the node that the scheduler chooses for a pod of this size. The pod runs nothing and is removed; the image is on
// the node then. waits is told what takes long. The error is [target.Unavailable] where no node has the room, or the image
// cannot be pulled.
func Place(ctx context.Context, at Where, image string, size node.Resources, waits func(string)) (name string, err error) {
	c, err := connect(at)
	if err != nil {
		return "", err
	}
	id, owner, err := identity()
	if err != nil {
		return "", err
	}
	k := &Kubernetes{cluster: c, id: id, owner: owner}
	defer func() {
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), armWithin)
		defer cancel()
		err = errors.Join(err, c.removeAll(limit, []schema.GroupVersionResource{pods}, k.selector()))
	}()
	if err := c.apply(ctx, pods, id, k.placing(image, size)); err != nil {
		return "", target.Unavailable{Err: fmt.Errorf("make a pod with %dm CPU and %v of memory, which finds a node: %s", size.CPU, size.Memory, advised(c.explain(err).Error()))}
	}
	return k.placed(ctx, size, waits)
}

// placing is a pod of class Guaranteed: a quota or range of limits admits it too.
func (k *Kubernetes) placing(image string, size node.Resources) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: k.meta(k.id),
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: new(int64(0)),
			AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false), SecurityContext: restricted(),
			Containers: []corev1.Container{{
				Name: "place", Image: image, ImagePullPolicy: corev1.PullIfNotPresent, Command: []string{"true"},
				Resources: resources(node.Requirements{Request: size, Limit: size}), SecurityContext: confined(),
			}},
		},
	}
}

// placed waits until the pod's container was started, or could not be for a reason other than its image.
func (k *Kubernetes) placed(ctx context.Context, size node.Resources, waits func(string)) (string, error) {
	limit, cancel := context.WithTimeout(ctx, placeWithin)
	defer cancel()
	var last *corev1.Pod
	var waited wait
	for {
		pod, err := get[corev1.Pod](limit, k.cluster, pods, k.id)
		switch {
		case err == nil && arrived(pod):
			return pod.Spec.NodeName, nil
		case err == nil && stuck(pod) != "":
			return "", target.Unavailable{Err: fmt.Errorf("start a pod on node %s: %s", pod.Spec.NodeName, advised(stuck(pod)))}
		case err == nil:
			last = pod
			if what := pending(pod); waited.see(what, time.Now()) {
				waits(what)
			}
		case !retryable(err) && limit.Err() == nil:
			return "", k.cluster.explain(err)
		}
		if err := pause(limit, pollEvery); err != nil {
			if ctx.Err() != nil {
				return "", awaiting(notScheduled(last), context.Cause(ctx))
			}
			return "", target.Unavailable{Err: fmt.Errorf("no node was found for %dm CPU and %v of memory in %v: %s", size.CPU, size.Memory, placeWithin, idle(last))}
		}
	}
}

// arrived says whether the pod's image is on its node.
func arrived(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.State.Running != nil || c.State.Terminated != nil
	})
}
