package kubernetes

// What whoever starts, follows and fetches a run inside a cluster must be allowed to do.

import (
	"context"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// starterPermissions are on the objects of a run: it is started, followed, fetched and removed with them.
func starterPermissions() []permission {
	return []permission{
		{group: "batch", resources: []string{"jobs"}, verbs: madeVerbs},
		{resources: []string{"configmaps", "persistentvolumeclaims"}, verbs: madeVerbs},
		{resources: []string{"pods"}, verbs: ownVerbs},
		{resources: []string{"pods/log"}, verbs: []string{"get"}},
		{resources: []string{"pods/portforward", "pods/exec"}, verbs: []string{"create"}},
		{resources: []string{"events"}, verbs: []string{"list"}},
	}
}

// accountPermissions are on the account that a run gets, and on its Role. An API server has nobody write a Role with
// permissions that they do not have themselves: runPermissions are needed beside them.
func accountPermissions() []permission {
	return []permission{
		{resources: []string{"serviceaccounts"}, verbs: madeVerbs},
		{group: rbacv1.GroupName, resources: []string{"roles", "rolebindings"}, verbs: madeVerbs},
	}
}

// inClusterPermissions are granted by the capability in-cluster of docs/kubernetes-rbac.yaml.
func inClusterPermissions() []permission {
	return slices.Concat(starterPermissions(), accountPermissions())
}

// rights are what the start of the run needs.
func (r InCluster) rights() []right {
	if r.Account != "" {
		return allRights(starterPermissions())
	}
	return distinct(slices.Concat(allRights(inClusterPermissions()), r.accountRights()))
}

// accountRights are those of the account that a run gets, in its namespace. Probes are in another one.
func (r InCluster) accountRights() []right {
	all := allRights(runPermissions())
	for _, g := range r.Arms {
		if !g.probes {
			all = append(all, g.rights...)
		}
	}
	return distinct(all)
}

// allRights are permissions one by one, without conditions.
func allRights(all []permission) []right {
	var rights []right
	for _, p := range all {
		rights = append(rights, p.rights()...)
	}
	return distinct(rights)
}

// InClusterGrants are what starting a run inside the cluster needs, in the namespace of these grants.
func InClusterGrants(arms []Grant) []Grant {
	at := placed(nil, Where{})
	if len(arms) > 0 {
		at = arms[0].at
	}
	return []Grant{{at: at, account: at.Namespace, rights: InCluster{Arms: arms}.rights()}}
}

// Lacking are permissions that are missing.
type Lacking struct{ error }

// Unwrap is what is missing.
func (l Lacking) Unwrap() error { return l.error }

// Check asks whether the run may be started by these credentials, before anything is made.
func (r *Remote) Check(ctx context.Context, run InCluster) error {
	missing, err := r.cluster.missing(ctx, run.rights())
	if err != nil {
		return r.cluster.asked(err)
	}
	if len(missing) > 0 {
		return Lacking{lacking(r.cluster.namespace, missing, run.howToGrant(missing))}
	}
	if run.Account == "" {
		return nil
	}
	// Who may not look finds out by the Job's events.
	if _, err := get[corev1.ServiceAccount](ctx, r.cluster, accounts, run.Account); apierrors.IsNotFound(err) {
		return fmt.Errorf("no service account %s in namespace %s; docs/kubernetes-rbac.yaml makes one, and without --service-account the run makes its own", run.Account, r.cluster.namespace)
	}
	return nil
}

// howToGrant is the next step where permissions of whoever starts a run are missing.
func (r InCluster) howToGrant(missing []right) string {
	next := "docs/kubernetes-rbac.yaml has them in the capability in-cluster"
	if r.Account != "" {
		return next
	}
	next += " and, for what the account of the run gets, in run (`tare render --rbac --in-cluster` prints one Role)"
	if slices.ContainsFunc(missing, func(m right) bool { return m.group == rbacv1.GroupName || m.resource == "serviceaccounts" }) {
		next += "; with --service-account NAME, an account that exists, no Roles are made and fewer permissions are needed"
	}
	return next
}
