package kubernetes

// The connection to a cluster, and the few calls that are made: apply, get, list
// and delete of any kind through the dynamic client. The typed clientset would
// bring every API group there is into the binary.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/record"
)

// fieldManager is the name under which the API server records the fields that tare applies.
const fieldManager = "tare"

// Labels of everything that tare makes in a cluster.
const (
	managedLabel  = "app.kubernetes.io/managed-by"
	armLabel      = "tarebench.io/arm"      // one arm of one run
	instanceLabel = "tarebench.io/instance" // one trial of it
	roleLabel     = "tarebench.io/role"     // what a pod is there for

	serverRole = "server"
	loadRole   = "load"
)

// ownerAnnotation is the [target.Note] of the tare that made an object.
const ownerAnnotation = "tarebench.io/owner"

// The kinds of objects that tare makes or looks at.
var (
	pods         = corev1.SchemeGroupVersion.WithResource("pods")
	services     = corev1.SchemeGroupVersion.WithResource("services")
	secrets      = corev1.SchemeGroupVersion.WithResource("secrets")
	claims       = corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
	events       = corev1.SchemeGroupVersion.WithResource("events")
	nodes        = corev1.SchemeGroupVersion.WithResource("nodes")
	statefulSets = appsv1.SchemeGroupVersion.WithResource("statefulsets")
	jobs         = batchv1.SchemeGroupVersion.WithResource("jobs")
)

// made are the kinds that tare makes, owners before what they own.
var made = []schema.GroupVersionResource{statefulSets, jobs, pods, services, secrets, claims}

type cluster struct {
	config    *rest.Config
	dynamic   dynamic.Interface
	context   string // of the kubeconfig; "" in a pod without one
	namespace string
	holds     *holdings                                           // shared by what is connected to other namespaces for the same arm
	at        Where                                               // as whoever connected named it
	deleted   func(kind schema.GroupVersionResource, name string) // is told of each object that was deleted; nil: nobody is
}

// silence ends client-go's messages: to standard error it prints whatever goes wrong in the
// background, such as every attempt to connect to a server that does not listen yet. Once, because
// klog's logger may not be set while another goroutine logs or sets it (klog.SetLogger).
var silence = sync.OnceFunc(func() { klog.SetLogger(logr.Discard()) })

// connect reads the configuration as kubectl does; it sends nothing.
func connect(at Where) (*cluster, error) {
	silence()
	f, err := find(at)
	if err != nil {
		return nil, err
	}
	config := f.config
	// The default of 5 requests a second is for controllers; API priority and
	// fairness is the server's own protection.
	config.QPS, config.Burst = 50, 100
	config.Timeout = 30 * time.Second
	config.UserAgent = fieldManager
	listen(config)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("find cluster: %w", err)
	}
	return &cluster{config: config, dynamic: client, context: f.context, namespace: f.namespace, holds: &holdings{}, at: at}, nil
}

// apply makes or changes an object by server-side apply. A field that somebody
// else owns is a conflict and stays theirs.
func (c *cluster) apply(ctx context.Context, kind schema.GroupVersionResource, name string, object runtime.Object) error {
	c.holds.makes(c.namespace, object)
	if _, err := c.send(ctx, kind, name, object, metav1.ApplyOptions{FieldManager: fieldManager}); err != nil {
		err = c.explain(err)
		if c.namespace == "" {
			return fmt.Errorf("apply %s %s: %w", kind.Resource, name, err)
		}
		return record.ApplyObject.Wrap(err, kind.Resource, name, c.namespace)
	}
	fault.At("cluster: applied " + kind.Resource)
	return nil
}

// admit asks whether an object might be applied. Nothing is kept.
func (c *cluster) admit(ctx context.Context, kind schema.GroupVersionResource, name string, object runtime.Object) error {
	_, err := c.dryRun(ctx, kind, name, object)
	return err
}

// dryRun is the object as the API server would keep it.
func (c *cluster) dryRun(ctx context.Context, kind schema.GroupVersionResource, name string, object runtime.Object) (*unstructured.Unstructured, error) {
	return c.send(ctx, kind, name, object, metav1.ApplyOptions{FieldManager: fieldManager, DryRun: []string{metav1.DryRunAll}})
}

func (c *cluster) send(ctx context.Context, kind schema.GroupVersionResource, name string, object runtime.Object, o metav1.ApplyOptions) (kept *unstructured.Unstructured, err error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	delete(fields, "status")
	u := &unstructured.Unstructured{Object: fields}
	u.SetCreationTimestamp(metav1.Time{})
	unstructured.RemoveNestedField(fields, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(fields, "spec", "template", "metadata", "creationTimestamp")
	err = retry(ctx, func() (err error) {
		kept, err = c.dynamic.Resource(kind).Namespace(c.namespace).Apply(ctx, name, u, o)
		return err
	})
	return kept, err
}

// explain adds the next step to an API server's refusal.
func (c *cluster) explain(err error) error {
	switch {
	case notAPI(err):
		return Unreached{text: c.server() + " answers, but not as an API server of Kubernetes: a proxy or another program may be at that address", err: err}
	case apierrors.IsNotFound(err):
		return record.NoNamespace.Wrap(err, c.namespace, c.namespace)
	case apierrors.IsForbidden(err):
		return record.NoPermission.Wrap(err)
	case apierrors.IsUnauthorized(err):
		return record.NoCredentials.Wrap(err)
	}
	if u, is := c.unreached(err); is {
		return u
	}
	return err
}

// get reads one object of the namespace; nodes have none.
func get[T any](ctx context.Context, c *cluster, kind schema.GroupVersionResource, name string) (*T, error) {
	u, err := c.scoped(kind).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, record.GetObject.Wrap(err, kind.Resource, name)
	}
	return typed[T](u.Object)
}

