package main

// This file is the links of the pages: each leads to a file and a heading that there are.

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestLinksOfDocs: a link within the repository leads to a file, and its anchor to a heading.
func TestLinksOfDocs(t *testing.T) {
	links := 0
	for _, page := range docPages(t) {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(withoutBlocks(string(b)), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(m[1], "#")
			to := page
			if file != "" {
				to = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: link to %s: no such file", page, m[1])
			} else if anchor != "" && strings.HasSuffix(to, ".md") && !headings(t, to)[anchor] {
				t.Errorf("%s: link to %s: no such heading", page, m[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("%d links found", links)
	}
}

// withoutBlocks is a page without its blocks of code, and without code in lines.
func withoutBlocks(page string) string {
	page = regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(page, "")
	return regexp.MustCompile("`[^`\n]*`").ReplaceAllStringFunc(page, func(code string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("[]()", r) {
				return -1
			}
			return r
		}, code)
	})
}

// headings are the anchors of a page, as GitHub names them, and those that the page sets itself.
func headings(t *testing.T, page string) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, m := range regexp.MustCompile(`<a (?:id|name)="([^"]+)"`).FindAllStringSubmatch(string(b), -1) {
		all[m[1]] = true
	}
	for line := range strings.Lines(regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(string(b), "")) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			title = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(title, "$1")
			all[strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
					return unicode.ToLower(r)
				}
				return -1
			}, strings.TrimSpace(title))] = true
		}
	}
	return all
}
