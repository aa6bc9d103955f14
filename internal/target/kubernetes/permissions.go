package kubernetes

// What tare may have to do in a cluster: one table, from which `check` asks, from which
// `render --rbac` makes a Role, and from which the rules of docs/kubernetes-rbac.yaml are
// generated (go test ./internal/target/kubernetes -run TestPermissions -update).

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tarebench/tare/internal/node"
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
	names     []string // of the objects; nil: all of the kind
	// needed tells whether an arm needs it; nil: every arm.
	needed func(Settings) bool
	// without says what is unknown to an arm that does not need the permission and could use it.
	without string
}

// made objects are applied (patch, and create where there is none), listed by their
// label to be removed, and deleted.
var (
	madeVerbs   = []string{"list", "create", "patch", "delete"}
	applyVerbs  = []string{"create", "patch"}
	removeVerbs = []string{"list", "delete"}
)

// runPermissions are granted by docs/kubernetes-rbac.yaml. All kinds that tare makes
// are listed and deleted at the end of every arm, whether the arm made any or not.
func runPermissions() []permission {
	return []permission{
		{group: "apps", resources: []string{"statefulsets"}, verbs: removeVerbs},
		{group: "apps", resources: []string{"statefulsets"}, verbs: applyVerbs, needed: Settings.makesServer},
		{group: "batch", resources: []string{"jobs"}, verbs: removeVerbs},
		{group: "batch", resources: []string{"jobs"}, verbs: applyVerbs, needed: Settings.loadsFromPods},
		{resources: []string{"persistentvolumeclaims"}, verbs: removeVerbs},
		{resources: []string{"persistentvolumeclaims"}, verbs: applyVerbs, needed: Settings.makesClaim},
		{resources: []string{"secrets"}, verbs: madeVerbs},
		{resources: []string{"pods"}, verbs: append([]string{"get"}, removeVerbs...)},
		{resources: []string{"pods"}, verbs: applyVerbs, needed: Settings.makesPods},
		{resources: []string{"services"}, verbs: append([]string{"get"}, removeVerbs...)},
		{resources: []string{"services"}, verbs: applyVerbs, needed: Settings.makesServer},
		{resources: []string{"pods/log"}, verbs: []string{"get"}},
		{resources: []string{"pods/portforward"}, verbs: []string{"create"}},
		{resources: []string{"pods/exec"}, verbs: []string{"create"}, needed: func(s Settings) bool { return s.streams() || s.disturbed() }},
		{resources: []string{"pods"}, verbs: []string{"watch"}, needed: Settings.disturbed},
		{resources: []string{"pods/ephemeralcontainers"}, verbs: []string{"patch"}, needed: func(s Settings) bool { return s.Client != "" }},
		{resources: []string{"events"}, verbs: []string{"list"}},
		admissionPermission(),
	}
}

// admissionPermission is for what tare demo and tare init find sizes by, and tare check what is admitted. No run needs it.
func admissionPermission() permission {
	return permission{resources: []string{"resourcequotas", "limitranges"}, verbs: []string{"list"}, needed: never}
}

// makesServer: the server's pod is of a StatefulSet of tare's.
func (s Settings) makesServer() bool { return !s.isOwn() && !s.isOperator() }

// makesClaim: the server's data are on a claim of tare's.
func (s Settings) makesClaim() bool { return s.makesServer() && s.defaulted().Volume == claimVolume }

// makesPods: the arm has pods that are of no StatefulSet and no Job: a neighbour, and the
// one that removes a directory of a node.
func (s Settings) makesPods() bool {
	return s.Neighbour != nil || s.makesServer() && s.defaulted().Volume == hostPathVolume
}

// loadsFromPods: the load comes from the pods of a Job.
func (s Settings) loadsFromPods() bool { return s.generators() > 0 && s.Client == "" }

// clusterPermissions are those of the ClusterRole in docs/kubernetes-rbac.yaml.
func clusterPermissions() []permission {
	usesMax := func(s Settings) bool { return s.makesServer() && s.CPU == node.MaxCPU }
	return []permission{
		{resources: []string{"nodes"}, verbs: []string{"list"}, needed: usesMax, without: "`cpu: max`, and why a pod fits on no node"},
		{resources: []string{"pods"}, verbs: []string{"list"}, needed: usesMax, without: "`cpu: max`, and why a pod fits on no node"},
		{resources: []string{"nodes"}, verbs: []string{"get"}, without: "kernel, runtime, capacity and MTU of the node",
			needed: func(s Settings) bool { return s.Neighbour != nil && s.Neighbour.CPU == node.MaxCPU }},
		{group: "storage.k8s.io", resources: []string{"storageclasses"}, verbs: []string{"get"}, needed: never, without: "limits of the volume by its StorageClass"},
	}
}

// kubeletPermissions are granted by the capability kubelet of docs/kubernetes-rbac.yaml.
func kubeletPermissions() []permission {
	return []permission{{resources: []string{"nodes/proxy"}, verbs: []string{"get"}, needed: never, without: "the kubelet's configuration, and cAdvisor's counters"}}
}

