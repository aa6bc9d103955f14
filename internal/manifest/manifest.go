// Package manifest reads settings from Kubernetes YAML, my.cnf and operator resources
// with their positions, and writes patches.
//
// A fact that a rule judges is a Value: a node of the file, or the place where
// it is missing. The YAML reader is go.yaml.in/yaml rather than the goccy/go-yaml
// of experiments: what is linted was written by strangers, and goccy takes 2 GiB
// for a file of 10 MiB and does not return from one of deep nesting.
package manifest

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/tarebench/tare/internal/option"
)

// MaxSize is the largest file that is read, in bytes. etcd refuses objects
// beyond 1.5 MiB; a rendered chart has many.
const MaxSize = 10 << 20

// Source is a file to read.
type Source struct {
	Name string // as the user wrote it; findings begin with it
	Text []byte
	// Built says that no such file is there: the text was made of several. Nothing of it is edited.
	Built bool
}

// Set is everything that the files hold, seen together: a ConfigMap in one file
// configures the server in another.
type Set struct {
	Files   []*File
	Objects []*Object
	// open is what Read was given, for reading the files again with edits made.
	open func(path string) ([]byte, error)
	left []Unread // what the caller could not read
	// Answered are the global variables of the server that runs in the one pod of the set, nil where none was asked. They
	// hold instead of what the files say.
	Answered map[string]string
}

// File is one file's text with the offsets of its lines.
type File struct {
	Name  string
	Text  []byte
	Built bool  // see Source
	lines []int // offset of each line's first byte
	// odd is whether YAML sees line ends here that editors do not (a lone
	// carriage return, U+0085, U+2028): places are then near, and not edited.
	odd bool
}

// Problem is a place that cannot be read.
type Problem struct {
	File         string
	Line, Column int // from 1; 0 where there is no place in the file
	Message      string
}

// Error is `file:line:column: message`, the form editors jump to.
func (p Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Spot is a place in a file. Line and Column count from 1, columns in
// characters, as editors and SARIF do.
type Spot struct {
	File         string
	Line, Column int
	start, end   int // the bytes an edit may replace; equal where there are none
	// fixed is what keeps the value from being replaced.
	fixed hindrance
}

// hindrance is what keeps a value from being replaced where it stands.
type hindrance int

const (
	nothing hindrance = iota
	anchored
	folded
	oddEnds
	ofBuilt
	withinText
)

// Fixed is why the value at the spot cannot be replaced. It says nothing where it can be, or where there is no
// value.
func (s Spot) Fixed() Text {
	switch s.fixed {
	case anchored:
		return said("an anchor shares the value with another place")
	case folded:
		return said("the text is folded, escaped or in quotes, so the value has no place of its own")
	case oddEnds:
		return said("the file has line ends that YAML reads and editors do not")
	case ofBuilt:
		return BuiltText()
	case withinText:
		return said("the value is a part of a longer text")
	}
	return Text{}
}

// BuiltText is why nothing is replaced in a text that was built of several files.
func BuiltText() Text {
	return said("it is built of a Kustomization: change the file that the Kustomization names, or patch it there")
}

func (s Spot) String() string {
	if s.Line == 0 {
		return s.File
	}
	return fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Column)
}

func newFile(s Source) *File {
	f := &File{Name: s.Name, Text: s.Text, Built: s.Built, lines: []int{0}}
	for i, b := range s.Text {
		if b == '\n' {
			f.lines = append(f.lines, i+1)
		}
		f.odd = f.odd || b == '\r' && (i+1 == len(s.Text) || s.Text[i+1] != '\n')
	}
	f.odd = f.odd || s.Built || bytes.ContainsAny(s.Text, "\u0085\u2028\u2029")
	return f
}

// hindrance is what keeps every value of an odd file from being replaced.
func (f *File) hindrance() hindrance {
	if f.Built {
		return ofBuilt
	}
	return oddEnds
}

// offset of a place; -1 where the file has no such line.
func (f *File) offset(line, column int) int {
	if line < 1 || line > len(f.lines) {
		return -1
	}
	at := f.lines[line-1]
	for n := 1; n < column && at < len(f.Text); n++ {
		_, size := utf8.DecodeRune(f.Text[at:])
		at += size
	}
	return at
}

// spot is the place of an offset, and of the length bytes that follow.
func (f *File) spot(offset, length int) Spot {
	line := sort.SearchInts(f.lines, offset+1) // lines that begin at or before
	begin := f.lines[line-1]
	return Spot{File: f.Name, Line: line, Column: utf8.RuneCount(f.Text[begin:offset]) + 1, start: offset, end: offset + length}
}

// Read reads files. What cannot be read is a Problem and the rest is there.
// open gives the text of a file that an option file includes, by a path below
// the including file; nil where nothing may be opened.
func Read(sources []Source, open func(path string) ([]byte, error)) (*Set, []Problem) {
	set := &Set{open: open}
	files := &library{open: open, given: map[string]*File{}, used: map[string]bool{}}
	var problems []Problem
	for _, s := range sources {
		if f := newFile(s); len(s.Text) <= MaxSize && isOptionFile(f) {
			files.given[f.Name] = f
		}
	}
	for _, s := range sources {
		if len(s.Text) > MaxSize {
			problems = append(problems, Problem{File: s.Name, Message: fmt.Sprintf("larger than %d MiB; not read", MaxSize>>20)})
			continue
		}
		f := newFile(s)
		set.Files = append(set.Files, f)
		if !isOptionFile(f) && namedAsOptions(f.Name) {
			continue // of another program
		}
		if isOptionFile(f) {
			set.Objects = append(set.Objects, &Object{Kind: optionFile, Name: path.Base(f.Name), file: f, options: files.readOptions(f, 0)})
			continue
		}
		objects, wrong := readYAML(f)
		set.Objects = append(set.Objects, objects...)
		problems = append(problems, wrong...)
	}
	set.Objects = slices.DeleteFunc(set.Objects, func(o *Object) bool { return o.Kind == optionFile && files.used[o.file.Name] })
	return set, problems
}

// isOptionFile tells my.cnf from YAML: by its name, or by a first line that
// opens a group, which in YAML would be a list alone in its document.
func isOptionFile(f *File) bool {
	if namedAsOptions(f.Name) {
		return holdsLines(string(f.Text))
	}
	if strings.HasSuffix(f.Name, ".yaml") || strings.HasSuffix(f.Name, ".yml") || strings.HasSuffix(f.Name, ".json") {
		return false
	}
	return looksLikeOptions(string(f.Text))
}

// namedAsOptions is whether a file has an ending of option files.
func namedAsOptions(name string) bool {
	return slices.ContainsFunc([]string{".cnf", ".ini", ".my"}, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// holdsLines is whether a file with the ending of option files is one: it has a group somewhere, or nothing but
// options of a server. ProxySQL's files and the login file of mysql_config_editor have the same ending.
func holdsLines(text string) bool {
	known := true
	for line := range strings.Lines(strings.TrimPrefix(text, byteOrderMark)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
			continue
		case line[0] == '[' || line[0] == '!':
			return true
		}
		name, _, _ := strings.Cut(line, "=")
		_, is := option.KindOf(strings.ReplaceAll(strings.TrimSpace(name), "-", "_"))
		known = known && is
	}
	return known
}

// looksLikeOptions is whether the first line that says something is a group.
func looksLikeOptions(text string) bool {
	for line := range strings.Lines(strings.TrimPrefix(text, byteOrderMark)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, ok := group(line)
		return ok && !strings.ContainsAny(name, ",{\"' ") || strings.HasPrefix(line, "!include")
	}
	return false
}
