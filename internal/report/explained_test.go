package report_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/text"
)

// An arm of which nothing was read is left out, a sealed run explains nothing, and
// the baseline has no change.
func TestExplain(t *testing.T) {
	budget := &compare.Budget{
		Mean:  compare.Spent{Name: "a transaction", Milliseconds: 4, Change: 1, Interval: &compare.Interval{Lo: 0.5, Hi: 1.5}, Rounds: 6},
		Parts: []compare.Spent{{Name: compare.SpentCPU, Milliseconds: 3, Change: math.NaN()}, {Name: compare.SpentLock, Milliseconds: 1, Change: 1, Rounds: 1}},
	}
	res := &compare.Result{Arms: []compare.Arm{{Name: "bare", Threads: 8}, {Name: "pod", Threads: 8, Budget: budget}}}
	want := []report.Explained{{Arm: "pod", Threads: 8, Findings: []report.Finding{}, Budget: []report.Spent{
		{Name: "a transaction", Milliseconds: 4, Change: 1, Interval: &[2]report.Number{0.5, 1.5}, Rounds: 6},
		{Name: "on a CPU", Milliseconds: 3, Change: report.Unknown()},
		{Name: "row locks", Milliseconds: 1, Change: 1, Rounds: 1},
	}}}
	same := cmp.Comparer(func(a, b report.Number) bool { return a == b || !a.Known() && !b.Known() })
	if d := cmp.Diff(want, report.Explain(&record.Run{}, res), same); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	var plain bytes.Buffer
	shown := append(want, report.Explained{Arm: "idle", Threads: 4, Untimed: "explain.no-budget.probes", Findings: []report.Finding{
		{Rule: "X", Title: "x", State: "unknown", Says: "not read"}, {Rule: "Y", Title: "y", State: "present", Says: "seen", Fix: "less", Change: "{cpu: max}"}}})
	if err := text.Explain(&plain, shown, "en", 0); err != nil {
		t.Fatal(err)
	}
	said := "pod, 8 threads\n  a transaction  4.000 ms  +1.000 [+0.500, +1.500], 6 rounds  \n       on a CPU  3.000 ms\n row locks 1.000 ms +1.000, no interval, 1 round\n\n" +
		"idle, 4 threads\n  where the time goes is not known: no probe read the threads of the server\n" +
		"  present: Y: y\n    seen\n    Fix: less\n    to measure: {cpu: max}\n  unknown: X: x\n    not read\n\n"
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if squeeze(plain.String()) != squeeze(said) {
		t.Errorf("%s", plain.String())
	}
	plain.Reset()
	timed := []report.Explained{{Arm: "timed", Threads: 4, Slowest: &report.Slowest{}}}
	if err := text.Explain(&plain, timed, "en", 0); err != nil || strings.Contains(plain.String(), "is not known") {
		t.Errorf("%v: above a table of where the time goes:\n%s", err, plain.String())
	}
	explainsInChinese(t, shown)
	res.Sealed = true
	if got := report.Explain(&record.Run{}, res); len(got) > 0 {
		t.Errorf("a sealed run explains %v", got)
	}
}

// explainsInChinese: verdicts, parts of the time and what a rule says are in the language that
// was asked for; numbers and names stay.
func explainsInChinese(t *testing.T, shown []report.Explained) {
	t.Helper()
	shown[1].Findings = append(shown[1].Findings, report.Finding{Rule: "C-CPU-01", Title: "CPU quota", State: "ruled out", Says: "its cgroups have no CPU quota", Phrases: []diagnose.Phrase{{English: "its cgroups have no CPU quota"}}})
	var said bytes.Buffer
	if err := text.Explain(&said, shown, "zh", 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pod，8 线程", "占用 CPU", "+1.000 [+0.500, +1.500], 6 轮", "其 cgroup 没有 CPU 配额", "待测量：{cpu: max}", "CPU 配额"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("nothing of %q in\n%s", want, said.String())
		}
	}
	for _, english := range []string{"no CPU quota", "on a CPU", "present", "Fix:"} {
		if strings.Contains(said.String(), english) {
			t.Errorf("%q is English in\n%s", english, said.String())
		}
	}
}

