package operator

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestOwnResourceKept: fields of the user's own resource beside those that the arm sets stay.
func TestOwnResourceKept(t *testing.T) {
	var own map[string]any
	text := `
spec:
  mycnf: "[mysqld]\ninnodb_buffer_pool_size=8G\nsync-binlog = 1\n"
  podSpec: {containers: [{name: mysql, resources: {limits: {cpu: 2, memory: 32Gi, ephemeral-storage: 2Gi}, requests: {memory: 16Gi}}}]}
`
	if err := yaml.Unmarshal([]byte(text), &own); err != nil {
		t.Fatal(err)
	}
	got, err := find(t, "innodbcluster").Resource("tare-1", Settings{Resource: own, CPU: "4", Config: map[string]string{"sync_binlog": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{
		"spec.podSpec.containers[name=mysql].resources": map[string]any{
			"limits": map[string]any{"cpu": "4", "memory": "32Gi", "ephemeral-storage": "2Gi"}, "requests": map[string]any{"cpu": "4", "memory": "16Gi"},
		},
		"spec.mycnf": "[mysqld]\ninnodb_buffer_pool_size=8G\nsync_binlog=0\n",
	} {
		if diff := cmp.Diff(want, look(got, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	own["spec"].(map[string]any)["mycnf"] = map[string]any{"a": "b"}
	_, err = find(t, "innodbcluster").Resource("tare-1", Settings{Resource: own, Config: map[string]string{"a": "1"}})
	if err == nil || !strings.Contains(err.Error(), "config: spec.mycnf of the resource is not text") {
		t.Errorf("an option file that is a mapping: %v", err)
	}
}

// TestWithOptions: of an option there is one value, which is the arm's; all else stays.
func TestWithOptions(t *testing.T) {
	options := map[string]string{"max_connections": "9", "skip-name-resolve": "ON"}
	const set = "max_connections=9\nskip-name-resolve=ON\n"
	for text, want := range map[string]string{
		"":                                    "[mysqld]\n" + set,
		"[mysqld]\nskip_name_resolve\nport=1": "[mysqld]\nport=1\n" + set,
		"[mysqld] # ours\nloose-max-connections = 5\n# port=1\n":   "[mysqld] # ours\n# port=1\n" + set,
		"[mysqld]\nport=1\n[client]\nmax_connections=5\n":          "[mysqld]\nport=1\n[client]\nmax_connections=5\n[mysqld]\n" + set,
		"[client]\nport=1\n[mysqld]\nmax_connections_per_hour=5\n": "[client]\nport=1\n[mysqld]\nmax_connections_per_hour=5\n" + set,
	} {
		if diff := cmp.Diff(want, withOptions(text, options)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
