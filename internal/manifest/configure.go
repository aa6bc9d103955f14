package manifest

// This file gathers what configures a server: ConfigMaps and Secrets that its pod mounts,
// its arguments, its environment, and what an operator's resource holds. What may hold
// options and was not read is Config.Missing.

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/option"
)

// configure adds to d what the rest of the set says about its options.
func (s *Set) configure(d *Database, taken map[*Object]bool) {
	if d.Pod == nil {
		return
	}
	if d.Operator == "" {
		d.ofImage()
	}
	for _, v := range d.Pod.Spec.Get("volumes").Items() {
		s.fromVolume(d, v, taken)
	}
	s.limitRange(d)
	d.fromClaims()
	s.arguments(d)
	s.claims(d)
	s.operatorConfig(d, taken)
	d.follow()
	d.expand()
}

// expand writes the abbreviations that MariaDB takes in full: any beginning of one option's name. MySQL refuses them, so
// that a server of an unknown product that starts is MariaDB.
func (d *Database) expand() {
	if d.Product == MySQL {
		return
	}
	d.Config.Options = slices.Clone(d.Config.Options) // those of the file, which others share
	release := option.Release{d.Version.Major, d.Version.Minor, d.Version.Patch}
	for i, o := range d.Config.Options {
		if !d.reads(o.Group) {
			continue
		}
		if full, ok := option.Expand(release, o.Name); ok {
			d.Config.Options[i].Name, d.Config.Options[i].Short = full, o.Name
		} else if one, _ := option.Ambiguous(release, o.Name); one != "" && d.Product == MariaDB {
			d.Config.Missing = append(d.Config.Missing, said("%s is the beginning of several options", o.Name))
		}
	}
}

// unexpand takes back what expand did, once the server is known to be another one.
func (d *Database) unexpand() {
	d.Config.Options = slices.Clone(d.Config.Options)
	for i, o := range d.Config.Options {
		if o.Short != "" {
			d.Config.Options[i].Name, d.Config.Options[i].Short = o.Short, ""
		}
	}
}

// follow settles what option files of the pod include: a directory where a volume is mounted is read with that volume,
// and everything else is the image's own.
func (d *Database) follow() {
	for _, i := range d.Config.includes {
		if !d.mountsAt(i) {
			d.Config.Missing = append(d.Config.Missing, said("%s is not followed", i.line))
		}
	}
	d.Config.includes = nil
}

// mountsAt is whether the server mounts a volume where a line includes files from.
func (d *Database) mountsAt(i include) bool {
	return slices.ContainsFunc(d.Server.Value.Get("volumeMounts").Items(), func(m Value) bool {
		at := path.Clean(m.Get("mountPath").Text())
		return at == i.path || !i.dir && below(i.path, at) || i.dir && path.Dir(at) == i.path
	})
}

// wsrep is whether the options are of a member of a Galera cluster, whoever runs it. MySQL's own images have no Galera
// and refuse its options.
func (d *Database) wsrep() bool {
	if d.Product == MySQL && (d.family.Name == officialImages || d.family.Name == oracleImages) {
		return false
	}
	if o, ok := d.Option("wsrep_on"); ok && !IsOn(o.Value) {
		return false
	}
	for _, o := range d.Config.Options {
		if strings.HasPrefix(o.Name, "wsrep_") && !idleAlone[o.Name] {
			return true
		}
	}
	return false
}

// idleAlone are options of Galera that do not make a server a member of a cluster.
var idleAlone = map[string]bool{"wsrep_load_data_splitting": true, "wsrep_causal_reads": true, "wsrep_sync_wait": true, "wsrep_debug": true, "wsrep_retry_autocommit": true}

// fromVolume reads the ConfigMaps and Secrets of a volume that the server mounts: one, or all
// those of a projected volume. Of any other volume where options are read from nothing is known.
func (s *Set) fromVolume(d *Database, v Value, taken map[*Object]bool) {
	volume := v.Get("name").Text()
	mounts := d.mountsOf(volume)
	if len(mounts) == 0 {
		return
	}
	configures, read := d.mountsConfig(volume), false
	for _, source := range append(v.Get("projected", "sources").Items(), v) {
		for _, kind := range []string{"ConfigMap", "Secret"} {
			from := source.Get(strings.ToLower(kind[:1]) + kind[1:])
			name := from.Get("name").Text()
			if kind == "Secret" && name == "" {
				name = from.Get("secretName").Text()
			}
			if name == "" {
				continue
			}
			read = true
			if o := s.FindIn(kind, name, d.Object.Namespace); o != nil {
				taken[o] = true
				d.Config.add(optionsOf(o, mountedKeys(from, mounts)))
			} else if configures { // it may hold any option, which rules must know before they miss one
				d.Config.Missing = append(d.Config.Missing, said("%s %s is not in the files", kind, name))
			}
		}
	}
	if configures && !read {
		d.otherVolume(v)
	}
}

