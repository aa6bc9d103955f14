package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMissingControllers: a controller that a kubelet needs is named where it is missing, in both
// versions of cgroups.
func TestMissingControllers(t *testing.T) {
	for _, c := range []struct {
		name    string
		v2      string // cgroup.controllers
		v1      []string
		missing string
	}{
		{name: "v2", v2: "cpuset cpu io memory hugetlb pids\n"},
		{name: "v2 without pids", v2: "cpuset cpu memory\n", missing: "pids"},
		{name: "v1", v1: []string{"cpu", "cpuacct", "cpuset", "memory"}},
		{name: "v1 without cpuset", v1: []string{"cpu", "cpuacct", "memory"}, missing: "cpuset"},
	} {
		root := t.TempDir()
		if c.v2 != "" {
			if err := os.WriteFile(filepath.Join(root, controllersFile), []byte(c.v2), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, dir := range c.v1 {
			if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		errs := missingControllers(root)
		if c.missing == "" && len(errs) > 0 || c.missing != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.missing)) {
			t.Errorf("%s: %v, want %q", c.name, errs, c.missing)
		}
	}
}

// TestPassControllers: the children of a cgroup of v2 get each controller that it has; nothing is written in v1.
func TestPassControllers(t *testing.T) {
	dir := t.TempDir()
	if err := passControllers(dir); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("in v1: %v, %v", files, err)
	}
	if err := os.WriteFile(filepath.Join(dir, controllersFile), []byte("memory\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := passControllers(dir); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, subtreeFile)); err != nil || string(b) != "+memory" {
		t.Errorf("subtree control is %q: %v", b, err)
	}
}
