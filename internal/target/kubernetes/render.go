package kubernetes

// The objects of an arm as text, without a cluster: what `tare render` prints.

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// Stand-ins for what is known at a start only.
const (
	renderedPassword = "made-at-the-start"
	renderedTrial    = "trial"
	renderedJob      = "the job, with the server's password: made for each trial"
)

// Render is every object that the arm would make with these options of the server,
// as YAML documents in the order in which they are applied. Names end in the arm's
// name, passwords and the owner's note are left out, and what depends on the cluster
// is said in a comment.
func (k *Kubernetes) Render(arm string, config map[string]string) (string, error) {
	named := *k
	named.id, named.password, named.owner = renderedID(arm), renderedPassword, ""
	if named.cluster == nil {
		namespace := k.settings.Namespace
		if namespace == "" {
			namespace = "tare"
		}
		named.cluster = &cluster{namespace: namespace}
	}
	k = &named
	objects, notes, err := k.rendered(config)
	if err != nil {
		return "", err
	}
	return documents(notes, objects)
}

// documents are objects as YAML documents, after comments.
func documents(notes []string, objects []*unstructured.Unstructured) (string, error) {
	var b strings.Builder
	for _, note := range notes {
		fmt.Fprintf(&b, "# %s\n", note)
	}
	for _, o := range objects {
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			return "", fmt.Errorf("render %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		b.WriteString("---\n")
		b.Write(text)
	}
	return b.String(), nil
}

// renderedID has at most 20 characters: some operators take no longer names.
func renderedID(arm string) string {
	if len(arm) <= 15 {
		return "tare-" + arm
	}
	h := fnv.New32a()
	h.Write([]byte(arm))
	return fmt.Sprintf("tare-%08x", h.Sum32())
}

// rendered are the objects, and what the cluster has to say before they are whole.
func (k *Kubernetes) rendered(config map[string]string) ([]*unstructured.Unstructured, []string, error) {
	s := &server{target: k, request: target.Request{Name: renderedTrial, Config: config}, name: k.id + "-0", container: containerName, serverPort: serverPort}
	var objects []*unstructured.Unstructured
	var notes []string
	if !k.settings.makesServer() {
		b, err := k.build(k.cluster.namespace, config)
		if err != nil {
			return nil, nil, err
		}
		for _, u := range b.objects {
			if k.settings.isOwn() {
				k.sign(u, renderedTrial)
			}
			objects = append(objects, u)
		}
	} else {
		var err error
		if objects, notes, err = k.renderedServer(s); err != nil {
			return nil, nil, err
		}
	}
	rest, more, err := k.renderedLoad(s)
	if err != nil {
		return nil, nil, err
	}
	objects = append(objects, rest...)
	for _, u := range objects {
		tidy(u)
	}
	return objects, append(notes, more...), nil
}

// renderedServer are the objects of tare's own server.
func (k *Kubernetes) renderedServer(s *server) ([]*unstructured.Unstructured, []string, error) {
	if err := s.secrets(context.Background()); err != nil {
		return nil, nil, err
	}
	s.accounts = strings.ReplaceAll(s.accounts, s.account.Password, renderedPassword)
	var notes []string
	set := k.settings
	if set.CPU == node.MaxCPU {
		notes = append(notes, "cpu: max is the most that the nodes have left when the trial starts; it is missing here")
		k.settings.CPU = 0
	}
	s.requirements = k.settings.requirements(0)
	k.settings.CPU = set.CPU
	all := []runtime.Object{s.secret()}
	if set.Volume == claimVolume {
		all = append(all, s.claim())
	}
	objects, err := loosely(append(all, s.service(), s.statefulSet())...)
	return objects, notes, err
}

// renderedLoad are the objects of the load, the neighbour and the probes.
func (k *Kubernetes) renderedLoad(s *server) ([]*unstructured.Unstructured, []string, error) {
	var all []runtime.Object
	var notes []string
	if s.Generators() > 0 {
		all = append(all, s.loaders().secret([]byte(renderedJob)))
	}
	if k.settings.Clients > 0 {
		all = append(all, s.loaders().job(longestLoad))
	}
	if k.settings.Client != "" {
		notes = append(notes, "the load is an ephemeral container of the server's pod, added when the server answers")
	}
	if k.settings.Neighbour != nil {
		notes = append(notes, "the neighbour is a pod on the server's node, made when that node is known")
	}
	if k.settings.ProbeNamespace != "" {
		notes = append(notes, "the probes are a pod of namespace "+k.settings.ProbeNamespace+" on the server's node, made when that node is known")
	}
	objects, err := loosely(all...)
	return objects, notes, err
}

// loosely are typed objects in the form in which they are sent.
func loosely(all ...runtime.Object) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, o := range all {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return nil, fmt.Errorf("render objects: %w", err)
		}
		objects = append(objects, &unstructured.Unstructured{Object: fields})
	}
	return objects, nil
}

// tidy takes out what no file has: a status, a time of creation, an empty owner's note.
func tidy(u *unstructured.Unstructured) {
	delete(u.Object, "status")
	for _, path := range [][]string{{"metadata"}, {"spec", "template", "metadata"}, {"spec", "jobTemplate", "metadata"}} {
		unstructured.RemoveNestedField(u.Object, slices.Concat(path, []string{"creationTimestamp"})...)
	}
	notes := u.GetAnnotations()
	delete(notes, ownerAnnotation)
	if len(notes) == 0 {
		notes = nil
	}
	u.SetAnnotations(notes)
	if u.GetKind() == "Secret" && u.Object["data"] != nil {
		readable(u)
	}
}

// readable writes a Secret's data as text.
func readable(u *unstructured.Unstructured) {
	secret, err := typed[corev1.Secret](u.Object)
	if err != nil { // it stays as it is
		return
	}
	text := map[string]any{}
	for key, value := range secret.Data {
		text[key] = string(value)
	}
	delete(u.Object, "data")
	u.Object["stringData"] = text
}
