package kubernetes

// What tare may have to do in a cluster: one table, from which `check` asks and from
// which the files docs/kubernetes-rbac*.yaml are generated
// (go test ./internal/target/kubernetes -run TestPermissions -update).

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// right is something that tare must be allowed to do.
type right struct{ verb, group, resource, subresource string }

func (r right) String() string {
	resource := schema.GroupResource{Group: r.group, Resource: r.resource}.String()
	if r.subresource != "" {
		resource += "/" + r.subresource
	}
	return r.verb + " " + resource
}

// permission are verbs on a kind of objects, in the namespace of the arm.
type permission struct {
	group     string
	resources []string // with a subresource after a slash
	verbs     []string
	// needed tells whether an arm needs it; nil: every arm.
	needed func(Settings) bool
}

// made objects are applied (patch, and create where there is none), listed by their
// label to be removed, and deleted.
var madeVerbs = []string{"list", "create", "patch", "delete"}

// runPermissions are granted by docs/kubernetes-rbac.yaml. All kinds that tare makes
// are listed and deleted at the end of every arm, whether the arm made any or not.
func runPermissions() []permission {
	return []permission{
		{group: "apps", resources: []string{"statefulsets"}, verbs: madeVerbs},
		{group: "batch", resources: []string{"jobs"}, verbs: []string{"list", "delete"}},
		{group: "batch", resources: []string{"jobs"}, verbs: []string{"create", "patch"}, needed: Settings.loadsFromPods},
		{resources: []string{"persistentvolumeclaims", "secrets"}, verbs: madeVerbs},
		{resources: []string{"pods", "services"}, verbs: append([]string{"get"}, madeVerbs...)},
		{resources: []string{"pods/log"}, verbs: []string{"get"}},
		{resources: []string{"pods/portforward"}, verbs: []string{"create"}},
		{resources: []string{"pods/ephemeralcontainers"}, verbs: []string{"patch"}, needed: func(s Settings) bool { return s.Client != "" }},
		{resources: []string{"events"}, verbs: []string{"list"}},
	}
}

// loadsFromPods: the load comes from the pods of a Job.
func (s Settings) loadsFromPods() bool { return s.generators() > 0 && s.Client == "" }

// loadPermissions are what the pods of load.from need, all of them among those of
// docs/kubernetes-rbac.yaml.
func loadPermissions() []permission {
	return []permission{
		{group: "batch", resources: []string{"jobs"}, verbs: madeVerbs},
		{resources: []string{"secrets"}, verbs: madeVerbs},
		{resources: []string{"pods"}, verbs: []string{"list", "delete"}},
		{resources: []string{"pods/log"}, verbs: []string{"get"}},
		{resources: []string{"events"}, verbs: []string{"list"}},
	}
}

// probePermissions are granted by docs/kubernetes-rbac-probe.yaml, in the namespace of
// probe pods.
func probePermissions() []permission {
	return []permission{
		{resources: []string{"pods"}, verbs: append([]string{"get"}, madeVerbs...)},
		{resources: []string{"pods/log"}, verbs: []string{"get"}},
		{resources: []string{"pods/portforward"}, verbs: []string{"create"}},
	}
}

// ownVerbs are what is done with every kind of the user's own manifests: an object
// that is there already is looked at first.
var ownVerbs = append([]string{"get"}, madeVerbs...)

// rightsOf are the permissions that an arm needs, one by one.
func rightsOf(all []permission, s Settings) []right {
	var rights []right
	for _, p := range all {
		if p.needed != nil && !p.needed(s) {
			continue
		}
		for _, name := range p.resources {
			resource, sub, _ := strings.Cut(name, "/")
			for _, verb := range p.verbs {
				rights = append(rights, right{verb, p.group, resource, sub})
			}
		}
	}
	return rights
}

// policyRules are the permissions as the rules of a Role, without conditions: verbs on
// the same kinds are one rule.
func policyRules(all []permission) []rbacv1.PolicyRule {
	var merged []rbacv1.PolicyRule
	for _, p := range all {
		i := slices.IndexFunc(merged, func(m rbacv1.PolicyRule) bool {
			return m.APIGroups[0] == p.group && slices.Equal(m.Resources, p.resources)
		})
		if i < 0 {
			i = len(merged)
			merged = append(merged, rbacv1.PolicyRule{APIGroups: []string{p.group}, Resources: p.resources})
		}
		merged[i].Verbs = slices.Sorted(slices.Values(slices.Concat(merged[i].Verbs, p.verbs)))
	}
	return merged
}