// TestFixInChinese: the fix is that of the finding, which the rule's can contradict; a document
// of an earlier version has the rule's.
func TestFixInChinese(t *testing.T) {
	f := report.Finding{Rule: "C-IO-04", Fix: "use faster storage: the redo log has 16 GiB",
		FixPhrase: &diagnose.Phrase{English: "use faster storage: the redo log has %.0f GiB", Arguments: []diagnose.Phrase{{Value: "16"}}}}
	doc := &report.Document{}
	said, err := doc.In("zh")
	if err != nil {
		t.Fatal(err)
	}
	earlier, unfixed := f, report.Finding{Rule: "C-IO-04"}
	earlier.FixPhrase = nil
	rule, _ := diagnose.Find("C-IO-04")
	for _, c := range []struct {
		doc  *report.Document
		f    report.Finding
		want string
	}{
		{doc, f, f.Fix}, {said, f, "使用更快的存储：redo 日志已有 16 GiB"}, {said, earlier, rule.In("zh").Fix}, {said, unfixed, ""},
	} {
		if got := c.doc.FixOf(c.f); got != c.want {
			t.Errorf("%+v: %q, want %q", c.f, got, c.want)
		}
	}
}

// slowDocument is where slow transactions wait for their commits, and average ones do
// not.
func slowDocument(t *testing.T) (*report.Document, report.Explained) {
	t.Helper()
	doc := reopen(t, "demo")
	in := func(lo, hi float64) *compare.Interval { return &compare.Interval{Lo: lo, Hi: hi} }
	part := func(name string, average, slow, change float64) compare.SlowPart {
		return compare.SlowPart{Average: average, Interval: in(slow-1, slow+1), Rounds: 6,
			Slow: compare.Spent{Name: name, Milliseconds: slow, Change: change, Interval: in(change-2, change+2), Rounds: 6}}
	}
	s := report.SlowestOf(&compare.Slowest{All: 210034, Slow: 2731, Whole: part("a transaction", 8, 60, 12), Parts: []compare.SlowPart{
		part("commit", 1.6, 51, 11.5), part("point_selects", 6.37, 8.9, 0.5), part(record.SpentClient, 0.03, 0.1, 0),
	}})
	doc.Explained = []report.Explained{{Arm: doc.Arms[1].Name, Threads: doc.Arms[1].Threads, Budget: []report.Spent{}, Slowest: s, Findings: []report.Finding{}}}
	return doc, doc.Explained[0]
}

// On a terminal sentences are wrapped, without another word; tables are as wide as they are.
func TestExplainFitsTheTerminal(t *testing.T) {
	said := strings.Repeat("the quota throttles it in many periods of a second, ", 5)
	shown := []report.Explained{{Arm: "pod", Threads: 8, Findings: []report.Finding{{Rule: "C-CPU-01", State: "present", Says: said, Fix: said, Change: "{cpu: max}"}}}}
	var whole, wrapped bytes.Buffer
	if err := errors.Join(text.Explain(&whole, shown, "en", 0), text.Explain(&wrapped, shown, "en", 60)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Fields(whole.String()), strings.Fields(wrapped.String())); d != "" {
		t.Errorf("-whole +wrapped:\n%s", d)
	}
	longest := 0
	for line := range strings.Lines(wrapped.String()) {
		longest = max(longest, len(line)-1)
	}
	if longest > 60 || longest < 50 {
		t.Errorf("the longest line has %d columns:\n%s", longest, &wrapped)
	}
}

