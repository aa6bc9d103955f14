package kubernetes

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestInClusterCheck: what is missing is said with its rules before anything is made, and an account that exists needs no Roles.
func TestInClusterCheck(t *testing.T) {
	writesRoles := func(r right) bool { return r.resource == "roles" }
	for _, c := range []struct {
		name, account string
		lacks         func(right) bool
		want          []string // of the error; nil: none
	}{
		{"all", "", nil, nil},
		{"no roles", "", writesRoles, []string{
			"lack permissions in namespace tare: list roles.rbac.authorization.k8s.io", "capability in-cluster", "with --service-account NAME",
			"- {apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [create, delete, list, patch]}"}},
		{"what the account gets", "", func(r right) bool { return r.resource == "statefulsets" }, []string{"and, for what the account of the run gets, in run", "resources: [statefulsets]"}},
		{"an account", "tare", writesRoles, nil},
		{"an account, no Jobs", "tare", func(r right) bool { return r.resource == "jobs" && r.verb == "patch" }, []string{"patch jobs.batch", "- {apiGroups: [batch], resources: [jobs], verbs: [patch]}"}},
		{"an account that is not there", "other", nil, []string{"no service account other in namespace tare"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &guarded{lacks: c.lacks}
			r, err := ConnectRemote(Where{Kubeconfig: guardedCluster(t, g), Namespace: "tare"})
			if err != nil {
				t.Fatal(err)
			}
			g.objects["/api/v1/namespaces/tare/serviceaccounts/tare"] = map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": "tare"}}
			there := len(g.objects)
			run := inCluster()
			run.Account = c.account
			err = r.Check(t.Context(), run)
			if (err == nil) != (c.want == nil) {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nwant %s", err, want)
				}
			}
			if c.lacks != nil && err != nil && !errors.As(err, &Lacking{}) {
				t.Errorf("%T", err)
			}
			if len(g.objects) != there {
				t.Errorf("the check made something: %v", g.objects)
			}
		})
	}
}

// TestInClusterRightsSuffice: what the start, the look and the removal of a run ask for is among the rights that are checked.
func TestInClusterRightsSuffice(t *testing.T) {
	for _, account := range []string{"", "tare"} {
		g := &guarded{}
		r, err := ConnectRemote(Where{Kubeconfig: guardedCluster(t, g), Namespace: "tare"})
		if err != nil {
			t.Fatal(err)
		}
		run := inCluster()
		run.Account = account
		var note strings.Builder
		if _, err := r.Start(t.Context(), run, &note); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Run(t.Context(), run.Name); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Runs(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.Remove(t.Context(), run.Name, nil, &note); err != nil {
			t.Fatal(err)
		}
		have := run.rights()
		for asked := range g.asked {
			optional := asked.resource == "clusterroles" || asked.resource == "clusterrolebindings"
			if !optional && !slices.Contains(have, asked.right) {
				t.Errorf("account %q: asked for %v, which is not checked", account, asked)
			}
		}
	}
}
