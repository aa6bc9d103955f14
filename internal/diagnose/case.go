package diagnose

// This file is what rules ask of a case.

import (
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

// unreadable is why requests and limits cannot be judged, empty where they can.
func (c *Case) unreadable() Phrase {
	all := []manifest.Value{c.DB.Pod.Resources}
	for _, container := range c.DB.Pod.Containers {
		all = append(all, container.Resources)
	}
	for _, resources := range all {
		for _, kind := range []string{"requests", "limits"} {
			for _, name := range []string{"cpu", "memory"} {
				if v := resources.Get(kind, name); v.Exists() && !v.Amount(name).Set {
					return phrase("%s: %q is not a valid quantity", v.Spot().String(), v.Text())
				}
			}
		}
	}
	return Phrase{}
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
	if at, ok := c.header(); ok {
		return at
	}
	if len(c.DB.Config.Options) > 0 {
		return c.DB.Config.Options[0].Spot
	}
	return manifest.Spot{File: c.DB.Object.Name, Line: 1, Column: 1}
}

// setting is the value of an option and where it was set, or that it was not.
type setting struct {
	Value string
	Set   bool // in a file, an argument or the environment
	At    manifest.Spot
	From  Phrase
}

// setting of the server. why says what would have to be known where the files do
// not tell: a source of options that was not read, the default of an unknown version.
func (c *Case) setting(name string) (s setting, why Phrase) {
	known := c.DB.Setting(name)
	switch known.State {
	case manifest.Unknown:
		return setting{}, ofText(known.From)
	case manifest.Written:
		return setting{known.Value, true, known.Option.Spot, origin(known.Option.From)}, Phrase{}
	}
	return setting{Value: known.Value, At: c.configPlace(), From: ofText(known.From)}, Phrase{}
}

// elsewhere is what a rule says that found nothing where not all of the options
// are among the files; nil where all are.
func (c *Case) elsewhere() []Finding {
	if len(c.DB.Config.Missing) == 0 {
		return nil
	}
	return list(unknown("%s", ofText(c.DB.Config.Missing[0])))
}

// header is the line of an option file that begins the server's options: below it an option would be added.
func (c *Case) header() (at manifest.Spot, ok bool) {
	for _, h := range c.DB.Config.Headers {
		switch {
		case !c.reads(h.Group):
		case strings.HasPrefix(h.Group, "mysqld"), strings.HasPrefix(h.Group, "mariadb"):
			return h.Spot, true
		case !ok: // [client-server] and the like: also of other programs
			at, ok = h.Spot, true
		}
	}
	return at, ok
}

// configPlace is where an option would be added.
func (c *Case) configPlace() manifest.Spot {
	if at, ok := c.header(); ok {
		return at
	}
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
func (c *Case) bytes(name string) (size int64, s setting, why Phrase) {
	s, why = c.setting(name)
	if !why.empty() {
		return 0, s, why
	}
	size, ok := c.DB.Size(manifest.Option{Value: s.Value})
	if !ok {
		return 0, s, phrase("%s is not a valid size: %q", name, s.Value)
	}
	return size, s, Phrase{}
}

// number is an option as a whole number.
func (c *Case) number(name string) (n int64, s setting, why Phrase) {
	s, why = c.setting(name)
	if !why.empty() {
		return 0, s, why
	}
	n, err := strconv.ParseInt(s.Value, 10, 64)
	if err != nil {
		return 0, s, phrase("%s is not a number: %q", name, s.Value)
	}
	return n, s, Phrase{}
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

// configIn is where an option goes: the operator's field, or an option file. KubeBlocks' Cluster has no
// field for options.
func (c *Case) configIn() Phrase {
	switch {
	case c.DB.ConfigAt.Path() != "":
		return verbatim(c.DB.ConfigAt.Path())
	case c.DB.Operator == "KubeBlocks":
		return term("an OpsRequest (Reconfiguring)")
	}
	return verbatim("[mysqld]")
}

// resourcesPath is where the server's resources go.
func (c *Case) resourcesPath() string {
	if p := c.DB.Server.Resources.Path(); c.DB.Operator != "" && p != "" {
		return p
	}
	return "resources"
}
