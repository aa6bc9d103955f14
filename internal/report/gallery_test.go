package report_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/record/recordtest"
	"github.com/tarebench/tare/internal/report"
)

// The records of the gallery open, say what docs/gallery.md quotes of them, and have
// their pictures.
func TestGallery(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "gallery.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(strings.ReplaceAll(string(b), "\n> ", "\n")), " ")
	archives, err := filepath.Glob(filepath.Join("..", "..", "site", "records", "*.tar.zst"))
	if err != nil || len(archives) < 2 {
		t.Fatal(archives, err)
	}
	for _, archive := range archives {
		name := strings.TrimSuffix(filepath.Base(archive), ".tar.zst")
		run, err := record.Open(recordtest.Gallery(t, archive))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := report.Build(run, "test")
		if err != nil {
			t.Fatal(err)
		}
		if doc.Sealed() || len(doc.Contrasts) == 0 {
			t.Errorf("%s: the run is not whole", name)
		}
		if !slices.ContainsFunc(doc.Headline, func(line string) bool { return strings.Contains(page, line) }) {
			t.Errorf("docs/gallery.md quotes nothing of %s: %q", name, doc.Headline)
		}
		for _, want := range []string{"reports/" + name + ".html", "gallery/" + name + ".png"} {
			if !strings.Contains(page, want) {
				t.Errorf("docs/gallery.md lacks %q", want)
			}
		}
		if _, err := os.Stat(filepath.Join("..", "..", "docs", "gallery", name+".png")); err != nil {
			t.Error(err)
		}
	}
}
