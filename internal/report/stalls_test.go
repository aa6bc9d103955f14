package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// TestStallsSection: how many, for how long, and what moved of which member.
func TestStallsSection(t *testing.T) {
	doc := reopen(t, "demo")
	s := sectionOf("stalls")
	if s.Shown(doc) {
		t.Error("there is no stall, and there is a section")
	}
	report.SetStalls(doc, []compare.Stall{
		{Arm: "pod\xff", Threads: 8, Trial: 3, Start: 10, Seconds: 2, Median: 900, Moved: []compare.Moved{{Metric: record.Metric{Name: "tcp.timeouts", Unit: "1"}, Member: 2, Rate: 40}}},
		{Arm: "pod\xff", Threads: 8, Trial: 4, Start: 3, Seconds: 1, Median: 900},
	})
	if err := schema(t).Validate(any(jsonValue(t, doc))); err != nil {
		t.Error(err)
	}
	if said := s.Sentence(doc); !strings.HasPrefix(said, "2 stalls with less than 10 % of the median throughput: pod") || !strings.Contains(said, " 2 (3.0 s).") {
		t.Error(said)
	}
	tables := s.Tables(doc)
	if len(tables) != 1 || len(tables[0].Rows) != 2 || tables[0].Rows[0][5].Text != "member 2: tcp.timeouts 40.0/s, otherwise at most 0.0/s" || tables[0].Rows[1][5].Text != "no counter rose above its other rates" {
		t.Errorf("%+v", tables)
	}
	for _, l := range language.All() {
		if said := s.Sentence(doc.InLanguage(l)); strings.ContainsAny(said, "{}") {
			t.Errorf("%s: %q has an empty slot", l.Tag, said)
		}
	}
}

// TestManyStalls: an arm with many stalls is counted whole, and none is left out for the stalls of another.
func TestManyStalls(t *testing.T) {
	doc := reopen(t, "demo")
	var all []compare.Stall
	for arm, n := range map[string]int{"bare": 150, "pod": 500} {
		for range n {
			all = append(all, compare.Stall{Arm: arm, Threads: 8, Seconds: 1, Median: 900})
		}
	}
	slices.SortFunc(all, func(a, b compare.Stall) int { return strings.Compare(a.Arm, b.Arm) })
	report.SetStalls(doc, all)
	if err := schema(t).Validate(any(jsonValue(t, doc))); err != nil {
		t.Error(err)
	}
	s := sectionOf("stalls")
	if said := s.Sentence(doc); !strings.HasPrefix(said, "650 stalls with") || !strings.Contains(said, " 150 (150.0 s)") || !strings.Contains(said, " 500 (500.0 s). The first 100 of each arm are listed.") {
		t.Error(said)
	}
	if n := len(s.Tables(doc)[0].Rows); n != 200 {
		t.Errorf("%d rows", n)
	}
}
