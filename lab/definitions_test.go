//go:build lab

package main

// The resources that tare makes for operators, before a real API server with strict
// definitions. Those are made from the facts of the operators' own definitions.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// facts are internal/operator/testdata/operators: the paths of a definition that a descriptor
// uses. Items of a list are written [].
type facts struct {
	Group   string          `json:"group"`
	Version string          `json:"version"`
	Kind    string          `json:"kind"`
	Plural  string          `json:"plural"`
	Paths   map[string]fact `json:"paths"`
}

type fact struct {
	Type     string   `json:"type"`
	Enum     []string `json:"enum"`
	Required []string `json:"required"`
	Open     bool     `json:"open"`
}

// schema is the part of a definition at a path: it admits what the facts have and no more.
func (f facts) schema(path string) map[string]any {
	known := f.Paths[path]
	s := map[string]any{"type": known.Type}
	switch {
	case known.Type == "int-or-string":
		return map[string]any{"x-kubernetes-int-or-string": true}
	case known.Type == "array":
		s["items"] = f.schema(path + "[]")
		return s
	case known.Type != "object":
		if len(known.Enum) > 0 {
			s["enum"] = known.Enum
		}
		return s
	}
	if len(known.Required) > 0 {
		s["required"] = known.Required
	}
	fields := map[string]any{}
	for at := range f.Paths {
		if name, ok := strings.CutPrefix(at, path+"."); ok && !strings.ContainsAny(name, ".[") {
			fields[name] = f.schema(at)
		}
	}
	s["properties"] = fields
	if known.Open {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	return s
}

func (f facts) definition() map[string]any {
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": f.Plural + "." + f.Group},
		"spec": map[string]any{
			"group": f.Group, "scope": "Namespaced", "names": map[string]any{"kind": f.Kind, "plural": f.Plural},
			"versions": []any{map[string]any{"name": f.Version, "served": true, "storage": true, "schema": map[string]any{
				"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": f.schema("spec"), "status": f.schema("status")}},
			}}},
		},
	}
}

// installed are the definitions in the cluster until the test ends.
func installed(t *testing.T) map[string]bool {
	t.Helper()
	names, err := filepath.Glob("../internal/operator/testdata/operators/*.yaml")
	if err != nil || len(names) != 5 {
		t.Fatalf("facts of %d operators, %v", len(names), err)
	}
	kinds := map[string]bool{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var f facts
		if err := yaml.Unmarshal(text, &f); err != nil {
			t.Fatal(err)
		}
		kinds[f.Kind] = true
		b, err := json.Marshal(f.definition())
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "definition.json")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		kubectl(t, "apply", "--server-side", "-f", file)
		t.Cleanup(func() { kubectl(t, "delete", "--ignore-not-found", "-f", file) })
		kubectl(t, "wait", "--for=condition=established", "--timeout=60s", "customresourcedefinition/"+f.Plural+"."+f.Group)
	}
	return kinds
}

// TestOperatorDefinitions: what `tare render` prints for the five operators is admitted by a
// strict API server, in every form; a field that the operator does not have is not.
func TestOperatorDefinitions(t *testing.T) {
	kinds := installed(t)
	rendered, err := exec.Command(filepath.Join(programs(), "tare"), "render", "testdata/operators.yaml").Output()
	if err != nil {
		t.Fatalf("tare render: %v", err)
	}
	admit := func(document []byte) ([]byte, error) {
		c := exec.Command(filepath.Join(programs(), "kubectl"), "--kubeconfig", filepath.Join(programs(), "../run/pki/admin.kubeconfig"),
			"apply", "--server-side", "--dry-run=server", "--validate=strict", "--namespace", "tare", "-f", "-")
		c.Stdin = bytes.NewReader(document)
		return c.CombinedOutput()
	}
	admitted := map[string]int{}
	for _, document := range bytes.Split(rendered, []byte("\n---\n")) {
		var o map[string]any
		if err := yaml.Unmarshal(document, &o); err != nil {
			t.Fatal(err)
		}
		kind := fmt.Sprint(o["kind"])
		if !kinds[kind] {
			continue
		}
		if said, err := admit(document); err != nil {
			t.Errorf("%v\n%s\n%s", err, said, document)
		}
		admitted[kind]++
		o["spec"].(map[string]any)["noSuchField"] = true
		wrong, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if said, err := admit(wrong); err == nil || !strings.Contains(string(said), "noSuchField") {
			t.Errorf("%s: a field that nobody has is admitted: %v\n%s", kind, err, said)
		}
	}
	for kind := range kinds {
		if admitted[kind] < 2 {
			t.Errorf("%d resources of kind %s", admitted[kind], kind)
		}
	}
}
