package kubernetes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/target"
)

// kubeconfigFor is a file that leads to an API server of that address.
func kubeconfigFor(t *testing.T, server string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: '" + server + "'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// loadOf is the load of all arms with these settings.
func loadOf(s FromSettings) (*target.Load, error) {
	return NewLoad(func(into any) error {
		*into.(*FromSettings) = s
		return nil
	})
}

// TestNewLoad: what load.from says is where the generators are; what it may not say names
// its field.
func TestNewLoad(t *testing.T) {
	l, err := loadOf(FromSettings{Kubeconfig: kubeconfigFor(t, "https://127.0.0.1:1"), Image: "tare", NodeSelector: map[string]string{"pool": "load", "arch": "amd64"}})
	if err != nil {
		t.Fatal(err)
	}
	if l.Generators != 1 || l.Cluster != "https://127.0.0.1:1" || l.Place != "pods of cluster https://127.0.0.1:1 on nodes with arch=amd64,pool=load" {
		t.Errorf("%d generators in %q of %q", l.Generators, l.Place, l.Cluster)
	}
	text, err := l.Render()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kind: Secret", "kind: Job", "pool: load", "name: tare-load-load", "- load\n", "made for each trial"} {
		if !strings.Contains(text, want) {
			t.Errorf("rendered without %q:\n%s", want, text)
		}
	}
	for _, c := range []struct {
		settings FromSettings
		says     string
	}{
		{FromSettings{}, "baseImage: the image is missing"},
		{FromSettings{Image: "t", BaseImage: "m"}, "image: an image with tare needs no stream"},
		{FromSettings{Image: "t", Clients: -1}, "clients: -1 is not a number of pods"},
		{FromSettings{Image: "t", CPURequest: -1}, "cpuRequest: expected an amount"},
		{FromSettings{Image: "t", NodeSelector: map[string]string{"a b": "c"}}, `nodeSelector: "a b=c" is not a label of a node`},
	} {
		if _, err := loadOf(c.settings); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.settings, err, c.says)
		}
	}
}

// TestLoadWithoutCluster: without a kubeconfig the load of all arms can be rendered and
// released, and its check says what is missing.
func TestLoadWithoutCluster(t *testing.T) {
	l, err := loadOf(FromSettings{Kubeconfig: filepath.Join(t.TempDir(), "absent"), Image: "tare", Clients: 2})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := l.Render(); err != nil || !strings.Contains(text, "parallelism: 2") || !strings.Contains(text, "namespace: tare") {
		t.Errorf("%v\n%s", err, text)
	}
	if err := errors.Join(l.Release(t.Context()), l.Stop(t.Context(), "t1")); err != nil {
		t.Errorf("release: %v", err)
	}
	var field target.FieldError
	if errs := l.Check(t.Context()); len(errs) != 1 || !errors.As(errs[0], &field) || field.Field != "kubeconfig" {
		t.Errorf("check: %v", errs)
	}
	if err := l.Generate(t.Context(), "t1", nil, nil); err == nil {
		t.Error("a load without a cluster was made")
	}
}

// TestSameLoadPods: the pods of an arm's own load and those of all arms' are alike, but
// for what the settings say; both are admitted in a restricted namespace.
func TestSameLoadPods(t *testing.T) {
	own := &server{target: offline(Settings{Image: "m", ClientImage: "tare:1", Clients: 2, ClientNode: "n1"}), request: target.Request{Name: "t1"}}
	f := &from{settings: FromSettings{Image: "tare:1", Clients: 2, NodeSelector: onNode("n1")}, cluster: own.target.cluster, id: own.target.id, owner: own.target.owner}
	a, b := own.loaders().job(time.Minute), f.loaders("t1").job(time.Minute)
	if b.Name != a.Name+"-t1" || a.Labels[roleLabel] != loadRole || b.Labels[instanceLabel] != "t1" {
		t.Errorf("%s %v, %s %v", a.Name, a.Labels, b.Name, b.Labels)
	}
	for _, spec := range []corev1.PodSpec{a.Spec.Template.Spec, b.Spec.Template.Spec} {
		if spec.NodeSelector[corev1.LabelHostname] != "n1" || len(unrestricted(spec)) > 0 {
			t.Errorf("node selector %v; %v", spec.NodeSelector, unrestricted(spec))
		}
	}
	for _, r := range rightsOf(loadPermissions(), Settings{}) {
		granted := false
		for _, g := range rightsOf(runPermissions(), Settings{Clients: 1}) {
			granted = granted || g == r
		}
		if !granted {
			t.Errorf("docs/kubernetes-rbac.yaml does not grant %v", r)
		}
	}
}
