package kubernetes

// What the quotas of a namespace leave, and what one database of an arm takes of it with its neighbour and its load
// pods: in a run by slices the pods of all databases are there at once.

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/tarebench/tare/internal/target"
)

// podsOfDatabase are the pods of one database of the arm, by their one container as it is admitted. Of what manifests and
// operators make, the amounts are not known, and their number is the least that there can be.
func (k *Kubernetes) podsOfDatabase(a admission) []corev1.ResourceRequirements {
	with := func(r corev1.ResourceRequirements) corev1.ResourceRequirements {
		given, _ := a.given(r)
		return given
	}
	all := []corev1.ResourceRequirements{{}}
	switch s := k.settings; {
	case s.isOperator():
		all = make([]corev1.ResourceRequirements, max(1, s.Members))
	case s.makesServer() && !s.Bare:
		all[0] = with(resources(s.requirements(someCPU)))
	}
	if n := k.settings.Neighbour; n != nil {
		all = append(all, with(resources(n.Requirements())))
	}
	if k.settings.loadsFromPods() {
		l := (&server{target: k}).loaders()
		for range l.count {
			all = append(all, with(l.resources()))
		}
	}
	return all
}

// allowances are what each quota leaves of what it counts, and what these pods take of it. A quota with scopes may not be
// for them.
func (a admission) allowances(host, namespace string, pods []corev1.ResourceRequirements) (all []target.Allowance) {
	for _, q := range a.quotas {
		if len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil {
			continue
		}
		for _, name := range append(constrained(q), countedPods(q)...) {
			hard, used := q.Status.Hard[name], q.Status.Used[name]
			left := hard.DeepCopy()
			left.Sub(used)
			one := target.Allowance{Cluster: host, Namespace: namespace, Quota: q.Name, Resource: string(name), Hard: inUnits(name, hard), Left: inUnits(name, left)}
			for _, p := range pods {
				one.Takes += takenOf(p, name)
			}
			all = append(all, one)
		}
	}
	return all
}

// countedPods are the names by which a quota bounds the number of pods.
func countedPods(q corev1.ResourceQuota) (names []corev1.ResourceName) {
	for _, name := range []corev1.ResourceName{corev1.ResourcePods, "count/pods"} {
		if _, has := q.Status.Hard[name]; has {
			names = append(names, name)
		}
	}
	return names
}

// inUnits is an amount as [target.Allowance] has it.
func inUnits(name corev1.ResourceName, v resource.Quantity) int64 {
	if strings.HasSuffix(string(name), "cpu") {
		return v.MilliValue()
	}
	return v.Value()
}

// takenOf is what a pod takes of a quota.
func takenOf(r corev1.ResourceRequirements, name corev1.ResourceName) int64 {
	if strings.HasSuffix(string(name), "pods") {
		return 1
	}
	v, _ := counted(r, name)
	return inUnits(name, v)
}

// checkAllowances refuses an arm of which not even one database fits a quota. What other pods have of the quota can be
// free later.
func (k *Kubernetes) checkAllowances() error {
	for _, a := range k.allowances {
		if a.Takes <= a.Left {
			continue
		}
		err := errors.New(a.Short(a.Takes, "one database of the arm, with its neighbour and its load pods, needs"))
		if a.Takes <= a.Hard {
			err = target.Unavailable{Err: err}
		}
		return target.FieldError{Field: "namespace", Err: fmt.Errorf("%w; have the quota raised (kubectl describe resourcequota %s), or ask for less: %s", err, a.Quota, a.Less())}
	}
	return nil
}
