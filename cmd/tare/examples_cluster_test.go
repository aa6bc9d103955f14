package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamplesForAnyCluster: the shipped examples name no image and no node of the lab, and lab/examples.sed
// knows every placeholder of theirs.
func TestExamplesForAnyCluster(t *testing.T) {
	files, err := filepath.Glob("../../examples/kubernetes-*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	script, err := os.ReadFile("../../lab/examples.sed")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := readSpec(name, specChange{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "localhost/") {
			t.Errorf("%s has an image that only the lab has", name)
		}
		for _, arm := range e.Arms {
			for _, field := range []string{"node", "clientNode"} {
				if node, given := arm.Setting(field); given && (!strings.HasPrefix(node, "node-") || !strings.Contains(string(script), "s#"+node+"#")) {
					t.Errorf("%s: %s of arm %s is %s, which is no placeholder of lab/examples.sed", name, field, arm.Name, node)
				}
			}
		}
	}
}
