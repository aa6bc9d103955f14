package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/record/recordtest"
	page "github.com/tarebench/tare/internal/report"
)

// TestRealRuns: no figure of the reports of the gallery's runs differs from what their streams
// give, and a figure that was changed is found.
func TestRealRuns(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("..", "..", "site", "records", "*.tar.zst"))
	if err != nil || len(archives) < 2 {
		t.Fatal(archives, err)
	}
	for _, archive := range archives {
		dir := recordtest.Gallery(t, archive)
		document := write(t, dir)
		checked, differ, err := run(dir, document)
		if err != nil || len(differ) > 0 || checked < 100 {
			t.Errorf("%s: %d figures, %v:\n%s", archive, checked, err, strings.Join(differ, "\n"))
		}
		b, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range [][2]string{{`"throughput_mean":`, `"throughput_mean":1`}, {`"window":`, `"window":1`}, {`"effect_percent":`, `"effect_percent":1`}} {
			changed := bytes.Replace(b, []byte(change[0]), []byte(change[1]), 1)
			if err := os.WriteFile(document, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, differ, err := run(dir, document); err != nil && len(differ) == 0 && !strings.Contains(err.Error(), "invalid") || err == nil && len(differ) != 1 {
				t.Errorf("%s: changed %s: %v, %v", archive, change[0], differ, err)
			}
		}
	}
}

// write writes the document of a run.
func write(t *testing.T, dir string) string {
	t.Helper()
	of, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := page.Build(of, "test")
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "document.json")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
