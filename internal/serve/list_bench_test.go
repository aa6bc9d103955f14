package serve

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// thousand is a folder of 1,000 runs.
func thousand(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	doc, err := buildReport(filepath.Join(recorded, "demo"))
	if err != nil {
		b.Fatal(err)
	}
	var verdict bytes.Buffer
	if err := report.JSON(&verdict, doc); err != nil {
		b.Fatal(err)
	}
	for i := range 1000 {
		run := filepath.Join(dir, "run-"+time.Unix(int64(i), 0).UTC().Format("150405"))
		if err := os.MkdirAll(run, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(run, record.VerdictFile), verdict.Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// BenchmarkList is a folder of 1,000 runs seen for the first time.
func BenchmarkList(b *testing.B) {
	dir := thousand(b)
	for b.Loop() {
		runs, err := newCatalog(dir).runs()
		if err != nil || len(runs) != 1000 || runs[0].State != "finished" {
			b.Fatal(err, len(runs))
		}
	}
}

// BenchmarkListPage is their page, in all languages, once they are known.
func BenchmarkListPage(b *testing.B) {
	h, err := New(Options{Dir: thousand(b), Version: "test", BuildReport: buildReport})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != http.StatusOK || bytes.Count(w.Body.Bytes(), []byte("<tr>")) != 1001 {
			b.Fatal(w.Code)
		}
	}
}
