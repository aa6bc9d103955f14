package manifest

// This file reads option files as mysqld does (mysys/my_default.cc): groups,
// comments, quotes and escapes, !include and !includedir.

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// byteOrderMark is what editors of Windows write before a text in UTF-8.
const byteOrderMark = "\ufeff"

// maxIncludes is mysqld's own bound on the depth of !include.
const maxIncludes = 10

// Config is what is known of a server's options.
type Config struct {
	Options []Option
	Missing []Text // what may hold further options, and why it was not read
	// Broken are lines by which a server ends that reads them.
	Broken []Broken
	// Headers are the lines that begin a group.
	Headers []Header
	// includes are paths of the server's file system that lines of a file in the set include.
	includes []include
}

// Broken is a line that no server reads: it ends with the error. Says is why.
type Broken struct {
	Spot Spot
	Says Text
	// Fix is the line that is meant, or what else to do; it says nothing where the line has to be somewhere else.
	Fix Text
}

// Header is a line that begins a group.
type Header struct {
	Group string
	Spot  Spot // of the line, which is no value to edit
}

// include is a line that includes a file, or the .cnf files of a directory.
type include struct {
	line, path string
	dir        bool
}

// add puts what was read after c behind it: the last setting of a name holds.
func (c *Config) add(more Config) {
	c.Options = append(c.Options, more.Options...)
	c.Missing = append(c.Missing, more.Missing...)
	c.Broken = append(c.Broken, more.Broken...)
	c.Headers = append(c.Headers, more.Headers...)
	c.includes = append(c.includes, more.includes...)
}

// Option is one setting. Its name has underscores and no prefix: loose-,
// skip- and the like are taken off and their meaning kept.
type Option struct {
	Group, Name, Value string
	// Short is the name as it is written where the server completes it to Name; "" elsewhere.
	Short string
	// Prefix is skip_ and the like where it is taken off the name.
	Prefix string
	Loose  bool
	From   string // "ConfigMap mysql-config", "my.cnf", or one of Origins
	Spot   Spot   // of the value, or of the name where there is none
}

// Shown is the name as the file has it, but for dashes and loose_.
func (o Option) Shown() string { return o.Prefix + cmp.Or(o.Short, o.Name) }

// library is the option files that can be read: those that were given, and others beside them.
type library struct {
	open  func(string) ([]byte, error)
	given map[string]*File
	// used are the names of the given files that another includes.
	used map[string]bool
}

// readOptions reads an option file that is a file by itself; depth counts the
// files that include it.
func (l *library) readOptions(f *File, depth int) Config {
	r := optionReader{file: f, from: path.Base(f.Name), library: l}
	r.read(string(f.Text), f.spot, depth)
	return r.config
}

type optionReader struct {
	file    *File
	from    string
	library *library // nil for a text in YAML, whose includes are of the server's file system
	// first is the group of lines before the first one, where an operator reads the text and adds it; "" where the
	// server reads it.
	first  string
	config Config
}

// read goes through the lines; place gives the spot of a span of the text.
func (r *optionReader) read(text string, place func(offset, length int) Spot, depth int) {
	current, at := r.first, 0
	for line := range strings.Lines(text) {
		r.line(line, &current, func(from, length int) Spot { return place(at+from, length) }, depth)
		at += len(line)
	}
}

func (r *optionReader) line(line string, current *string, place func(from, length int) Spot, depth int) {
	if rest, marked := strings.CutPrefix(line, byteOrderMark); marked {
		r.brokenAs(line, place, said("the line begins with a byte order mark, which servers take for an option before the first group"), said("save the file without the byte order mark"))
		r.line(rest, current, func(from, length int) Spot { return place(len(byteOrderMark)+from, length) }, depth)
		return
	}
	body := strings.TrimSpace(line)
	switch {
	case body == "" || body[0] == '#' || body[0] == ';':
	case body[0] == '!':
		r.include(body, depth)
	case body[0] == '[':
		name, ok := group(body)
		if !ok {
			r.broken(line, place, said("the group's name has no closing bracket"))
		} else {
			at := place(strings.Index(line, body), len(body))
			at.end = at.start
			r.config.Headers = append(r.config.Headers, Header{name, at})
		}
		*current = name
	case *current == "" && !templated(body):
		r.broken(line, place, said("an option stands before the first group"))
	default:
		r.option(line, *current, place)
	}
}

