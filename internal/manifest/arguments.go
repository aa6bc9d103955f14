package manifest

// This file reads the options that a server is started with: the words of command and args, the lines of
// a shell script that start it, and the environment variables of images that set options.

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// fromArguments is where options come from that a container is started with.
const fromArguments = "arguments"

// arguments adds the options of the server's command line, which win over files, and says what
// of it is not in the files.
func (s *Set) arguments(d *Database) {
	env, missing := s.environment(d, d.Server)
	d.fromVariables(env, missing)
	for _, list := range []Value{d.Server.Value.Get("command"), d.Server.Value.Get("args")} {
		items := list.Items()
		for i := 0; i < len(items); i++ {
			text := items[i].Text()
			switch {
			case strings.HasPrefix(text, "--") && !strings.ContainsAny(text, "\n "):
				next := Value{}
				if i+1 < len(items) {
					next = items[i+1]
				}
				if d.word(items[i], next, env) {
					i++
				}
			case strings.HasPrefix(text, "--"): // a value with blanks
				d.word(items[i], Value{}, env)
			case strings.HasPrefix(text, "/") && !strings.ContainsAny(text, " \n") && !isProgram(text):
				s.scriptFile(d, text, env)
			case isScript(text):
				s.script(d, text, items[i], fromArguments, env)
			}
		}
	}
	s.otherFile(d)
}

// isProgram is whether a path is a server, a shell, or the entry point of an image that is known.
func isProgram(text string) bool { return program.MatchString(text) }

var program = regexp.MustCompile(`^/(usr/|opt/bitnami/|)(local/)?s?bin/[a-z_]+$|docker-entrypoint(\.sh)?$|^/entrypoint\.sh$|^/opt/bitnami/scripts/|/container-entrypoint$|/(mysqld|mariadbd|mysqld_safe|run-mysqld[a-z-]*|tini|dumb-init)$|^/(var|etc|dev|proc|tmp|data)/`)

// isScript is whether an argument is the text of a shell script.
func isScript(text string) bool {
	return strings.ContainsAny(text, " \n;&|") && startsServer.MatchString(text)
}

// word is an argument --name=value, or --name with the value in the next word; used says the latter.
func (d *Database) word(v, next Value, env map[string]variable) (used bool) {
	text := v.Text()
	if len(text) < 4 {
		return false
	}
	name, value, has := strings.Cut(text, "=")
	o := Option{Group: "mysqld", From: fromArguments, Spot: v.Spot()}
	o.name(name)
	switch {
	case has:
		o.set(unquote(value))
		if o.Spot.end > o.Spot.start {
			o.Spot.start += len(name) + 1
			o.Spot.Column += len(name) + 1
		}
	case next.Exists() && !strings.HasPrefix(next.Text(), "-"):
		o.Value, o.Spot, used = next.Text(), next.Spot(), true
	default:
		o.Spot.end = o.Spot.start
	}
	if filled := filledIn(o.Value, env); filled != o.Value {
		o.Value, o.Spot.end, o.Spot.fixed = filled, o.Spot.start, withinText // the variable is what would have to change
	}
	d.Config.Options = append(d.Config.Options, o)
	return used
}

// fromVariables adds the options that environment variables set, by the image.
func (d *Database) fromVariables(env map[string]variable, missing []Text) {
	if d.family.setsByVariable() {
		d.Config.Missing = append(d.Config.Missing, missing...)
	}
	for _, name := range slices.Sorted(maps.Keys(d.family.Variables)) {
		option := d.family.Variables[name]
		if v, ok := env[name]; ok && v.known {
			o := Option{Group: "mysqld", Name: option, Value: v.value, From: "environment variable " + name, Spot: v.at.Spot()}
			d.Config.Options = append(d.Config.Options, o)
		} else if ok {
			d.Config.Missing = append(d.Config.Missing, v.why)
		}
	}
	for _, name := range []string{"MYSQL_EXTRA_FLAGS", "MARIADB_EXTRA_FLAGS"} { // Bitnami's, and of images made like them
		v, ok := env[name]
		if ok && !v.known {
			d.Config.Missing = append(d.Config.Missing, v.why)
		}
		for _, word := range strings.Fields(v.value) {
			d.plainWord(word, v.at, fromArguments)
		}
	}
}

// plainWord is an argument in a longer text: it has no place of its own that could be edited.
func (d *Database) plainWord(word string, at Value, from string) {
	if !strings.HasPrefix(word, "--") || len(word) < 4 {
		return
	}
	name, value, has := strings.Cut(word, "=")
	o := Option{Group: "mysqld", From: from, Spot: at.Spot()}
	o.Spot.end, o.Spot.fixed = o.Spot.start, withinText
	o.name(name)
	if has {
		o.set(unquote(value))
	}
	d.Config.Options = append(d.Config.Options, o)
}

