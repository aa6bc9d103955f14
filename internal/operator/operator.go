// Package operator describes MySQL operators as data: where a setting belongs in an
// operator's resource, when its database is ready, how to log in, and what remains after
// deletion.
//
// Every shipped operator is one file of descriptors/, and a user's own is a file
// of the same form. The target kubernetes makes and watches resources by it, and
// internal/manifest reads them by it, so that both have one source of truth.
// Descriptors are read by path and not through the operators' Go modules, which
// pin different versions of everything.
package operator

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

//go:embed descriptors/*.yaml
var shipped embed.FS

// Descriptor is one operator. Texts may contain {name}, the resource's name.
type Descriptor struct {
	// Name is what an arm's `operator:` says; Title is how findings call the operator.
	Name  string `json:"name"`
	Title string `json:"title"`
	// Group, Version and Kind are the resource's.
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	// Product is "mysql" or "mariadb"; Replication is how members agree: "galera",
	// "group", "" for anything else. Pool names the rule by which the operator computes
	// a buffer pool that is not set (internal/manifest has the rules).
	Product     string `json:"product"`
	Replication string `json:"replication"`
	Pool        string `json:"pool"`
	// Component is the part of the resource that Fields are below; "" for the whole.
	Component string `json:"component"`
	Fields    Fields `json:"fields"`
	// Base is the resource before an arm's settings, and When what a number of members
	// changes in it. Variants are the forms that one kind has; the first is the default.
	Base     map[string]any `json:"base"`
	When     []Rule         `json:"when"`
	Variants []Variant      `json:"variants"`
	// Outside are paths of a resource of the user's own that lead out of its database: to the buckets of backups, to a source of
	// replication or of data, to names of the running database in a DNS. A resource of tare's must not have them. Own is laid
	// over such a resource: the names of Secrets, which are of one resource alone.
	Outside []string       `json:"outside"`
	Own     map[string]any `json:"own"`
	// Via are the Services that clients can connect to; the first is the default.
	Via   []Via `json:"via"`
	Login Login `json:"login"`
	// Ready and Failed read the resource's status. Failed may be empty; it counts when it lasts,
	// because operators publish it of every failed pass of their loop.
	Ready  Condition `json:"ready"`
	Failed Condition `json:"failed"`
	Pods   Pods      `json:"pods"`
	// Sidecars are the containers that the operator puts into the server's pod.
	Sidecars []Sidecar `json:"sidecars"`
	// Containers are paths of lists with further containers of the server's pod, InitContainers of those that
	// run before it.
	Containers     []string `json:"containers"`
	InitContainers []string `json:"initContainers"`
	// Written are the fields of the resource that replace what the operator puts into its pods.
	Written Written `json:"written"`
	// OnlyNew are paths of the resource whose changes the operator does not bring to a cluster that exists.
	OnlyNew []string `json:"onlyNew"`
	// Leaves are the objects that stay when the resource is gone.
	Leaves []Leaving `json:"leaves"`
	// Finalizers are those that the operator takes off itself.
	Finalizers []string `json:"finalizers"`
	// Sets are options that the operator gives the server unless it is told otherwise.
	Sets []Setting `json:"sets"`
}

// Fields are the paths of settings: keys joined by dots, and [name=x] for the item
// of a list. An empty path is a setting that the resource has no place for.
type Fields struct {
	Members string `json:"members"`
	Image   string `json:"image"`
	Version string `json:"version"`
	// Resources are requests and limits of the container with the server.
	Resources string `json:"resources"`
	// Config is an option file as text, ConfigMap the name of a ConfigMap with one.
	Config    string `json:"config"`
	ConfigMap string `json:"configMap"`
	// Group is the one that the operator puts before a text without any; "" where it adds none.
	Group string `json:"group"`
	// Claim is the specification of the data's volume claim; Size and StorageClass are
	// the two by themselves where the resource has them so.
	Claim        string `json:"claim"`
	Size         string `json:"size"`
	StorageClass string `json:"storageClass"`
}

// Written are paths of fields with settings of the pods; an empty path is one that the resource has no field for.
type Written struct {
	Grace        string   `json:"grace"`        // the grace period in seconds
	Liveness     []string `json:"liveness"`     // liveness probes
	Budget       string   `json:"budget"`       // the specification of a PodDisruptionBudget
	AntiAffinity string   `json:"antiAffinity"` // what keeps members on different nodes; none or false for nothing
	Volume       string   `json:"volume"`       // the volume of the data, with emptyDir or ephemeral where it is none that stays
}

// Rule is a change that holds for some numbers of members.
type Rule struct {
	MembersBelow int            `json:"membersBelow"`
	Even         bool           `json:"even"`
	Set          map[string]any `json:"set"`
}