// broken notes a line that ends the server: "Found option without preceding group", "Wrong group definition"
// (mysys/my_default.cc; measured with MySQL 5.7.42, 8.0.46, 9.7.4 and MariaDB 10.3.39, 10.11.18, 11.8.9).
func (r *optionReader) broken(line string, place func(from, length int) Spot, why Text) {
	r.brokenAs(line, place, why, Text{})
}

// brokenAs is broken for a line that is meant to be another.
func (r *optionReader) brokenAs(line string, place func(from, length int) Spot, why, fix Text) {
	body := strings.TrimSpace(line)
	r.config.Broken = append(r.config.Broken, Broken{place(strings.Index(line, body), len(body)), why, fix})
}

// withoutEquals is an option with a colon or a blank in the place of the =. Servers take all of it for a name, which no
// option has (mysys/my_default.cc; measured with MySQL 9.7.4 and MariaDB 10.11.19).
var withoutEquals = regexp.MustCompile(`^([A-Za-z][\w-]*)(?:\s*:\s*|\s+)([^\s:=]+)$`)

// templated is whether a line is one of a template, which is something else when it is rendered.
func templated(line string) bool { return strings.Contains(line, "{{") }

// group is the name in brackets.
func group(line string) (string, bool) {
	if !strings.HasPrefix(line, "[") {
		return "", false
	}
	name, _, ok := strings.Cut(line[1:], "]")
	return strings.TrimSpace(name), ok && name != ""
}

func (r *optionReader) option(line, group string, place func(from, length int) Spot) {
	end := endOfValue(line)
	name, value, has := strings.Cut(line[:end], "=")
	from := len(name) + 1
	if m := withoutEquals.FindStringSubmatch(strings.TrimSpace(line[:end])); m != nil && r.first == "" && OfServer(group, Version{}) && !templated(line) {
		r.brokenAs(line, place, said("%s has no = between the option and its value", m[0]), said("%s=%s", m[1], m[2]))
		return
	}
	if !has {
		from = 0
		value = name
	}
	lead := len(value) - len(strings.TrimLeft(value, " \t"))
	raw := strings.TrimSpace(value)
	start := from + lead
	if unquoted := unquote(raw); len(unquoted) == len(raw)-2 {
		raw, start = unquoted, start+1
	}
	o := Option{Group: group, From: r.from, Spot: place(start, len(raw))}
	o.name(strings.TrimSpace(name))
	if has {
		o.set(unescape(raw))
	} else {
		o.Spot.end = o.Spot.start // the name: nothing to replace
	}
	if o.Name != "" {
		r.config.Options = append(r.config.Options, o)
	}
}

// endOfValue is where a comment begins that follows a value: at `#` outside
// quotes (mysys/my_default.cc, find_end_of_comment).
func endOfValue(line string) int {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '#':
			return i
		}
	}
	return len(line)
}

func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

