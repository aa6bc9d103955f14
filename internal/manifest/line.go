package manifest

// This file edits lines of option files as a whole.

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/option"
)

// Line is the edit that replaces the line of an option by a text of one or more lines, and removes it where the text is "". false where
// the option has no line of its own, as in an argument or in a mapping.
func (s *Set) Line(o Option, text string) (Edit, bool) {
	for _, f := range s.Files {
		if f.Name != o.Spot.File || f.Built || o.Spot.Line < 1 {
			continue
		}
		start := 0
		for range o.Spot.Line - 1 {
			i := bytes.IndexByte(f.Text[start:], '\n')
			if i < 0 {
				return Edit{}, false
			}
			start += i + 1
		}
		line := string(f.Text[start:])
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		name, _, _ := strings.Cut(strings.TrimSpace(line), "=")
		if option.VariableName(strings.TrimSpace(name)) != o.Shown() {
			return Edit{}, false
		}
		at := Spot{File: f.Name, Line: o.Spot.Line, Column: 1, start: start, end: start + len(line)}
		if text != "" { // indented alike, with the line's end
			indent, end := line[:len(line)-len(strings.TrimLeft(line, " \t"))], line[len(strings.TrimRight(line, "\r\n")):]
			text = indent + strings.ReplaceAll(text, "\n", cmp.Or(end, "\n")+indent) + end
		}
		return Edit{At: at, Text: text}, true
	}
	return Edit{}, false
}

// Renamed is the edit that gives an option another name and value where it stands. Dashes stay dashes. false where the
// name does not stand before the value, as in two arguments or in a text that is built.
func (s *Set) Renamed(o Option, name, value string) (Edit, bool) {
	for _, f := range s.Files {
		if f.Name != o.Spot.File || f.Built || !o.Spot.CanEdit() {
			continue
		}
		before := f.Text[:o.Spot.start]
		m := nameBefore.FindSubmatchIndex(before[max(0, len(before)-200):])
		if m == nil {
			return Edit{}, false
		}
		text := before[max(0, len(before)-200):]
		old, between := string(text[m[2]:m[3]]), string(text[m[3]:])
		if option.VariableName(old) != o.Shown() {
			return Edit{}, false
		}
		if strings.Contains(old, "-") {
			name = strings.ReplaceAll(name, "_", "-")
		}
		at := o.Spot
		at.Column -= len(old) + len(between)
		at.start -= len(old) + len(between)
		return Edit{At: at, Text: name + between + value}, true
	}
	return Edit{}, false
}

// nameBefore is an option's name and what separates it from its value.
var nameBefore = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_-]*)[ \t]*[=:][ \t]*["']?$`)