// Variant is one form of the resource.
type Variant struct {
	Name           string         `json:"name"`
	Replication    *string        `json:"replication"` // nil: the descriptor's
	MembersAtLeast int            `json:"membersAtLeast"`
	Set            map[string]any `json:"set"`
	Component      map[string]any `json:"component"` // laid over the component
	// Is tells a resource of this form; none: a resource that no other variant's condition tells is of it.
	Is Condition `json:"is"`
	// Sets are options that this form has otherwise than the descriptor's.
	Sets []Setting `json:"sets"`
	// Primary are the labels of the pod that takes writes; none: those of Pods.
	Primary map[string]string `json:"primary"`
}

// Via is a Service that clients connect to.
type Via struct {
	Name    string `json:"name"`
	Service string `json:"service"`
	Single  string `json:"single"` // the Service where there is one member; "" for Service
	Port    int    `json:"port"`
	// Exposure is the path of that Service's type; SingleExposure that of Single.
	Exposure       string         `json:"exposure"`
	SingleExposure string         `json:"singleExposure"`
	Set            map[string]any `json:"set"`
}

// Login is where the password is.
type Login struct {
	Secret      string `json:"secret"`
	User        string `json:"user"`
	UserKey     string `json:"userKey"` // key of the user in the Secret, in place of User
	PasswordKey string `json:"passwordKey"`
	// Make is the Secret's content where the operator wants it to be there; with
	// {password}. Without one the operator makes the Secret, some time after the resource.
	Make map[string]string `json:"make"`
}

// Condition is met by a condition of status.conditions that is "True", or by a field
// of the status with one of the values.
type Condition struct {
	Condition string   `json:"condition"`
	Path      string   `json:"path"`
	Values    []string `json:"values"`
	// Equal are the paths of two fields of the resource that must have one value as well; or none.
	Equal []string `json:"equal"`
}

// Pods says which pods have servers.
type Pods struct {
	Selector map[string]string `json:"selector"`
	// Primary are the labels of the one that takes writes; none: any of them does.
	Primary   map[string]string `json:"primary"`
	Container string            `json:"container"`
}

// Sidecar is a container beside the server, and where its resources are set. Enabled
// is a path that must be true; "" for always. Default says that it need not be set.
type Sidecar struct {
	Name      string `json:"name"`
	Resources string `json:"resources"`
	Enabled   string `json:"enabled"`
	Default   bool   `json:"default"`
	Init      bool   `json:"init"`
}

// Leaving are objects of one resource type, by name or by label.
type Leaving struct {
	Group    string            `json:"group"`
	Version  string            `json:"version"` // "" for v1
	Resource string            `json:"resource"`
	Names    []string          `json:"names"`
	Selector map[string]string `json:"selector"`
}

// Setting is an option that the operator sets; Value is empty where it is computed.
type Setting struct {
	Option string `json:"option"`
	Value  string `json:"value"`
	Why    string `json:"why"`
}

// FormOf is the variant that a resource is of: the first whose condition is met, else the first without a
// condition. text is the resource's field at a path, "" for none.
func (d Descriptor) FormOf(text func(path string) string) Variant {
	for _, v := range d.Variants {
		if v.Is.Path != "" && slices.Contains(v.Is.Values, text(v.Is.Path)) {
			return v
		}
	}
	for _, v := range d.Variants {
		if v.Is.Path == "" {
			return v
		}
	}
	return Variant{}
}

// SetsIn are the options that the operator gives the server of a resource, made by s or the user's own.
func (d Descriptor) SetsIn(resource map[string]any, s Settings) []Setting {
	form, err := d.variant(s)
	if err != nil || s.Resource != nil {
		form = d.FormOf(func(path string) string {
			if value := look(resource, path); value != nil {
				return fmt.Sprint(value)
			}
			return ""
		})
	}
	return d.SetsOf(form.Name)
}

// SetsOf are the options that the operator gives the server of a variant; "" for the default.
func (d Descriptor) SetsOf(variant string) []Setting {
	all := slices.Clone(d.Sets)
	for _, v := range d.Variants {
		if v.Name != variant {
			continue
		}
		for _, own := range v.Sets {
			all = slices.DeleteFunc(all, func(s Setting) bool { return s.Option == own.Option })
			all = append(all, own)
		}
	}
	return all
}

// All are the shipped descriptors, by name. Their maps are shared and not written to.
func All() []Descriptor { return read() }

// read reads the files once: lint asks for every object.
var read = sync.OnceValue(func() []Descriptor {
	files, err := shipped.ReadDir("descriptors")
	if err != nil {
		panic(err) // they are in the program
	}
	var all []Descriptor
	for _, f := range files {
		text, err := shipped.ReadFile(path.Join("descriptors", f.Name()))
		if err != nil {
			panic(err)
		}
		d, err := Parse(text)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", f.Name(), err)) // a test reads them all
		}
		all = append(all, d)
	}
	return all
})

