package kubernetes

// What a namespace's quotas and ranges make of a pod before there is one: the defaults that a LimitRange gives its
// container, and the values that a ResourceQuota wants set.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

func (c *cluster) quotas(ctx context.Context) ([]corev1.ResourceQuota, error) {
	return list[corev1.ResourceQuota](ctx, c.scoped(resourceQuotas), "resourcequotas", metav1.ListOptions{})
}

func (c *cluster) ranges(ctx context.Context) ([]corev1.LimitRange, error) {
	return list[corev1.LimitRange](ctx, c.scoped(limitRanges), "limitranges", metav1.ListOptions{})
}

// admission are the quotas and the ranges of a namespace. What may not be listed is not known, and the pods will show it.
type admission struct {
	quotas                       []corev1.ResourceQuota
	ranges                       []corev1.LimitRange
	quotasUnknown, rangesUnknown bool
}

func (c *cluster) admission(ctx context.Context) (a admission, err error) {
	a.quotas, err = c.quotas(ctx)
	if a.quotasUnknown = apierrors.IsForbidden(err); err != nil && !a.quotasUnknown {
		return a, c.explain(err)
	}
	a.ranges, err = c.ranges(ctx)
	if a.rangesUnknown = apierrors.IsForbidden(err); err != nil && !a.rangesUnknown {
		return a, c.explain(err)
	}
	return a, nil
}

// constrained are the values that a quota wants every container to set
// (kubernetes pkg/quota/v1/evaluator/core, podEvaluator.Constraints).
func constrained(q corev1.ResourceQuota) []corev1.ResourceName {
	return slices.DeleteFunc([]corev1.ResourceName{
		corev1.ResourceRequestsCPU, corev1.ResourceCPU, corev1.ResourceLimitsCPU,
		corev1.ResourceRequestsMemory, corev1.ResourceMemory, corev1.ResourceLimitsMemory,
	}, func(name corev1.ResourceName) bool {
		_, limited := q.Status.Hard[name]
		return !limited
	})
}

// counted is what a container sets of a value that a quota counts.
func counted(r corev1.ResourceRequirements, name corev1.ResourceName) (resource.Quantity, bool) {
	from := r.Requests
	of, limit := strings.CutPrefix(string(name), "limits.")
	if limit {
		from = r.Limits
	}
	v, set := from[corev1.ResourceName(strings.TrimPrefix(of, "requests."))]
	return v, set
}

// unknown are the kinds that may not be listed.
func (a admission) unknown() (notes []string) {
	for _, kind := range []struct {
		lacks      bool
		name, what string
	}{
		{a.quotasUnknown, "resourcequotas", "whether a ResourceQuota admits the pods"},
		{a.rangesUnknown, "limitranges", "whether a LimitRange sets limits and requests that the arm does not set"},
	} {
		if kind.lacks {
			notes = append(notes, fmt.Sprintf("not checked: %s; these credentials may not %v", kind.what, right{"list", "", kind.name, ""}))
		}
	}
	return notes
}

// refuses says why the quotas do not admit a pod of one container, "" where they do. A quota with scopes may not be for it,
// and what ranges that may not be listed give it is not known.
func (a admission) refuses(r corev1.ResourceRequirements) string {
	for _, q := range a.quotas {
		if len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil {
			continue
		}
		var unset []string
		for _, name := range constrained(q) {
			hard := q.Status.Hard[name]
			switch v, set := counted(r, name); {
			case set && v.Cmp(hard) > 0:
				return fmt.Sprintf("ResourceQuota %s allows %s %s, and one pod has %s", q.Name, name, hard.String(), v.String())
			case !set && !a.rangesUnknown:
				unset = append(unset, string(name))
			}
		}
		if len(unset) > 0 {
			return fmt.Sprintf("ResourceQuota %s refuses pods that do not set %s", q.Name, strings.Join(unset, ", "))
		}
	}
	return ""
}

// given is the container with the defaults of the ranges, and what they are. The order of several ranges is not
// defined, and each default is named.
func (a admission) given(r corev1.ResourceRequirements) (corev1.ResourceRequirements, []string) {
	with := *r.DeepCopy()
	for name, limit := range with.Limits { // as the API server defaults it, before any range
		if _, requested := with.Requests[name]; !requested {
			if with.Requests == nil {
				with.Requests = corev1.ResourceList{}
			}
			with.Requests[name] = limit
		}
	}
	var said []string
	for _, kind := range []struct {
		name string
		from func(corev1.LimitRangeItem) corev1.ResourceList
		into *corev1.ResourceList
	}{
		{"limit", func(l corev1.LimitRangeItem) corev1.ResourceList { return l.Default }, &with.Limits},
		{"request", func(l corev1.LimitRangeItem) corev1.ResourceList { return l.DefaultRequest }, &with.Requests},
	} {
		asked := kind.into.DeepCopy()
		for _, item := range a.ofContainers() {
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
				v, has := kind.from(item.LimitRangeItem)[name]
				if _, set := asked[name]; set || !has {
					continue
				}
				if *kind.into == nil {
					*kind.into = corev1.ResourceList{}
				}
				(*kind.into)[name] = v
				said = append(said, fmt.Sprintf("LimitRange %s sets a %s %s of %s", item.of, inWords(name), kind.name, v.String()))
			}
		}
	}
	return with, said
}

