package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/mattn/go-runewidth"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/chart"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/text"
)

// The same number stands in every view.
func TestViewsAgree(t *testing.T) {
	for _, name := range names() {
		doc := open(t, name)
		var plain, comment bytes.Buffer
		if err := text.Write(&plain, doc, text.Options{Width: 120, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		if err := markdown.Write(&comment, doc); err != nil {
			t.Fatal(err)
		}
		page := html.UnescapeString(string(testPage(t, doc)))
		views := map[string]string{
			"text": flat(plain.String()), "markdown": flat(strings.ReplaceAll(comment.String(), `\`, "")),
			"page": flat(strings.NewReplacer("\u2212", "-", "\u202f", " ").Replace(page)),
		}
		for i := range doc.Contrasts {
			c := &doc.Contrasts[i]
			var want []string
			for _, v := range doc.Verdicts() {
				want = append(want, v.Sentence)
			}
			if doc.Sealed() {
				want = doc.Headline
			}
			if c.Interval != nil {
				mid, in95, _ := report.CostCells(doc.Language(), c)
				lo, hi, _ := strings.Cut(in95, " to ")
				want = append(want, mid, lo, hi)
			}
			for view, out := range views {
				for _, w := range want {
					if !strings.Contains(out, flat(w)) {
						t.Errorf("%s, %s: %s lacks %q", name, c.Arm, view, w)
					}
				}
			}
		}
	}
}

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// No line is wider than the terminal, and none carries colour unasked.
func TestTextFits(t *testing.T) {
	for _, name := range names() {
		doc := open(t, name)
		for width := 40; width <= 120; width += 5 {
			for _, unicode := range []bool{true, false} {
				var b bytes.Buffer
				if err := text.Write(&b, doc, text.Options{Width: width, Unicode: unicode}); err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(b.String()) {
					line = strings.TrimSuffix(line, "\n")
					if w := runewidth.StringWidth(line); w > width && !isCommand(doc, line) {
						t.Errorf("%s at %d: %d cells: %q", name, width, w, line)
					}
					if strings.Contains(line, "\x1b") || strings.HasSuffix(line, " ") {
						t.Errorf("%s: %q", name, line)
					}
					if !unicode && strings.IndexFunc(line, func(r rune) bool { return r > 126 }) >= 0 {
						t.Errorf("%s: not ASCII: %q", name, line)
					}
				}
			}
		}
	}
}

// isCommand says that a line is one of a command or of YAML, which is to be copied and so
// is never wrapped.
func isCommand(doc *report.Document, line string) bool {
	return slices.ContainsFunc(doc.Next, func(s report.Step) bool {
		return slices.Contains(strings.Split(doc.Named(s.Command), "\n"), strings.TrimPrefix(line, "       "))
	})
}

// Colour changes nothing but colour.
func TestColourIsOnlyColour(t *testing.T) {
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, name := range names() {
		doc := open(t, name)
		var plain, colour bytes.Buffer
		if err := text.Write(&plain, doc, text.Options{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		if err := text.Write(&colour, doc, text.Options{Width: 80, Unicode: true, Color: true}); err != nil {
			t.Fatal(err)
		}
		stripped := regexp.MustCompile(`(?m) +$`).ReplaceAllString(escape.ReplaceAllString(colour.String(), ""), "")
		if diff := cmp.Diff(plain.String(), stripped); diff != "" || !escape.Match(colour.Bytes()) {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The policy admits exactly the script and the style that the page holds.
func TestPolicyMatchesThePage(t *testing.T) {
	var b bytes.Buffer
	if err := page.Write(&b, open(t, "demo"), page.Embedded()); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	policy := html.UnescapeString(regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
	for tag, directive := range map[string]string{"script": "script-src", "style": "style-src"} {
		_, content, ok := strings.Cut(page, "<"+tag+">")
		if !ok {
			t.Fatalf("no <%s>", tag)
		}
		content, _, _ = strings.Cut(content, "</"+tag+">")
		sum := sha256.Sum256([]byte(content))
		if want := directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %s", policy, want)
		}
	}
	for _, bad := range []string{"unsafe", "http:", "https:", "*"} {
		if strings.Contains(policy, bad) {
			t.Errorf("the policy holds %s", bad)
		}
	}
	if m := regexp.MustCompile(`(?:src|href)="(?:https?:)?//[^"]*"|@import|url\(`).FindString(page[:strings.Index(page, "<script")]); m != "" {
		t.Errorf("the page would fetch %s", m)
	}
}

// An asset cannot end its own element.
func TestAssetsAreNeutral(t *testing.T) {
	var b bytes.Buffer
	if err := page.Write(&b, open(t, "demo"), page.Assets{Script: `x = "</script><!--<script>"`, Style: `a{content:"</style>"}`}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "</script>") + strings.Count(b.String(), "</style>"); n != 4 {
		t.Errorf("%d ends of elements, want 4", n)
	}
	if strings.Contains(b.String(), "<!--") {
		t.Error("a comment begins in the script")
	}
}

// Without scripts the page still has the answer, the picture and every table.
func TestPageWithoutScripts(t *testing.T) {
	page := string(testPage(t, open(t, "demo")))
	page = page[:strings.Index(page, `<script type="application/json"`)]
	for _, want := range []string{
		`class="static wide"`, `class="static narrow"`, `id="fig-rounds"`, `id="fig-series"`, "is 45.5\u202f% slower than bare",
		">Every arm compared with the baseline bare</caption>", "cgroup.pod.cpu.shares", "metadata: {name: qos-on-two-cores}",
	} {
		if !strings.Contains(html.UnescapeString(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Same input, same bytes.
func TestViewsAreReproducible(t *testing.T) {
	once, twice := testPage(t, open(t, "verdicts")), testPage(t, reopen(t, "verdicts"))
	if !bytes.Equal(once, twice) {
		t.Error("two pages of one run differ")
	}
}

func TestJSONRoundTrip(t *testing.T) {
	for _, name := range names() {
		doc := open(t, name)
		var b bytes.Buffer
		if err := report.JSON(&b, doc); err != nil {
			t.Fatal(err)
		}
		var back report.Document
		if err := json.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		same := cmp.Comparer(func(a, b report.Number) bool { return a == b || !a.Known() && !b.Known() })
		if diff := cmp.Diff(doc, &back, same, cmpopts.IgnoreUnexported(report.Document{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A sealed run shows no effect, not even as two means side by side.
func TestSealedShowsNoEffect(t *testing.T) {
	doc := open(t, "unfinished")
	for _, a := range doc.Arms {
		if a.ThroughputMean.Known() || a.Latency != nil || len(a.States) > 0 {
			t.Errorf("%s has totals", a.Name)
		}
	}
	for _, tr := range doc.Trials {
		if tr.Throughput.Known() || len(tr.TPS) > 0 || len(tr.Latency) > 0 || tr.Change.Known() {
			t.Errorf("trial %d has its seconds", tr.Trial)
		}
	}
	for _, c := range doc.Contrasts {
		if c.Verdict != "sealed" || c.EffectPercent.Known() || c.Interval != nil || len(c.Pairs) > 0 {
			t.Errorf("%+v", c)
		}
	}
}

// Words that claim what a measurement cannot.
func TestWording(t *testing.T) {
	for _, name := range names() {
		if m := promises(string(testPage(t, open(t, name)))); m != "" {
			t.Errorf("the page of %s says %q", name, m)
		}
		var plain bytes.Buffer
		if err := text.Write(&plain, open(t, name), text.Options{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		if m := promises(plain.String()); m != "" {
			t.Errorf("the text of %s says %q", name, m)
		}
	}
	for text, want := range map[string]string{"It Proves.": "proves", "disprove": "", "setup to": "", "Up to 3": "up to", "insignificant": "signifi", "NaN": "nan", "banana, info": "", "info, -Inf": "inf", "a—b": "—"} {
		if got := promises(text); got != want {
			t.Errorf("%q says %q, want %q", text, got, want)
		}
	}
}

// promises is the first word of a text that no report may say. A regular expression
// takes ten times as long, under the race detector more than a minute for all goldens.
func promises(text string) string {
	text = strings.ToLower(text)
	for _, part := range []string{"signifi", "no difference", "roughly the same", "—"} {
		if strings.Contains(text, part) {
			return part
		}
	}
	letter := func(c byte) bool { return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' }
	for _, word := range []string{"up to", "prove", "proves", "nan", "inf"} {
		for from := 0; ; {
			i := strings.Index(text[from:], word)
			if i < 0 {
				break
			}
			i += from
			from = i + len(word)
			if (i == 0 || !letter(text[i-1])) && (from == len(text) || !letter(text[from])) {
				return word
			}
		}
	}
	return ""
}

func TestDigits(t *testing.T) {
	for _, tc := range []struct {
		half float64
		want int
	}{{14, 0}, {10, 0}, {9.9, 1}, {1, 1}, {0.6, 2}, {0.06, 3}, {1e-9, 3}, {0, 2}} {
		if got := (report.Cost{Lo: -tc.half, Hi: tc.half}).Digits(); got != tc.want {
			t.Errorf("half-width %v: %d decimals, want %d", tc.half, got, tc.want)
		}
	}
	for _, tc := range []struct {
		v      float64
		digits int
		want   string
	}{{1234567.891, 2, "1,234,567.89"}, {-1234, 0, "-1,234"}, {-0.001, 2, "0.00"}, {999, 0, "999"}, {math.NaN(), 1, "unknown"}} {
		if got := language.Decimal(tc.v, tc.digits); got != tc.want {
			t.Errorf("decimal(%v, %d) = %q, want %q", tc.v, tc.digits, got, tc.want)
		}
	}
	for v, want := range map[float64]string{10573.2: "10,600", 982.4: "982", 0.01234: "0.0123", 12.34: "12.3"} {
		if got := language.Rounded(v); got != want {
			t.Errorf("rounded(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestNumbersThatAreNone(t *testing.T) {
	b, err := json.Marshal([]report.Number{report.Unknown(), report.Number(math.Inf(1)), 0, 1.5, 1e21, 1e-9})
	if want := "[null,null,0,1.5,1e+21,1e-09]"; err != nil || string(b) != want {
		t.Errorf("got %s, %v, want %s", b, err, want)
	}
}

// A second that the engine skipped becomes a null; a line must break there.
func TestMissingSecondsAreNull(t *testing.T) {
	at := func(end float64) record.Interval { return record.Interval{End: end, Length: 1, Transactions: 5} }
	got := report.TrialOf(&record.Trial{End: &record.End{Outcome: record.Measured}, Intervals: []record.Interval{at(1), at(2), at(6), at(7)}})
	if len(got.TPS) != 5 || got.TPS[2].Known() || got.Seconds[2] != 5 {
		t.Errorf("seconds %v, tps %v", got.Seconds, got.TPS)
	}
}

// A bound beyond the picture has an arrow: cut silently, it would look narrow.
func TestIntervalBeyondTheScale(t *testing.T) {
	doc := &report.Document{Run: report.RunInfo{MarginPercent: 1}, Contrasts: []report.Contrast{{
		Arm: "a", Baseline: "b", Verdict: "inconclusive", EffectPercent: 20,
		Interval: &[2]report.Number{-60, 900}, Interval90: &[2]report.Number{-30, 500}, Rounds: 2,
	}}}
	var b bytes.Buffer
	if err := text.Write(&b, doc, text.Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "<====") {
		t.Errorf("no arrow:\n%s", b.String())
	}
	if !strings.Contains(string(chart.Intervals(doc)), "v12 z") {
		t.Error("no arrow in the picture")
	}
}
