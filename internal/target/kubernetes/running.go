package kubernetes

// The resource of an operator's database that runs: it is read, and nothing else.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/tarebench/tare/internal/operator"
)

// RunningResource is the resource of an operator, KIND/NAME, in the namespace: its descriptor, and the resource as a file for
// `resource` of an arm, without what the cluster wrote into it.
func RunningResource(ctx context.Context, at Where, named string) (d operator.Descriptor, text []byte, namespace string, err error) {
	kind, name, ok := strings.Cut(named, "/")
	var kinds []string
	for _, known := range operator.All() {
		kinds = append(kinds, known.Kind)
	}
	i := slices.IndexFunc(operator.All(), func(known operator.Descriptor) bool {
		return strings.EqualFold(known.Kind, kind) || known.Name == kind
	})
	if !ok || name == "" || i < 0 {
		return d, nil, "", fmt.Errorf("expected KIND/NAME with one of the kinds %s, not %q", strings.Join(kinds, ", "), named)
	}
	d = operator.All()[i]
	c, err := connect(at)
	if err != nil {
		return d, nil, "", err
	}
	c.namespace = placed(c, at).Namespace
	// The plural of each of these kinds has an s.
	resources := schema.GroupVersionResource{Group: d.Group, Version: d.Version, Resource: strings.ToLower(d.Kind) + "s"}
	found, err := c.scoped(resources).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return d, nil, c.namespace, fmt.Errorf("read %s %s in namespace %s: %w", d.Kind, name, c.namespace, err)
	}
	found.Object["metadata"] = map[string]any{"name": name}
	delete(found.Object, "status")
	if text, err = yaml.Marshal(found.Object); err != nil {
		return d, nil, c.namespace, fmt.Errorf("write %s %s: %w", d.Kind, name, err)
	}
	return d, text, c.namespace, nil
}
