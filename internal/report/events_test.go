package report_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/text"
)

func faulted() *compare.Result {
	known := func(mean, lo, hi float64) compare.Estimate {
		return compare.Estimate{Mean: mean, Interval: &compare.Interval{Lo: lo, Hi: hi}, Trials: 3}
	}
	return &compare.Result{
		Events: []compare.Event{
			{Arm: "group", Threads: 8, Number: 1, Kind: "kill", Named: "primary", At: 30, Trials: 3, Lost: known(41, 35, 47), Without: known(6.2, 5.1, 7.3), Promoted: known(5.8, 5, 6.6),
				Primaries: []compare.Succession{{Before: 1, After: 2, Trials: 2}, {Before: 1, After: 3, Trials: 1}}},
			{Arm: "async\xff", Threads: 8, Number: 1, Kind: "pause", Named: "2", At: 10.5, For: 5, Trials: 1, Lost: compare.Estimate{Mean: 3, Trials: 1}, Without: compare.Estimate{Mean: 0, Trials: 1},
				NotPromoted: 1, WhyNot: "promote member 2: apply the relay log"},
			{Arm: "async\xff", Threads: 8, Number: 2, Kind: "cutOff", Named: "secondary", At: 20, For: 5, Trials: 1, Failed: "no secondary is running"},
		},
		Ledgers: []compare.Ledger{
			{Arm: "group", Threads: 8, Trials: 3, Acknowledged: 123456, Members: []compare.LedgerMember{
				{Number: 1, Left: "it was killed"}, {Number: 2, Compared: 3, Whole: 3, Unanswered: 4}, {Number: 3, Compared: 3, Whole: 3}}},
			{Arm: "async\xff", Threads: 8, Trials: 1, Acknowledged: 900, Members: []compare.LedgerMember{
				{Number: 1, Compared: 1, Whole: 1}, {Number: 2, Compared: 1, Lost: 17, Doubled: 1, Examples: "lost: 1#3\xff", Balances: "1 accounts"}}},
			{Arm: "gone", Threads: 8, Trials: 1, Acknowledged: 5, Members: []compare.LedgerMember{{Number: 1, Left: "it was killed"}}},
		},
	}
}