// list reads all objects that the options o select from a resource, page by page.
// what names them in an error.
func list[T any](ctx context.Context, from dynamic.ResourceInterface, what string, o metav1.ListOptions) ([]T, error) {
	var all []T
	for {
		page, err := from.List(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", what, err)
		}
		for _, item := range page.Items {
			v, err := typed[T](item.Object)
			if err != nil {
				return nil, err
			}
			all = append(all, *v)
		}
		if o.Continue = page.GetContinue(); o.Continue == "" {
			return all, nil
		}
	}
}

func (c *cluster) scoped(kind schema.GroupVersionResource) dynamic.ResourceInterface {
	if kind == nodes || kind == storageClasses {
		return c.dynamic.Resource(kind)
	}
	return c.dynamic.Resource(kind).Namespace(c.namespace)
}

func typed[T any](fields map[string]any) (*T, error) {
	b, err := json.Marshal(fields)
	v := new(T)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		return nil, fmt.Errorf("read object: %w", err)
	}
	return v, nil
}

// removeAll deletes what selector takes, of these kinds, owners first, and waits
// until it is gone. A selector has a label of tare's own in it, which nothing else
// carries.
func (c *cluster) removeAll(ctx context.Context, kinds []schema.GroupVersionResource, selector string) error {
	var left []string
	for {
		found, err := c.removeFound(ctx, kinds, selector)
		switch {
		case apierrors.IsForbidden(err), err != nil && (ctx.Err() == nil || len(left) == 0):
			return err
		case err != nil: // the time ended during a request; what is left is known from the one before
		case len(found) == 0:
			return nil
		default:
			left = found
		}
		if err := pause(ctx, pollEvery); err != nil {
			return fmt.Errorf("wait until %d objects are gone: %s: %w", len(left), some(left), err)
		}
	}
}

// removeFound deletes what there is of these kinds, and returns it in words. A kind that may not be listed, or an object that may
// not be deleted, does not keep the others.
func (c *cluster) removeFound(ctx context.Context, kinds []schema.GroupVersionResource, selector string) (left []string, err error) {
	var refused error
	for _, kind := range kinds {
		found, err := c.labelled(ctx, kind, selector)
		if apierrors.IsForbidden(err) {
			refused = errors.Join(refused, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, u := range found {
			left = append(left, staying(kind, u))
			if u.GetDeletionTimestamp() != nil {
				continue
			}
			if err := c.remove(ctx, kind, u.GetName()); apierrors.IsForbidden(err) {
				refused = errors.Join(refused, err)
			} else if err != nil {
				return nil, err
			}
		}
	}
	return left, refused
}

// labelled lists the objects of a kind in the namespace that have labels.
func (c *cluster) labelled(ctx context.Context, kind schema.GroupVersionResource, selector string) ([]unstructured.Unstructured, error) {
	var found *unstructured.UnstructuredList
	err := retry(ctx, func() (err error) {
		found, err = c.scoped(kind).List(ctx, metav1.ListOptions{LabelSelector: selector})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", kind.Resource, c.explain(err))
	}
	return found.Items, nil
}

func (c *cluster) remove(ctx context.Context, kind schema.GroupVersionResource, name string) error {
	_, err := c.removeNamed(ctx, kind, name)
	return err
}

// removeNamed deletes an object, and says whether there was one.
func (c *cluster) removeNamed(ctx context.Context, kind schema.GroupVersionResource, name string) (there bool, err error) {
	background := metav1.DeletePropagationBackground
	err = retry(ctx, func() error {
		return c.scoped(kind).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background})
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return false, fmt.Errorf("delete %s %s: %w", kind.Resource, name, c.explain(err))
	}
	fault.At("cluster: deleted " + kind.Resource)
	if err == nil && c.deleted != nil {
		c.deleted(kind, name)
	}
	return err == nil, nil
}

// pollEvery is the time between two looks at a pod. A watch would tell sooner,
// and would have to survive its own expiry.
const pollEvery = 200 * time.Millisecond

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// retryFor is how long an API server may be away.
const retryFor = 30 * time.Second

// retry does something again while its errors may be temporary.
func retry(ctx context.Context, do func() error) error {
	for begun := time.Now(); ; {
		err := do()
		if err == nil || !retryable(err) || time.Since(begun) > retryFor || pause(ctx, pollEvery) != nil {
			return err
		}
	}
}

// settling tells the refusals of an API server that has just started: it answers
// before it has read the roles, and what it allowed a moment ago it will allow again.
func settling(err error, allowed time.Time) bool {
	return apierrors.IsForbidden(err) && time.Since(allowed) < retryFor
}

// retryable tells temporary errors: an API server that
// restarts, or that asks to slow down.
func retryable(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	return apierrors.IsTooManyRequests(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err)
}
