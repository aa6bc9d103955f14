package operator

// The resource of one arm, from a descriptor and the arm's settings.

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Settings are what an arm asks of an operator. Empty ones leave the descriptor's, or
// the operator's, own.
type Settings struct {
	Variant      string
	Via          string
	Members      int
	Image        string
	CPU, Memory  string // quantities; requests and limits both, so that arms are equal
	StorageClass string
	VolumeSize   string
	Exposure     string            // ClusterIP, NodePort or LoadBalancer
	Config       map[string]string // options of the server
	// Resource is the user's own, in place of Base.
	Resource map[string]any
}

// Resource is the object of the kind, named.
func (d Descriptor) Resource(name string, s Settings) (map[string]any, error) {
	fill := strings.NewReplacer("{name}", name)
	variant, err := d.variant(s)
	if err != nil {
		return nil, err
	}
	via, err := d.service(s.Via)
	if err != nil {
		return nil, err
	}
	root := named(d.Base, fill).(map[string]any)
	if s.Resource != nil {
		if root, err = d.owned(s.Resource, fill); err != nil {
			return nil, err
		}
	} else {
		merge(root, named(variant.Set, fill).(map[string]any))
		merge(root, named(via.Set, fill).(map[string]any))
	}
	root["apiVersion"], root["kind"] = d.Group+"/"+d.Version, d.Kind
	metadata, _ := root["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["name"] = name
	root["metadata"] = metadata
	if s.Resource == nil && variant.Component != nil {
		if err := put(root, d.Component, named(variant.Component, fill)); err != nil {
			return nil, err
		}
	}
	if err := d.settle(root, s); err != nil {
		return nil, err
	}
	if err := d.expose(root, via, s); err != nil {
		return nil, err
	}
	if s.Resource == nil {
		d.follow(root, fill)
	}
	return root, nil
}

// owned is a copy of the user's own resource with names of its own for what it would share with the resource that it is of.
func (d Descriptor) owned(resource map[string]any, fill *strings.Replacer) (map[string]any, error) {
	if lead := d.LeadsOut(resource); len(lead) > 0 {
		return nil, fmt.Errorf("resource: %s would lead out of the database that tare makes: to the buckets of backups, to another server, or to a name in DNS; take it out of the file", strings.Join(lead, ", "))
	}
	root := named(resource, strings.NewReplacer()).(map[string]any)
	merge(root, named(d.Own, fill).(map[string]any))
	if secret := fill.Replace(d.Login.Secret); len(d.Login.Make) > 0 && !mentions(root, secret) {
		return nil, fmt.Errorf("resource: tare makes Secret %s with the login, and the resource names another one or none; write the field with that name into own of the descriptor", d.Login.Secret)
	}
	return root, nil
}

// LeadsOut are the paths of Outside that a resource has, and that are not switched off.
func (d Descriptor) LeadsOut(resource map[string]any) (paths []string) {
	for _, path := range d.Outside {
		switch v := look(resource, path).(type) {
		case nil:
			continue
		case []any:
			if len(v) == 0 {
				continue
			}
		case map[string]any:
			if enabled, said := v["enabled"].(bool); len(v) == 0 || said && !enabled {
				continue
			}
		}
		paths = append(paths, path)
	}
	return paths
}

// LeaveOut takes the paths of Outside out of a resource, and says which it had.
func (d Descriptor) LeaveOut(resource map[string]any) (paths []string) {
	paths = d.LeadsOut(resource)
	for _, path := range paths {
		at, key := resource, path
		if i := strings.LastIndex(path, "."); i >= 0 {
			at, _ = look(resource, path[:i]).(map[string]any)
			key = path[i+1:]
		}
		delete(at, key)
	}
	return paths
}

// mentions tells whether a text is a value somewhere in a resource.
func mentions(value any, text string) bool {
	switch v := value.(type) {
	case string:
		return v == text
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return mentions(item, text) })
	case map[string]any:
		for _, item := range v {
			if mentions(item, text) {
				return true
			}
		}
	}
	return false
}

// settle puts the arm's settings into the resource.
func (d Descriptor) settle(root map[string]any, s Settings) error {
	errs := []error{
		d.set(root, "members", d.Fields.Members, s.Members != 0, int64(s.Members)),
		d.set(root, "image", d.Fields.Image, s.Image != "", s.Image),
		d.configure(root, s.Config),
	}
	for _, kind := range []string{"limits", "requests"} { // one by one: the resource may have others
		path := d.Fields.Resources + "." + kind
		errs = append(errs, d.set(root, "cpu", path+".cpu", s.CPU != "", s.CPU), d.set(root, "memory", path+".memory", s.Memory != "", s.Memory))
	}
	return errors.Join(append(errs, d.storage(root, s)...)...)
}

// expose gives the Service that clients use its type.
func (d Descriptor) expose(root map[string]any, via Via, s Settings) error {
	path := via.Exposure
	if via.SingleExposure != "" && d.MembersOf(root) == 1 {
		path = via.SingleExposure
	}
	switch {
	case s.Exposure == "":
		return nil
	case path == "":
		return fmt.Errorf("address: the Service of via: %s has no field for its type in a %s; use another via, or address: service", via.Name, d.Kind)
	}
	return put(root, path, s.Exposure)
}

