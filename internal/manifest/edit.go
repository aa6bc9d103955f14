package manifest

// This file changes files: the bytes of one value are replaced and every other
// byte stays, comments, order and line ends among them.

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Edit writes Text in place of the value at a spot, or, to insert, where the spot
// begins.
type Edit struct {
	At     Spot
	Text   string
	Insert bool
}

// CanEdit is whether the spot is a value that stands in the file as it reads.
func (s Spot) CanEdit() bool { return s.end > s.start }

// Span is the bytes that an edit replaces.
func (s Spot) Span() (start, end int) { return s.start, s.end }

// Apply makes the edits to a file. Of two that meet only the first counts.
func (f *File) Apply(edits []Edit) ([]byte, int, error) {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].At.start < edits[j].At.start })
	var out bytes.Buffer
	at, made := 0, 0
	for _, e := range edits {
		if e.At.File != f.Name || !e.Insert && !e.At.CanEdit() || e.At.end > len(f.Text) {
			return nil, 0, fmt.Errorf("edit %s: there is no value", e.At)
		}
		if e.At.start < at {
			continue
		}
		out.Write(f.Text[at:e.At.start])
		out.WriteString(e.Text)
		at, made = e.At.end, made+1
	}
	out.Write(f.Text[at:])
	return out.Bytes(), made, nil
}

// Edited are the files with edits made, in the order of the set.
func (s *Set) Edited(edits []Edit) ([]Source, error) {
	var after []Source
	for _, f := range s.Files {
		own := slices.DeleteFunc(slices.Clone(edits), func(e Edit) bool { return e.At.File != f.Name })
		text, _, err := f.Apply(own)
		if err != nil {
			return nil, err
		}
		after = append(after, Source{Name: f.Name, Text: text, Built: f.Built})
	}
	return after, nil
}

// Reread is the set with edits made. An edit that meets another, or that leaves a file that cannot be read,
// is an error.
func (s *Set) Reread(edits []Edit) (*Set, error) {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.start, b.At.start))
	})
	for i := 1; i < len(sorted); i++ {
		if a, b := sorted[i-1], sorted[i]; a.At.File == b.At.File && b.At.start < a.At.end && (a.At != b.At || a.Text != b.Text) {
			return nil, fmt.Errorf("edit %s: another change replaces the same text", b.At)
		}
	}
	after, err := s.Edited(edits)
	if err != nil {
		return nil, err
	}
	again, problems := Read(after, s.open)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return again, nil
}

// LineBelow is the edit that puts a line below the last of the options that a
// server reads from a place where options have lines of their own: an option file,
// or a ConfigMap's literal text. It is indented alike. false where there is none.
func (s *Set) LineBelow(options []Option, line string) (Edit, bool) {
	for _, o := range slices.Backward(options) {
		if o.From == fromArguments || !o.Spot.CanEdit() || !OfServer(o.Group, Version{}) {
			continue
		}
		for _, f := range s.Files {
			if f.Name == o.Spot.File {
				return f.lineBelow(o.Spot, line), true
			}
		}
	}
	return Edit{}, false
}

func (f *File) lineBelow(at Spot, line string) Edit {
	text := f.lineText(at.Line)
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	end, eol := f.lines[at.Line-1]+len(text), "\n"
	if bytes.HasPrefix(f.Text[end:], []byte("\r\n")) {
		eol = "\r\n"
	}
	return Edit{At: f.spot(end, 0), Text: eol + indent + line, Insert: true}
}
