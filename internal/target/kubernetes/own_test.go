package kubernetes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// patched are the manifests of the tests with a patch of either kind.
func patched() Settings {
	return Settings{
		Manifests: []string{"testdata/own"},
		Patches: []Patch{
			{Patch: "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {template: {spec: {containers: [{name: server, resources: {limits: {cpu: 500m, memory: 512Mi}}}]}}}}"},
			{Patch: `[{"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"kubernetes.io/hostname": "n1"}}]`, Target: Select{Kind: "StatefulSet"}},
		},
		Server: Login{Secret: "db-login"},
	}
}

// at is a field of an object, "" where it is not there.
func at(u *unstructured.Unstructured, path ...string) string {
	v, _, err := unstructured.NestedString(u.Object, path...)
	if err != nil {
		return err.Error()
	}
	return v
}

// TestBuild: manifests come out in the order in which they can be applied, in the
// arm's namespace, patched, and labelled down to the pods and claims they make.
func TestBuild(t *testing.T) {
	k := &Kubernetes{id: "tare-0", settings: patched()}
	b, err := k.build("mine", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var set *unstructured.Unstructured
	for _, u := range b.objects {
		got = append(got, u.GetKind()+" "+u.GetNamespace()+"/"+u.GetName()+" "+u.GetLabels()[armLabel])
		if u.GetKind() == "StatefulSet" {
			set = u
		}
	}
	want := []string{"ConfigMap mine/db-start tare-0", "Secret mine/db-login tare-0", "Service mine/db tare-0", "StatefulSet mine/db tare-0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("objects (-want +got):\n%s", diff)
	}
	k.sign(set, "trial-1")
	template := set.DeepCopy()
	template.Object = set.Object["spec"].(map[string]any)["template"].(map[string]any)
	container := template.Object["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
	claim := &unstructured.Unstructured{Object: set.Object["spec"].(map[string]any)["volumeClaimTemplates"].([]any)[0].(map[string]any)}
	for name, pair := range map[string][2]string{
		"the merge patch's limit":        {container["resources"].(map[string]any)["limits"].(map[string]any)["cpu"].(string), "500m"},
		"the JSON patch's node":          {at(template, "spec", "nodeSelector", "kubernetes.io/hostname"), "n1"},
		"the pods' arm":                  {template.GetLabels()[armLabel], "tare-0"},
		"the pods' trial":                {template.GetLabels()[instanceLabel], "trial-1"},
		"the claims' arm":                {claim.GetLabels()[armLabel], "tare-0"},
		"the claims' trial, which stay":  {claim.GetLabels()[instanceLabel], ""},
		"the selector, which may not be": {at(set, "spec", "selector", "matchLabels", armLabel), ""},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q, want %q", name, pair[0], pair[1])
		}
	}
	other, err := (&Kubernetes{id: "tare-1", settings: patched()}).build("mine", nil)
	if err != nil || other.sha256 != b.sha256 {
		t.Errorf("another run of the same manifests has the checksum %s, not %s: %v", other.sha256, b.sha256, err)
	}
	if err := checkClaims(b.objects); err != nil {
		t.Errorf("checkClaims: %v", err)
	}
}

// TestBuildSays: what is wrong with manifests is said by the field that names them.
func TestBuildSays(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	chart := write("chart.yaml", "apiVersion: v1\nkind: {{ .Values.kind }}\n")
	for _, c := range []struct {
		settings Settings
		says     string
	}{
		{Settings{Manifests: []string{filepath.Join(dir, "absent")}}, "manifests: read manifests: stat"},
		{Settings{Manifests: []string{t.TempDir()}}, "has neither a kustomization.yaml nor any .yaml file"},
		{Settings{Manifests: []string{chart}}, "manifests: build manifests: "},
		{Settings{Manifests: []string{write("empty.yaml", "")}}, "manifests: "},
		{Settings{Manifests: []string{"testdata/own"}, Patches: []Patch{{Path: "absent"}}}, "patches: read patch"},
		{Settings{Manifests: []string{"testdata/own"}, Patches: []Patch{{Patch: "{apiVersion: v1, kind: Service, metadata: {name: other}}"}}}, "manifests: build manifests: "},
	} {
		_, err := (&Kubernetes{id: "tare-0", settings: c.settings}).build("mine", nil)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "tare-manifests-") {
			t.Errorf("%+v: %v; want %q", c.settings, err, c.says)
		}
	}
}

// TestOwnContradictions: what an arm with manifests may not say as well.
func TestOwnContradictions(t *testing.T) {
	for _, c := range []struct {
		change func(*Settings)
		says   string
	}{
		{func(*Settings) {}, ""},
		{func(s *Settings) { s.Image = "mysql:8.4" }, "image: the pod is that of the manifests"},
		{func(s *Settings) { s.CPU = 1000 }, "cpu: the pod is that of the manifests"},
		{func(s *Settings) { s.Server = Login{} }, ""},
		{func(s *Settings) { s.Server = Login{PasswordKey: "p"} }, "server.secret: passwordKey and userKey are keys of a Secret"},
		{func(s *Settings) { s.Address = nodeAddress }, ""},
		{func(s *Settings) { s.Address = "nodeport" }, "address: \"nodeport\" is not an address; write pod, service, node (a NodePort) or loadbalancer"},
		{func(s *Settings) { s.Patches = []Patch{{}} }, "patches: expected either patch:"},
		{func(s *Settings) { s.Clients, s.ClientImage, s.BaseImage = 1, "tare", "m" }, "clientImage: an image with tare needs no stream"},
		{func(s *Settings) { s.Manifests, s.Image = nil, "m" }, "patches: there is nothing to patch"},
		{func(s *Settings) { s.Manifests, s.Image, s.Patches = nil, "m", nil }, "server: server requires manifests"},
	} {
		s := patched()
		c.change(&s)
		err := errors.Join(s.contradictions()...)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v; want %q", s, err, c.says)
		}
	}
}