// storage sets class and size of the data's volume.
func (d Descriptor) storage(root map[string]any, s Settings) []error {
	class, size := d.Fields.StorageClass, d.Fields.Size
	if class == "" && d.Fields.Claim != "" {
		class = d.Fields.Claim + ".storageClassName"
	}
	if size == "" && d.Fields.Claim != "" {
		size = d.Fields.Claim + ".resources.requests.storage"
	}
	if s.VolumeSize == "" && s.Resource == nil {
		s.VolumeSize = "10Gi"
	}
	return []error{
		d.set(root, "storageClass", class, s.StorageClass != "", s.StorageClass),
		d.set(root, "volumeSize", size, s.VolumeSize != "", s.VolumeSize),
	}
}

// set puts one setting into the resource, where it has a place for it.
func (d Descriptor) set(root map[string]any, setting, path string, given bool, value any) error {
	switch {
	case !given:
		return nil
	case path == "" || strings.HasPrefix(path, "."):
		return NoField{Setting: setting, Operator: d.Title, Kind: d.Kind}
	case d.Component != "":
		path = d.Component + "." + path
	}
	return put(root, path, value)
}

// NoField is a setting that an operator's resource has no field for.
type NoField struct{ Setting, Operator, Kind string }

// Error names the setting and the resource.
func (e NoField) Error() string {
	return fmt.Sprintf("%s: a %s of %s has no field for it; leave it out", e.Setting, e.Kind, e.Operator)
}

// follow lays over what the number of members changes.
func (d Descriptor) follow(root map[string]any, fill *strings.Replacer) {
	members := d.MembersOf(root)
	for _, r := range d.When {
		if r.MembersBelow != 0 && members < r.MembersBelow || r.Even && members%2 == 0 {
			merge(root, named(r.Set, fill).(map[string]any))
		}
	}
}

// MembersOf is how many servers a resource asks for; 1 where it does not say.
func (d Descriptor) MembersOf(root map[string]any) int {
	path := d.Fields.Members
	if d.Component != "" {
		path = d.Component + "." + path
	}
	switch n := look(root, path).(type) {
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 1
}

// variant is the one asked for, or the first that admits the number of members.
func (d Descriptor) variant(s Settings) (Variant, error) {
	if len(d.Variants) == 0 && s.Variant == "" {
		return Variant{}, nil
	}
	var names []string
	for _, v := range d.Variants {
		names = append(names, v.Name)
		if s.Variant == v.Name || s.Variant == "" && (s.Members == 0 || s.Members >= v.MembersAtLeast) {
			if s.Members != 0 && s.Members < v.MembersAtLeast {
				return v, fmt.Errorf("variant: %s needs at least %d members", v.Name, v.MembersAtLeast)
			}
			return v, nil
		}
	}
	if len(names) == 0 {
		return Variant{}, fmt.Errorf("variant: %s has one form only; leave it out", d.Title)
	}
	return Variant{}, fmt.Errorf("variant: %s has no %.40q; write %s", d.Title, s.Variant, strings.Join(names, " or "))
}

// service is the entry of via with a name, the first for "".
func (d Descriptor) service(name string) (Via, error) {
	var names []string
	for _, v := range d.Via {
		if name == "" || v.Name == name {
			return v, nil
		}
		names = append(names, v.Name)
	}
	return Via{}, fmt.Errorf("via: %s has no %.40q; write %s", d.Title, name, strings.Join(names, " or "))
}

// Service is what clients connect to: a Service's name and its port.
func (d Descriptor) Service(name, via string, members int) (string, int, error) {
	v, err := d.service(via)
	if err != nil {
		return "", 0, err
	}
	service := v.Service
	if members == 1 && v.Single != "" {
		service = v.Single
	}
	return fill(service, name), v.Port, nil
}

// Account is the login of a resource of that name.
func (d Descriptor) Account(name string) Login {
	l := d.Login
	l.Secret = fill(l.Secret, name)
	return l
}

// Made is the content of the Secret that has to be there before the resource, nil
// where the operator makes it.
func (d Descriptor) Made(name, password string) map[string]string {
	if len(d.Login.Make) == 0 {
		return nil
	}
	r := strings.NewReplacer("{name}", name, "{password}", password)
	made := map[string]string{}
	for key, value := range d.Login.Make {
		made[key] = r.Replace(value)
	}
	return made
}

// Selector takes the pods with servers.
func (d Descriptor) Selector(name string) map[string]string {
	return fillAll(d.Pods.Selector, name)
}

// Primary are the labels of the pod that takes writes, with these settings.
func (d Descriptor) Primary(s Settings) map[string]string {
	if v, err := d.variant(s); err == nil && len(v.Primary) > 0 { // Resource has said the error
		return v.Primary
	}
	return d.Pods.Primary
}

// Left are the objects that stay when the resource of that name is gone.
func (d Descriptor) Left(name string) []Leaving {
	var all []Leaving
	for _, l := range d.Leaves {
		l.Selector = fillAll(l.Selector, name)
		names := slices.Clone(l.Names)
		for i := range names {
			names[i] = fill(names[i], name)
		}
		l.Names = names
		if l.Version == "" {
			l.Version = "v1"
		}
		all = append(all, l)
	}
	return all
}

func fill(text, name string) string { return strings.ReplaceAll(text, "{name}", name) }

func fillAll(texts map[string]string, name string) map[string]string {
	out := make(map[string]string, len(texts))
	for key, value := range texts {
		out[key] = fill(value, name)
	}
	return out
}
