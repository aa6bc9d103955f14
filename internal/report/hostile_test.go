package report_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/text"
)

// hostile is what a name from a cluster, a log or a server may hold.
func hostile() []string {
	return []string{
		`</script><img src=x onerror=1>`, `<!--<script>`, `{{.}}`, "a\u2028b\u2029c", "a\u202Egnp.exe", "nul\x00", `]]>`, "pipe|pipe",
		"```", "@all", "=HYPERLINK(1)", "\x1b[2J", "\xff\xfe", "a\nb\r\n# c", "</title></style>", `" onload="x`, "[a](javascript:x)", "&lt;b&gt;",
		// Longer than all that any view cuts at, and alone too long for a comment; a name
		// of a megabyte goes the same way and takes a minute a page under the race detector.
		strings.Repeat("A", 1<<17),
	}
}

// spread puts text into every place of a run that comes from outside.
func spread(name func(i int) string) *record.Run {
	r := &record.Run{Dir: "runs/" + name(0), Imported: &record.Import{Format: name(1), Baseline: name(2), Margin: 0.01}}
	for i := range hostile() {
		p := experiment.Trial{Number: i + 1, Round: i + 1, Arm: name(i), Threads: 8}
		if i%3 == 0 {
			p.Arm = name(2)
		}
		r.Imported.Trials = append(r.Imported.Trials, p)
		t := &record.Trial{
			Header: record.Header{Version: 1, Trial: p.Number, Round: p.Round, Arm: p.Arm, Threads: 8},
			End:    &record.End{Outcome: record.Measured, Reason: name(i)},
			Window: &record.Window{Seconds: 1, Counts: record.Counts{Transactions: 100}},
		}
		for _, key := range []string{"host." + name(i), "cgroup." + name(i), "mysql.variable." + name(i), "server.version"} {
			t.Facts = append(t.Facts, record.Fact{Key: key, Value: name(i), Source: name(i), Phase: "start"})
		}
		for s := range 8 {
			t.Intervals = append(t.Intervals, record.Interval{End: float64(s), Length: 1, Transactions: 100})
		}
		if i%4 == 1 {
			t.End.Outcome = record.NotReady
		}
		r.Trials = append(r.Trials, t)
	}
	return r
}

func hostileDocument(t *testing.T) *report.Document {
	t.Helper()
	if opened["hostile"] == nil {
		opened["hostile"] = build(t, spread(func(i int) string { return hostile()[i] }))
	}
	return opened["hostile"]
}

func build(t *testing.T, r *record.Run) *report.Document {
	t.Helper()
	doc, err := report.Build(r, "test")
	if err != nil {
		t.Fatal(err)
	}
	doc.ExperimentYAML = strings.ToValidUTF8(strings.Join(hostile()[:18], "\n"), "\uFFFD")
	return doc
}

// elements counts the page's elements and the attributes that do something.
func elements(t *testing.T, page []byte) map[string]int {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			seen["comment"]++
		}
		if n.Type != html.ElementNode {
			continue
		}
		seen[n.Data]++
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.Contains(a.Val, "javascript:") {
				seen["attribute "+a.Key]++
			}
		}
	}
	return seen
}

// withCalendar is a document whose trials have an order, and gates that are called as the
// record says: void.json is read from disk.
func withCalendar(doc *report.Document) *report.Document {
	out := *doc
	for _, t := range doc.Trials {
		out.Attempts = append(out.Attempts, report.Attempt{Trial: t.Trial, Round: t.Round, Slot: 1, Arm: t.Arm, Threads: t.Threads, Outcome: t.Outcome, SetAside: t.Trial == 2, Gates: []string{t.Reason}})
	}
	return &out
}

// The page with hostile names has exactly the elements of the page with harmless
// ones: nothing that came from outside made one.
func TestHostileNamesMakeNoElements(t *testing.T) {
	harmless := func(i int) string { return "name" + string(rune('a'+i)) }
	want := elements(t, testPage(t, withCalendar(build(t, spread(harmless)))))
	page := testPage(t, withCalendar(hostileDocument(t)))
	got := elements(t, page)
	for _, forbidden := range []string{"img", "comment", "attribute onload", "attribute onerror", "attribute style"} {
		if got[forbidden] != 0 {
			t.Errorf("the page has %d of %s", got[forbidden], forbidden)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("elements (-harmless +hostile):\n%s", diff)
	}
	outside := page[:bytes.Index(page, []byte(`<script type="application/json"`))]
	checkInert(t, "html", string(outside))
}

func TestDataBlockCannotBeLeft(t *testing.T) {
	doc := hostileDocument(t)
	page := string(testPage(t, doc))
	_, block, _ := strings.Cut(page, `<script type="application/json" id="tare-data">`)
	block, _, _ = strings.Cut(block, "</script>")
	if strings.ContainsAny(block, "<>&\u2028\u2029") {
		t.Error("the data block holds a character that HTML or JavaScript minds")
	}
	var back report.Document
	if err := json.Unmarshal([]byte(block), &back); err != nil {
		t.Fatal(err)
	}
	if back.ExperimentYAML != doc.ExperimentYAML || len(back.Arms) != len(doc.Arms) {
		t.Error("the block is not the document")
	}
}

// checkInert refuses what drives a terminal or turns text round.
func checkInert(t *testing.T, format, out string) {
	t.Helper()
	for _, r := range out {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029') {
			t.Errorf("%s holds %U", format, r)
			return
		}
	}
	if strings.Contains(out, strings.Repeat("A", 2000)) {
		t.Errorf("%s holds a name in full that would bury the report", format)
	}
}

func TestHostileNamesInTerminalAndMarkdown(t *testing.T) {
	doc := hostileDocument(t)
	for _, width := range []int{40, 80, 120} {
		var b bytes.Buffer
		if err := text.Write(&b, doc, text.Options{Width: width, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		checkInert(t, "text", b.String())
	}
	var b bytes.Buffer
	if err := markdown.Write(&b, doc); err != nil {
		t.Fatal(err)
	}
	checkInert(t, "markdown", b.String())
	if b.Len() > 65_536 {
		t.Errorf("the comment has %d bytes", b.Len())
	}
	out, fenced := outsideFences(b.String())
	if !fenced {
		t.Error("a code block is not closed")
	}
	for _, bad := range []string{"<img", "<!--<", "</script>", "@all", "[a](", "\n# c"} {
		if strings.Contains(out, bad) {
			t.Errorf("markdown holds %q", bad)
		}
	}
	columns := 0
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := len(regexp.MustCompile(`[^\\]\|`).FindAllString(line, -1))
		if columns != 0 && n != columns {
			t.Errorf("a table's row has %d columns, not %d: %.80s", n, columns, line)
		}
		columns = n
	}
}

// outsideFences drops code blocks, where Markdown means nothing, and reports
// whether all were closed.
func outsideFences(s string) (string, bool) {
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(s) {
		mark := regexp.MustCompile("^```+").FindString(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && strings.TrimSpace(line) == fence:
			fence = ""
		case fence == "":
			out.WriteString(line)
		}
	}
	return out.String(), fence == ""
}

func FuzzInert(f *testing.F) {
	for _, s := range hostile()[:18] {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		valid := strings.ToValidUTF8(s, "\uFFFD")
		checkInert(t, "inert", safe.Name(valid))
		checkInert(t, "md", markdown.Escape(safe.Cut(valid, 500)))
	})
}
