package kubernetes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// kindsSuffix ends the name of the Secret that says of which kinds the objects of
// an arm's manifests are: a [Clean] after a crash has no manifests to read.
const kindsSuffix = "-kinds"

func (k *Kubernetes) markKinds(ctx context.Context, kinds []schema.GroupVersionResource) error {
	k.kinds = nil
	for _, kind := range kinds {
		if !slices.Contains(k.kinds, kind) && !slices.Contains(made, kind) {
			k.kinds = append(k.kinds, kind)
		}
	}
	var lines []string
	for _, kind := range k.kinds {
		lines = append(lines, strings.Join([]string{kind.Group, kind.Version, kind.Resource}, "/"))
	}
	data := map[string][]byte{"kinds": []byte(strings.Join(lines, "\n"))}
	if len(k.left) > 0 {
		left, err := json.Marshal(k.left)
		if err != nil {
			return fmt.Errorf("mark what the operator leaves: %w", err)
		}
		data[leftKey] = left
	}
	name := k.id + kindsSuffix
	return k.cluster.apply(ctx, secrets, name, &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: k.meta(name),
		Data: data,
	})
}

// kindsOf reads that mark.
func kindsOf(u unstructured.Unstructured) ([]schema.GroupVersionResource, error) {
	mark, err := typed[corev1.Secret](u.Object)
	if err != nil {
		return nil, err
	}
	var kinds []schema.GroupVersionResource
	for line := range strings.FieldsSeq(string(mark.Data["kinds"])) {
		part := strings.Split(line, "/")
		if len(part) != 3 {
			return nil, fmt.Errorf("read Secret %s: %q is not a kind", u.GetName(), line)
		}
		kinds = append(kinds, schema.GroupVersionResource{Group: part[0], Version: part[1], Resource: part[2]})
	}
	return kinds, nil
}

// mapper knows the kinds that the cluster has now.
func (c *cluster) mapper() (meta.RESTMapper, error) {
	d, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return nil, fmt.Errorf("ask for the cluster's kinds: %w", err)
	}
	groups, err := restmapper.GetAPIGroupResources(d)
	if err != nil {
		return nil, fmt.Errorf("ask for the cluster's kinds: %w", c.explain(err))
	}
	return restmapper.NewDiscoveryRESTMapper(groups), nil
}

// checkOwn reads the manifests as a trial will, and asks for the rights on each
// of their kinds.
func (k *Kubernetes) checkOwn(ctx context.Context) error {
	b, err := k.build(k.cluster.namespace, nil)
	if err != nil {
		return err
	}
	field := k.settings.whose()
	kinds, err := k.cluster.kinds(b.objects)
	if err != nil {
		return target.FieldError{Field: field, Err: err}
	}
	asked := rightsOf(runPermissions(), k.settings) // by Check
	wanted := slices.DeleteFunc(k.settings.ownRights(kinds), func(r right) bool { return slices.Contains(asked, r) })
	missing, err := k.cluster.missing(ctx, wanted)
	if err != nil {
		return target.FieldError{Field: "kubeconfig", Err: err}
	}
	if len(missing) > 0 {
		return target.FieldError{Field: field, Err: lacking(k.cluster.namespace, missing, applyRole)}
	}
	for i, u := range b.objects {
		if err := k.notForeign(ctx, kinds[i], u); err != nil {
			return target.FieldError{Field: field, Err: err}
		}
		if !k.settings.isOperator() {
			continue
		}
		// The API server compares it with the operator's own resource definition, and its
		// webhooks with what the operator takes. Nothing is kept.
		if err := k.cluster.admit(ctx, kinds[i], u.GetName(), u); err != nil {
			return target.FieldError{Field: field, Err: fmt.Errorf("the cluster does not accept %s %s: %w", u.GetKind(), u.GetName(), k.cluster.explain(err))}
		}
	}
	return nil
}

// checkClaims requires data that stay from trial to trial: on claims that go with the
// arm, or in a directory of the node. Claims that are not among the manifests are
// others' data, which are not tare's to change, whatever kind of object uses them.
func checkClaims(objects []*unstructured.Unstructured) error {
	var have, used []string
	onNode := false
	for _, u := range objects {
		if u.GetKind() == claimKind {
			have = append(have, u.GetName())
		}
		templates, _, _ := unstructured.NestedSlice(u.Object, "spec", "volumeClaimTemplates") // absent: none
		have = append(have, make([]string, len(templates))...)
		walk("", u.Object, func(kind, name string) string {
			if kind == claimKind {
				used = append(used, name)
			}
			return name
		})
		at := []string{"spec", "template", "spec", "volumes"}
		if u.GetKind() == "Pod" {
			at = []string{"spec", "volumes"}
		}
		volumes, _, _ := unstructured.NestedSlice(u.Object, at...) // absent: none
		for _, v := range volumes {
			fields, _ := v.(map[string]any)
			onNode = onNode || fields["hostPath"] != nil
		}
	}
	for _, name := range used {
		if !slices.Contains(have, name) {
			return target.Wrong("manifests", "claim %s is not among them, so its data are not tare's to change; add a claim, or use target: external", name)
		}
	}
	if len(have) == 0 && !onNode {
		return target.Wrong("manifests", "the server's data are on no claim and no hostPath, so every trial would begin with an empty server; add volumeClaimTemplates by an entry of patches")
	}
	return nil
}

// podRequirements adds up what a pod's containers and sidecars ask for. One without a limit leaves
// the pod without one, unless the pod as a whole has it.
func podRequirements(p corev1.Pod) node.Requirements {
	r := node.Requirements{Request: podRequests(p)}
	running := slices.Clone(p.Spec.Containers)
	for _, c := range p.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			running = append(running, c)
		}
	}
	cpu, memory := true, true // every container so far has a limit
	for _, c := range running {
		l := nodeAmounts(c.Resources.Limits)
		r.Limit.CPU, r.Limit.Memory = r.Limit.CPU+l.CPU, r.Limit.Memory+l.Memory
		cpu, memory = cpu && l.CPU != 0, memory && l.Memory != 0
	}
	if !cpu {
		r.Limit.CPU = 0
	}
	if !memory {
		r.Limit.Memory = 0
	}
	if whole := p.Spec.Resources; whole != nil {
		l := nodeAmounts(whole.Limits)
		r.Limit.CPU, r.Limit.Memory = cmp.Or(l.CPU, r.Limit.CPU), cmp.Or(l.Memory, r.Limit.Memory)
	}
	return r
}
