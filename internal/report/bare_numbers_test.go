package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/section"
)

// A difference without its interval and its number of rounds is a rumour. The tests
// of this file walk whatever a report says and fail on one.

// oneRound is a recorded run as if only its first round had been planned.
func oneRound(t *testing.T, name string) *report.Document {
	t.Helper()
	run, err := record.Open(filepath.Join("testdata", "runs", name))
	if err != nil {
		t.Fatal(err)
	}
	run.Plan.Rounds, run.Plan.MaxRounds = 1, 1
	run.Plan.Trials = slices.DeleteFunc(run.Plan.Trials, func(p experiment.Trial) bool { return p.Round > 1 })
	run.Trials = slices.DeleteFunc(run.Trials, func(t *record.Trial) bool { return t.Header.Round > 1 })
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// walked are documents with many rounds, with one, and without any.
func walked(t *testing.T) map[string]*report.Document {
	t.Helper()
	docs := map[string]*report.Document{}
	for _, name := range names() {
		docs[name] = open(t, name)
	}
	for _, name := range []string{"demo", "layers", "verdicts"} {
		docs["one round of "+name] = oneRound(t, name)
	}
	return docs
}

// isDifference knows the members of the JSON documents that say by how much something
// differs; all other members that end alike are sizes, spreads and bounds.
func isDifference(key string) (difference, known bool) {
	switch key {
	case "effect_percent", "cost_percent", "drift_percent", "change_percent", "left_percent", "slope_percent", "change_ms", "points":
		return true, true
	case "margin_percent", "restart_sd_percent", "within_sd_percent", "half_percent", "worst_percent", "latency_share_percent":
		return false, true
	}
	return false, !strings.HasSuffix(key, "_percent") && !strings.HasSuffix(key, "_points")
}

// bareJSON finds differences without interval or count in a document.
func bareJSON(v any, at string) []string {
	var found []string
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			found = append(found, bareJSON(e, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case map[string]any:
		for key, e := range v {
			path := at + "." + key
			difference, known := isDifference(key)
			switch {
			case !known:
				found = append(found, path+": is it a difference? say so in isDifference")
			case difference && e != nil && !hasInterval(v) && v["round"] == nil: // one round is one observation
				found = append(found, path+" has no interval")
			}
			found = append(found, bareJSON(e, path)...)
		}
	}
	return found
}

// hasInterval says that an object holds an interval, or that it has too few rounds for
// one, which it says.
func hasInterval(v map[string]any) bool {
	for key, e := range v {
		if (strings.Contains(key, "interval") || strings.HasSuffix(key, "_range")) && key != "interval_kind" && e != nil {
			return true
		}
	}
	for _, key := range []string{"rounds", "trials", "runs_before"} {
		if n, ok := v[key].(float64); ok && n < 2 {
			return true
		}
	}
	return false
}

func TestNoBareDifferenceInJSON(t *testing.T) {
	var all []any
	add := func(write func(b *bytes.Buffer) error) {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(b.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	for _, doc := range walked(t) {
		add(func(b *bytes.Buffer) error { return report.JSON(b, doc) })
	}
	for _, after := range []string{"layers", "starved"} {
		add(func(b *bytes.Buffer) error { return report.SessionsJSON(b, sessions(t, "demo", after)) })
	}
	for i, v := range all {
		for _, f := range bareJSON(v, fmt.Sprint(i)) {
			t.Error(f)
		}
	}
	// The walk has teeth.
	if len(bareJSON(map[string]any{"effect_percent": -3.0, "rounds": 6.0, "interval": nil}, "")) != 1 {
		t.Error("a bare difference passes")
	}
	if len(bareJSON(map[string]any{"effect_percent": -3.0, "rounds": 1.0, "interval": nil}, "")) != 0 {
		t.Error("one round has no interval, and says that it is one")
	}
	if len(bareJSON(map[string]any{"news_percent": -3.0}, "")) != 1 {
		t.Error("an unknown member passes")
	}
}

var (
	// A column of differences, and what must stand in the table beside it.
	differenceColumn = regexp.MustCompile(`^(Cost|Points|Change|Change to|Drift|Carry-over|Share|Recovered)`)
	emptyCell        = regexp.MustCompile(`^(-|none|not given|not measured|100|)$`)
	spanCell         = regexp.MustCompile(`\[.*, .*\]|\d to `)
	counted          = regexp.MustCompile(`^(Rounds|Trials|Runs|Level shifts)$`)
)

// bareTable finds the differences of a table that stand without an interval in the next
// cell or their own, and tables of them that do not say over how many rounds.
func bareTable(t section.Table) []string {
	var found []string
	for k, head := range t.Head {
		if !differenceColumn.MatchString(head) {
			continue
		}
		if !slices.ContainsFunc(t.Head, counted.MatchString) && !strings.Contains(t.Caption, "round") {
			found = append(found, fmt.Sprintf("%s: %q over how many rounds?", t.Caption, head))
		}
		for _, row := range t.Rows {
			cell := row[k].Text
			beside := k+1 < len(row) && strings.Contains(t.Head[k+1], "interval")
			if !emptyCell.MatchString(cell) && !beside && !spanCell.MatchString(cell) {
				found = append(found, fmt.Sprintf("%s: %s %q has no interval", t.Caption, head, cell))
			}
		}
	}
	return found
}

func TestNoBareDifferenceInTables(t *testing.T) {
	seen := map[string]bool{}
	for name, doc := range walked(t) {
		tables := []section.Table{section.ShortContrasts(doc)}
		for _, s := range section.Sections() {
			if s.IsShownIn(doc) && s.Tables != nil {
				tables = append(tables, s.Tables(doc)...)
			}
		}
		for _, table := range tables {
			if strings.HasPrefix(table.Caption, "Rounds, ") || table.Head == nil || slices.Contains(table.Head, "To verify") || slices.Contains(table.Head, "Remedy") || slices.Contains(table.Head, "Claim") {
				continue // single rounds, one a row; changes of settings; claims
			}
			for _, head := range table.Head {
				seen[head] = seen[head] || differenceColumn.MatchString(head) && len(table.Rows) > 0
			}
			for _, f := range bareTable(table) {
				t.Errorf("%s: %s", name, f)
			}
		}
	}
	for _, head := range []string{"Cost, %", "Cost", "Points", "Share, %", "Recovered by removing it alone", "Drift", "Carry-over"} {
		if !seen[head] {
			t.Errorf("no table with %q was walked", head)
		}
	}
	if len(bareTable(section.Table{Head: []string{"Arm", "Cost, %"}, Rows: [][]section.Cell{{{Text: "a"}, {Text: "9.8", Number: true}}}})) != 2 {
		t.Error("a bare difference passes")
	}
}

var (
	sentenceEnd = regexp.MustCompile(`[.;] +|\n`)
	size        = `[+−-]?\d[\d.,]*( %| points)`
	says        = regexp.MustCompile(`(slower|faster|costs|cost|returns|gains|gain|change of|itself)\b[^.]{0,60}?` + size + `|` + size + `[^.]{0,40}?(slower|faster|returns)`)
	known       = regexp.MustCompile(`interval|\[[^\]]*\d|by [−\d.]+ to |cost [−\d.]+ to |between [−\d.]+ and |at most |[Yy]our margin|smaller than|within your`)
	ofHowMany   = regexp.MustCompile(`\d (complete )?(round|trial|run)s?\b|[Yy]our margin`)
)

// bareSentence finds a sentence that says by how much something differs, and neither how
// well that is known nor from how many rounds.
func bareSentence(text string) []string {
	var found []string
	for _, s := range sentenceEnd.Split(text, -1) {
		if !says.MatchString(s) {
			continue
		}
		if !known.MatchString(s) {
			found = append(found, fmt.Sprintf("no interval in %q", s))
		}
		if !ofHowMany.MatchString(s) {
			found = append(found, fmt.Sprintf("how many rounds in %q", s))
		}
	}
	return found
}

func TestNoBareDifferenceInSentences(t *testing.T) {
	walked := walked(t)
	for name, doc := range walked {
		said := append(append([]string{}, doc.Headline...), doc.Warnings...)
		for _, s := range section.Sections() {
			if s.IsShownIn(doc) {
				said = append(said, s.Sentence(doc))
			}
		}
		for _, n := range doc.Next {
			said = append(said, n.Do, n.Why)
		}
		for _, text := range said {
			for _, f := range bareSentence(text) {
				t.Errorf("%s: %s", name, f)
			}
		}
	}
	for _, after := range []string{"layers", "starved"} {
		s := sessions(t, "demo", after)
		for _, c := range s.Contrasts {
			for _, f := range bareSentence(c.Sentence) {
				t.Errorf("two runs: %s", f)
			}
		}
		for _, g := range s.Gates {
			if !known.MatchString(g.Reason) {
				t.Errorf("a gate without an interval: %s", g.Reason)
			}
		}
	}
	// One round claims nothing, and says that it has no interval.
	one := strings.Join(walked["one round of demo"].Headline, " ")
	if !strings.Contains(one, "without an interval") || !strings.Contains(one, "1 complete round") {
		t.Error(one)
	}
	for _, bare := range []string{"pod is 9.8 % slower than bare", "The pod costs 9.8 % (95 % interval 9 to 10)", "Removing only quota returns 6.1 points, 6 rounds"} {
		if len(bareSentence(bare)) == 0 {
			t.Errorf("%q passes", bare)
		}
	}
}
