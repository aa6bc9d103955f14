package kubernetes

// What an operator leaves when its resource is gone: volume claims, Secrets,
// finalizers. It is found by the descriptor, whose names and labels contain the
// resource's name, which is of one run alone.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tarebench/tare/internal/operator"
)

// leftKey is where the mark of an arm's kinds has what its operator leaves.
const leftKey = "left"

// resourceKind is the operator's among the kinds of the arm's objects.
func (k *Kubernetes) resourceKind(d operator.Descriptor) (schema.GroupVersionResource, error) {
	i := slices.IndexFunc(k.kinds, func(kind schema.GroupVersionResource) bool { return kind.Group == d.Group && kind.Version == d.Version })
	if i < 0 {
		return schema.GroupVersionResource{}, fmt.Errorf("find %s: the arm has made no object of %s/%s", d.Kind, d.Group, d.Version)
	}
	return k.kinds[i], nil
}

// removeOperator deletes the operator's resource, waits until the operator has taken
// down the database, and deletes what it leaves. The mark of the arm goes after that,
// so that a Clean can do it again.
func (k *Kubernetes) removeOperator(ctx context.Context) error {
	if len(k.left) == 0 {
		return nil
	}
	var custom []schema.GroupVersionResource
	for _, kind := range k.kinds {
		if !slices.Contains(made, kind) {
			custom = append(custom, kind)
		}
	}
	if err := k.cluster.removeAll(ctx, custom, k.selector()); err != nil {
		return k.heldBack(ctx, custom, err)
	}
	if err := k.cluster.removeLeft(ctx, k.left); err != nil {
		return err
	}
	k.managed = false // rounds that are repeated begin with another
	return nil
}

// heldBack adds to an error which finalizers keep a resource from going.
func (k *Kubernetes) heldBack(ctx context.Context, kinds []schema.GroupVersionResource, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	for _, kind := range kinds {
		u, getErr := k.cluster.scoped(kind).Get(ctx, k.id, metav1.GetOptions{})
		if getErr == nil && len(u.GetFinalizers()) > 0 {
			err = errors.Join(err, fmt.Errorf("%s %s still has the finalizers %s: its operator takes them off, and has to run for that; then `tare clean --namespace %s` removes what is left",
				u.GetKind(), k.id, strings.Join(u.GetFinalizers(), ", "), k.cluster.namespace))
		}
	}
	return err
}

// secondLook is how long after one look tare looks again. The controller of StatefulSets works on what it saw a
// moment ago, and may make a volume claim in the second in which the StatefulSet is deleted.
const secondLook = 2 * time.Second

// removeLeft deletes what an operator leaves, and looks again until a look after the first finds nothing.
func (c *cluster) removeLeft(ctx context.Context, left []operator.Leaving) error {
	for first := true; ; first = false {
		if !first {
			if err := pause(ctx, secondLook); err != nil {
				return err
			}
		}
		any := false
		for _, l := range left {
			found, err := c.removeLeaving(ctx, l)
			if err != nil {
				return err
			}
			any = any || found
		}
		if !first && !any {
			return nil
		}
	}
}

// removeLeaving deletes objects by name or by label, and says whether there were any.
func (c *cluster) removeLeaving(ctx context.Context, l operator.Leaving) (found bool, err error) {
	kind := schema.GroupVersionResource{Group: l.Group, Version: l.Version, Resource: l.Resource}
	for _, name := range l.Names {
		there, err := c.removeNamed(ctx, kind, name)
		if err != nil {
			return found, err
		}
		found = found || there
	}
	if len(l.Selector) == 0 {
		return found, nil
	}
	all, kinds := labels.Set(l.Selector).String(), []schema.GroupVersionResource{kind}
	labelled, err := c.removeFound(ctx, kinds, all)
	if err == nil && len(labelled) > 0 {
		found, err = true, c.removeAll(ctx, kinds, all)
	}
	if apierrors.IsNotFound(err) { // the cluster has no such kind
		return found, nil
	}
	return found, err
}

// leftOf reads what an operator leaves from the mark of an arm's kinds.
func leftOf(u unstructured.Unstructured) ([]operator.Leaving, error) {
	mark, err := typed[corev1.Secret](u.Object)
	if err != nil || len(mark.Data[leftKey]) == 0 {
		return nil, err
	}
	var left []operator.Leaving
	if err := json.Unmarshal(mark.Data[leftKey], &left); err != nil {
		return nil, fmt.Errorf("read Secret %s: %w", u.GetName(), err)
	}
	return left, nil
}
