package diagnose

// This file is what rules ask of a case.

import (
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

// unreadable is why requests and limits cannot be judged, "" where they can.
func (c *Case) unreadable() string {
	all := []manifest.Value{c.DB.Pod.Resources}
	for _, container := range c.DB.Pod.Containers {
		all = append(all, container.Resources)
	}
	for _, resources := range all {
		for _, kind := range []string{"requests", "limits"} {
			for _, name := range []string{"cpu", "memory"} {
				if v := resources.Get(kind, name); v.Exists() && !v.Amount(name).Set {
					return v.Spot().String() + ": " + strconv.Quote(v.Text()) + " is not a valid quantity"
				}
			}
		}
	}
	return ""
}

// server is where the server's container stands, or its object.
func (c *Case) server() manifest.Spot {
	if c.DB.Pod == nil {
		return c.object()
	}
	if c.DB.Server.Value.Exists() {
		return c.DB.Server.Value.Spot()
	}
	return c.DB.Server.Resources.Spot()
}

func (c *Case) object() manifest.Spot {
	if s := c.DB.Object.Value.Spot(); s.Line > 0 {
		return s
	}
	if len(c.DB.Config.Options) > 0 {
		return c.DB.Config.Options[0].Spot
	}
	return manifest.Spot{File: c.DB.Object.Name, Line: 1, Column: 1}
}

// setting is the value of an option and where it was set, or that it was not.
type setting struct {
	Value string
	Set   bool
	At    manifest.Spot
	From  string
}

// setting of the server. why says what would have to be known where the files do
// not tell: a ConfigMap that is not among them, the default of an unknown version.
func (c *Case) setting(name string) (s setting, why string) {
	if o, ok := c.DB.Option(name); ok {
		if strings.Contains(o.Value, "{{") || strings.Contains(o.Value, "${") {
			if _, sized := c.DB.Size(o); !sized {
				return setting{}, name + " is a template"
			}
		}
		return setting{o.Value, true, o.Spot, o.From}, ""
	}
	if len(c.DB.Config.Missing) > 0 {
		return setting{}, c.DB.Config.Missing[0]
	}
	if preset, ok := c.DB.Preset(name); ok {
		if preset.Value == "" {
			return setting{}, name + " is set by the operator: " + preset.Why
		}
		return setting{Value: preset.Value, At: c.configPlace(), From: preset.Why}, ""
	}
	value, ok := defaultOf(c.DB.Product, c.DB.Version, name)
	if !ok {
		return setting{}, "the server's version is unknown, and with it the default of " + name
	}
	return setting{Value: value, At: c.configPlace(), From: "the default"}, ""
}

// elsewhere is what a rule says that found nothing where not all of the options
// are among the files; nil where all are.
func (c *Case) elsewhere() []Finding {
	if len(c.DB.Config.Missing) == 0 {
		return nil
	}
	return list(unknown("%s", c.DB.Config.Missing[0]))
}

// configPlace is where an option would be added.
func (c *Case) configPlace() manifest.Spot {
	for _, o := range c.DB.Config.Options {
		if o.Group == "mysqld" || strings.HasPrefix(o.Group, "mariadb") {
			return o.Spot
		}
	}
	if s := c.DB.ConfigAt.Spot(); s.Line > 0 {
		return s
	}
	return c.server()
}

// bytes is an option as a size.
func (c *Case) bytes(name string) (size int64, s setting, why string) {
	s, why = c.setting(name)
	if why != "" {
		return 0, s, why
	}
	size, ok := c.DB.Size(manifest.Option{Value: s.Value})
	if !ok {
		return 0, s, name + " is not a valid size: " + strconv.Quote(s.Value)
	}
	return size, s, ""
}

// number is an option as a whole number.
func (c *Case) number(name string) (n int64, s setting, why string) {
	s, why = c.setting(name)
	if why != "" {
		return 0, s, why
	}
	n, err := strconv.ParseInt(s.Value, 10, 64)
	if err != nil {
		return 0, s, name + " is not a number: " + strconv.Quote(s.Value)
	}
	return n, s, ""
}

// class is the StorageClass of the data's claim, nil where it is not known.
func (c *Case) class() *manifest.Object {
	claim, ok := c.DB.DataClaim()
	if !ok || claim.Class.Text() == "" {
		return nil
	}
	return c.Set.Find("StorageClass", claim.Class.Text())
}

// parameter of a StorageClass, whose keys are case-insensitive in practice.
func parameter(class *manifest.Object, name string) manifest.Value {
	for _, f := range class.Value.Get("parameters").Fields() {
		if strings.EqualFold(f.Key, name) {
			return f.Value
		}
	}
	return class.Value.Get("parameters", name)
}

// configIn is where an option goes: the operator's field, or a ConfigMap.
func (c *Case) configIn() string {
	if c.DB.ConfigAt.Path() != "" {
		return c.DB.ConfigAt.Path()
	}
	return "[mysqld]"
}

// resourcesPath is where the server's resources go.
func (c *Case) resourcesPath() string {
	if p := c.DB.Server.Resources.Path(); c.DB.Operator != "" && p != "" {
		return p
	}
	return "resources"
}
