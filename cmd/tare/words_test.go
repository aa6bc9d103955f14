package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// avoided reads the word list of CONTRIBUTING.md: the first column of the table below
// "Plain English", whose entries are separated by commas.
func avoided(t *testing.T) []*regexp.Regexp {
	t.Helper()
	b, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(b), "\n| avoid | use |\n|---|---|\n")
	if !ok {
		t.Fatal("CONTRIBUTING.md has no table of words to avoid")
	}
	var words []*regexp.Regexp
	for line := range strings.Lines(section) {
		row := strings.Split(line, "|")
		if len(row) != 4 {
			break
		}
		for word := range strings.SplitSeq(row[1], ",") {
			pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(word)), " ", `\s+`)
			words = append(words, regexp.MustCompile(`(?i)\b`+pattern+`\b`))
		}
	}
	if len(words) < 30 {
		t.Fatalf("%d words to avoid in CONTRIBUTING.md; the table is not read", len(words))
	}
	return words
}

// TestPlainEnglish searches what people read for the words that CONTRIBUTING.md avoids:
// README, docs and examples as they are, the strings of the program and of the page, and the
// comments.
func TestPlainEnglish(t *testing.T) {
	words := avoided(t)
	for _, text := range slices.Concat(pages(t), goTexts(t), pageTexts(t)) {
		for _, w := range words {
			for _, at := range w.FindAllStringIndex(text.says, -1) {
				line := text.line + strings.Count(text.says[:at[0]], "\n")
				t.Errorf("%s:%d: %q (CONTRIBUTING.md, Plain English)", strings.TrimPrefix(text.file, "../../"), line, text.says[at[0]:at[1]])
			}
		}
	}
}

// readable is a text that a person reads, and where it begins.
type readable struct {
	file string
	line int
	says string
}

// pages are the Markdown files, schemas and examples of the project, without the word list itself.
func pages(t *testing.T) (all []readable) {
	t.Helper()
	walk(t, func(path string) {
		if ext := filepath.Ext(path); ext != ".md" && ext != ".yaml" && ext != ".json" {
			return
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, readable{path, 1, string(b)})
	}, "../../README.md", "../../CHANGELOG.md", "../../SECURITY.md", "../../docs", "../../examples")
	if len(all) < 50 {
		t.Fatalf("%d pages found", len(all))
	}
	return all
}

// goTexts are the string literals of the program, without its tests, and all comments.
func goTexts(t *testing.T) (all []readable) {
	t.Helper()
	walk(t, func(path string) {
		if !strings.HasSuffix(path, ".go") {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range file.Comments {
			all = append(all, readable{path, set.Position(c.Pos()).Line, c.Text()})
		}
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
				if says, err := strconv.Unquote(s.Value); err == nil {
					all = append(all, readable{path, set.Position(s.Pos()).Line, says})
				}
			}
			return true
		})
	}, "../../cmd", "../../internal", "../../lab", "../../scripts", "../../examples")
	return all
}

var quoted = regexp.MustCompile("'[^'\\n]*'|\"[^\"\\n]*\"|`[^`]*`|//[^\\n]*|/\\*(?s:.*?)\\*/")

// pageTexts are the quoted texts and the comments of the page's scripts.
func pageTexts(t *testing.T) (all []readable) {
	t.Helper()
	walk(t, func(path string) {
		if filepath.Ext(path) != ".ts" {
			return
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range quoted.FindAllIndex(b, -1) {
			all = append(all, readable{path, 1 + strings.Count(string(b[:at[0]]), "\n"), string(b[at[0]:at[1]])})
		}
	}, "../../web/src")
	return all
}

// walk calls each for every file below the roots.
func walk(t *testing.T, each func(path string), roots ...string) {
	t.Helper()
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				each(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