func inWords(name corev1.ResourceName) string {
	if name == corev1.ResourceCPU {
		return "CPU"
	}
	return string(name)
}

// checkAdmission holds the arm's pods against the quotas and the ranges of their namespace.
func (k *Kubernetes) checkAdmission(ctx context.Context) error {
	a, err := k.cluster.admission(ctx)
	if err != nil {
		return target.FieldError{Field: "namespace", Err: fmt.Errorf("look for quotas and ranges: %w", err)}
	}
	k.admissionNotes = a.unknown()
	for _, of := range []func(admission) error{k.checkServerAdmission, k.checkNeighbourAdmission, k.checkLoadAdmission} {
		if err := of(a); err != nil {
			return err
		}
	}
	k.allowances = a.allowances(k.cluster.config.Host, k.cluster.namespace, k.podsOfDatabase(a))
	return k.checkAllowances()
}

// someCPU stands for cpu: max, which is not known yet.
const someCPU = 1

// checkServerAdmission is that of the server's pod, whose limits of cpu: max are not known yet.
func (k *Kubernetes) checkServerAdmission(a admission) error {
	if !k.settings.makesServer() || k.settings.Bare {
		return nil
	}
	asked := resources(k.settings.requirements(someCPU))
	with, said := a.given(asked)
	if name, why := a.outside(with); why != "" {
		return target.Wrong(string(name), "the API server refuses the pod: %s; write %s", why, within(name, with))
	}
	if limit, given := with.Limits[corev1.ResourceMemory]; given && k.settings.Memory == 0 {
		k.givenMemory = limit.Value()
	}
	if len(said) > 0 {
		note := strings.Join(said, ", ") + ": the arm does not set it, and its pod runs with it"
		if class, _ := classOf(corev1.PodSpec{Containers: []corev1.Container{{Resources: with}}}); class != node.Class(k.settings.requirements(someCPU)) {
			note += "; its class is then " + string(class)
		}
		k.admissionNotes = append(k.admissionNotes, note)
	}
	if why := a.refuses(with); why != "" {
		return target.Wrong("qos", "%s; write qos: Guaranteed with cpu and memory that the quota allows", why)
	}
	return nil
}

// within is what an arm can write so that its pod is admitted.
func within(name corev1.ResourceName, with corev1.ResourceRequirements) string {
	request, limit := with.Requests[name], with.Limits[name]
	if !limit.IsZero() && request.Cmp(limit) > 0 {
		return fmt.Sprintf("%s: %s or more, or a %sRequest of at most %s", name, request.String(), name, limit.String())
	}
	return fmt.Sprintf("%[1]s and %[1]sRequest within the range (kubectl describe limitrange)", name)
}

// checkNeighbourAdmission is that of the pod beside the server.
func (k *Kubernetes) checkNeighbourAdmission(a admission) error {
	if k.settings.Neighbour == nil {
		return nil
	}
	with, _ := a.given(resources(k.settings.Neighbour.Requirements()))
	_, why := a.outside(with)
	if why = cmp.Or(why, a.refuses(with)); why != "" {
		return target.Wrong("neighbour", "the API server refuses the neighbour's pod: %s; write its request and limits within it, or leave neighbour out", why)
	}
	return nil
}

// checkLoadAdmission is that of the pods of the load.
func (k *Kubernetes) checkLoadAdmission(a admission) error {
	if !k.settings.loadsFromPods() {
		return nil
	}
	l := (&server{target: k}).loaders()
	if why := a.refusesLoad(l); why != "" {
		return target.Wrong("clients", "%s; leave clients out, so that the load comes from this machine", why)
	}
	if with, said := a.given(l.resources()); with.Limits.Cpu().Sign() > 0 {
		k.admissionNotes = append(k.admissionNotes, "pods of the load: "+strings.Join(said, ", ")+"; the CPU limit can throttle the load")
	}
	return nil
}

// refusesLoad says why the quotas and ranges do not admit the pods of a load, "" where they do.
func (a admission) refusesLoad(l loaders) string {
	with, _ := a.given(l.resources())
	if _, why := a.outside(with); why != "" {
		return "the API server refuses the pods of the load: " + why
	}
	why := a.refuses(with)
	if why == "" {
		return ""
	}
	return why + ". Pods of the load set no limits, which would throttle them, and no memory"
}
