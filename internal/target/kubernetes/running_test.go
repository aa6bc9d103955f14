package kubernetes

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// TestRunningResource: the resource is read and nothing is written, and what the cluster put into it is left out.
func TestRunningResource(t *testing.T) {
	g := &guarded{}
	at := Where{Kubeconfig: guardedCluster(t, g), Namespace: "tare"}
	g.objects["/apis/mysql.oracle.com/v2/namespaces/tare/innodbclusters/shop"] = map[string]any{
		"apiVersion": "mysql.oracle.com/v2", "kind": "InnoDBCluster",
		"metadata": map[string]any{"name": "shop", "uid": "1", "resourceVersion": "7", "finalizers": []any{"mysql.oracle.com/cluster"}, "ownerReferences": []any{}},
		"spec":     map[string]any{"instances": int64(3), "secretName": "shop-root", "backupSchedules": []any{map[string]any{"name": "nightly"}}}, "status": map[string]any{"cluster": map[string]any{"status": "ONLINE"}},
	}
	r, err := RunningResource(t.Context(), at, "innodbcluster/shop")
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := yaml.Unmarshal(r.Text, &got); err != nil {
		t.Fatal(err)
	}
	if r.Name != "innodbcluster" || r.Namespace != "tare" || got["status"] != nil || len(got["metadata"].(map[string]any)) != 1 || got["spec"].(map[string]any)["instances"] != 3.0 {
		t.Errorf("%s in %s:\n%s", r.Name, r.Namespace, r.Text)
	}
	if got["spec"].(map[string]any)["backupSchedules"] != nil || len(r.LeftOut) != 1 || r.LeftOut[0] != "spec.backupSchedules" {
		t.Errorf("the schedules of its backups are kept, left out: %v", r.LeftOut)
	}
	// The arm's resource has the login that tare makes, and not the one of the database that it was read from.
	file := filepath.Join(t.TempDir(), "resource.yaml")
	if err := os.WriteFile(file, r.Text, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := (&Kubernetes{id: "tare-0", password: "pw", settings: Settings{Operator: r.Name, Resource: file}}).build("tare", nil)
	if err != nil || len(b.objects) != 2 || b.objects[0].GetKind() != "Secret" || b.objects[0].GetName() != "tare-0-login" || secretNameOf(b.objects[1]) != "tare-0-login" {
		t.Errorf("the objects of an arm with it: %v, %v", b.objects, err)
	}
	for asked := range g.asked {
		if !slices.Contains([]string{"get", "list"}, asked.right.verb) {
			t.Errorf("the cluster was asked to %s", asked.right)
		}
	}
	for named, want := range map[string]string{"shop": "expected KIND/NAME", "Postgres/shop": "one of the kinds", "InnoDBCluster/none": "there is no InnoDBCluster none in namespace tare"} {
		if _, err := RunningResource(t.Context(), at, named); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", named, err, want)
		}
	}
}

// TestRunningResourceUnread: a kind that the cluster does not have is said as check says it, a missing right with its rule,
// and a server that is no API server as everywhere.
func TestRunningResourceUnread(t *testing.T) {
	notFound := http.NotFoundHandler()
	noKind := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/apis/mysql.oracle.com/") {
			notFound.ServeHTTP(w, r)
			return
		}
		status(w, http.StatusForbidden, "Forbidden", "pods is forbidden")
	})
	for _, c := range []struct {
		server http.Handler
		want   string
	}{
		{noKind, "InnoDBCluster shop: the cluster has no kind InnoDBCluster in mysql.oracle.com/v2; install its operator"},
		{notFound, "answers, but not as an API server of Kubernetes"},
		{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			status(w, http.StatusForbidden, "Forbidden", "innodbclusters is forbidden")
		}), "The missing rule of a Role: - {apiGroups: [mysql.oracle.com], resources: [innodbclusters], verbs: [get]}. The cluster does not say without it whether it has the kind InnoDBCluster at all"},
	} {
		server := httptest.NewServer(c.server)
		defer server.Close()
		_, err := RunningResource(t.Context(), Where{Kubeconfig: kubeconfigFor(t, server.URL), Namespace: "shop"}, "InnoDBCluster/shop")
		if !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

func secretNameOf(u *unstructured.Unstructured) string { return at(u, "spec", "secretName") }
