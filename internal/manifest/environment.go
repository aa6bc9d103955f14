package manifest

// This file is the environment of a server's container as the kubelet makes it: the variables of env and
// envFrom, with those that come from ConfigMaps and Secrets of the files, and $(VAR) in arguments
// (kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables).

import (
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
)

// variable is an environment variable. known is false where its value is somewhere that was not read.
type variable struct {
	value string
	at    Value
	known bool
	why   Text
}

// environment of a container, and what of envFrom was not read.
func (s *Set) environment(d *Database, c *Container) (all map[string]variable, missing []Text) {
	all = map[string]variable{}
	for _, from := range c.Value.Get("envFrom").Items() {
		for _, kind := range []string{"ConfigMap", "Secret"} {
			name := from.Get(strings.ToLower(kind[:1])+kind[1:]+"Ref", "name").Text()
			if name == "" {
				continue
			}
			o := s.FindIn(kind, name, d.Object.Namespace)
			if o == nil {
				missing = append(missing, said("%s %s is not in the files", kind, name))
				continue
			}
			for key, v := range contents(o) {
				all[from.Get("prefix").Text()+key] = v
			}
		}
	}
	for _, e := range c.Value.Get("env").Items() {
		v := s.variable(d, c, e)
		v.value = filledIn(v.value, all)
		all[e.Get("name").Text()] = v
	}
	return all, missing
}

// variable is one entry of env.
func (s *Set) variable(d *Database, c *Container, e Value) variable {
	from := e.Get("valueFrom")
	if !from.Exists() {
		return variable{e.Get("value").Text(), e.Get("value"), true, Text{}}
	}
	for _, kind := range []string{"ConfigMap", "Secret"} {
		ref := from.Get(strings.ToLower(kind[:1]) + kind[1:] + "KeyRef")
		if !ref.Exists() {
			continue
		}
		if o := s.FindIn(kind, ref.Get("name").Text(), d.Object.Namespace); o != nil {
			if v, ok := contents(o)[ref.Get("key").Text()]; ok {
				return v
			}
		}
		return variable{at: ref, why: said("%s %s is not in the files", kind, ref.Get("name").Text())}
	}
	if ref := from.Get("resourceFieldRef"); ref.Exists() {
		return ofResource(c, ref)
	}
	return variable{at: from, why: said("environment variable %s is filled in when the pod starts", e.Get("name").Text())}
}

// ofResource is a request or limit as a variable: rounded up in units of the divisor.
func ofResource(c *Container, ref Value) variable {
	kind, resource, _ := strings.Cut(ref.Get("resource").Text(), ".")
	a := c.Resources.Get(kind, resource).Amount(resource)
	divisor, ok := Quantity(resource, ref.Get("divisor").Text())
	if !ok || divisor <= 0 {
		divisor = map[bool]int64{true: 1000, false: 1}[resource == "cpu"]
	}
	if !a.Positive() {
		return variable{at: ref, why: said("%s of the container is not in the files", ref.Get("resource").Text())}
	}
	return variable{strconv.FormatInt((a.Value+divisor-1)/divisor, 10), ref, true, Text{}}
}

// contents are the keys of a ConfigMap or Secret; the data of a Secret is decoded.
func contents(o *Object) map[string]variable {
	all := map[string]variable{}
	for _, f := range o.Value.Get("data").Fields() {
		text := f.Text()
		if o.Kind == "Secret" {
			decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
			if err != nil {
				all[f.Key] = variable{at: f.Value, why: said("Secret %s is not base64", o.Name)}
				continue
			}
			text = string(decoded)
		}
		all[f.Key] = variable{text, f.Value, true, Text{}}
	}
	for _, f := range o.Value.Get("stringData").Fields() {
		all[f.Key] = variable{f.Text(), f.Value, true, Text{}}
	}
	return all
}

var reference = regexp.MustCompile(`\$?\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)`)

// filledIn replaces $(VAR) by what the environment has; one that it does not have stays, and so does $$(VAR).
func filledIn(text string, env map[string]variable) string {
	return reference.ReplaceAllStringFunc(text, func(m string) string {
		if strings.HasPrefix(m, "$$") {
			return m[1:]
		}
		if v, ok := env[m[2:len(m)-1]]; ok && v.known {
			return v.value
		}
		return m
	})
}

var shellVariable = regexp.MustCompile(`\$(\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*)`)

// filledInShell is filledIn for the text of a shell: $VAR and ${VAR}.
func filledInShell(text string, env map[string]variable) string {
	return shellVariable.ReplaceAllStringFunc(text, func(m string) string {
		if v, ok := env[strings.Trim(m, "${}")]; ok && v.known {
			return v.value
		}
		return m
	})
}
