package kubernetes

// The text of copied objects: commands, environments, option files, annotations. What names the running database in it is
// renamed, or the copy would join its cluster, replicate from it or write into it.

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// copyText is one text of a copied object.
type copyText struct {
	object, path string
	key          string // what the text is the value of: the name of a variable, an option before it
	text         string
	secret       bool // its text is not shown
	note         bool // an annotation: a word alone names no host
	set          func(text string)
}

// where the text is, for people.
func (t copyText) where() string { return t.object + ", " + t.path }

// renameText renames the running database in all texts of the copies. One place that is not certain is an error, with all
// of them: a copy that is half renamed would use both databases.
func (c *Copied) renameText(h *hostNames, kept []*unstructured.Unstructured) error {
	var all []copyText
	for _, u := range kept {
		all = append(all, c.textsOf(u)...)
	}
	var unclear []string
	renamed := 0
	for i, t := range all {
		text, places, wrong := h.rename(t)
		all[i].text = text
		renamed += places
		wrong = append(wrong, h.peers(all[i])...)
		for _, why := range wrong {
			if line := "\n  " + t.where() + ": " + why; !slices.Contains(unclear, line) {
				unclear = append(unclear, line)
			}
		}
	}
	if len(unclear) > 0 {
		return errors.New("the copy would use hosts of the running database, or of others:" + strings.Join(unclear, "") +
			"\nChange these places in a copy of the files: take them out, or write the names of the copy, which end in " + CopySuffix)
	}
	for _, t := range all {
		t.set(t.text)
		c.Notes = append(c.Notes, h.others(t)...)
	}
	if renamed > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("Names of the running database's hosts in commands, variables and files are those of the copy, in %d places.", renamed))
	}
	return nil
}

// textsOf are the texts of an object that is a copy already. Its name is said as in the manifests.
func (c *Copied) textsOf(u *unstructured.Unstructured) (all []copyText) {
	title := u.GetKind() + " " + strings.TrimSuffix(u.GetName(), CopySuffix)
	switch u.GetKind() {
	case "ConfigMap":
		all = entries(title, u.Object, "data", false)
	case "Secret":
		all = append(entries(title, u.Object, "stringData", false), entries(title, u.Object, "data", true)...)
		for i := range all {
			all[i].secret = true
		}
	case "StatefulSet", "Deployment":
		template, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "template") // it has one: see Copy
		podTexts(title, "spec.template", "", template, &all)
	}
	return all
}

// entries are the values of a ConfigMap or Secret.
func entries(title string, object map[string]any, field string, encoded bool) (all []copyText) {
	values, _ := object[field].(map[string]any)
	for key, value := range values {
		text, ok := value.(string)
		t := copyText{object: title, path: field + "." + key, key: key, text: text, set: func(text string) { values[key] = text }}
		if encoded {
			plain, err := base64.StdEncoding.DecodeString(text)
			ok = ok && err == nil // else the API server refuses it
			t.text, t.set = string(plain), func(text string) { values[key] = base64.StdEncoding.EncodeToString([]byte(text)) }
		}
		if ok {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b copyText) int { return strings.Compare(a.path, b.path) })
	return all
}

// podTexts are those of a pod: values of variables, of annotations, and of fields that are commands or hosts.
func podTexts(title, path, key string, value any, all *[]copyText) {
	switch v := value.(type) {
	case []any:
		before := ""
		for i := range v {
			at := fmt.Sprintf("%s[%d]", path, i)
			text, ok := v[i].(string)
			if !ok {
				podTexts(title, at, key, v[i], all)
				continue
			}
			if slices.Contains([]string{"command", "args", "hostnames", "searches"}, key) {
				*all = append(*all, copyText{object: title, path: at, key: before, text: text, set: func(text string) { v[i] = text }})
			}
			before = text // --host, with its value as the next item
			if !strings.HasPrefix(text, "-") || strings.ContainsAny(text, "= \n") {
				before = ""
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := path + "." + name
			text, ok := v[name].(string)
			if !ok {
				podTexts(title, at, name, v[name], all)
				continue
			}
			t := copyText{object: title, path: at, key: name, text: text, set: func(text string) { v[name] = text }}
			switch {
			case name == "value" && key == "env":
				t.key, _ = v["name"].(string)
				*all = append(*all, t)
			case key == "annotations", name == "host", name == "subdomain":
				t.note = key == "annotations"
				*all = append(*all, t)
			}
		}
	}
}
