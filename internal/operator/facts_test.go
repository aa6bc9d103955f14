package operator

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// facts are what is known of an operator's resource definition: the paths that
// descriptors use, taken from the definition of one released version.
type facts struct {
	Source  string          `json:"source"`
	Release string          `json:"release"`
	SHA256  string          `json:"sha256"` // of the file of Source
	Group   string          `json:"group"`
	Version string          `json:"version"`
	Kind    string          `json:"kind"`
	Plural  string          `json:"plural"`
	Paths   map[string]fact `json:"paths"`
}

// fact is one path: items of a list are written [].
type fact struct {
	Type     string   `json:"type"`
	Enum     []string `json:"enum"`
	Required []string `json:"required"` // of an object
	Open     bool     `json:"open"`     // fields of any name
}

func readFacts(t *testing.T, name string) facts {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "operators", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var f facts
	if err := yaml.UnmarshalStrict(text, &f); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if f.Source == "" || f.Release == "" || len(f.SHA256) != 64 || len(f.Paths) == 0 {
		t.Fatalf("%s: facts without source, release, checksum or paths", name)
	}
	return f
}

// check holds a value against the facts, as an API server does with a strict
// definition: unknown fields, wrong types, values outside an enumeration, and
// required fields that are not there are all errors.
func (f facts) check(path string, value any) []string {
	known, ok := f.Paths[path]
	if !ok {
		return []string{fmt.Sprintf("%s: not in the facts of %s", path, f.Release)}
	}
	var wrong []string
	switch v := value.(type) {
	case map[string]any:
		if known.Type != "object" {
			return []string{fmt.Sprintf("%s: an object, not %s", path, known.Type)}
		}
		for _, name := range known.Required {
			if v[name] == nil {
				wrong = append(wrong, fmt.Sprintf("%s.%s: required", path, name))
			}
		}
		if known.Open {
			return wrong
		}
		for key, item := range v {
			wrong = append(wrong, f.check(path+"."+key, item)...)
		}
	case []any:
		if known.Type != "array" {
			return []string{fmt.Sprintf("%s: a list, not %s", path, known.Type)}
		}
		for _, item := range v {
			wrong = append(wrong, f.check(path+"[]", item)...)
		}
	default:
		got := map[bool]string{true: "integer"}[isWhole(v)]
		switch v.(type) {
		case bool:
			got = "boolean"
		case string:
			got = "string"
		}
		if got != known.Type && (known.Type != "int-or-string" || got == "boolean") {
			wrong = append(wrong, fmt.Sprintf("%s: %v is %s, not %s", path, v, got, known.Type))
		}
		if text, ok := v.(string); ok && len(known.Enum) > 0 && !slices.Contains(known.Enum, text) {
			wrong = append(wrong, fmt.Sprintf("%s: %q is none of %s", path, text, strings.Join(known.Enum, ", ")))
		}
	}
	return wrong
}

func isWhole(v any) bool {
	_, ok := v.(int64)
	return ok
}

// everything are settings that fill every field of the descriptor.
func everything(d Descriptor) Settings {
	s := Settings{Members: 3, CPU: "4", Memory: "16Gi", StorageClass: "gp3", VolumeSize: "200Gi"}
	if d.Fields.Image != "" {
		s.Image = "registry.example.com/server:1"
	}
	if d.Fields.Config != "" {
		s.Config = map[string]string{"innodb_flush_log_at_trx_commit": "1"}
	}
	return s
}

// resources are what a descriptor makes: every variant, way and number of members
// that changes something.
func resources(t *testing.T, d Descriptor) []map[string]any {
	t.Helper()
	variants := d.Variants
	if len(variants) == 0 {
		variants = []Variant{{}}
	}
	var all []map[string]any
	for _, variant := range variants {
		for _, via := range d.Via {
			for _, members := range []int{0, 1, 2, 3} {
				for _, s := range []Settings{{}, everything(d)} {
					if via.Exposure != "" && s.Memory != "" {
						s.Exposure = "LoadBalancer"
					}
					s.Variant, s.Via, s.Members = variant.Name, via.Name, members
					r, err := d.Resource("tare-0", s)
					if members != 0 && members < variant.MembersAtLeast {
						if err == nil {
							t.Errorf("%s %s: %d members are accepted", d.Name, variant.Name, members)
						}
						continue
					}
					if err != nil {
						t.Fatalf("%s %+v: %v", d.Name, s, err)
					}
					all = append(all, r)
				}
			}
		}
	}
	return all
}

// TestFacts: every resource that a descriptor makes, and every path that it reads,
// is in the operator's own resource definition.
func TestFacts(t *testing.T) {
	for _, d := range All() {
		t.Run(d.Name, func(t *testing.T) {
			f := readFacts(t, d.Name)
			if f.Group != d.Group || f.Version != d.Version || f.Kind != d.Kind {
				t.Errorf("the facts are of %s/%s %s", f.Group, f.Version, f.Kind)
			}
			for _, r := range resources(t, d) {
				for _, wrong := range f.check("spec", r["spec"]) {
					t.Error(wrong)
				}
			}
			if own, ok := d.Own["spec"]; ok {
				for _, wrong := range f.check("spec", named(own, strings.NewReplacer("{name}", "tare-0"))) {
					if !strings.HasSuffix(wrong, ": required") { // the user's resource has the rest
						t.Error(wrong)
					}
				}
			}
			for _, path := range d.status() {
				if !f.has(path) {
					t.Errorf("%s: not in the facts of %s", path, f.Release)
				}
			}
		})
	}
}

// status are the paths of the status and of sidecars' settings.
func (d Descriptor) status() []string {
	all := append([]string{d.Ready.Path, d.Failed.Path, d.Fields.ConfigMap}, d.Ready.Equal...)
	if d.Ready.Condition != "" {
		all = append(all, "status.conditions[].type", "status.conditions[].status")
	}
	for _, s := range d.Sidecars {
		if !strings.HasPrefix(s.Resources, "(") {
			all = append(all, s.Resources, s.Enabled)
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// has is whether a path is there, or below an object that takes any fields.
func (f facts) has(path string) bool {
	for at := plain(path); at != ""; {
		if known, ok := f.Paths[at]; ok {
			return at == plain(path) || known.Open
		}
		i := strings.LastIndexAny(at, ".[")
		if i < 0 {
			return false
		}
		at = at[:i]
	}
	return false
}

// plain is a path with [] for every [name=x].
func plain(path string) string {
	var b strings.Builder
	for {
		before, item, ok := strings.Cut(path, "[")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, after, _ := strings.Cut(item, "]")
		b.WriteString("[]")
		path = after
	}
}
