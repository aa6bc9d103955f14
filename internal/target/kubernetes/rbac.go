package kubernetes

// The Role that an experiment needs, as `tare render --rbac` prints it and as `tare check` names
// what is missing of it: the permissions of permissions.go in YAML.

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Grant is what an experiment needs in one namespace of a cluster.
type Grant struct {
	at      Where  // the namespace of the objects
	account string // the namespace of the service account
	rights  []right
	cluster []right // in all namespaces, and on objects that have none
	probes  bool    // in the namespace of the probes' pods
	// optional are permissions of the whole cluster that are used where they are granted.
	optional []permission
}

// optionalPermissions are those of the whole cluster without which an arm runs.
func optionalPermissions(s Settings) []permission {
	all := slices.Concat(clusterPermissions(), kubeletPermissions(), networkPermissions())
	return slices.DeleteFunc(all, func(p permission) bool { return p.needed(s) })
}

// Grants are what the arm needs. Kinds of the arm's own manifests are named as Kubernetes names
// resources; no cluster is asked. The error is that of manifests that cannot be built.
func (k *Kubernetes) Grants() ([]Grant, error) {
	at := k.where()
	rights := slices.Concat(rightsOf(runPermissions(), k.settings), admissionPermission().rights())
	own := Grant{at: at, account: at.Namespace, rights: rights, cluster: rightsOf(clusterPermissions(), k.settings), optional: optionalPermissions(k.settings)}
	if !k.settings.makesServer() {
		b, err := k.build(at.Namespace, nil)
		if err != nil {
			return nil, err
		}
		var kinds []schema.GroupVersionResource
		for _, u := range b.objects {
			resource, _ := meta.UnsafeGuessKindToResource(u.GroupVersionKind())
			kinds = append(kinds, resource)
		}
		own.rights = append(own.rights, k.settings.ownRights(kinds)...)
	}
	if k.settings.ProbeNamespace == "" {
		return []Grant{own}, nil
	}
	probes := Grant{at: at, account: at.Namespace, rights: rightsOf(probePermissions(), k.settings), probes: true}
	probes.at.Namespace = k.settings.ProbeNamespace
	return []Grant{own, probes}, nil
}

// where is the arm's place, with the namespace that it has by default.
func (k *Kubernetes) where() Where {
	return placed(k.cluster, Where{k.settings.Kubeconfig, k.settings.Context, k.settings.Namespace})
}

// placed is a place with the namespace that is used there.
func placed(c *cluster, at Where) Where {
	switch {
	case c != nil:
		at.Namespace = c.namespace
	case at.Namespace == "":
		at.Namespace = "tare"
	}
	return at
}

// ArmGrants are what an arm needs, whose settings decode fills in.
func ArmGrants(decode func(into any) error) ([]Grant, error) {
	k, err := arm(decode)
	if err != nil {
		return nil, err
	}
	return k.Grants()
}

// LoadGrants are what the pods of load.from need, whose settings decode fills in.
func LoadGrants(decode func(into any) error) ([]Grant, error) {
	f, err := newFrom(decode)
	if err != nil {
		return nil, err
	}
	at := placed(f.cluster, Where{f.settings.Kubeconfig, f.settings.Context, f.settings.Namespace})
	return []Grant{{at: at, account: at.Namespace, rights: slices.Concat(rightsOf(loadPermissions(), f.settings.asArm()), admissionPermission().rights())}}, nil
}

