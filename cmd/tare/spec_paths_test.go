package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// notPaths are the fields of an experiment that are text and no path on this machine.
func notPaths() []string {
	return strings.Fields(`
		apiVersion kind metadata.name baseline database.config{}
		data.each data.schema data.from.clone.host data.from.clone.user data.from.clone.tls
		load.engine load.options{} load.from.context load.from.namespace load.from.image load.from.baseImage load.from.nodeSelector{}
		protocol.kind protocol.probes attribute.from attribute.to attribute.after{}[] attribute.order[][]
		hypotheses[].arm hypotheses[].claim hypotheses[].expect

		arms.NAME.target arms.NAME.config{} arms.NAME.database.config{}
		arms.NAME.context arms.NAME.namespace arms.NAME.image arms.NAME.node arms.NAME.nodeSelector{} arms.NAME.priorityClass
		arms.NAME.volume arms.NAME.storageClass arms.NAME.filesystem arms.NAME.seccomp arms.NAME.runtime arms.NAME.shape arms.NAME.hugePages
		arms.NAME.address arms.NAME.interface arms.NAME.attachment arms.NAME.attachmentResource
		arms.NAME.client arms.NAME.clientImage arms.NAME.baseImage arms.NAME.clientNode arms.NAME.probeNamespace arms.NAME.variant arms.NAME.via
		arms.NAME.patches[].patch arms.NAME.patches[].target.group arms.NAME.patches[].target.version arms.NAME.patches[].target.kind
		arms.NAME.patches[].target.name arms.NAME.patches[].target.labelSelector arms.NAME.patches[].target.annotationSelector
		arms.NAME.server.service arms.NAME.server.secret arms.NAME.server.passwordKey arms.NAME.server.userKey arms.NAME.server.user arms.NAME.server.schema
		arms.NAME.host arms.NAME.user arms.NAME.passwordEnv arms.NAME.tls arms.NAME.schema arms.NAME.instance.type
		arms.NAME.replication.mode arms.NAME.replication.writers arms.NAME.replication.readers arms.NAME.replication.proxy
		arms.NAME.faults[].kill arms.NAME.faults[].pause arms.NAME.faults[].cutOff arms.NAME.faults[].slowDisk arms.NAME.faults[].slowLink arms.NAME.faults[].restart arms.NAME.faults[].command[]
		arms.NAME.events[].kill arms.NAME.events[].pause arms.NAME.events[].cutOff arms.NAME.events[].slowDisk arms.NAME.events[].slowLink arms.NAME.events[].restart arms.NAME.events[].delete arms.NAME.faults[].delete arms.NAME.events[].command[]
		arms.NAME.network.plugin arms.NAME.network.between arms.NAME.network.qdisc arms.NAME.service.proxy
	`)
}

// TestPathFields: every field of an experiment that is text is known to be a path or to be none, so that a new one
// cannot be forgotten where paths are made absolute.
func TestPathFields(t *testing.T) {
	found := map[string]bool{}
	textFields(reflect.TypeFor[experiment.Experiment](), "", found)
	textFields(reflect.TypeFor[kubernetes.FromSettings](), "load.from", found)
	textFields(experiment.CommonFields(), "arms.NAME", found)
	for _, kind := range targetKinds() {
		_, err := kind.make(func(into any) error {
			textFields(reflect.TypeOf(into), "arms.NAME", found)
			return errors.New("the type is enough")
		}, &runner.Job{})
		if err == nil {
			t.Errorf("target %s asks for no settings", kind.name)
		}
	}
	known := notPaths()
	for _, f := range experiment.PathFields() {
		known = append(known, f.Name)
	}
	slices.Sort(known)
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(known, name) {
			t.Errorf("%s is text: if it is a path, list it in experiment.PathFields, else here", name)
		}
	}
	for i, name := range known {
		if !found[name] || i > 0 && known[i-1] == name {
			t.Errorf("%s is listed twice, or no field", name)
		}
	}
}

// textFields adds the fields of a type that hold text of any kind, by their names in a file. Types with a name, such as
// node.QoS, check what they are given.
func textFields(typ reflect.Type, name string, found map[string]bool) {
	switch typ.Kind() {
	case reflect.Pointer:
		textFields(typ.Elem(), name, found)
	case reflect.Slice:
		textFields(typ.Elem(), name+"[]", found)
	case reflect.Map:
		textFields(typ.Elem(), name+"{}", found)
	case reflect.String:
		if typ.PkgPath() == "" {
			found[name] = true
		}
	case reflect.Struct:
		for i := range typ.NumField() {
			f := typ.Field(i)
			if key, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); key != "" && key != "-" {
				textFields(f.Type, strings.TrimPrefix(name+"."+key, "."), found)
			}
		}
	}
}

// TestPathsOfFile: an experiment reads the same files whatever the current directory is, and a new directory of its
// file changes them.
func TestPathsOfFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"deploy/db.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: ours, namespace: bench}\nspec: {ports: [{port: 3306}], selector: {app: db}}\n---\n" +
			"apiVersion: v1\nkind: Pod\nmetadata: {name: db, labels: {app: db}}\nspec: {containers: [{name: mysql, image: 'mysql:8.4', ports: [{containerPort: 3306}]}]}\n",
		"patch.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: ours, namespace: bench}\nspec: {type: NodePort}\n",
		"x.yaml": "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nbaseline: a\ndefaults: {target: kubernetes, manifests: deploy}\n" +
			"arms: {a: {}, b: {patches: [{path: ./patch.yaml}]}}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rendered := func(spec string) string {
		t.Helper()
		e, err := readSpec(spec, specChange{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := renderArms(e, "")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	t.Chdir(dir)
	here := rendered("x.yaml")
	t.Chdir(t.TempDir())
	if there := rendered(filepath.Join(dir, "x.yaml")); there != here || !strings.Contains(here, "type: NodePort") {
		t.Errorf("in the directory of the file:\n%s\nin another:\n%s", here, there)
	}
}
