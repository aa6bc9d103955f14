package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// manager owns the fields that this controller applies.
const manager = "standin-operator"

var (
	podKind    = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	secretKind = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

// controller looks at all resources again and again. A watch would tell sooner and would
// have to survive its own expiry.
type controller struct {
	descriptor
	client dynamic.Interface
	// late is how long after the pod the Secret comes.
	late     time.Duration
	reverted []string
}

// round is one look at all resources.
func (c *controller) round(ctx context.Context) error {
	found, err := c.client.Resource(c.resource()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list %s: %w", c.resource().Resource, err)
	}
	for i := range found.Items {
		u := &found.Items[i]
		step := c.reconcile
		if u.GetDeletionTimestamp() != nil {
			step = c.teardown
		}
		if e := step(ctx, u); e != nil {
			err = errors.Join(err, fmt.Errorf("%s %s: %w", c.Kind, u.GetName(), e))
		}
	}
	return err
}

// reconcile makes what the resource asks for, and undoes what others have changed of it.
func (c *controller) reconcile(ctx context.Context, u *unstructured.Unstructured) error {
	if !slices.Contains(u.GetFinalizers(), c.Finalizers[0]) {
		return c.setFinalizers(ctx, u, append(u.GetFinalizers(), c.Finalizers[0]))
	}
	for _, o := range c.objects(u, c.reverted) {
		if err := c.apply(ctx, o); err != nil {
			return err
		}
	}
	pods, err := c.pods(ctx, u)
	if err != nil {
		return err
	}
	secret, err := c.login(ctx, u, pods)
	if err != nil {
		return err
	}
	if err := c.label(ctx, u, pods); err != nil {
		return err
	}
	now := textOf(u, c.Ready.Path, "")
	next := c.phase(now, len(pods) > 0, secret, int64(len(pods)) == c.members(u) && !slices.ContainsFunc(pods, isUnready))
	if next == now {
		return nil
	}
	if err := unstructured.SetNestedField(u.Object, next, strings.Split(c.Ready.Path, ".")...); err != nil {
		return err
	}
	_, err = c.client.Resource(c.resource()).Namespace(u.GetNamespace()).UpdateStatus(ctx, u, metav1.UpdateOptions{FieldManager: manager})
	return err
}

// label marks the member that takes writes: the first.
func (c *controller) label(ctx context.Context, u *unstructured.Unstructured, pods []unstructured.Unstructured) error {
	role := namedAll(c.Pods.Primary, u.GetName())
	for _, p := range pods {
		if p.GetName() != u.GetName()+"-0" || p.GetDeletionTimestamp() != nil {
			continue
		}
		text, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": role}})
		if err != nil {
			return err
		}
		if _, err := c.client.Resource(podKind).Namespace(p.GetNamespace()).Patch(ctx, p.GetName(), types.MergePatchType, text, metav1.PatchOptions{FieldManager: manager}); err != nil {
			return fmt.Errorf("label the primary: %w", err)
		}
	}
	return nil
}

// login makes the Secret once the pod has been there for a while, and says whether it is
// there.
func (c *controller) login(ctx context.Context, u *unstructured.Unstructured, pods []unstructured.Unstructured) (bool, error) {
	s := c.secret(u, rand.Text())
	_, err := c.client.Resource(secretKind).Namespace(u.GetNamespace()).Get(ctx, s.GetName(), metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err == nil, err
	}
	if len(pods) == 0 || time.Since(pods[0].GetCreationTimestamp().Time) < c.late {
		return false, nil
	}
	_, err = c.client.Resource(secretKind).Namespace(u.GetNamespace()).Create(ctx, s, metav1.CreateOptions{FieldManager: manager})
	return err == nil, err
}

// teardown takes the database down, and lets the resource go when its pods are gone. It
// leaves the claims and the Secret, as operators do.
func (c *controller) teardown(ctx context.Context, u *unstructured.Unstructured) error {
	if !slices.Contains(u.GetFinalizers(), c.Finalizers[0]) {
		return nil
	}
	for _, o := range c.objects(u, c.reverted) {
		background := metav1.DeletePropagationBackground
		err := c.client.Resource(kindOf(o)).Namespace(o.GetNamespace()).Delete(ctx, o.GetName(), metav1.DeleteOptions{PropagationPolicy: &background})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	pods, err := c.pods(ctx, u)
	if err != nil || len(pods) > 0 {
		return err
	}
	return c.setFinalizers(ctx, u, slices.DeleteFunc(u.GetFinalizers(), func(f string) bool { return f == c.Finalizers[0] }))
}

func (c *controller) setFinalizers(ctx context.Context, u *unstructured.Unstructured, all []string) error {
	u.SetFinalizers(all)
	_, err := c.client.Resource(c.resource()).Namespace(u.GetNamespace()).Update(ctx, u, metav1.UpdateOptions{FieldManager: manager})
	return err
}

func (c *controller) pods(ctx context.Context, u *unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	selector := map[string]string{}
	for k, v := range c.Pods.Selector {
		selector[k] = named(v, u.GetName())
	}
	found, err := c.client.Resource(podKind).Namespace(u.GetNamespace()).List(ctx, metav1.ListOptions{LabelSelector: labels.Set(selector).String()})
	if err != nil {
		return nil, err
	}
	return found.Items, nil
}

// apply takes every field that it sets away from whoever has changed it.
func (c *controller) apply(ctx context.Context, o *unstructured.Unstructured) error {
	text, err := json.Marshal(o.Object)
	if err != nil {
		return err
	}
	force := true
	_, err = c.client.Resource(kindOf(o)).Namespace(o.GetNamespace()).Patch(ctx, o.GetName(), types.ApplyPatchType, text, metav1.PatchOptions{FieldManager: manager, Force: &force})
	return err
}

// kindOf is the resource type of an object that this controller makes.
func kindOf(o *unstructured.Unstructured) schema.GroupVersionResource {
	return o.GroupVersionKind().GroupVersion().WithResource(strings.ToLower(o.GetKind()) + "s")
}

func isUnready(pod unstructured.Unstructured) bool {
	conditions, _, err := unstructured.NestedSlice(pod.Object, "status", "conditions")
	return err != nil || !slices.ContainsFunc(conditions, func(c any) bool {
		fields, ok := c.(map[string]any)
		return ok && fields["type"] == "Ready" && fields["status"] == "True"
	})
}