// TestEventsSection: what each fault cost with its intervals, who became the primary, and
// whether a write was lost, in every view.
func TestEventsSection(t *testing.T) {
	doc := reopen(t, "demo")
	report.SetEvents(doc, faulted())
	if err := schema(t).Validate(any(jsonValue(t, doc))); err != nil {
		t.Error(err)
	}
	s := sectionOf("faults")
	said := s.Sentence(doc)
	for _, want := range []string{
		"killed: primary at 30 s: 41 (35 to 47) % of the throughput was lost, with 6.2 (5.1 to 7.3) s without service.",
		"Primary before and after: 1 to 2 (2 trials), 1 to 3 (1 trial); a new primary was promoted after 5.8 (5.0 to 6.6) s.",
		"paused: member 2 at 10.5 s: 3 % of the throughput was lost, with less than 0.2 s without service. The primary did not change.",
		"paused: member 2 at 10.5 s: an automatic failover failed in 1 trial: promote member 2: apply the relay log.",
		"cut off: secondary at 20 s: no figures: no secondary is running.",
		"no acknowledged write was lost or duplicated on any member that was compared (123,456 writes in 3 trials). Not compared in every trial, because they were not members at the end: 1.",
		"acknowledged writes were lost or changed: member 2: 17 lost, 1 duplicated, 0 never sent (900 acknowledged writes in 1 trial).",
		"gone: no member could be compared with the 5 acknowledged writes of 1 trial.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	if tables := s.Tables(doc); len(tables) != 2 || len(tables[0].Rows) != 3 || len(tables[1].Rows) != 6 {
		t.Errorf("tables: %+v", tables)
	}
	for _, l := range language.All() {
		if said := s.Sentence(doc.InLanguage(l)); strings.ContainsAny(said, "{}") {
			t.Errorf("%s: %q has an empty slot", l.Tag, said)
		}
	}
	var terminal, comment bytes.Buffer
	if err := text.Write(&terminal, doc, text.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if err := markdown.Write(&comment, doc); err != nil {
		t.Fatal(err)
	}
	for name, view := range map[string]string{"text": terminal.String(), "Markdown": comment.String()} {
		if joined := strings.Join(strings.Fields(view), " "); !strings.Contains(joined, "member 2: 17 lost") || !strings.Contains(joined, "an automatic failover failed in 1 trial") {
			t.Errorf("%s does not say what was lost, or that a failover failed", name)
		}
	}
	if s.IsShownIn(reopen(t, "demo")) {
		t.Error("nothing happened to members, and there is a section")
	}
}

// TestDatabaseDoesNotComeBack: the time in which it did not is said, and the figures are "at least" it.
func TestDatabaseDoesNotComeBack(t *testing.T) {
	doc := reopen(t, "demo")
	report.SetEvents(doc, &compare.Result{Events: []compare.Event{
		{Arm: "alone", Threads: 8, Number: 1, Kind: "kill", Named: "server", At: 10, Trials: 6, Unserved: 6, AtLeast: 19.96},
		{Arm: "group", Threads: 8, Number: 1, Kind: "kill", Named: "primary", At: 10, Trials: 6, Unserved: 6, AtLeast: 20, Lost: compare.Estimate{Mean: 100, Trials: 6}, Primaries: []compare.Succession{{Before: 1, After: 1, Trials: 6}}},
	}})
	if err := schema(t).Validate(any(jsonValue(t, doc))); err != nil {
		t.Error(err)
	}
	s := sectionOf("faults")
	said := s.Sentence(doc)
	for _, want := range []string{
		"server at 10 s: in 6 of 6 trials the database did not come back within 20.0 s, when the next event began or the window ended.",
		"100 % of the throughput was lost, with at least 20.0 s without service.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	var rows []string
	for _, table := range s.TablesIn(doc) {
		for _, row := range table.Rows {
			for _, cell := range row {
				rows = append(rows, cell.Text)
			}
		}
	}
	for _, want := range []string{"at least 19.96", "at least 20.00"} {
		if !slices.Contains(rows, want) {
			t.Errorf("%q lacks %q", rows, want)
		}
	}
}

// TestEventFailedInSomeTrials: the figures are of the trials in which it was carried out, and who became the
// primary is said although nobody measured after what time.
func TestEventFailedInSomeTrials(t *testing.T) {
	doc := reopen(t, "demo")
	report.SetEvents(doc, &compare.Result{Events: []compare.Event{{Arm: "a", Threads: 8, Number: 1, Kind: "kill", Named: "primary", At: 10, Trials: 8, Failed: "no primary is running",
		Lost: compare.Estimate{Mean: 40, Trials: 5}, Without: compare.Estimate{Mean: 3, Trials: 5}, Primaries: []compare.Succession{{Before: 1, After: 2, Trials: 5}}}}})
	s := sectionOf("faults")
	said := s.Sentence(doc)
	for _, want := range []string{"Primary before and after: 1 to 2 (5 trials).", "in some trials the event could not be carried out: no primary is running. The figures are of 5 of 8 trials."} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	if strings.Contains(said, "did not change") || s.TablesIn(doc)[0].Rows[0][2].Text != "5/8" {
		t.Errorf("%q; %v", said, s.TablesIn(doc)[0].Rows[0])
	}
}

// TestEventsOfOneArm: what the events cost is the answer of a run with one arm, at the top, and nothing is said that needs
// another arm or a second member.
func TestEventsOfOneArm(t *testing.T) {
	doc := reopen(t, "demo")
	estimate := compare.Estimate{Mean: 1.7, Interval: &compare.Interval{Lo: 1.5, Hi: 1.9}, Trials: 3}
	report.SetEvents(doc, &compare.Result{
		Events: []compare.Event{{Arm: "bare", Threads: 8, Number: 1, Kind: "kill", Named: "server", At: 10, Trials: 3, Lost: estimate, Without: estimate,
			Figures: []compare.EventFigure{{Name: compare.WithoutService, Estimate: estimate}}}},
		Ledgers: []compare.Ledger{{Arm: "bare", Threads: 8, Trials: 3, Acknowledged: 900, Members: []compare.LedgerMember{{Number: 1, Compared: 3, Whole: 3}}}},
	})
	doc.Arms, doc.Contrasts, doc.Headline, doc.Answers, doc.Answer, doc.Attributions = doc.Arms[:1], nil, nil, nil, "", nil
	for _, l := range language.All() {
		var terminal, comment bytes.Buffer
		said := doc.InLanguage(l)
		if err := errors.Join(text.Write(&terminal, said, text.Options{Width: 100}), markdown.Write(&comment, said)); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(terminal.String(), "\n\n\n") {
			t.Errorf("%s: two blank lines:\n%s", l.Tag, terminal.String())
		}
		for where, all := range map[string]string{"text": terminal.String(), "Markdown": comment.String()} {
			answer, arms := strings.Index(all, "1.70"), strings.Index(all, said.Say("text.cgroup"))
			if answer < 0 || arms >= 0 && answer > arms || answer > 600 {
				t.Errorf("%s, %s: the answer is not at the top (%d):\n%s", l.Tag, where, answer, all)
			}
			if n := strings.Count(all, "1.70"); where == "text" && n != 1 {
				t.Errorf("%s: the answer is printed %d times", l.Tag, n)
			}
			if strings.Contains(all, "any member") {
				t.Errorf("%s, %s: one server is no member:\n%s", l.Tag, where, all)
			}
		}
	}
}
