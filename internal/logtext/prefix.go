package logtext

// This file takes off what log collectors put before each line.

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// colours are the sequences of a terminal: colours, and "erase to the end of the line" (ECMA-48,
// "Control Sequence Introducer").
var colours = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// WithoutColours takes the sequences of a terminal out of a line.
func WithoutColours(line string) string {
	if !strings.Contains(line, "\x1b[") {
		return line
	}
	return colours.ReplaceAllString(line, "")
}

// timestamp is a date with a time in ISO 8601 or RFC 3339.
const timestamp = `\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?`

// known are the prefixes that are the same everywhere: kubectl logs --timestamps and --prefix, CRI
// log files, docker compose, ts, journald, a CI server.
var known = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`\[?` + timestamp + `\]?(?:\s|$)`,
	`(?:stdout|stderr) [FP](?: |$)`,
	`\[pod/[^\]]*\] `,
	`[A-Za-z][\w.-]* +\|(?: |$)`,
	`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d (?:\S+ [\w./-]+(?:\[\d+\])?: )?`,
}, `|`) + `)+`)

// WithoutPrefix takes a prefix of a known form, and colours, off a line.
func WithoutPrefix(line string) string {
	line, _, _ = Unwrap(WithoutColours(line))
	return line[len(known.FindString(line)):]
}

// messageFields are the fields in which collectors keep the line: Docker's json-file and Fluent Bit, journald
// (journalctl -o json), Loki (logcli -o jsonl), Cloud Logging, and what many agents write.
var messageFields = []string{"log", "MESSAGE", "line", "message", "textPayload", "@message", "msg"}

// dockerPiece is after how many bytes Docker continues a line in the next object.
const dockerPiece = 16 << 10

// Unwrap takes a line out of the JSON object that a collector made of it. Such a line can have line ends of its
// own. Partial says that the next object continues it: Docker splits lines of more than 16 KiB.
func Unwrap(line string) (text string, partial, wrapped bool) {
	if !strings.HasPrefix(line, `{"`) || !strings.HasSuffix(strings.TrimRight(line, " \r\n"), "}") {
		return line, false, false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(line), &fields) != nil {
		return line, false, false
	}
	for _, name := range messageFields {
		var text string
		if value, ok := fields[name]; !ok || json.Unmarshal(value, &text) != nil {
			continue
		}
		return strings.TrimRight(text, "\r\n"), name == "log" && len(text) >= dockerPiece && !strings.HasSuffix(text, "\n"), true
	}
	return line, false, false
}

// tag is what a container runtime writes between the time and the line (CRI): the stream, and
// whether the line is full or partial.
var tag = regexp.MustCompile(`\b(?:stdout|stderr) ([FP]) $`)

// Partial says that a line with this prefix is continued by the next one.
func Partial(prefix string) bool {
	m := tag.FindStringSubmatch(prefix)
	return m != nil && m[1] == "P"
}

// unnamed are the parts of a prefix that do not say where a line comes from.
var unnamed = regexp.MustCompile(timestamp + `|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d|\b(?:stdout|stderr) [FP]\b|\[\d+\]|:\d+:$`)

// Source is where a line with this prefix comes from: the names in it, of a pod, a container or a
// stream, without times; "" if it has none.
func Source(prefix string) string {
	var names []string
	for _, field := range strings.Fields(unnamed.ReplaceAllString(prefix, " ")) {
		if strings.ContainsFunc(strings.TrimRight(field, "smh|"), unicode.IsLetter) { // 12.5s is a time
			names = append(names, strings.TrimRight(field, ":|"))
		}
	}
	return strings.Join(names, " ")
}

// Prefix is a prefix of any form, learned from a line whose own text is known: stern writes the
// names of pod and container, a CI server a column of times, `aws logs tail` a time and the name of
// the stream. The zero value is no prefix.
type Prefix struct{ form *regexp.Regexp }

// variable are the parts of a prefix that differ from line to line: times and numbers.
var variable = regexp.MustCompile(timestamp + `|(?:stdout|stderr) [FP]|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d|\d+|[ \t]+`)

// Learn learns the form of a prefix from an example.
func Learn(example string) Prefix {
	if example == "" {
		return Prefix{}
	}
	var form strings.Builder
	form.WriteByte('^')
	at := 0
	for _, found := range variable.FindAllStringIndex(example, -1) {
		form.WriteString(literally(example[at:found[0]]))
		switch part := example[found[0]:found[1]]; {
		case found[1] == len(example) && strings.Trim(part, " \t") == "": // further blanks are the line's own
			form.WriteString(part)
		case strings.Trim(part, " \t") == "":
			form.WriteString(`[ \t]+`)
		case len(part) >= len("2006-01-02T15:04:05") && strings.Count(part, ":") >= 2:
			form.WriteString(timestamp)
		case strings.HasPrefix(part, "std"):
			form.WriteString(`(?:stdout|stderr) [FP]`)
		case part[0] >= 'A':
			form.WriteString(`[A-Z][a-z]{2} [ \d]\d`)
		default:
			form.WriteString(`\d+`)
		}
		at = found[1]
	}
	form.WriteString(literally(example[at:]))
	return Prefix{regexp.MustCompile(form.String())}
}

// literally is the expression for a text. A byte that is not UTF-8 stands for any character.
func literally(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == utf8.RuneError {
			b.WriteByte('.')
			continue
		}
		b.WriteString(regexp.QuoteMeta(string(r)))
	}
	return b.String()
}

// Cut takes the prefix off a line. A line without it is returned as it is: some collectors write
// the prefix before the first line of an event only.
func (p Prefix) Cut(line string) (own string, ok bool) {
	_, own, ok = p.Split(line)
	return own, ok
}

// Split is Cut, with the prefix.
func (p Prefix) Split(line string) (prefix, own string, ok bool) {
	if p.form == nil {
		return "", line, true
	}
	if found := p.form.FindString(line); found != "" {
		return found, line[len(found):], true
	}
	// A collector that trims its lines leaves an empty one without the blank after the prefix.
	if found := p.form.FindString(line + " "); len(found) == len(line)+1 {
		return found, "", true
	}
	return "", line, false
}
