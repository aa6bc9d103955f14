package kubernetes

// What the files of an arm show without a cluster: manifests that are no objects, patches that
// match nothing, a Service or a key of a Secret that is not there.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/tarebench/tare/internal/target"
)

// CheckFiles says everything that the arm's files have wrong. No cluster is asked.
func (k *Kubernetes) CheckFiles() []error {
	if k.settings.makesServer() {
		return nil
	}
	if errs := checkManifestFiles(k.settings.Manifests); len(errs) > 0 {
		return errs
	}
	namespace := k.where().Namespace
	if errs := k.checkPatches(namespace); len(errs) > 0 {
		return errs
	}
	b, err := k.build(namespace, nil)
	if err != nil {
		return []error{err}
	}
	if k.settings.isOperator() {
		return nil
	}
	errs := k.settings.Server.check(b.objects)
	for _, err := range []error{checkClaims(b.objects), k.checkExposed(b.objects)} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// checkManifestFiles reads every file by itself: an error of kustomize names the file of its own
// making, and counts lines from the last "---".
func checkManifestFiles(names []string) []error {
	var errs []error
	for _, named := range names {
		files, err := manifestsOf(named)
		if err != nil {
			errs = append(errs, target.FieldError{Field: "manifests", Err: err})
			continue
		}
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && info.IsDir() { // a Kustomization
				continue
			}
			if err := checkManifestFile(file); err != nil {
				errs = append(errs, target.FieldError{Field: "manifests", Err: err})
			}
		}
	}
	return errs
}

// checkManifestFile requires documents that are objects with a kind and a name.
func checkManifestFile(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read manifests: %w", err)
	}
	defer f.Close()
	for documents := yamlv3.NewDecoder(f); ; {
		var node yamlv3.Node
		switch err := documents.Decode(&node); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s is not YAML: %s", file, strings.TrimPrefix(err.Error(), "yaml: "))
		}
		var object struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string
			Metadata   struct {
				Name         string
				GenerateName string `yaml:"generateName"`
			}
		}
		if node.Kind == 0 || len(node.Content) == 0 || node.Content[0].Tag == "!!null" {
			continue
		}
		line := node.Content[0].Line
		if err := node.Decode(&object); err != nil || object.Kind == "" || object.APIVersion == "" {
			return fmt.Errorf("%s:%d: the document is no object of Kubernetes: it has no apiVersion and kind", file, line)
		}
		if object.Metadata.Name == "" && !strings.HasSuffix(object.Kind, "List") {
			return fmt.Errorf("%s:%d: the %s has no metadata.name", file, line, object.Kind)
		}
	}
}

// checkPatches requires that every patch matches an object, and applies.
func (k *Kubernetes) checkPatches(namespace string) []error {
	if len(k.settings.Patches) == 0 {
		return nil
	}
	bare := *k
	bare.settings.Patches = nil
	all, err := bare.resources(namespace, nil)
	if err != nil {
		return []error{err}
	}
	var errs []error
	for i, p := range k.settings.Patches {
		if err := p.matches(all); err != nil {
			errs = append(errs, target.FieldError{Field: fmt.Sprintf("patches[%d]", i), Err: err})
		}
	}
	if len(errs) > 0 {
		return errs
	}
	for i := range k.settings.Patches { // the first that does not apply
		bare.settings.Patches = k.settings.Patches[:i+1]
		if _, err := bare.resources(namespace, nil); err != nil {
			var field target.FieldError
			if errors.As(err, &field) {
				err = field.Err
			}
			return []error{target.Wrong(fmt.Sprintf("patches[%d]", i), "the patch does not apply: %s", strings.TrimPrefix(err.Error(), "build manifests: "))}
		}
	}
	return nil
}

// matches says why a patch is for none of the objects.
func (p Patch) matches(all resmap.ResMap) error {
	patch, err := p.kustomize()
	if err != nil {
		return err
	}
	from := ""
	if p.Path != "" {
		from = p.Path + ": "
	}
	if patch.Target != nil {
		found, err := all.Select(*patch.Target)
		if err != nil {
			return fmt.Errorf("%sread its target: %w", from, err)
		}
		if len(found) == 0 {
			return fmt.Errorf("%sthe patch matches nothing: its target is %s, and the manifests have %s", from, p.Target, namesOf(all))
		}
		return nil
	}
	for document := range strings.SplitSeq("\n"+patch.Patch, "\n---") {
		var object any
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			return fmt.Errorf("%sthe patch is not YAML: %w", from, err)
		}
		fields, isObject := object.(map[string]any)
		switch {
		case object == nil:
			continue
		case !isObject:
			return fmt.Errorf("%sa JSON patch needs a target; write target: {kind: StatefulSet}", from)
		}
		u := unstructured.Unstructured{Object: fields}
		if u.GetKind() == "" || u.GetName() == "" {
			return fmt.Errorf("%sa strategic merge patch names its object; write kind and metadata.name in it, or add target: {kind: StatefulSet}", from)
		}
		if !slices.ContainsFunc(all.Resources(), func(r *resource.Resource) bool {
			return r.GetKind() == u.GetKind() && r.GetName() == u.GetName()
		}) {
			return fmt.Errorf("%sthe patch matches nothing: it is for %s %s, and the manifests have %s", from, u.GetKind(), u.GetName(), namesOf(all))
		}
	}
	return nil
}

