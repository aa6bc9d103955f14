package summary

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/loadgen/latency"
	"github.com/tarebench/tare/internal/record"
)

// TestNoTwoLines: statements with the same SQL are one line, and the shortened SQL of different ones differs.
func TestNoTwoLines(t *testing.T) {
	var r Summary
	for i, sql := range []string{
		"SELECT `c` FROM `sbtest1` WHERE `id` = ?",
		"SELECT `c` FROM `sbtest2` WHERE `id` = ?",
		"SELECT `c` FROM `sbtest1`\nWHERE `id` = ?",
		"SELECT `c` FROM `sbtest1` WHERE `id` BETWEEN ? AND ? ORDER BY `c`",
		"SELECT `c` FROM `sbtest1` WHERE `id` BETWEEN ? AND ? ORDER BY `pad`",
		"SELECT `a_long_column`, `another_long_column` FROM `t` WHERE `first` = ? AND `a_long_column` BETWEEN ? AND ?",
		"SELECT `a_long_column`, `another_long_column` FROM `t` WHERE `other` = ? AND `a_long_column` BETWEEN ? AND ?",
		strings.Repeat("INSERT ", 42) + "...",
		strings.Repeat("INSERT ", 42) + "...",
	} {
		h := latency.New()
		h.Record(int64(i+1) * 1_000_000)
		r.Statements = append(r.Statements, Statement{fmt.Sprintf("kind_%d", i+1), sql, exported(h)})
	}
	var out strings.Builder
	r.statements(&out)
	seen := map[string]bool{}
	var labels []string
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[1:] {
		label, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if seen[label] {
			t.Errorf("two lines are %q", label)
		}
		seen[label], labels = true, append(labels, label)
	}
	want := []string{
		"SELECT `c` FROM `sbtest1` WHERE `id` = ?",
		"SELECT `c` FROM `sbtest2` WHERE `id` = ?",
		"SELECT `c` FROM `sbtest1` WH...WEEN ? AND ? ORDER BY `c`",
		"SELECT `c` FROM `sbtest1` WH...EN ? AND ? ORDER BY `pad`",
		"SELECT `a_long_column`, `ano... (kind_6)",
		"SELECT `a_long_column`, `ano... (kind_7)",
		"INSERT INSERT INSERT INSERT ... (kind_8)",
		"INSERT INSERT INSERT INSERT ... (kind_9)",
	}
	if len(labels) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(labels), len(want), out.String())
	}
	for i := range want {
		if labels[i] != want[i] {
			t.Errorf("line %d is %q, want %q", i+1, labels[i], want[i])
		}
	}
	if first := r.labelled()[0]; first.Histogram.Total() != 2 || first.SumNS < 3.9e6 || first.SumNS > 4.1e6 {
		t.Errorf("the first and the third statement together: %d, %v ns", first.Histogram.Total(), first.SumNS)
	}
	if r.Statements[0].Histogram.Total() != 1 {
		t.Error("printing changes the figures")
	}
	parts := r.labelledParts([]record.SlowestPart{{Name: "kind_1", AllNS: 1, SlowNS: 2}, {Name: "between", AllNS: 5}, {Name: "kind_3", AllNS: 3, SlowNS: 4}})
	if len(parts) != 2 || parts[0].AllNS != 4 || parts[0].SlowNS != 6 || parts[1].Name != "between" {
		t.Errorf("%+v", parts)
	}
}
