package manifest

// This file gathers what configures a server: ConfigMaps that its pod mounts,
// its arguments, its environment, and what an operator's resource holds.

import (
	"path"
	"slices"
	"strings"
)

// configure adds to d what the rest of the set says about its options.
func (s *Set) configure(d *Database, taken map[*Object]bool) {
	if d.Pod == nil {
		return
	}
	for _, v := range d.Pod.Spec.Get("volumes").Items() {
		s.fromVolume(d, v, taken)
	}
	d.Config.Options = append(d.Config.Options, arguments(d.Server)...)
	s.claims(d)
	s.operatorConfig(d, taken)
}

// wsrep is whether the options are of a member of a Galera cluster, whoever runs it.
func (d *Database) wsrep() bool {
	if o, ok := d.Option("wsrep_on"); ok && !IsOn(o.Value) {
		return false
	}
	for _, o := range d.Config.Options {
		if strings.HasPrefix(o.Name, "wsrep_") {
			return true
		}
	}
	return false
}

// fromVolume reads the ConfigMaps of a volume that the server mounts: one, or all
// those of a projected volume.
func (s *Set) fromVolume(d *Database, v Value, taken map[*Object]bool) {
	volume := v.Get("name").Text()
	mounts := d.mountsOf(volume)
	if len(mounts) == 0 {
		return
	}
	for _, source := range append(v.Get("projected", "sources").Items(), v) {
		configMap := source.Get("configMap")
		name := configMap.Get("name").Text()
		if name == "" {
			continue
		}
		if o := s.FindIn("ConfigMap", name, d.Object.Namespace); o != nil {
			taken[o] = true
			d.Config.add(configMapOptions(o, mountedKeys(configMap, mounts)))
		} else if d.mountsConfig(volume) { // it may hold any option, which rules must know before they miss one
			d.Config.Missing = append(d.Config.Missing, said("ConfigMap %s is not in the files", name))
		}
	}
}

// mountsOf are the server's mounts of a volume; where it has none, those of the init
// containers, which may copy files over to where the server reads them.
func (d *Database) mountsOf(volume string) []Value {
	var own, before []Value
	for _, c := range d.Pod.Containers {
		for _, m := range c.Value.Get("volumeMounts").Items() {
			switch {
			case m.Get("name").Text() != volume:
			case c == d.Server:
				own = append(own, m)
			case c.Init:
				before = append(before, m)
			}
		}
	}
	if len(own) > 0 {
		return own
	}
	return before
}

// mountedKeys is which keys of a ConfigMap are option files in one of the mounts: items gives some of
// the keys a path in the volume and leaves the others out, and subPath mounts one path alone.
func mountedKeys(configMap Value, mounts []Value) func(key, text string) bool {
	paths := map[string][]string{}
	items := configMap.Get("items").Items()
	for _, item := range items {
		key := item.Get("key").Text()
		paths[key] = append(paths[key], item.Get("path").Text())
	}
	return func(key, text string) bool {
		files := paths[key]
		if len(items) == 0 {
			files = []string{key}
		}
		return holdsOptions(key, text) && slices.ContainsFunc(files, func(file string) bool { return reachable(file, mounts) })
	}
}

// reachable is whether one of a volume's mounts shows a file of the volume.
func reachable(file string, mounts []Value) bool {
	return slices.ContainsFunc(mounts, func(m Value) bool {
		sub := m.Get("subPath").Text()
		return sub == "" || below(path.Clean(file), path.Clean(sub))
	})
}

// ConfiguredBy is whether the server, or an init container, mounts a volume of the pod where
// options are read from.
func (d *Database) ConfiguredBy(volume string) bool { return d.Pod != nil && d.mountsConfig(volume) }

// Writes is whether the server mounts a volume of the pod and can write to it.
func (d *Database) Writes(volume string) bool {
	for _, m := range d.Server.Value.Get("volumeMounts").Items() {
		if m.Get("name").Text() == volume && !m.Get("readOnly").IsTrue() {
			return true
		}
	}
	return false
}

