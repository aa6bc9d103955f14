package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBuildIsSilent: a Kustomization with deprecated fields is built, and the library's warnings do not reach standard
// error, which is there again afterwards.
func TestBuildIsSilent(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"base/kustomization.yaml":    "resources: [db.yaml]\n",
		"base/db.yaml":               "apiVersion: v1\nkind: Pod\nmetadata: {name: db}\nspec: {containers: [{name: mysql, image: \"mysql:8.4.6\"}]}\n",
		"overlay/kustomization.yaml": "bases: [../base]\ncommonLabels: {app: db}\npatchesStrategicMerge:\n- |-\n  apiVersion: v1\n  kind: Pod\n  metadata: {name: db}\n  spec: {nodeName: a}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	said, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = said
	defer func() { os.Stderr = stderr }()
	_, built, unbuilt := Build([]string{filepath.Join(dir, "overlay")})
	if os.Stderr != said {
		t.Error("standard error is another one afterwards")
	}
	if len(unbuilt) > 0 || len(built) != 1 || !strings.Contains(string(built[0].Text), "nodeName: a") {
		t.Fatalf("built %v, not %v", built, unbuilt)
	}
	if text, err := os.ReadFile(said.Name()); err != nil || len(text) > 0 {
		t.Errorf("standard error has %q, %v", text, err)
	}
}
