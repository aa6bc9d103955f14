package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// citation is a page of docs with one of its headings, as messages and comments name it.
var citation = regexp.MustCompile(`\((docs/[a-z-]+(?:/[a-z-]+)*\.md), ([A-Z][a-z ][^()"]*)\)`)

// TestCitedHeadings: a heading of a page that a message or a comment names is on that page.
func TestCitedHeadings(t *testing.T) {
	found := 0
	for _, root := range []string{".", "../../internal"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".json") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, cited := range citation.FindAllStringSubmatch(string(text), -1) {
				found++
				page, err := os.ReadFile("../../" + cited[1])
				if err != nil {
					t.Errorf("%s: %v", path, err)
				} else if !regexp.MustCompile(`(?m)^#+ ` + regexp.QuoteMeta(cited[2]) + `$`).Match(page) {
					t.Errorf("%s cites %s, %s, and the page has no such heading", path, cited[1], cited[2])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found == 0 {
		t.Error("nothing was found to cite a heading")
	}
}
