package serve

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report/language"
)

// phase finds the names of phases in the sources of the runner, which this package cannot import.
var phase = regexp.MustCompile(`[pP]hase(?:\(|\s+= )"([^"]+)"`)

// TestPhasesHaveWords: every phase of a trial has a word in both languages, for the page of a run under way and for its
// script.
func TestPhasesHaveWords(t *testing.T) {
	files, err := filepath.Glob("../runner/*.go")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../../web/src/serve.ts")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range phase.FindAllStringSubmatch(string(text), -1) {
			found++
			key := "phase." + m[1]
			for _, l := range language.All() {
				if l.Chart[key] == "" {
					t.Errorf("%s: phase %q has no word in %s", name, m[1], l.Tag)
				}
			}
			if !strings.Contains(string(script), "'"+key+"'") {
				t.Errorf("%s: phase %q has no word in serve.ts", name, m[1])
			}
		}
	}
	if found < 13 {
		t.Errorf("%d phases were found in the sources of the runner", found)
	}
}
