package report_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// Nothing that was measured is missing from the calendar, in the order of its execution,
// and every disturbed trial is counted once, however many gates saw it.
func TestCalendarHasEveryMeasurement(t *testing.T) {
	for _, name := range names() {
		run, err := record.Open(filepath.Join("testdata", "runs", name))
		if err != nil {
			t.Fatal(err)
		}
		doc := open(t, name)
		want, aside := len(run.Trials), 0
		for _, v := range run.Voids {
			aside += len(v.Trials)
		}
		if run.Imported != nil {
			want = 0 // its order is not known
		}
		if len(doc.Attempts) != want+aside {
			t.Errorf("%s: %d attempts, want %d", name, len(doc.Attempts), want+aside)
		}
		for i, a := range doc.Attempts {
			if a.SetAside {
				aside--
			}
			if i > 0 && a.Started.Before(*doc.Attempts[i-1].Started) {
				t.Errorf("%s: attempt %d began before the one above it", name, i)
			}
		}
		if aside != 0 {
			t.Errorf("%s: %d measurements that were set aside are missing", name, aside)
		}
	}
}

func TestCalendarOfVoids(t *testing.T) {
	doc := open(t, "voids")
	voids := map[string]int{}
	for _, a := range doc.Arms {
		voids[a.Name] = a.Voids
	}
	if diff := cmp.Diff(map[string]int{"bare": 2, "besteffort": 2, "guaranteed": 0}, voids); diff != "" {
		t.Error(diff)
	}
	var passes []string
	for _, p := range doc.Passes() {
		passes = append(passes, fmt.Sprint(p[0].Round, p[0].SetAside))
	}
	if want := "1 false, 2 false, 3 true, 4 false, 5 true, 6 false, 7 false, 8 false, 3 false, 5 false"; strings.Join(passes, ", ") != want {
		t.Errorf("passes %s, want %s", strings.Join(passes, ", "), want)
	}
	for _, want := range []string{"30 trials ran", "bare 2 times (CPU steal 1, other processes 1)", "besteffort 2 times", "2 rounds were excluded and repeated", "1 disturbed round counts as measured"} {
		if s := sectionOf("calendar").Sentence(doc); !strings.Contains(s, want) {
			t.Errorf("%q lacks %q", s, want)
		}
	}
	// Counts by arm and cause add up, in the table as in the sentence.
	for _, row := range sectionOf("calendar").Tables(doc)[0].Rows {
		gates := 0
		for _, c := range row[3:8] {
			var n int
			if _, err := fmt.Sscan(c.Text, &n); err != nil {
				t.Fatal(err)
			}
			gates += n
		}
		if fmt.Sprint(gates) != row[2].Text { // one gate a trial in this run
			t.Errorf("%v: %d by gate", row, gates)
		}
	}
	if s := sectionOf("calendar").Sentence(open(t, "demo")); !strings.Contains(s, "none was excluded") {
		t.Errorf("%q", s)
	}
	// A trial that failed takes its round out; one that was cut off is done again.
	if s := sectionOf("calendar").Sentence(open(t, "unfinished")); strings.Contains(s, "cut off") {
		t.Errorf("%q", s)
	}
}

// TestRoundsRunAgain: a round is run again once, also if one of its trials had failed and was measured
// after the others.
func TestRoundsRunAgain(t *testing.T) {
	doc := report.Document{Attempts: []report.Attempt{
		{Trial: 5, Round: 2, Slot: 2, SetAside: true}, {Trial: 6, Round: 2, Slot: 3, SetAside: true}, {Trial: 7, Round: 3, Slot: 1},
		{Trial: 4, Round: 2, Slot: 1, SetAside: true}, {Trial: 4, Round: 2, Slot: 1, SetAside: true}, {Trial: 5, Round: 2, Slot: 2, SetAside: true},
		{Trial: 9, Round: 4, Slot: 1, SetAside: true}, {Trial: 9, Round: 4, Slot: 1}, {Trial: 4, Round: 2, Slot: 1},
	}}
	if n := doc.SetAside(); n != 3 { // round 2 twice, round 4 once
		t.Errorf("%d rounds were run again", n)
	}
}
