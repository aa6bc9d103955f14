package file

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Marshal is the workload as a file that Parse reads back, with the comments of its parts.
// It is written by hand: a YAML library would put every parameter on lines of its own.
func (w *Workload) Marshal() []byte {
	var p printer
	p.comments("", w.Comments)
	fmt.Fprintf(&p, "apiVersion: %s\nkind: %s\nmetadata: {name: %s}\n", APIVersion, Kind, quote(w.Metadata.Name))
	if w.Data.Own {
		p.WriteString("data: {own: true}\n")
	}
	if len(w.Tables) > 0 {
		p.WriteString("tables:\n")
	}
	for _, t := range w.Tables {
		p.table(t)
	}
	p.WriteString("transactions:\n")
	for _, t := range w.Transactions {
		p.transaction(t)
	}
	return p.Bytes()
}

type printer struct{ bytes.Buffer }

func (p *printer) comments(indent string, lines []string) {
	for _, l := range lines {
		for part := range strings.SplitSeq(l, "\n") {
			p.WriteString(strings.TrimRight(indent+"# "+harmless(part), " ") + "\n")
		}
	}
}

// harmless keeps what ends a line, or is not text, out of a comment.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == '\ufffd' {
			return ' '
		}
		return r
	}, s)
}

func (p *printer) table(t Table) {
	p.comments("  ", t.Comments)
	fmt.Fprintf(p, "  %s:\n", quote(t.Name))
	if t.Rows > 0 {
		fmt.Fprintf(p, "    rows: %d\n", t.Rows)
	}
	fmt.Fprintf(p, "    create: %s\n", long(t.Create, "      "))
	if len(t.Indexes) > 0 {
		p.WriteString("    indexes:\n")
		for _, i := range t.Indexes {
			fmt.Fprintf(p, "      - %s\n", long(i, "        "))
		}
	}
	p.named("    ", "columns", t.Columns)
}

func (p *printer) named(indent, field string, all Columns) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(p, "%s%s:\n", indent, field)
	for _, c := range all {
		fmt.Fprintf(p, "%s  %s: %s\n", indent, quote(c.Name), c.Value)
	}
}

func (p *printer) transaction(t Transaction) {
	p.comments("  ", t.Comments)
	fmt.Fprintf(p, "  %s:\n    weight: %s\n", quote(t.Name), t.Weight)
	if t.Think > 0 {
		fmt.Fprintf(p, "    think: %s\n", t.Think)
	}
	if t.Autocommit {
		p.WriteString("    autocommit: true\n")
	}
	if t.Rollback {
		p.WriteString("    rollback: true\n")
	}
	p.named("    ", "values", t.Values)
	p.WriteString("    statements:\n")
	for _, s := range t.Statements {
		p.statement(s)
	}
}

func (p *printer) statement(s Statement) {
	p.comments("      ", s.Comments)
	fmt.Fprintf(p, "      - sql: %s\n", long(s.SQL, "          "))
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(p, "        %s: %s\n", name, value)
		}
	}
	if s.Name != "" {
		field("name", quote(s.Name))
	}
	var params, takes []string
	for _, v := range s.Params {
		params = append(params, v.String())
	}
	for _, t := range s.Take {
		takes = append(takes, quote(t.Name)+": "+itoa(t.Column))
	}
	if len(params) > 0 {
		field("params", "["+wrapped(params)+"]")
	}
	if len(takes) > 0 {
		field("take", "{"+strings.Join(takes, ", ")+"}")
	}
	field("onNoRow", s.OnNoRow)
	field("class", s.Class)
	if s.Think > 0 {
		field("think", s.Think.String())
	}
}

// perLine is how many parameters a line has at most: a reader takes many brackets on one line for nesting.
const perLine = 16

