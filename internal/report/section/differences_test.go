package section

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/report"
)

// differing is a document of so many arms and undeclared differences; the first is the
// baseline, and the last has another value than all others.
func differing(arms, undeclared int) *report.Document {
	doc := &report.Document{}
	for i := range arms {
		doc.Arms = append(doc.Arms, report.Arm{Name: fmt.Sprintf("a%d", i), Threads: 8, Baseline: i == 0}, report.Arm{Name: fmt.Sprintf("a%d", i), Threads: 16})
	}
	for k := range undeclared + 1 {
		x := report.Difference{Key: fmt.Sprintf("k%d", k), Values: map[string]string{}, Declared: k == undeclared, Why: "so"}
		for i := range arms {
			x.Values[fmt.Sprintf("a%d", i)] = "on"
		}
		x.Values[fmt.Sprintf("a%d", arms-1)] = "off"
		x.Values["a1"] = ""
		doc.Differences = append(doc.Differences, x)
	}
	return doc
}

// A few arms stand side by side; of many, a row says who has what, so that its height
// does not grow with the arms. What nobody declared is open as long as it is short.
func TestDifferenceTables(t *testing.T) {
	for _, tc := range []struct {
		arms, undeclared int
		open             bool
		head             string
		row              string
	}{
		{3, 1, true, "Setting|a0|a1|a2|Declared|Reason", "k0|on|-|off|no|so"},
		{4, fewDifferences, true, "Setting|a0|a1|a2|a3|Declared|Reason", "k0|on|-|on|off|no|so"},
		{5, fewDifferences + 1, false, "Setting|Values|Declared|Reason", "k0|- in a1; off in a4; on in all others|no|so"},
		{20, 1, true, "Setting|Values|Declared|Reason", "k0|- in a1; off in a19; on in all others|no|so"},
	} {
		doc := differing(tc.arms, tc.undeclared)
		tables := differenceTables(doc)
		if len(tables) != 2 || len(tables[0].Rows) != tc.undeclared || len(tables[1].Rows) != 1 || tables[0].Open != tc.open || tables[1].Open {
			t.Fatalf("%d arms: %+v", tc.arms, tables)
		}
		var row []string
		for _, c := range tables[0].Rows[0] {
			row = append(row, c.Text)
		}
		if d := cmp.Diff([]string{tc.head, tc.row}, []string{strings.Join(tables[0].Head, "|"), strings.Join(row, "|")}); d != "" {
			t.Errorf("%d arms (-want +got): %s", tc.arms, d)
		}
		if strings.Contains(strings.Join(tables[1].Head, "|"), "Declared") {
			t.Errorf("%d arms: all of the second table is declared", tc.arms)
		}
	}
}

// Two arms are named and not called the others, an arm of which nothing was read is
// said to be unknown, and a name with braces stays a name.
func TestWhoHasWhat(t *testing.T) {
	doc := &report.Document{}
	arms := []string{"a", "{value}", "c", "d", "e"}
	for values, want := range map[[5]string]string{
		{"1", "2", "3", "4", "4"}: "1 in a; 2 in {value}; 3 in c; 4 in d, e",
		{"1", "1", "1", "1", "?"}: "unknown in e; 1 in all others",
		{"?", "?", "?", "?", "?"}: "unknown in a, {value}, c, d, e",
	} {
		x := report.Difference{Values: map[string]string{}}
		for i, v := range values {
			if v != "?" {
				x.Values[arms[i]] = v
			}
		}
		if got := whoHasWhat(doc, x, arms); got != want {
			t.Errorf("%v: %q, want %q", values, got, want)
		}
	}
}