// TestCheckClaims: data that would be lost with the pod, or that are others', are
// no data of a run.
func TestCheckClaims(t *testing.T) {
	pod := func(volume map[string]any) []*unstructured.Unstructured {
		return []*unstructured.Unstructured{{Object: map[string]any{"kind": "Deployment", "spec": map[string]any{
			"template": map[string]any{"spec": map[string]any{"volumes": []any{volume}}}}}}}
	}
	others := pod(map[string]any{"persistentVolumeClaim": map[string]any{"claimName": "precious"}})
	if err := checkClaims(others); err == nil || !strings.Contains(err.Error(), "claim precious is not among them") {
		t.Errorf("a claim of others': %v", err)
	}
	scratch := &unstructured.Unstructured{Object: map[string]any{"kind": "PersistentVolumeClaim", "metadata": map[string]any{"name": "scratch"}}}
	for kind, at := range map[string][]string{"Pod": {"spec"}, "Job": {"spec", "template", "spec"}, "CronJob": {"spec", "jobTemplate", "spec", "template", "spec"}} {
		for claim, says := range map[string]string{"scratch": "", "prod-data": "claim prod-data is not among them"} {
			u := &unstructured.Unstructured{Object: map[string]any{"kind": kind}}
			volumes := []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": claim}}}
			if err := unstructured.SetNestedSlice(u.Object, volumes, append(at, "volumes")...); err != nil {
				t.Fatal(err)
			}
			if err := checkClaims([]*unstructured.Unstructured{scratch, u}); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
				t.Errorf("a %s with claim %s: %v, want %q", kind, claim, err, says)
			}
		}
	}
	if err := checkClaims(pod(map[string]any{"hostPath": map[string]any{"path": "/mnt/data/mysql"}})); err != nil {
		t.Errorf("a directory of the node: %v", err)
	}
	if err := checkClaims(pod(map[string]any{"emptyDir": map[string]any{}})); err == nil || !strings.Contains(err.Error(), "on no claim") {
		t.Errorf("no claim: %v", err)
	}
}

// TestContainerAt: the server's container is the one with the Service's port.
func TestContainerAt(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{
		{Name: "exporter", Ports: []corev1.ContainerPort{{Name: "metrics", ContainerPort: 9104}}},
		{Name: "server", Ports: []corev1.ContainerPort{{Name: "mysql", ContainerPort: 3307}}},
	}}}
	for _, c := range []struct {
		port intstr.IntOrString
		name string
		at   int
	}{{intstr.FromString("mysql"), "server", 3307}, {intstr.FromInt32(3307), "server", 3307}, {intstr.FromInt32(1), "exporter", 1}} {
		if name, at, err := containerAt(pod, c.port); name != c.name || at != c.at || err != nil {
			t.Errorf("%v: %s %d, %v; want %s %d", c.port, name, at, err, c.name, c.at)
		}
	}
	if _, _, err := containerAt(pod, intstr.FromString("db")); err == nil {
		t.Error("a port that no container has is found")
	}
}

// TestFirstStudy: the manifests of the first study are accepted as they were printed:
// a Deployment with its data in a directory of the node, a ConfigMap that need not be
// there, and the password in the environment. Its second experiment is a patch.
func TestFirstStudy(t *testing.T) {
	resources := Patch{Patch: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: mysql}, spec: {template: {spec: {containers: [
		{name: mysql, resources: {requests: {cpu: 55500m, memory: 150Gi}, limits: {cpu: 55500m, memory: 150Gi}}}]}}}}`}
	for _, patches := range [][]Patch{nil, {resources}} {
		set := Settings{Manifests: []string{"testdata/first-study.yaml"}, Patches: patches}
		if err := errors.Join(set.contradictions()...); err != nil {
			t.Fatal(err)
		}
		k := &Kubernetes{id: "tare-0", settings: set.defaulted()}
		b, err := k.build("mine", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkClaims(b.objects); err != nil {
			t.Error(err)
		}
		pod, err := typed[corev1.Pod](b.objects[len(b.objects)-1].Object["spec"].(map[string]any)["template"].(map[string]any))
		if err != nil {
			t.Fatal(err)
		}
		s := &server{target: k, pod: pod, container: "mysql"}
		if err := s.logIn(t.Context()); err != nil || s.account.User != "root" || s.account.Password != "password" {
			t.Errorf("log in: %s %s, %v", s.account.User, s.account.Password, err)
		}
		if got := podRequirements(*pod).Limit.CPU; (got == 55500) != (patches != nil) {
			t.Errorf("CPU limit %v with %d patches", got, len(patches))
		}
	}
	bare := &server{target: &Kubernetes{settings: Settings{Manifests: []string{"x"}}.defaulted()}, container: "mysql",
		pod: &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "mysql"}}}}}
	if err := bare.logIn(t.Context()); err == nil || !strings.Contains(err.Error(), "neither MYSQL_ROOT_PASSWORD nor") {
		t.Errorf("no password anywhere: %v", err)
	}
}