// Names are those of [All].
func Names() []string {
	var names []string
	for _, d := range All() {
		names = append(names, d.Name)
	}
	return names
}

// maxSize of a descriptor, in bytes.
const maxSize = 1 << 20

// Find is the shipped descriptor of that name, or the one in a file: a name with a
// slash or with .yaml at its end is a file's.
func Find(name string) (Descriptor, error) {
	for _, d := range All() {
		if d.Name == name {
			return d, nil
		}
	}
	if !strings.Contains(name, "/") && !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
		return Descriptor{}, fmt.Errorf("unknown operator %.60q; the shipped ones are %s, and a descriptor of your own is a file: ./NAME.yaml", name, strings.Join(Names(), ", "))
	}
	f, err := os.Open(name)
	if err != nil {
		return Descriptor{}, fmt.Errorf("read descriptor: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSize))
	if err != nil {
		return Descriptor{}, fmt.Errorf("read descriptor: %w", err)
	}
	d, err := Parse(text)
	if err != nil {
		return Descriptor{}, fmt.Errorf("read descriptor %s: %w", name, err)
	}
	return d, nil
}

// Parse reads a descriptor. The error names every field that is missing or unknown.
func Parse(text []byte) (Descriptor, error) {
	var d Descriptor
	if err := yaml.UnmarshalStrict(text, &d); err != nil {
		return d, errors.New(strings.TrimPrefix(err.Error(), "error unmarshaling JSON: while decoding JSON: "))
	}
	return d, d.check()
}

// check says what a descriptor cannot do without.
func (d Descriptor) check() error {
	var errs []error
	for _, f := range []struct{ name, value string }{
		{"name", d.Name}, {"group", d.Group}, {"version", d.Version}, {"kind", d.Kind}, {"login.secret", d.Login.Secret},
		{"login.passwordKey", d.Login.PasswordKey}, {"pods.container", d.Pods.Container}, {"login.user or login.userKey", d.Login.User + d.Login.UserKey},
		{"ready.condition or ready.path", d.Ready.Condition + d.Ready.Path},
	} {
		if f.value == "" {
			errs = append(errs, fmt.Errorf("%s is missing", f.name))
		}
	}
	if len(d.Pods.Selector) == 0 {
		errs = append(errs, errors.New("pods.selector is missing"))
	}
	if len(d.Via) == 0 {
		errs = append(errs, errors.New("via is missing: one entry with name, service and port"))
	}
	if d.Product != "mysql" && d.Product != "mariadb" {
		errs = append(errs, fmt.Errorf("product is mysql or mariadb, not %.40q", d.Product))
	}
	for _, v := range d.Via {
		if v.Name == "" || v.Service == "" || v.Port < 1 || v.Port > 65535 {
			errs = append(errs, fmt.Errorf("via %.40q: name, service and port (1 to 65535) are needed", v.Name))
		}
	}
	for _, l := range d.Leaves {
		if l.Resource == "" || len(l.Names) == 0 && len(l.Selector) == 0 {
			errs = append(errs, errors.New("leaves: every entry has a resource, and names or a selector"))
		}
		if !slices.ContainsFunc(l.places(), func(s string) bool { return strings.Contains(s, "{name}") }) {
			errs = append(errs, fmt.Errorf("leaves: %s: a name or a label with {name} is needed, or objects of other databases would be deleted", l.Resource))
		}
	}
	for _, c := range []struct {
		name  string
		paths []string
	}{{"ready", d.Ready.Equal}, {"failed", d.Failed.Equal}} {
		if n := len(c.paths); n != 0 && n != 2 {
			errs = append(errs, fmt.Errorf("%s.equal: two paths are compared, not %d", c.name, n))
		}
	}
	paths := slices.Concat(d.paths(), d.Outside)
	for _, v := range d.Variants {
		paths = append(paths, v.Is.Path)
	}
	for _, v := range d.Via {
		paths = append(paths, v.Exposure, v.SingleExposure)
	}
	for _, p := range paths {
		if p == "" {
			continue
		}
		if _, err := split(p); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// places are where a leaving can have the resource's name.
func (l Leaving) places() []string {
	all := slices.Clone(l.Names)
	for _, v := range l.Selector {
		all = append(all, v)
	}
	return all
}

// paths are all that lead into the resource.
func (d Descriptor) paths() []string {
	f := d.Fields
	all := []string{d.Component, f.Members, f.Image, f.Version, f.Resources, f.Config, f.ConfigMap, f.Claim, f.Size, f.StorageClass, d.Ready.Path, d.Failed.Path}
	return slices.Concat(all, d.Ready.Equal, d.Failed.Equal)
}
