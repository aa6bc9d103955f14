package main

import (
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// descriptor is what this controller reads of a file in the form of internal/operator. The
// lab is a module of its own with another version of Kubernetes, so it has its own reader.
type descriptor struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Fields  struct {
		Members      string `json:"members"`
		Image        string `json:"image"`
		Resources    string `json:"resources"`
		Config       string `json:"config"`
		Size         string `json:"size"`
		StorageClass string `json:"storageClass"`
	} `json:"fields"`
	Via []struct {
		Service  string `json:"service"`
		Port     int64  `json:"port"`
		Exposure string `json:"exposure"`
	} `json:"via"`
	Login struct {
		Secret      string `json:"secret"`
		PasswordKey string `json:"passwordKey"`
	} `json:"login"`
	Ready struct {
		Path   string   `json:"path"`
		Values []string `json:"values"`
	} `json:"ready"`
	Pods struct {
		Selector  map[string]string `json:"selector"`
		Primary   map[string]string `json:"primary"`
		Container string            `json:"container"`
	} `json:"pods"`
	Finalizers []string `json:"finalizers"`
	Sets       []struct {
		Option string `json:"option"`
		Value  string `json:"value"`
	} `json:"sets"`
}

func readDescriptor(path string) (descriptor, error) {
	var d descriptor
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(text, &d)
	}
	if err != nil {
		return d, fmt.Errorf("read descriptor: %w", err)
	}
	switch {
	case d.Group == "" || d.Version == "" || d.Kind == "":
		return d, fmt.Errorf("read descriptor %s: group, version and kind are required", path)
	case len(d.Via) == 0 || d.Login.Secret == "" || len(d.Pods.Selector) == 0 || d.Ready.Path == "" || len(d.Ready.Values) == 0 || len(d.Finalizers) == 0:
		return d, fmt.Errorf("read descriptor %s: via, login, pods.selector, ready.path with values and finalizers are required", path)
	}
	return d, nil
}

// resource is the kind as the API server's paths name it: regular plurals only.
func (d descriptor) resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: d.Group, Version: d.Version, Resource: strings.ToLower(d.Kind) + "s"}
}

// named is a text with the resource's name in the place of {name}.
func named(text, name string) string { return strings.ReplaceAll(text, "{name}", name) }

func namedAll(texts map[string]string, name string) map[string]any {
	all := map[string]any{}
	for k, v := range texts {
		all[k] = named(v, name)
	}
	return all
}

// field is a value of the resource at a path of the descriptor, nil where there is none.
func field(u *unstructured.Unstructured, path string) any {
	if path == "" {
		return nil
	}
	v, _, err := unstructured.NestedFieldNoCopy(u.Object, strings.Split(path, ".")...)
	if err != nil { // something else is on the way there
		return nil
	}
	return v
}

// textOf is a text of the resource, or another where there is none.
func textOf(u *unstructured.Unstructured, path, otherwise string) string {
	if s, ok := field(u, path).(string); ok && s != "" {
		return s
	}
	return otherwise
}