// networkPermissions are granted by the capability network of docs/kubernetes-rbac.yaml.
func networkPermissions() []permission {
	var names []string
	for _, path := range pluginConfigs() {
		if _, name, _ := strings.Cut(path, "/"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return []permission{
		{resources: []string{"configmaps"}, verbs: []string{"get"}, names: names, needed: never, without: "settings of the network plugin and of kube-proxy"},
		{group: ipPools.Group, resources: []string{ipPools.Resource}, verbs: []string{"list"}, needed: never, without: "Calico's encapsulation"},
	}
}

func never(Settings) bool { return false }

// loadPermissions are what the pods of load.from need, all of them among those of
// docs/kubernetes-rbac.yaml.
func loadPermissions() []permission {
	return []permission{
		{group: "batch", resources: []string{"jobs"}, verbs: madeVerbs},
		{resources: []string{"secrets"}, verbs: madeVerbs},
		{resources: []string{"pods"}, verbs: removeVerbs},
		{resources: []string{"pods/log"}, verbs: []string{"get"}},
		{resources: []string{"pods/exec"}, verbs: []string{"create"}, needed: Settings.streams},
		{resources: []string{"events"}, verbs: []string{"list"}},
	}
}

// probePermissions are granted by the capability probe of docs/kubernetes-rbac.yaml, in the namespace of
// probe pods.
func probePermissions() []permission {
	return []permission{
		{resources: []string{"pods"}, verbs: append([]string{"get"}, madeVerbs...)},
		{resources: []string{"pods/log"}, verbs: []string{"get"}},
		{resources: []string{"pods/portforward"}, verbs: []string{"create"}},
		{resources: []string{"pods/exec"}, verbs: []string{"create"}, needed: func(s Settings) bool { return s.ClientImage == "" }},
	}
}

// ownVerbs are what is done with every kind of the user's own manifests: an object
// that is there already is looked at first.
var ownVerbs = append([]string{"get"}, madeVerbs...)

// ownPermissions are granted by the capability manifests of docs/kubernetes-rbac.yaml: the kinds that a
// database's manifests usually have, and the secrets with its logins.
func ownPermissions() []permission {
	return []permission{
		{resources: []string{"configmaps", "serviceaccounts"}, verbs: ownVerbs},
		{resources: []string{"persistentvolumeclaims", "secrets"}, verbs: []string{"get"}}, // the rest is in kubernetes-rbac.yaml
		{group: "apps", resources: []string{"statefulsets"}, verbs: []string{"get"}},
		{group: "apps", resources: []string{"deployments"}, verbs: ownVerbs},
		{group: "policy", resources: []string{"poddisruptionbudgets"}, verbs: ownVerbs},
		{group: "networking.k8s.io", resources: []string{"networkpolicies"}, verbs: ownVerbs},
	}
}

// ownRights are those that an arm with manifests, or of an operator, needs for its objects of
// these kinds.
func (s Settings) ownRights(kinds []schema.GroupVersionResource) []right {
	wanted := []right{{"get", "", "secrets", ""}} // the login that tare is to use is in one
	for _, kind := range kinds {
		for _, verb := range ownVerbs {
			wanted = append(wanted, right{verb, kind.Group, kind.Resource, ""})
		}
	}
	if s.isOperator() { // to find and delete what the operator leaves
		wanted = append(wanted, right{"list", "", "secrets", ""}, right{"list", "", "persistentvolumeclaims", ""})
	}
	return distinct(wanted)
}

// rightsOf are the permissions that an arm needs, one by one.
func rightsOf(all []permission, s Settings) []right {
	var rights []right
	for _, p := range all {
		if p.needed == nil || p.needed(s) {
			rights = append(rights, p.rights()...)
		}
	}
	return rights
}

func (p permission) rights() []right {
	var rights []right
	for _, name := range p.resources {
		resource, sub, _ := strings.Cut(name, "/")
		for _, verb := range p.verbs {
			rights = append(rights, right{verb, p.group, resource, sub})
		}
	}
	return rights
}

// distinct are rights without repetition, in their order.
func distinct(rights []right) []right {
	var all []right
	for _, r := range rights {
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// policyRules are the permissions as the rules of a Role, without conditions.
func policyRules(all []permission) []rbacv1.PolicyRule {
	var rights []right
	var named []rbacv1.PolicyRule
	for _, p := range all {
		if p.names == nil {
			rights = append(rights, p.rights()...)
			continue
		}
		named = append(named, rbacv1.PolicyRule{APIGroups: []string{p.group}, Resources: p.resources, Verbs: p.verbs, ResourceNames: p.names})
	}
	return append(named, rulesOf(rights)...)
}

// rulesOf are rights as the rules of a Role: the same verbs on kinds of one group are one rule.
func rulesOf(rights []right) []rbacv1.PolicyRule {
	var each, merged []rbacv1.PolicyRule
	for _, r := range distinct(rights) {
		name := r.resource
		if r.subresource != "" {
			name += "/" + r.subresource
		}
		i := slices.IndexFunc(each, func(p rbacv1.PolicyRule) bool { return p.APIGroups[0] == r.group && p.Resources[0] == name })
		if i < 0 {
			i = len(each)
			each = append(each, rbacv1.PolicyRule{APIGroups: []string{r.group}, Resources: []string{name}})
		}
		each[i].Verbs = append(each[i].Verbs, r.verb)
	}
	for _, p := range each {
		slices.Sort(p.Verbs)
		i := slices.IndexFunc(merged, func(m rbacv1.PolicyRule) bool {
			return m.APIGroups[0] == p.APIGroups[0] && slices.Equal(m.Verbs, p.Verbs)
		})
		if i < 0 {
			merged = append(merged, p)
			continue
		}
		merged[i].Resources = append(merged[i].Resources, p.Resources...)
	}
	return merged
}