// RBAC are the grants as objects: a Role for every namespace, and a ClusterRole where some need
// one, bound to the service account tare. Name is that of every object.
func RBAC(name string, grants []Grant) string {
	var b strings.Builder
	merged := mergeGrants(grants)
	for _, g := range merged {
		if len(merged) > 1 && (g.at.Kubeconfig != "" || g.at.Context != "") {
			fmt.Fprintf(&b, "# in the cluster of kubeconfig %q, context %q:\n", g.at.Kubeconfig, g.at.Context)
		}
		b.WriteString(boundRole(name, g.at.Namespace, g.account, g.rights))
		if len(g.cluster) > 0 {
			b.WriteString(boundRole(name, "", g.account, g.cluster))
		}
		if len(g.optional) == 0 {
			continue
		}
		b.WriteString("# Optional, as rules of a ClusterRole. What is unknown without each:\n")
		for _, p := range g.optional {
			for _, line := range ruleLines(policyRules([]permission{p})) {
				fmt.Fprintf(&b, "#   %s # %s\n", line, p.without)
			}
		}
	}
	return b.String()
}

// mergeGrants are the grants with one for each namespace.
func mergeGrants(grants []Grant) []Grant {
	var merged []Grant
	for _, g := range grants {
		i := slices.IndexFunc(merged, func(m Grant) bool { return m.at == g.at })
		if i < 0 {
			merged = append(merged, g)
			continue
		}
		m := &merged[i]
		m.rights, m.cluster = slices.Concat(m.rights, g.rights), slices.Concat(m.cluster, g.cluster)
		m.optional = slices.DeleteFunc(slices.Concat(m.optional, g.optional), func(p permission) bool {
			return !slices.ContainsFunc(p.rights(), func(r right) bool { return !slices.Contains(m.cluster, r) })
		})
	}
	for i, g := range merged {
		var once []permission
		for _, p := range g.optional {
			if !slices.ContainsFunc(once, func(o permission) bool { return slices.Equal(o.rights(), p.rights()) }) {
				once = append(once, p)
			}
		}
		merged[i].optional = once
	}
	return merged
}

// boundRole is a Role, or a ClusterRole without a namespace, and its binding.
func boundRole(name, namespace, account string, rights []right) string {
	prefix, in := "", ", namespace: "+namespace
	if namespace == "" {
		prefix, in = "Cluster", ""
	}
	return fmt.Sprintf(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: %[1]sRole
metadata: {name: %[2]s%[3]s}
rules:
  %[5]s
---
apiVersion: rbac.authorization.k8s.io/v1
kind: %[1]sRoleBinding
metadata: {name: %[2]s%[3]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: %[1]sRole, name: %[2]s}
subjects: [{kind: ServiceAccount, name: tare, namespace: %[4]s}]
`, prefix, name, in, account, strings.Join(ruleLines(rulesOf(rights)), "\n  "))
}

// ruleLines are the rules as YAML, one a line.
func ruleLines(rules []rbacv1.PolicyRule) []string {
	var lines []string
	for _, p := range rules {
		group := p.APIGroups[0]
		if group == "" {
			group = `""`
		}
		line := fmt.Sprintf("- {apiGroups: [%s], resources: [%s], verbs: [%s]", group, strings.Join(p.Resources, ", "), strings.Join(p.Verbs, ", "))
		if p.ResourceNames != nil {
			line += fmt.Sprintf(", resourceNames: [%s]", strings.Join(p.ResourceNames, ", "))
		}
		lines = append(lines, line+"}")
	}
	return lines
}

// lacking says which rights are missing in a namespace, and the rules of a Role that grant them.
func lacking(namespace string, missing []right, next string) error {
	var names []string
	for _, r := range missing {
		names = append(names, r.String())
	}
	return fmt.Errorf("these credentials lack permissions in namespace %s: %s; %s. The missing rules:\n    %s",
		namespace, strings.Join(names, ", "), next, strings.Join(ruleLines(rulesOf(missing)), "\n    "))
}

// noRights is said in place of a list where nothing is granted: most often the namespace has another name, and the
// arms of one namespace are then told once.
func noRights(namespace string) error {
	return fmt.Errorf("these credentials have no permissions in namespace %s. Does the namespace exist? If it does, %s", namespace, applyRole)
}

// applyRole is the next step where the permissions of an experiment are missing.
const applyRole = "`tare render --rbac` prints the Role that this experiment needs (docs/kubernetes.md, The first ten minutes)"
