package kubernetes

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestRunningResource: the resource is read and nothing is written, and what the cluster put into it is left out.
func TestRunningResource(t *testing.T) {
	g := &guarded{}
	at := Where{Kubeconfig: guardedCluster(t, g), Namespace: "tare"}
	g.objects["/apis/mysql.oracle.com/v2/namespaces/tare/innodbclusters/shop"] = map[string]any{
		"apiVersion": "mysql.oracle.com/v2", "kind": "InnoDBCluster",
		"metadata": map[string]any{"name": "shop", "uid": "1", "resourceVersion": "7", "finalizers": []any{"mysql.oracle.com/cluster"}, "ownerReferences": []any{}},
		"spec":     map[string]any{"instances": int64(3), "secretName": "shop-root"}, "status": map[string]any{"cluster": map[string]any{"status": "ONLINE"}},
	}
	d, text, namespace, err := RunningResource(t.Context(), at, "innodbcluster/shop")
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := yaml.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if d.Name != "innodbcluster" || namespace != "tare" || got["status"] != nil || len(got["metadata"].(map[string]any)) != 1 || got["spec"].(map[string]any)["secretName"] != "shop-root" {
		t.Errorf("%s in %s:\n%s", d.Name, namespace, text)
	}
	for asked := range g.asked {
		if !slices.Contains([]string{"get", "list"}, asked.right.verb) {
			t.Errorf("the cluster was asked to %s", asked.right)
		}
	}
	for named, want := range map[string]string{"shop": "expected KIND/NAME", "Postgres/shop": "one of the kinds", "InnoDBCluster/none": "read InnoDBCluster none in namespace tare"} {
		if _, _, _, err := RunningResource(t.Context(), at, named); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", named, err, want)
		}
	}
}