// String are the conditions of a selector that are given.
func (s Select) String() string {
	var given []string
	for _, f := range [][2]string{{"group", s.Group}, {"version", s.Version}, {"kind", s.Kind}, {"name", s.Name}, {"labelSelector", s.LabelSelector}, {"annotationSelector", s.AnnotationSelector}} {
		if f[1] != "" {
			given = append(given, f[0]+": "+f[1])
		}
	}
	return "{" + strings.Join(given, ", ") + "}"
}

// namesOf are the objects in words.
func namesOf(all resmap.ResMap) string {
	var names []string
	for _, r := range all.Resources() {
		names = append(names, r.GetKind()+" "+r.GetName())
	}
	slices.Sort(names)
	if len(names) > 12 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:12], ", "), len(names)-12)
	}
	return strings.Join(names, ", ")
}

// check holds the description of the server against the objects. What a controller may make of
// resources of its own kind is not known here.
func (l Login) check(objects []*unstructured.Unstructured) []error {
	var errs []error
	foreign := slices.ContainsFunc(objects, func(u *unstructured.Unstructured) bool { return !builtIn(u.GroupVersionKind().Group) })
	service, err := l.serviceAmong(objects)
	switch {
	case err != nil && !foreign:
		errs = append(errs, err)
	case service != nil:
		errs = append(errs, l.checkService(service, objects, foreign)...)
	}
	for _, u := range objects {
		if u.GetKind() != "Secret" || u.GetName() != l.Secret || l.Secret == "" {
			continue
		}
		for _, key := range []struct{ field, name string }{{"server.passwordKey", l.PasswordKey}, {"server.userKey", l.UserKey}} {
			if have := keysOf(u); key.name != "" && !slices.Contains(have, key.name) {
				errs = append(errs, target.Wrong(key.field, "Secret %s has no key %q; it has %s", l.Secret, key.name, strings.Join(have, ", ")))
			}
		}
	}
	return errs
}

// builtIn tells Kubernetes' own groups of kinds from those of others.
func builtIn(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") && !strings.HasSuffix(group, ".x-k8s.io")
}

// serviceAmong is the server's Service among the objects.
func (l Login) serviceAmong(objects []*unstructured.Unstructured) (*corev1.Service, error) {
	var names []string
	var found *corev1.Service
	for _, u := range objects {
		if u.GetKind() != "Service" {
			continue
		}
		names = append(names, u.GetName())
		if l.Service != "" && u.GetName() != l.Service {
			continue
		}
		s, err := typed[corev1.Service](u.Object)
		if err != nil {
			return nil, target.Wrong("server.service", "Service %s cannot be read: %s", u.GetName(), err)
		}
		found = s
	}
	switch {
	case len(names) == 0:
		return nil, target.Wrong("server", "the manifests have no Service that leads to the server; add one")
	case l.Service == "" && len(names) > 1:
		return nil, target.Wrong("server", "the manifests have %d Services: %s; write server: {service: NAME}", len(names), strings.Join(names, ", "))
	case found == nil:
		return nil, target.Wrong("server.service", "there is no Service %s among the manifests; they have %s", l.Service, strings.Join(names, ", "))
	}
	return found, nil
}

// checkService requires a port and pods behind a Service.
func (l Login) checkService(s *corev1.Service, objects []*unstructured.Unstructured, foreign bool) []error {
	var errs []error
	if len(s.Spec.Selector) == 0 {
		errs = append(errs, target.Wrong("server.service", "Service %s selects no pods", s.Name))
	} else if !foreign && len(podsBehind(s, objects)) == 0 {
		errs = append(errs, target.Wrong("server.service", "Service %s selects pods with %s, and the manifests make none", s.Name, labels.Set(s.Spec.Selector)))
	}
	if _, err := l.port(s); err != nil {
		errs = append(errs, target.FieldError{Field: "server.port", Err: err})
	}
	return errs
}

// podsBehind are the pods that the objects make and a Service selects.
func podsBehind(s *corev1.Service, objects []*unstructured.Unstructured) []corev1.Pod {
	var found []corev1.Pod
	for _, u := range objects {
		at, has, err := unstructured.NestedMap(u.Object, "spec", "template")
		if u.GetKind() == "Pod" {
			at, has, err = u.Object, true, nil
		}
		if err != nil || !has {
			continue
		}
		pod, err := typed[corev1.Pod](at)
		if err == nil && labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(pod.Labels)) {
			found = append(found, *pod)
		}
	}
	return found
}

func keysOf(secret *unstructured.Unstructured) []string {
	var keys []string
	for _, field := range []string{"data", "stringData"} {
		values, _, err := unstructured.NestedMap(secret.Object, field)
		if err != nil {
			continue // the API server refuses it
		}
		for key := range values {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// inOurWords takes kustomize's chain of causes out of its error, and the directory of the build,
// which is gone when the message is read.
func inOurWords(err error, dir string) error {
	text := strings.ReplaceAll(err.Error(), dir+"/", "")
	text = strings.ReplaceAll(text, dir, "the build")
	if _, missing, found := strings.Cut(text, "evalsymlink failure on '"); found {
		name, _, _ := strings.Cut(missing, "'")
		return fmt.Errorf("the Kustomization names %s, which does not exist", name)
	}
	if _, id, found := strings.Cut(text, "already registered id: "); found {
		id, _, _ = strings.Cut(id, "'")
		return fmt.Errorf("two objects have the same kind and name: %s", id)
	}
	if i := strings.LastIndex(text, "accumulating resources from '"); i >= 0 {
		name, cause, _ := strings.Cut(text[i+len("accumulating resources from '"):], "': ")
		cause, _, _ = strings.Cut(cause, "': ")
		return fmt.Errorf("%s: %s", name, cause)
	}
	return errors.New(text)
}