// otherVolume says that a volume with the server's options is not in the files. An emptyDir has
// only what an init container writes.
func (d *Database) otherVolume(v Value) {
	name := v.Get("name").Text()
	for _, f := range v.Fields() {
		switch f.Key {
		case "name", "projected", "downwardAPI":
		case "emptyDir":
			if by := d.filledBy(name); by != "" {
				d.Config.Missing = append(d.Config.Missing, said("init container %s fills volume %s, where the server reads options", by, name))
			}
		default:
			d.Config.Missing = append(d.Config.Missing, said("volume %s (%s), where the server reads options, is not in the files", name, f.Key))
		}
	}
}

// filledBy is the init container that mounts a volume which the server mounts too.
func (d *Database) filledBy(volume string) string {
	for _, c := range d.Pod.Containers {
		for _, m := range c.Value.Get("volumeMounts").Items() {
			if c.Init && m.Get("name").Text() == volume && !m.Get("readOnly").IsTrue() {
				return c.Name
			}
		}
	}
	return ""
}

// fromClaims says the same of the volumes of a StatefulSet's claim templates.
func (d *Database) fromClaims() {
	for _, c := range d.Claims {
		if d.Operator == "" && d.mountsConfig(c.Name) {
			d.Config.Missing = append(d.Config.Missing, said("volume %s (%s), where the server reads options, is not in the files", c.Name, "persistentVolumeClaim"))
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

// mountsConfig is whether the server, or an init container, mounts the volume where options are read from.
func (d *Database) mountsConfig(volume string) bool {
	for _, c := range d.Pod.Containers {
		if c != d.Server && !c.Init {
			continue
		}
		for _, m := range c.Value.Get("volumeMounts").Items() {
			if m.Get("name").Text() == volume && isConfigPath(m.Get("mountPath").Text()) {
				return true
			}
		}
	}
	return false
}

// isConfigPath is whether servers read options from a path, and not scripts, passwords or certificates.
func isConfigPath(at string) bool {
	if notOptions.MatchString(at) {
		return false
	}
	return strings.Contains(at, ".cnf") || strings.Contains(at, "conf") || strings.Contains(at, "/etc/mysql")
}

var notOptions = regexp.MustCompile(`initdb|init\.d|scripts?(/|$)|secret|password|cert|ssl|tls|keyring|exporter|backup`)

// holdsOptions is whether a key of a ConfigMap is an option file, by its name or by its text.
func holdsOptions(key, text string) bool {
	return strings.HasSuffix(key, ".cnf") || strings.HasSuffix(key, ".conf") || looksLikeOptions(text)
}

// optionsOf are the options of those keys of a ConfigMap or Secret that are read.
func optionsOf(o *Object, read func(key, text string) bool) Config {
	var c Config
	for _, section := range []string{"data", "stringData"} {
		for _, f := range o.Value.Get(section).Fields() {
			from := o.Kind + " " + o.Name
			v, ok := contents(o)[f.Key]
			switch {
			case o.Kind == "Secret" && section == "data" && ok && v.known:
				if read(f.Key, v.value) {
					c.add(decodedOptions(v, from))
				}
			case read(f.Key, f.Text()):
				c.add(optionsIn(f.Value, from))
			}
		}
	}
	return c
}

// decodedOptions are those of a text that does not stand in the file as it reads: each has the place of the
// whole text, and none can be edited.
func decodedOptions(v variable, from string) Config {
	r := optionReader{from: from}
	whole := v.at.Spot()
	whole.end, whole.fixed = whole.start, folded
	r.read(v.value, func(int, int) Spot { return whole }, 0)
	return r.config
}

// claims finds the volume claims that the pod uses by name.
func (s *Set) claims(d *Database) {
	for _, v := range d.Pod.Spec.Get("volumes").Items() {
		name := v.Get("persistentVolumeClaim", "claimName").Text()
		if template := v.Get("ephemeral", "volumeClaimTemplate", "spec"); template.Exists() {
			d.Claims = append(d.Claims, claimAt(v.Get("name").Text(), template))
		}
		if o := s.FindIn("PersistentVolumeClaim", name, d.Object.Namespace); o != nil {
			claim := claimAt(v.Get("name").Text(), o.Value.Get("spec"))
			claim.Object = name
			d.Claims = append(d.Claims, claim)
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