// mountsConfig is whether the volume is mounted where options are read from, and
// not where scripts or passwords are.
func (d *Database) mountsConfig(volume string) bool {
	for _, c := range d.Pod.Containers {
		if c != d.Server && !c.Init {
			continue
		}
		for _, m := range c.Value.Get("volumeMounts").Items() {
			at := m.Get("mountPath").Text()
			if m.Get("name").Text() == volume && !strings.Contains(at, "initdb") && !strings.Contains(at, "scripts") &&
				(strings.HasSuffix(at, ".cnf") || strings.Contains(at, "conf") || strings.Contains(at, "my.cnf") || strings.Contains(at, "/etc/mysql")) {
				return true
			}
		}
	}
	return false
}

// holdsOptions is whether a key of a ConfigMap is an option file, by its name or by its text.
func holdsOptions(key, text string) bool {
	return strings.HasSuffix(key, ".cnf") || strings.HasSuffix(key, ".conf") || looksLikeOptions(text)
}

// configMapOptions are the options of those keys of a ConfigMap that are read.
func configMapOptions(o *Object, read func(key, text string) bool) Config {
	var c Config
	for _, f := range o.Value.Get("data").Fields() {
		if read(f.Key, f.Text()) {
			c.add(optionsIn(f.Value, "ConfigMap "+o.Name))
		}
	}
	return c
}

// fromArguments is where options come from that a container is started with.
const fromArguments = "arguments"

// arguments are the options on the server's command line, which win over files.
func arguments(c *Container) []Option {
	var all []Option
	add := func(v Value, word string, whole bool) {
		if !strings.HasPrefix(word, "--") || len(word) < 4 {
			return
		}
		name, value, has := strings.Cut(word, "=")
		o := Option{Group: "mysqld", From: fromArguments, Spot: v.Spot()}
		o.name(name)
		if has {
			o.set(unquote(value))
			if whole && o.Spot.end > o.Spot.start {
				o.Spot.start += len(name) + 1
				o.Spot.Column += len(name) + 1
			} else {
				o.Spot.end = o.Spot.start
			}
		} else {
			o.Spot.end = o.Spot.start
		}
		all = append(all, o)
	}
	for _, list := range []Value{c.Value.Get("command"), c.Value.Get("args")} {
		items := list.Items()
		for i, v := range items {
			if text := v.Text(); strings.HasPrefix(text, "--") && !strings.ContainsAny(text, "\n") {
				add(v, text, true)
				if next := i + 1; !strings.Contains(text, "=") && next < len(items) && !strings.HasPrefix(items[next].Text(), "-") {
					last := &all[len(all)-1] // --name value, in two words
					last.Value, last.Spot = items[next].Text(), items[next].Spot()
				}
			} else if strings.Contains(text, "mysqld ") || strings.Contains(text, "mariadbd ") {
				for _, word := range strings.Fields(text) {
					add(v, word, false)
				}
			}
		}
	}
	for _, e := range c.Value.Get("env").Items() {
		if name := e.Get("name").Text(); name == "MYSQL_EXTRA_FLAGS" || name == "MARIADB_EXTRA_FLAGS" {
			for _, word := range strings.Fields(e.Get("value").Text()) {
				add(e.Get("value"), word, false)
			}
		}
	}
	return all
}

// claims finds the volume claims that the pod uses by name.
func (s *Set) claims(d *Database) {
	for _, v := range d.Pod.Spec.Get("volumes").Items() {
		name := v.Get("persistentVolumeClaim", "claimName").Text()
		if template := v.Get("ephemeral", "volumeClaimTemplate", "spec"); template.Exists() {
			d.Claims = append(d.Claims, claimAt(v.Get("name").Text(), template))
		}
		if o := s.FindIn("PersistentVolumeClaim", name, d.Object.Namespace); o != nil {
			d.Claims = append(d.Claims, claimAt(v.Get("name").Text(), o.Value.Get("spec")))
		}
	}
}

// DataClaim is the claim of the volume that holds the data.
func (d *Database) DataClaim() (Claim, bool) {
	if d.Pod == nil {
		return Claim{}, false
	}
	for _, dir := range DataDirs() {
		mount, _ := d.Pod.Mount(d.Server, dir)
		for _, c := range d.Claims {
			if mount.Exists() && c.Name == mount.Get("name").Text() {
				return c, true
			}
		}
	}
	if d.Operator != "" && len(d.Claims) > 0 {
		return d.Claims[0], true
	}
	return Claim{}, false
}
