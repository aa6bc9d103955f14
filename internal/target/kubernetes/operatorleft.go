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
	for _, l := range k.left {
		if err := k.cluster.removeLeaving(ctx, l); err != nil {
			return err
		}
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

// removeLeaving deletes objects by name or by label.
func (c *cluster) removeLeaving(ctx context.Context, l operator.Leaving) error {
	kind := schema.GroupVersionResource{Group: l.Group, Version: l.Version, Resource: l.Resource}
	for _, name := range l.Names {
		if err := c.remove(ctx, kind, name); err != nil {
			return err
		}
	}
	if len(l.Selector) == 0 {
		return nil
	}
	err := c.removeAll(ctx, []schema.GroupVersionResource{kind}, labels.Set(l.Selector).String())
	if apierrors.IsNotFound(err) { // the cluster has no such kind
		return nil
	}
	return err
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
