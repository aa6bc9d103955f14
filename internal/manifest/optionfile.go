package manifest

// This file reads option files as mysqld does (mysys/my_default.cc): groups,
// comments, quotes and escapes, !include and !includedir.

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxIncludes is mysqld's own bound on the depth of !include.
const maxIncludes = 10

// Config is what is known of a server's options.
type Config struct {
	Options []Option
	Missing []Text // what may hold further options, and why it was not read
}

// add puts what was read after c behind it: the last setting of a name holds.
func (c *Config) add(more Config) {
	c.Options = append(c.Options, more.Options...)
	c.Missing = append(c.Missing, more.Missing...)
}

// Option is one setting. Its name has underscores and no prefix: loose-,
// skip- and the like are taken off and their meaning kept.
type Option struct {
	Group, Name, Value string
	Loose              bool
	From               string // "ConfigMap mysql-config", "my.cnf", or one of Origins
	Spot               Spot   // of the value, or of the name where there is none
}

// readOptions reads an option file that is a file by itself; depth counts the
// files that include it.
func readOptions(f *File, open func(string) ([]byte, error), depth int) Config {
	r := optionReader{file: f, from: path.Base(f.Name), open: open}
	r.read(string(f.Text), f.spot, depth)
	return r.config
}

type optionReader struct {
	file   *File
	from   string
	open   func(string) ([]byte, error)
	config Config
}

// read goes through the lines; place gives the spot of a span of the text.
func (r *optionReader) read(text string, place func(offset, length int) Spot, depth int) {
	current, at := "", 0
	for line := range strings.Lines(text) {
		r.line(line, &current, func(from, length int) Spot { return place(at+from, length) }, depth)
		at += len(line)
	}
}

func (r *optionReader) line(line string, current *string, place func(from, length int) Spot, depth int) {
	body := strings.TrimSpace(line)
	switch {
	case body == "" || body[0] == '#' || body[0] == ';':
	case body[0] == '!':
		r.include(body, depth)
	case body[0] == '[':
		if name, ok := group(body); ok {
			*current = name
		}
	default:
		r.option(line, *current, place)
	}
}

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
			s, o.Value = rest, p.value
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

// include follows !include into files beside this one. Paths of the container's
// file system say nothing about this machine's, so they are not opened.
func (r *optionReader) include(line string, depth int) {
	word, name, _ := strings.Cut(line, " ")
	name = strings.TrimSpace(name)
	clean := path.Clean(name)
	if word != "!include" || path.IsAbs(name) || clean == ".." || strings.HasPrefix(clean, "../") || r.open == nil || r.file == nil || depth >= maxIncludes {
		r.config.Missing = append(r.config.Missing, said("%s is not followed", line))
		return
	}
	full := path.Join(path.Dir(r.file.Name), clean)
	text, err := r.open(full)
	if err != nil || len(text) > MaxSize {
		r.config.Missing = append(r.config.Missing, said("%s cannot be read", line))
		return
	}
	r.config.add(readOptions(newFile(Source{Name: full, Text: text}), r.open, depth+1))
}

// optionsIn reads an option file that stands in a YAML scalar. In a literal
// block (`|`) a line of the text is a line of the file, further to the right,
// so that each option has its own place; in any other style all have the
// scalar's, and nothing can be edited.
func optionsIn(v Value, from string) Config {
	r := optionReader{from: from}
	n := v.resolved()
	if n == nil || n.Kind != yaml.ScalarNode {
		return Config{}
	}
	r.read(n.Value, literal(v, n), 0)
	return r.config
}

func literal(v Value, n *yaml.Node) func(offset, length int) Spot {
	whole := v.Spot()
	whole.end = whole.start
	if n.Style&yaml.LiteralStyle == 0 || v.shared || v.file.odd {
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
