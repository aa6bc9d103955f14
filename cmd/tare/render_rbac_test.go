package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// granted are the permissions of the Roles and ClusterRoles in a text of YAML documents.
func granted(t *testing.T, text string) map[[3]string]bool {
	t.Helper()
	all := map[[3]string]bool{}
	for _, doc := range strings.Split(text, "---\n") {
		var role struct {
			Rules []struct{ APIGroups, Resources, Verbs []string }
		}
		if err := yaml.Unmarshal([]byte(doc), &role); err != nil {
			t.Fatal(err)
		}
		for _, r := range role.Rules {
			for _, resource := range r.Resources {
				for _, verb := range r.Verbs {
					all[[3]string{r.APIGroups[0], resource, verb}] = true
				}
			}
		}
	}
	return all
}

// TestExamplesNeedNoMore: the shipped examples for a cluster need nothing that the shipped Roles
// do not grant.
func TestExamplesNeedNoMore(t *testing.T) {
	shipped, err := os.ReadFile("../../docs/kubernetes-rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	have := granted(t, string(shipped))
	examples, err := filepath.Glob("../../examples/kubernetes-*.yaml")
	if err != nil || len(examples) < 3 {
		t.Fatal(examples, err)
	}
	for _, name := range examples {
		e, err := readSpec(name, specChange{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := renderRBAC(e, "", true)
		if err != nil {
			t.Fatal(err)
		}
		needs := granted(t, text)
		if len(needs) < 10 {
			t.Errorf("%s needs %d permissions", name, len(needs))
		}
		for r := range needs {
			if !have[r] {
				t.Errorf("%s needs %s %s of group %q, which docs/kubernetes-rbac.yaml does not grant", name, r[2], r[1], r[0])
			}
		}
	}
}
