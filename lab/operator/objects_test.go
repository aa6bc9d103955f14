package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// database is a resource that asks for an option, a size and a NodePort.
func database() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "lab.tarebench.io/v1", "kind": "Database", "metadata": map[string]any{"name": "db", "namespace": "tare"},
		"spec": map[string]any{"replicas": int64(3), "image": "m", "config": "[mysqld]\nsync_binlog=100\nmax_connections=200", "expose": "NodePort", "storage": map[string]any{"size": "2Gi"}},
	}}
}

// TestObjects: the server's option file ends with what nobody can change, the Service has
// the type that the resource asks for, and pods and claims have the descriptor's labels.
func TestObjects(t *testing.T) {
	d, err := readDescriptor("descriptor.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := d.objects(database(), []string{"sync_binlog=1"})
	options, _, err := unstructured.NestedString(all[0].Object, "data", "my.cnf")
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]string{}
	for line := range strings.Lines(options) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			last[name] = value
		}
	}
	if last["sync_binlog"] != "1" || last["max_connections"] != "200" || last["innodb_buffer_pool_size"] != "64M" {
		t.Errorf("options %v", last)
	}
	if kind, _, err := unstructured.NestedString(all[1].Object, "spec", "type"); err != nil || kind != "NodePort" || all[1].GetName() != "db-primary" {
		t.Errorf("Service %s of type %q, %v", all[1].GetName(), kind, err)
	}
	writes, _, err := unstructured.NestedStringMap(all[1].Object, "spec", "selector")
	if err != nil || writes["lab.tarebench.io/database"] != "db" || writes["lab.tarebench.io/role"] != "primary" {
		t.Errorf("selector of the primary's Service %v, %v", writes, err)
	}
	labels, _, err := unstructured.NestedStringMap(all[3].Object, "spec", "template", "metadata", "labels")
	if err != nil || labels["lab.tarebench.io/database"] != "db" || len(labels) != 1 { // which is the primary is said later
		t.Errorf("labels of the pods %v, %v", labels, err)
	}
	if n, _, err := unstructured.NestedInt64(all[3].Object, "spec", "replicas"); err != nil || n != 3 {
		t.Errorf("%d members, %v", n, err)
	}
	for _, o := range all {
		if o.GetNamespace() != "tare" || o.GetLabels()["lab.tarebench.io/database"] != "db" {
			t.Errorf("%s %s in %s with labels %v", o.GetKind(), o.GetName(), o.GetNamespace(), o.GetLabels())
		}
	}
	if s := d.secret(database(), "p"); s.GetName() != "db-root" || len(s.GetOwnerReferences()) > 0 {
		t.Errorf("Secret %s, owned by %v", s.GetName(), s.GetOwnerReferences())
	}
}

// TestPhase: the status passes through every stage in its order, and back when the server
// is not ready any more.
func TestPhase(t *testing.T) {
	d, err := readDescriptor("descriptor.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now                string
		pod, secret, ready bool
		want               string
	}{
		{"", true, true, true, "Creating"},
		{"Creating", false, false, false, "Creating"},
		{"Creating", true, true, true, "Initializing"},
		{"Initializing", true, false, true, "Initializing"},
		{"Initializing", true, true, false, "Initializing"},
		{"Initializing", true, true, true, "Ready"},
		{"Ready", true, true, true, "Ready"},
		{"Ready", true, true, false, "Initializing"},
	} {
		if got := d.phase(c.now, c.pod, c.secret, c.ready); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestDescriptor: a descriptor without what this controller needs is refused.
func TestDescriptor(t *testing.T) {
	dir := t.TempDir()
	for text, says := range map[string]string{
		"{":                                    "read descriptor: ",
		"group: g":                             "group, version and kind are required",
		"{group: g, version: v1, kind: Thing}": "via, login, pods.selector, ready.path with values and finalizers are required",
	} {
		path := filepath.Join(dir, "d.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readDescriptor(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}
