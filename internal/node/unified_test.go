package node

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// newUnifiedTree is a tree x in a directory that looks like a cgroup2 mount, with
// room for these pods.
func newUnifiedTree(t *testing.T, pods ...string) *Tree {
	t.Helper()
	root := t.TempDir()
	paths := []string{"", "init.scope", "tare-x", "tare-x/besteffort", "tare-x/burstable"}
	for _, p := range pods {
		paths = append(paths, "tare-x/"+p)
	}
	for _, p := range paths {
		dir := filepath.Join(root, p)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "init.scope/memory.swap.max"), []byte("max\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tree := newTree("x", hierarchy{unified: true, root: root}, nodeLimits(Resources{CPU: 4000, Memory: 16 << 30}, Resources{CPU: 100}))
	if err := tree.Create(); err != nil {
		t.Fatal(err)
	}
	return tree
}

// A directory that looks like a cgroup2 mount takes what the tree writes; the
// golden file is what a kubelet and a runtime would write there. It was checked
// by hand against the formulas' table.
func TestUnifiedTree(t *testing.T) {
	tree := newUnifiedTree(t, "podserver", "burstable/podneighbour")
	root := tree.hierarchy.root
	server, err := tree.AddPod("server", "", Requirements{Limit: Resources{CPU: 1500, Memory: 1 << 30}}, Enforced{})
	if err != nil {
		t.Fatal(err)
	}
	neighbour, err := tree.AddPod("neighbour", "neighbour.", Requirements{Request: Resources{CPU: 1000}}, Enforced{})
	if err == nil {
		err = neighbour.makeContainer()
	}
	if err == nil {
		err = neighbour.enter(4711)
	}
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/unified.golden", written(t, root))

	// The server's container is the runtime's to make; on v2 it takes what v1 has
	// no name for under "unified".
	r := server.Resources()
	if d := cmp.Diff(map[string]string{"memory.oom.group": "1", "memory.swap.max": "0"}, r.Unified); d != "" {
		t.Error(d)
	}
	if *r.CPU.Shares != 1536 || *r.CPU.Quota != 150000 || *r.Memory.Limit != 1<<30 || r.Memory.Swap != nil {
		t.Errorf("the runtime would get %+v %+v", r.CPU, r.Memory)
	}
	facts := values(t, tree.ReadBack("start"), "start")
	if facts["cgroup.pod.cpu.max"] != "150000 100000" || facts["neighbour.cgroup.container.cpu.weight"] != "100" {
		t.Errorf("read back: %v", facts)
	}
}

// A kernel that lacks a controller is refused, on v1 and on v2.
func TestControllersMissing(t *testing.T) {
	v1, v2 := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(v1, "cpu"), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		filepath.Join(v1, "cpu/cgroup.procs"): "", filepath.Join(v2, "cgroup.controllers"): "cpuset cpu io\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range []hierarchy{{root: v1}, {root: v2, unified: true}} {
		if err := h.hasControllers(); err == nil || !strings.Contains(err.Error(), "no controller memory at") {
			t.Errorf("%+v: %v", h, err)
		}
	}
}

// written lists every file below root with its content.
func written(t *testing.T, root string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		fmt.Fprintf(&out, "%s = %s\n", name, strings.TrimSpace(string(b)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}
