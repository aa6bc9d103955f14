package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/record"
)

// An arm of which nothing was read is left out, a sealed run explains nothing, and
// the baseline has no change.
func TestExplain(t *testing.T) {
	budget := &compare.Budget{
		Mean:  compare.Spent{Name: "a transaction", Milliseconds: 4, Change: 1, Interval: &compare.Interval{Lo: 0.5, Hi: 1.5}, Rounds: 6},
		Parts: []compare.Spent{{Name: compare.SpentCPU, Milliseconds: 3, Change: math.NaN()}, {Name: compare.SpentLock, Milliseconds: 1, Change: 1, Rounds: 1}},
	}
	res := &compare.Result{Arms: []compare.Arm{{Name: "bare", Threads: 8}, {Name: "pod", Threads: 8, Budget: budget}}}
	want := []Explained{{Arm: "pod", Threads: 8, Findings: []Finding{}, Budget: []Spent{
		{Name: "a transaction", Milliseconds: 4, Change: 1, Interval: &[2]Number{0.5, 1.5}, Rounds: 6},
		{Name: "on a CPU", Milliseconds: 3, Change: Unknown()},
		{Name: "row locks", Milliseconds: 1, Change: 1, Rounds: 1},
	}}}
	same := cmp.Comparer(func(a, b Number) bool { return a == b || !a.Known() && !b.Known() })
	if d := cmp.Diff(want, Explain(&record.Run{}, res), same); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	var text bytes.Buffer
	shown := append(want, Explained{Arm: "idle", Threads: 4, Findings: []Finding{
		{Rule: "X", Title: "x", Verdict: "unknown", Says: "not read"}, {Rule: "Y", Title: "y", Verdict: "confirmed", Says: "seen", Write: "less", Change: "{cpu: max}"}}})
	if err := ExplainText(&text, shown); err != nil {
		t.Fatal(err)
	}
	said := "pod, 8 threads\n  a transaction  4.000 ms  +1.000 [+0.500, +1.500], 6 rounds  \n       on a CPU  3.000 ms\n row locks 1.000 ms +1.000, no interval, 1 round\n\n" +
		"idle, 4 threads\n  where the time goes is not known: no probes, no latency, or threads without names\n" +
		"  confirmed: Y: y\n    seen\n    write: less\n    to measure: {cpu: max}\n  unknown: X: x\n    not read\n\n"
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if squeeze(text.String()) != squeeze(said) {
		t.Errorf("%s", text.String())
	}
	res.Sealed = true
	if got := Explain(&record.Run{}, res); len(got) > 0 {
		t.Errorf("a sealed run explains %v", got)
	}
}

// Every view names the confirmed cause with its counters; page and Markdown hold
// the budget and what is not known as well; a finding's words stay words.
func TestExplainedInEveryView(t *testing.T) {
	doc := reopen(t, "demo")
	arm := doc.Arms[1].Name
	doc.Explained = []Explained{{
		Arm: arm, Threads: doc.Arms[1].Threads,
		Budget: []Spent{{Name: "throttled", Milliseconds: 2.5, Change: 2.25, Interval: &[2]Number{2, 2.5}}},
		Findings: []Finding{
			{Rule: "C-CPU-01", Title: "Throttled by its quota", Verdict: string(diagnose.Confirmed), Says: "stopped in 81 % <b>of 300</b> periods", Share: &diagnose.Share{Ratio: 0.9, Lo: 0.8, Hi: 1}},
			{Rule: "M-IO-02", Title: "Disk", Verdict: string(diagnose.Unknown), Says: "the disk was not read"},
		},
	}}
	if err := schema(t).Validate(any(instance(t, doc))); err != nil {
		t.Error(err)
	}
	var text, md, page bytes.Buffer
	for _, err := range []error{Text(&text, doc, TextOptions{Width: 100}), Markdown(&md, doc), HTML(&page, doc, Assets{Script: "/* */"})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, view := range map[string]string{"text": text.String(), "markdown": md.String(), "page": page.String()} {
		wanted := []string{"C-CPU-01", "stopped in 81 %"}
		if name != "text" {
			wanted = append(wanted, "Why?", "2.250", "2.000 to 2.500", "the disk was not read")
		}
		for _, w := range wanted {
			if !strings.Contains(strings.Join(strings.Fields(view), " "), w) {
				t.Errorf("%s lacks %q", name, w)
			}
		}
		if name != "text" && strings.Contains(view, "81 % <b>of 300") {
			t.Errorf("%s lets a finding speak its own language", name)
		}
	}
}

// A figure of counters needs a confirmed cause and readings of the arm that has it.
func TestEvidenceNeedsReadings(t *testing.T) {
	finding := func(verdict diagnose.Verdict, counters ...string) *Document {
		return &Document{
			Explained: []Explained{{Arm: "pod", Threads: 8, Findings: []Finding{{Rule: "X", Verdict: string(verdict), Counters: counters}}}},
			Probes:    Probes{Series: []ProbeSeries{{Metric: "a", Arm: "pod", Threads: 8}, {Metric: "b", Arm: "bare", Threads: 8}, {Metric: "c", Arm: "pod", Threads: 64}}},
		}
	}
	for name, tc := range map[string]struct {
		doc  *Document
		want bool
	}{
		"confirmed and read":  {finding(diagnose.Confirmed, "z", "a"), true},
		"ruled out":           {finding(diagnose.RuledOut, "a"), false},
		"read elsewhere":      {finding(diagnose.Confirmed, "b"), false},
		"read at other loads": {finding(diagnose.Confirmed, "c"), false},
		"no counters":         {finding(diagnose.Confirmed), false},
	} {
		if got := hasEvidence(tc.doc); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
