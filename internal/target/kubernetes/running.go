package kubernetes

// The resource of an operator's database that runs: it is read, and nothing else.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/tarebench/tare/internal/operator"
	"github.com/tarebench/tare/internal/record"
)

// Running is the resource of an operator's database that runs.
type Running struct {
	operator.Descriptor
	Text      []byte // as a file for `resource` of an arm
	Namespace string
	LeftOut   []string // paths of the resource that the file does not have
}

// RunningResource is the resource of an operator, KIND/NAME, in the namespace, without what the cluster wrote into it and
// without what would lead out of another database of it.
func RunningResource(ctx context.Context, at Where, named string) (r Running, err error) {
	kind, name, ok := strings.Cut(named, "/")
	var kinds []string
	for _, known := range operator.All() {
		kinds = append(kinds, known.Kind)
	}
	i := slices.IndexFunc(operator.All(), func(known operator.Descriptor) bool {
		return strings.EqualFold(known.Kind, kind) || known.Name == kind
	})
	if !ok || name == "" || i < 0 {
		return r, fmt.Errorf("expected KIND/NAME with one of the kinds %s, not %q", strings.Join(kinds, ", "), named)
	}
	r.Descriptor = operator.All()[i]
	c, err := connect(at)
	if err != nil {
		return r, err
	}
	c.namespace = placed(c, at).Namespace
	r.Namespace = c.namespace
	// The plural of each of these kinds has an s.
	resources := schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: strings.ToLower(r.Kind) + "s"}
	found, err := c.scoped(resources).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return r, unavailable([]error{c.unreadResource(ctx, err, r.Descriptor, name, resources)})[0]
	}
	found.Object["metadata"] = map[string]any{"name": name}
	delete(found.Object, "status")
	r.LeftOut = r.LeaveOut(found.Object)
	if r.Text, err = yaml.Marshal(found.Object); err != nil {
		return r, fmt.Errorf("write %s %s: %w", r.Kind, name, err)
	}
	return r, nil
}

// unreadResource says why an operator's resource was not read. An API server answers without a Status of Kubernetes
// for a kind that it does not have, as does a server that is none; pods tell the two apart. To a user without the right
// to it, it does not say whether the kind is there.
func (c *cluster) unreadResource(ctx context.Context, err error, d operator.Descriptor, name string, kind schema.GroupVersionResource) error {
	switch {
	case apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse):
		if _, other := get[corev1.Pod](ctx, c, pods, name); notAPI(other) {
			return c.explain(other)
		}
		return errors.New(record.NoKind.Say(d.Kind, name, d.Kind, kind.GroupVersion().String()))
	case apierrors.IsNotFound(err):
		return fmt.Errorf("there is no %s %s in namespace %s", d.Kind, name, c.namespace)
	case apierrors.IsForbidden(err):
		lack := right{"get", kind.Group, kind.Resource, ""}
		return fmt.Errorf("%s %s in namespace %s: these credentials may not %v. The missing rule of a Role: %s. The cluster does not say without it whether it has the kind %s at all: its operator may not be installed",
			d.Kind, name, c.namespace, lack, ruleLines(rulesOf([]right{lack}))[0], d.Kind)
	}
	return fmt.Errorf("read %s %s in namespace %s: %w", d.Kind, name, c.namespace, c.explain(err))
}
