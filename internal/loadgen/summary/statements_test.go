package summary

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/loadgen/latency"
)

// TestStatementsText: statements without a name of their own are printed by their SQL, and of many those that took the
// most time, with the share of the others.
func TestStatementsText(t *testing.T) {
	var r Summary
	for i := range 24 {
		h := latency.New()
		h.Record(int64(i+1) * 1_000_000)
		r.Statements = append(r.Statements, Statement{fmt.Sprintf("order_new_%d", i+1), fmt.Sprintf("SELECT c%d,\n  name FROM item WHERE id = ? AND district = ? AND warehouse = ?", i+1), exported(h)})
	}
	r.Statements[23].Name = "commit"
	var out strings.Builder
	r.statements(&out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 22 || !strings.HasPrefix(lines[1], "    commit   ") || !strings.HasPrefix(lines[2], "    SELECT c23, name FROM item WHERE id = ? AND district ... ") {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
	// 1 + 2 + 3 + 4 of 1 + ... + 24 ms.
	if last := lines[21]; last != "    4 more took 3.3 % of the time of all statements; --report-json has them" {
		t.Error(last)
	}
	if strings.Contains(out.String(), "order_new") {
		t.Errorf("a number is printed for a name:\n%s", out.String())
	}
}

// TestStatementLongerThanAnyTransaction: a statement of a transaction that is not counted can be the longest, which a
// line says; else there is no line.
func TestStatementLongerThanAnyTransaction(t *testing.T) {
	const said = "was not complete within the window"
	for took, want := range map[int64]bool{5_000_000: true, 1_000_000: false} {
		transactions, statements := latency.New(), latency.New()
		transactions.Record(2_000_000)
		statements.Record(took)
		r := Summary{Latency: exported(transactions), Statements: []Statement{{"commit", "COMMIT", exported(statements)}}}
		var out strings.Builder
		if r.statements(&out); strings.Contains(out.String(), said) != want {
			t.Errorf("a statement of %d ns:\n%s", took, out.String())
		}
	}
}