// scriptFile reads a script that the container runs from a mounted ConfigMap.
func (s *Set) scriptFile(d *Database, file string, env map[string]variable) {
	mount, volume := d.Pod.Mount(d.Server, file)
	if !mount.Exists() {
		d.Config.Missing = append(d.Config.Missing, said("%s of the image starts the server", file))
		return
	}
	name := volume.Get("configMap", "name").Text()
	o := s.FindIn("ConfigMap", name, d.Object.Namespace)
	if name == "" || o == nil {
		d.Config.Missing = append(d.Config.Missing, said("%s starts the server, and volume %s is not in the files", file, mount.Get("name").Text()))
		return
	}
	key := keyOf(volume.Get("configMap"), mount, file)
	if text := o.Value.Get("data", key); text.Exists() {
		s.script(d, text.Text(), text, "ConfigMap "+o.Name, env)
		return
	}
	d.Config.Missing = append(d.Config.Missing, said("%s starts the server, and ConfigMap %s does not have it", file, o.Name))
}

// keyOf is the key of a ConfigMap that a mount shows at a path.
func keyOf(configMap, mount Value, file string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(file, path.Clean(mount.Get("mountPath").Text())), "/")
	if sub := mount.Get("subPath").Text(); sub != "" {
		rest = path.Clean(path.Join(sub, rest))
	}
	for _, item := range configMap.Get("items").Items() {
		if path.Clean(item.Get("path").Text()) == rest {
			return item.Get("key").Text()
		}
	}
	return rest
}

var (
	startOfServer = regexp.MustCompile(`(^|[\s/])(mysqld|mariadbd|mysqld_safe|docker-entrypoint(\.sh)?|run-mysqld[a-z-]*|(/opt/bitnami/scripts/(mysql|mariadb|mariadb-galera)/(run|entrypoint)\.sh))(\s|$)`)
	writesOptions = regexp.MustCompile(`(>|>>|\btee\b|\bsed\b.*-i|\benvsubst\b|\bcp\b|\bmv\b|\bln\b).*(\.cnf|conf\.d|my\.cnf)`)
	commands      = regexp.MustCompile(`&&|\|\||[;|&]`)
)

// script adds the options of the lines of a shell script that start a server, and says where it
// makes option files, or where the words of the start are not in the text.
func (s *Set) script(d *Database, text string, at Value, from string, env map[string]variable) {
	started := false
	sets := assignments{env: maps.Clone(env)}
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		sets.line(line)
		if writesOptions.MatchString(line) {
			d.Config.Missing = append(d.Config.Missing, said("a script of %s writes an option file", from))
		}
		for _, command := range commands.Split(line, -1) {
			if !startOfServer.MatchString(command) {
				continue
			}
			started = true
			for _, word := range strings.Fields(filledInShell(filledIn(command, env), sets.env)) {
				word = unquote(strings.ReplaceAll(word, `"`, ""))
				switch {
				case strings.HasPrefix(word, "--"):
					d.plainWord(word, at, from)
				case strings.HasPrefix(word, "$") && word != "$@":
					d.Config.Missing = append(d.Config.Missing, said("a script of %s starts the server with %s", from, word))
				}
			}
		}
	}
	if !started {
		d.Config.Missing = append(d.Config.Missing, said("a script of %s starts the server in a way that tare does not read", from))
	}
}

// otherFile follows --defaults-file and its like: the file is one that is mounted from the files, or
// the one that the image has, or nothing is known of it.
func (s *Set) otherFile(d *Database) {
	for _, name := range []string{"defaults_file", "defaults_extra_file"} {
		o, ok := d.Option(name)
		if !ok || slices.Contains([]string{"/etc/my.cnf", "/etc/mysql/my.cnf", "/opt/bitnami/mysql/conf/my.cnf", "/opt/bitnami/mariadb/conf/my.cnf"}, o.Value) && !d.mounted(o.Value) {
			continue
		}
		mount, volume := d.Pod.Mount(d.Server, o.Value)
		configMap := volume.Get("configMap")
		if from := s.FindIn("ConfigMap", configMap.Get("name").Text(), d.Object.Namespace); mount.Exists() && from != nil && from.Value.Get("data", keyOf(configMap, mount, o.Value)).Exists() {
			continue
		}
		secret := volume.Get("secret")
		if from := s.FindIn("Secret", secret.Get("secretName").Text(), d.Object.Namespace); mount.Exists() && from != nil {
			if _, has := contents(from)[keyOf(secret, mount, o.Value)]; has {
				continue
			}
		}
		d.Config.Missing = append(d.Config.Missing, said("--%s=%s is not in the files", strings.ReplaceAll(name, "_", "-"), o.Value))
	}
}

func (d *Database) mounted(file string) bool {
	mount, _ := d.Pod.Mount(d.Server, file)
	return mount.Exists()
}
