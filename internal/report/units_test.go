package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/text"
)

// TestQuotaOfItsPeriod: a quota is of the period of its own arm.
func TestQuotaOfItsPeriod(t *testing.T) {
	doc := &report.Document{Arms: []report.Arm{{Name: "a", Cgroup: []report.Evidence{{Key: "cgroup.pod.cpu.cfs_period_us", Value: "50000"}}}, {Name: "b"}}}
	for arm, want := range map[string]string{"a": "2 CPU", "b": "1 CPU"} {
		if got := doc.ValueOf(arm, "cgroup.pod.cpu.cfs_quota_us", "100000"); got != want {
			t.Errorf("%s: %q, want %q", arm, got, want)
		}
	}
}

// TestViewsHaveUnitsAndTheDocumentValues: no view shows the kernel's numbers for a limit,
// and the document, from which exports are made, has them.
func TestViewsHaveUnitsAndTheDocumentValues(t *testing.T) {
	raw := []string{"1073741824", "9223372036854771712", "180,000,000,000"}
	for _, tag := range language.Tags() {
		doc, err := reopen(t, "demo").In(tag)
		if err != nil {
			t.Fatal(err)
		}
		var plain, comment, whole, json bytes.Buffer
		for _, err := range []error{text.Write(&plain, doc, text.Options{Width: 100}), markdown.Write(&comment, doc), page.Write(&whole, doc, page.Assets{}), report.JSON(&json, doc)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		visible, _, _ := strings.Cut(whole.String(), `<script type="application/json"`)
		for view, got := range map[string]string{"text": plain.String(), "Markdown": comment.String(), "page": visible} {
			for _, number := range raw {
				if strings.Contains(got, number) {
					t.Errorf("%s, %s: shows %s", tag, view, number)
				}
			}
			if !strings.Contains(got, "1 GiB") || !strings.Contains(got, "2 CPU") {
				t.Errorf("%s, %s: shows no limit of 1 GiB and 2 CPUs", tag, view)
			}
		}
		for _, number := range raw[:2] {
			if !strings.Contains(json.String(), number) {
				t.Errorf("%s: the document lacks %s", tag, number)
			}
		}
	}
}
