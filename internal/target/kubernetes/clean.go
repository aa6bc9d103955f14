package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tarebench/tare/internal/operator"
	"github.com/tarebench/tare/internal/target"
)

// Where says which cluster and namespace; every field may be left out.
type Where struct{ Kubeconfig, Context, Namespace string }

// Clean removes from a namespace the arms whose tare has ended, and says on log
// what it leaves: those of a tare that runs, and those of other machines, whose
// tare cannot be looked at. Force removes them all. It returns how many arms it
// removed. One that cannot be removed in time does not keep the others, nor does a kind that may not be listed. Runs inside the
// cluster are ended by force, and what failed starts of them left is removed. removed is told of each object, once: kind/name.
func Clean(ctx context.Context, at Where, force bool, log io.Writer, removed func(object string)) (int, error) {
	c, err := connect(at)
	if err != nil {
		return 0, err
	}
	c.deleted = eachOnce(removed)
	// Without the repetitions below: a person who waits for an address that is wrong would see nothing for half a minute.
	if _, err := c.scoped(statefulSets).List(ctx, metav1.ListOptions{LabelSelector: armLabel, Limit: 1}); err != nil && isA[Unreached](c.explain(err)) {
		return 0, c.asked(err)
	}
	return c.clean(ctx, force, timeOfArm, log)
}

// eachOnce tells of each object once, in the words of kubectl: one whose deletion takes long is deleted again, and probe pods are beside
// the rest.
func eachOnce(tell func(object string)) func(schema.GroupVersionResource, string) {
	var mu sync.Mutex
	told := map[string]bool{}
	return func(kind schema.GroupVersionResource, name string) {
		mu.Lock()
		defer mu.Unlock()
		object := singular(kind.Resource) + "/" + name
		if !told[object] {
			told[object] = true
			tell(object)
		}
	}
}

// singular is the name of one object of a resource (the plurals of Kubernetes and of operators are regular).
func singular(resource string) string {
	if word, ok := strings.CutSuffix(resource, "ies"); ok {
		return word + "y"
	}
	if word, ok := strings.CutSuffix(resource, "sses"); ok {
		return word + "ss"
	}
	return strings.TrimSuffix(resource, "s")
}

// clean is [Clean] with this limit for each arm.
func (c *cluster) clean(ctx context.Context, force bool, bound limit, log io.Writer) (int, error) {
	removed, all := (&Remote{cluster: c}).cleanRuns(ctx, force, log) // first: a run that goes on would make its arms again
	arms, err := c.arms(ctx)
	all = errors.Join(all, err)
	for _, a := range arms {
		if !force && !a.note.Ended() {
			fmt.Fprintf(log, "namespace %s: %s is not removed: its tare (process %d) is running, or is on another machine; --force removes it\n", c.namespace, a.id, a.note.PID)
			continue
		}
		if err := c.release(ctx, a, bound); err != nil {
			all = errors.Join(all, err)
			continue
		}
		removed++
	}
	return removed, all
}

// release removes an arm as far as its objects tell of it.
func (c *cluster) release(ctx context.Context, a leftArm, bound limit) error {
	ctx, cancel := bound(ctx, a.id)
	defer cancel()
	k := &Kubernetes{cluster: c, id: a.id, owner: a.owner, settings: a.settings, kinds: a.kinds, left: a.left, probed: a.settings.ProbeNamespace != ""}
	if err := k.Release(ctx); err != nil {
		return fmt.Errorf("clean arm %s: %w", a.id, err)
	}
	return nil
}

// leftArm is an arm as its objects tell of it.
type leftArm struct {
	id, owner string
	note      target.Note
	settings  Settings
	kinds     []schema.GroupVersionResource
	left      []operator.Leaving
}

// arms finds every arm that has an object in the namespace. Of kinds that may not be listed it finds none, and says so in the error.
func (c *cluster) arms(ctx context.Context) (found []leftArm, refused error) {
	var also []string // that are refused as the first is
	for _, kind := range made {
		page, err := c.labelled(ctx, kind, armLabel)
		if apierrors.IsForbidden(err) {
			if refused == nil {
				refused = fmt.Errorf("look for leftovers: %w", err)
			} else {
				also = append(also, kind.Resource)
			}
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look for leftovers: %w", err)
		}
		for _, u := range page {
			id := u.GetLabels()[armLabel]
			i := slices.IndexFunc(found, func(a leftArm) bool { return a.id == id })
			if i < 0 {
				i = len(found)
				found = append(found, leftArm{id: id})
			}
			found[i].readOwner(u)
			if u.GetName() == id+kindsSuffix {
				if found[i].kinds, err = kindsOf(u); err != nil {
					return nil, err
				}
				if found[i].left, err = leftOf(u); err != nil {
					return nil, err
				}
			}
			if u.GetName() == id+hostPathSuffix {
				if err = found[i].settings.readHostPath(u); err != nil {
					return nil, err
				}
			}
			if namespace := u.GetAnnotations()[probeAnnotation]; namespace != "" {
				found[i].settings.ProbeNamespace = namespace
			}
		}
	}
	if len(also) > 0 {
		refused = fmt.Errorf("%w; nor may %s be listed", refused, strings.Join(also, ", "))
	}
	return found, refused
}

// readOwner reads whose an arm is, unless another object has said so. Pods that a StatefulSet or a Job
// made have no owner's annotation, and come first where that is already deleted. An arm without
// a readable owner has no process that could be asked: it goes with force only.
func (a *leftArm) readOwner(u unstructured.Unstructured) {
	text := u.GetAnnotations()[ownerAnnotation]
	if a.owner != "" || text == "" {
		return
	}
	var note target.Note
	if json.Unmarshal([]byte(text), &note) == nil {
		a.owner, a.note = text, note
	}
}

// readHostPath reads the mark of a directory on a node.
func (s *Settings) readHostPath(u unstructured.Unstructured) error {
	mark, err := typed[corev1.Secret](u.Object)
	if err != nil {
		return err
	}
	s.Volume, s.Node, s.Image = hostPathVolume, string(mark.Data["node"]), string(mark.Data["image"])
	return nil
}