// The slowest transactions stand in the text, with how many there are, in the page and
// in Markdown, in every language; parts below 1 % are left to the JSON.
func TestSlowestInEveryView(t *testing.T) {
	doc, e := slowDocument(t)
	if err := schema(t).Validate(any(jsonValue(t, doc))); err != nil {
		t.Error(err)
	}
	tables := sectionOf("explained").Tables(doc)
	if table := tables[len(tables)-2]; len(bareTable(table)) > 0 || len(table.Rows) != 3 {
		t.Errorf("%v", table)
	}
	var plain bytes.Buffer
	if err := text.Explain(&plain, []report.Explained{e}, "en", 0); err != nil {
		t.Fatal(err)
	}
	var both bytes.Buffer
	if err := text.Explain(&both, []report.Explained{e, {Arm: "few", Threads: 8}}, "en", 0); err != nil {
		t.Fatal(err)
	}
	const why = "slowest transactions spend their time is not shown: fewer than 100 were slow"
	if _, few, _ := strings.Cut(both.String(), "few, 8 threads"); !strings.Contains(few, why) || strings.Contains(plain.String(), why) {
		t.Errorf("the arm without the table lacks the reason:\n%s", &both)
	}
	for _, tag := range language.Tags() {
		said, err := doc.In(tag)
		if err != nil {
			t.Fatal(err)
		}
		var md, whole bytes.Buffer
		for _, err := range []error{markdown.Write(&md, said), page.Write(&whole, said, page.Assets{Script: "/* */"})} {
			if err != nil {
				t.Fatal(err)
			}
		}
		views := map[string]string{"markdown": md.String(), "page": whole.String()}
		if tag == "en" {
			views["text"] = plain.String()
		}
		for name, view := range views {
			view = strings.ReplaceAll(strings.Join(strings.Fields(view), " "), "\u202f", " ")
			for _, w := range []string{"commit", "51.000", said.Say("percent", "x", "85"), said.Say("percent", "x", "20"), "50.000", "52.000", "11.500", "2,731", "210,034"} {
				if !strings.Contains(view, w) {
					t.Errorf("%s, %s lacks %q", tag, name, w)
				}
			}
			if name == "markdown" && strings.Contains(view, said.Language().Place(record.SpentClient)) {
				t.Errorf("%s, %s: a part too small for a row", tag, name)
			}
		}
	}
	for name, of := range map[string]string{"commit": "51.000 ms 85 % [50.000, 52.000], 6 rounds +11.500 [+9.500, +13.500], 6 rounds", "a transaction": "60.000 ms 100 %"} {
		if squeezed := strings.Join(strings.Fields(plain.String()), " "); !strings.Contains(squeezed, of) {
			t.Errorf("%s: no %q in\n%s", name, of, plain.String())
		}
	}
}

// Every view names the cause with its counters; page and Markdown hold
// the budget and what is not known as well; a finding's words stay words.
func TestExplainedInEveryView(t *testing.T) {
	doc := reopen(t, "demo")
	arm := doc.Arms[1].Name
	doc.Explained = []report.Explained{{
		Arm: arm, Threads: doc.Arms[1].Threads,
		Budget: []report.Spent{{Name: "throttled", Milliseconds: 2.5, Change: 2.25, Interval: &[2]report.Number{2, 2.5}}},
		Findings: []report.Finding{
			{Rule: "C-CPU-01", Title: "Throttled by its quota", State: string(diagnose.Explains), Says: "stopped in 81 % <b>of 300</b> periods", Share: &diagnose.Share{Ratio: 0.9, Lo: 0.8, Hi: 1}},
			{Rule: "M-IO-02", Title: "Disk", State: string(diagnose.Unknown), Says: "the disk was not read"},
		},
	}}
	if err := schema(t).Validate(any(jsonValue(t, doc))); err != nil {
		t.Error(err)
	}
	var plain, md, whole bytes.Buffer
	for _, err := range []error{text.Write(&plain, doc, text.Options{Width: 100}), markdown.Write(&md, doc), page.Write(&whole, doc, page.Assets{Script: "/* */"})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, view := range map[string]string{"text": plain.String(), "markdown": md.String(), "page": whole.String()} {
		wanted := []string{"C-CPU-01", "stopped in 81 %"}
		if name != "text" {
			wanted = append(wanted, "Causes", "2.250", "2.000 to 2.500", "the disk was not read")
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

// A figure of counters needs a cause that they show and readings of the arm that has it.
func TestEvidenceNeedsReadings(t *testing.T) {
	finding := func(state string, counters ...string) *report.Document {
		return &report.Document{
			Explained: []report.Explained{{Arm: "pod", Threads: 8, Findings: []report.Finding{{Rule: "X", State: state, Counters: counters}}}},
			Probes:    report.Probes{Series: []report.ProbeSeries{{Metric: "a", Arm: "pod", Threads: 8}, {Metric: "b", Arm: "bare", Threads: 8}, {Metric: "c", Arm: "pod", Threads: 64}}},
		}
	}
	for name, tc := range map[string]struct {
		doc  *report.Document
		want bool
	}{
		"present and read":    {finding("present", "z", "a"), true},
		"ruled out":           {finding("ruled out", "a"), false},
		"read elsewhere":      {finding("present", "b"), false},
		"read at other loads": {finding("present", "c"), false},
		"no counters":         {finding("present"), false},
	} {
		if got := sectionOf("explained").Figures[1].Shown(tc.doc); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