func unescape(s string) string {
	return strings.NewReplacer(`\b`, "\b", `\t`, "\t", `\n`, "\n", `\r`, "\r", `\\`, `\`, `\s`, " ").Replace(s)
}

// name takes the prefixes off, longest word first, as my_getopt does.
func (o *Option) name(s string) {
	s = strings.ToLower(strings.ReplaceAll(strings.TrimLeft(s, "-"), "-", "_"))
	if rest, ok := strings.CutPrefix(s, "loose_"); ok {
		s, o.Loose = rest, true
	}
	o.Value = "ON" // an option without a value switches something on
	for _, p := range []struct{ prefix, value string }{{"skip_", "OFF"}, {"disable_", "OFF"}, {"enable_", "ON"}} {
		if rest, ok := strings.CutPrefix(s, p.prefix); ok && !isName(s) {
			s, o.Value, o.Prefix = rest, p.value, p.prefix
		}
	}
	o.Name = s
}

// isName is whether the prefix belongs to the name of a variable.
func isName(s string) bool {
	switch s {
	case "skip_name_resolve", "skip_networking", "skip_external_locking", "skip_show_database", "skip_slave_start", "skip_replica_start", "skip_host_cache":
		return true
	}
	return false
}

func (o *Option) set(value string) {
	if o.Value == "OFF" && !IsOff(value) { // skip_log_bin=1
		return
	}
	if o.Name == "log_bin" && o.Value == "ON" && IsOff(value) { // the name of its files: log_bin=OFF writes OFF.000001
		return
	}
	o.Value = value
}

// include follows !include and !includedir: into files that were given, and into files beside this one. Other paths of
// the container's file system say nothing about this machine's, so they are not opened.
func (r *optionReader) include(line string, depth int) {
	word, name := directive(line)
	i := include{line: line, path: path.Clean(name), dir: word == "includedir"}
	switch {
	case word != "include" && !i.dir: // servers take it for a comment
	case r.library == nil || depth >= maxIncludes:
		r.config.includes = append(r.config.includes, i)
	default:
		found, known := r.library.find(r.file.Name, i)
		if !known {
			r.config.Missing = append(r.config.Missing, said("%s is not followed", line))
		}
		for _, f := range found {
			r.config.add(r.library.readOptions(f, depth+1))
		}
	}
}

// directive divides a line that begins with an exclamation mark into its word and what follows. Any white space may
// stand before the word and after it (mysys/my_default.cc; measured with my_print_defaults of MySQL and MariaDB).
func directive(line string) (word, rest string) {
	const space = " \t\v\f\r"
	word = strings.TrimLeft(strings.TrimPrefix(line, "!"), space)
	if at := strings.IndexAny(word, space); at >= 0 {
		word, rest = word[:at], strings.TrimSpace(word[at:])
	}
	return word, rest
}

// find are the files that a line of an option file includes; known is whether that is all of them.
func (l *library) find(from string, i include) (found []*File, known bool) {
	for _, name := range slices.Sorted(maps.Keys(l.given)) {
		file := l.given[name]
		at := path.Clean(filepath.ToSlash(name))
		switch {
		case name == from:
		case i.dir && strings.HasSuffix(name, ".cnf") && includes(path.Dir(at), from, i.path), !i.dir && includes(at, from, i.path):
			found = append(found, file)
			l.used[name] = true
		}
	}
	if len(found) > 0 || i.dir || path.IsAbs(i.path) || i.path == ".." || strings.HasPrefix(i.path, "../") || l.open == nil {
		return found, len(found) > 0
	}
	full := path.Join(path.Dir(from), i.path)
	text, err := l.open(full)
	if err != nil || len(text) > MaxSize {
		return nil, false
	}
	return []*File{newFile(Source{Name: full, Text: text})}, true
}

// includes is whether a given file's path is the one that is included: relative to the including file, or a copy of
// the server's file system below some directory of this machine, of which the including file's directory can be all.
func includes(given, from, included string) bool {
	beside := path.Dir(filepath.ToSlash(from))
	if path.IsAbs(included) {
		return strings.HasSuffix("/"+given, included) || given == path.Join(beside, path.Base(included))
	}
	return given == path.Join(beside, included)
}

// optionsIn reads an option file that stands in a YAML scalar. In a literal
// block (`|`) a line of the text is a line of the file, further to the right,
// so that each option has its own place; in any other style all have the
// scalar's, and nothing can be edited.
func optionsIn(v Value, from string) Config { return optionsBelow("", v, from) }

// optionsBelow is optionsIn for a text that the operator reads: options before the first group are of the one named.
func optionsBelow(group string, v Value, from string) Config {
	r := optionReader{from: from, first: group}
	n := v.resolved()
	if n == nil || n.Kind != yaml.ScalarNode {
		return Config{}
	}
	r.read(n.Value, literal(v, n), 0)
	return r.config
}

func literal(v Value, n *yaml.Node) func(offset, length int) Spot {
	whole := v.Spot()
	whole.end, whole.fixed = whole.start, nothing
	switch {
	case v.shared:
		whole.fixed = anchored
	case v.file.odd:
		whole.fixed = v.file.hindrance()
	case n.Style&yaml.LiteralStyle == 0:
		whole.fixed = folded
	}
	if whole.fixed != nothing {
		return func(int, int) Spot { return whole }
	}
	text := newFile(Source{Text: []byte(n.Value)})
	return func(offset, length int) Spot {
		in := text.spot(offset, length)
		line := n.Line + in.Line // the text begins on the line after the `|`
		begin := v.file.offset(line, 1)
		if begin < 0 {
			return whole
		}
		indent := strings.Index(v.file.lineText(line), text.lineText(in.Line))
		if indent < 0 {
			return whole
		}
		return v.file.spot(begin+indent+offset-text.lines[in.Line-1], length)
	}
}

// lineText is a line without its end.
func (f *File) lineText(line int) string {
	end := len(f.Text)
	if line < len(f.lines) {
		end = f.lines[line] - 1
	}
	return strings.TrimRight(string(f.Text[f.lines[line-1]:end]), "\r")
}