// wrapped are values with commas between them, on as many lines as they need.
func wrapped(values []string) string {
	var b strings.Builder
	for i, v := range values {
		switch {
		case i > 0 && i%perLine == 0:
			b.WriteString(",\n          ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(v)
	}
	return b.String()
}

// String is the value as the file has it, in YAML's flow style.
func (v Value) String() string {
	span := func(from, to Number) string { return fmt.Sprintf("from: %s, to: %s", from, to) }
	switch {
	case v.Constant != nil:
		return v.Constant.String()
	case v.Uniform != nil:
		return "{uniform: {" + span(v.Uniform.From, v.Uniform.To) + "}}"
	case v.Zipf != nil:
		end := ""
		if v.Zipf.Scrambled {
			end = ", scrambled: true"
		}
		return fmt.Sprintf("{zipf: {%s, exponent: %s%s}}", span(v.Zipf.From, v.Zipf.To), float(v.Zipf.Exponent), end)
	case v.Sequence != nil && v.Sequence.To != nil:
		return "{sequence: {" + span(v.Sequence.From, *v.Sequence.To) + "}}"
	case v.Sequence != nil:
		return fmt.Sprintf("{sequence: {from: %s}}", v.Sequence.From)
	case v.Choice != nil:
		return "{choice: [" + choices(v.Choice) + "]}"
	case v.Text != nil:
		return "{text: {" + v.Text.fields() + "}}"
	case v.Time != nil && v.Time.Step > 0:
		return fmt.Sprintf("{time: {from: %s, step: %s}}", quote(v.Time.From.String()), v.Time.Step)
	case v.Time != nil:
		return fmt.Sprintf("{time: {from: %s, to: %s}}", quote(v.Time.From.String()), quote(v.Time.To.String()))
	case v.Query != nil && v.Query.Exponent == 0:
		return fmt.Sprintf("{query: %s}", quote(v.Query.SQL))
	case v.Query != nil:
		return fmt.Sprintf("{query: {sql: %s, exponent: %s}}", quote(v.Query.SQL), float(v.Query.Exponent))
	case v.From != nil && v.From.Plus != nil:
		return fmt.Sprintf("{from: %s, plus: %s}", quote(v.From.Name), v.From.Plus)
	case v.From != nil:
		return fmt.Sprintf("{from: %s}", quote(v.From.Name))
	}
	return "null"
}

func float(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func choices(ws []Weighted) string {
	var all []string
	for _, w := range ws {
		value := "null"
		if w.Value != nil {
			value = w.Value.String()
		}
		if w.Weight != (Number{Value: 1}) || w.Value == nil {
			value = fmt.Sprintf("{value: %s, weight: %s}", value, w.Weight)
		}
		all = append(all, value)
	}
	return strings.Join(all, ", ")
}

func (t Text) fields() string {
	var all []string
	for _, f := range []struct {
		name string
		n    int
	}{{"length", t.Length}, {"min", t.Min}, {"max", t.Max}} {
		if f.n > 0 {
			all = append(all, fmt.Sprintf("%s: %d", f.name, f.n))
		}
	}
	if t.Prefix != "" {
		all = append(all, "prefix: "+quote(t.Prefix))
	}
	if t.Number != nil {
		all = append(all, "number: "+t.Number.String())
	}
	return strings.Join(all, ", ")
}

// String is the constant as the file has it.
func (s Scalar) String() string {
	if s.Number != nil {
		return s.Number.String()
	}
	return quote(s.Text)
}

// plainPattern is text that YAML reads as itself without quotes, in flow style too.
var plainPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.$/-]*$`)

// quote is text as YAML reads it back.
func quote(s string) string {
	words := []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
	if plainPattern.MatchString(s) && !slices.Contains(words, strings.ToLower(s)) {
		return s
	}
	return doubled(s)
}

// doubled is text in YAML's double quotes, whose escapes are written as JSON's.
func doubled(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainSQL is SQL that YAML reads as itself on a line of its own: nothing that begins a
// comment, a mapping or a quoted text. blockLine is a line of SQL that YAML reads as itself
// in a block.
var (
	plainSQL  = regexp.MustCompile("^[A-Za-z][A-Za-z0-9_ .,?()=<>+*/;$`'\"@%!-]*[A-Za-z0-9_?)`'\"]$")
	blockLine = regexp.MustCompile("^ *[!-~]([ -~]*[!-~])?$")
)

// long is a statement as YAML reads it back; of several lines each is indented.
func long(sql, indent string) string {
	if plainSQL.MatchString(sql) && !strings.Contains(sql, "  ") {
		return sql
	}
	text, ends := strings.CutSuffix(sql, "\n")
	lines := strings.Split(text, "\n")
	if len(lines) == 1 || strings.HasPrefix(text, " ") || slices.ContainsFunc(lines, func(l string) bool { return !blockLine.MatchString(l) }) {
		return doubled(sql)
	}
	head := "|-\n"
	if ends {
		head = "|\n"
	}
	return head + indent + strings.Join(lines, "\n"+indent)
}
