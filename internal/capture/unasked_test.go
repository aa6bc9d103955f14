package capture

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// slowEntries is a slow log of statements of connection 8, with rows that each returned.
func slowEntries(banner string, rows int, affected bool, statements ...string) string {
	var b strings.Builder
	b.WriteString(banner + "Tcp port: 3306  Unix socket: /run/mysqld.sock\nTime                 Id Command    Argument\n")
	for n, s := range statements {
		more := ""
		if affected {
			more = "\n# Rows_affected: 1  Bytes_sent: 52"
		}
		fmt.Fprintf(&b, "# Time: 2026-11-23T10:00:%02d.%06dZ\n# User@Host: app[app] @ localhost []  Id:     8\n# Query_time: 0.005000  Lock_time: 0.000000 Rows_sent: %d  Rows_examined: %d%s\nuse shop;\nSET timestamp=1;\n%s;\n",
			n/1000, n%1000*1000, rows, rows, more, s)
	}
	return b.String()
}

const mysqlBanner = "/usr/sbin/mysqld, Version: 8.4.6 (MySQL Community Server). started with:\n"

// TestNoServerAsked: a log without a server has the range of whole numbers, rounded, and the skew; what the rest is and what
// gives it is said.
func TestNoServerAsked(t *testing.T) {
	var statements []string
	for n := range 2000 {
		id := 1 + n*7919%10000
		statements = append(statements, fmt.Sprintf("SELECT c FROM t WHERE id BETWEEN %d AND %d", id, id+99),
			fmt.Sprintf("UPDATE t SET k = k + 1 WHERE id = %d", 123456787+n%5), fmt.Sprintf("SELECT c FROM t WHERE name = 'canary%d'", n))
	}
	seen, err := ReadLog(strings.NewReader(slowEntries(mysqlBanner, 100, false, statements...)), "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(d.File.Marshal())
	for _, want := range []string{"uniform: {from: 1, to: 10000}", "plus: 99}", "zipf: {from: 123000000, to: 124000000, exponent: ", "rounded to 3 digits", "log_slow_extra=ON"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing of %q in\n%s", want, text)
		}
	}
	for _, literal := range []string{"123456", "canary"} {
		if strings.Contains(text, literal) {
			t.Errorf("the literal %s is in\n%s", literal, text)
		}
	}
	if !slices.Contains(d.Notes, unaskedNote) {
		t.Errorf("the notes are %q", d.Notes)
	}
}

// TestAdviceByProduct: MariaDB has no log_slow_extra, and a log with the rows that were written needs none.
func TestAdviceByProduct(t *testing.T) {
	for _, c := range []struct {
		banner   string
		affected bool
		advised  bool
	}{
		{mysqlBanner, false, true}, {"", false, true}, {"", true, false},
		{"/usr/sbin/mariadbd, Version: 10.11.19-MariaDB-0+deb12u1-log (Debian 12). started with:\n", true, false},
		{"/usr/sbin/mysqld, Version: 5.5.68-MariaDB (MariaDB Server). started with:\n", false, false},
	} {
		seen, err := ReadLog(strings.NewReader(slowEntries(c.banner, 1, c.affected, "UPDATE t SET k = 1 WHERE id = 5", "UPDATE t SET k = 1 WHERE id = 6")), "")
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(seen.Notes, "\n"); strings.Contains(notes, "log_slow_extra") != c.advised || !strings.Contains(notes, "All are in it if that is 0") {
			t.Errorf("%+v: %s", c, notes)
		}
	}
}

// TestRoundedDown: the ends of a range have three digits at most, and hold the range.
func TestRoundedDown(t *testing.T) {
	for n, want := range map[int64]int64{0: 0, 1: 1, 999: 999, 1001: 1000, 10000: 10000, 13800138000: 13800000000, -1001: -1010, -999: -999, math.MaxInt64: 9220000000000000000, -10000: -10000} {
		if got := roundedDown(n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}

// TestWidth: a range has as many numbers as the statement returns rows, and one more only where ranges were cut off at the
// end of the table.
func TestWidth(t *testing.T) {
	c := &column{name: "id", kind: "int", low: 1, high: 10000, ranged: true}
	d := &drawer{schema: schema{"t": &table{name: "t", rows: 10000, columns: []*column{c}, indexes: map[string]*index{"PRIMARY": {unique: true, columns: []string{"id"}}}}}}
	for rows, want := range map[float64]int64{100: 100, 99.97: 100, 99.5: 100, 10: 10, 9.995: 10, 950.3: 1000, 950: 950, 1: 1} {
		s := Statement{}
		s.Count, s.RowsSent, s.RowsExamined = 1000, 1000*rows, 1000*rows
		if got := d.width(c, "t", s); got != want {
			t.Errorf("%v rows: %d numbers, want %d", rows, got, want)
		}
	}
}

// TestUncutRanges: in a small table, where ranges of 101 rows that are cut off at its end have 100 rows in the mean, ranges
// that have exactly 100 rows are of 100 numbers, and all begin where the table has as many.
func TestUncutRanges(t *testing.T) {
	c := &column{name: "id", kind: "int", low: 1, high: 5000, ranged: true}
	tables := schema{"t": &table{name: "t", rows: 5000, columns: []*column{c}, indexes: map[string]*index{"PRIMARY": {unique: true, columns: []string{"id"}}}}}
	for sent, want := range map[float64][2]int64{27000: {99, 4901}, 26996: {100, 5000}} {
		d := &drawer{schema: tables, assumed: map[string]bool{}, open: map[string]opened{}}
		s, p := Statement{}, slot{table: "t", column: "id"}
		s.Count, s.RowsSent, s.RowsExamined = 270, sent, sent
		d.lower(c, "t.id", p, s)
		upper, low := d.upper(c, "t.id", p, s), d.values[0].Value.Uniform
		if got := [2]int64{upper.From.Plus.Value, low.To.Value}; got != want {
			t.Errorf("%v rows in 270 executions: %v, want %v", sent, got, want)
		}
	}
}

// TestNameOfComposed: a transaction that is made up from counts has the name that it has where its order was seen,
// whatever the order of the counts.
func TestNameOfComposed(t *testing.T) {
	for _, writes := range [][]string{
		{"DELETE FROM `sbtest1` WHERE `id` = ?", "INSERT INTO `sbtest1` (`id`) VALUES (?)", "UPDATE `sbtest1` SET `k` = `k` + ? WHERE `id` = ?"},
		{"INSERT INTO `sbtest1` (`id`) VALUES (?)", "UPDATE `sbtest1` SET `k` = `k` + ? WHERE `id` = ?", "DELETE FROM `sbtest1` WHERE `id` = ?"},
	} {
		seen := simulated(append(writes, "COMMIT")...)
		for i := range seen.Statements {
			seen.Statements[i].Count = 1000
		}
		d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Kinds) != 1 || d.Kinds[0].Name != "update_sbtest" {
			t.Errorf("%q: %v", writes, d.Kinds)
		}
	}
}

// TestNoteOfPatterns: the user is told which share of the load compares with a pattern that may select nothing.
func TestNoteOfPatterns(t *testing.T) {
	seen, err := ReadLog(strings.NewReader(slowEntries(mysqlBanner, 1, true, "SELECT id FROM t WHERE name LIKE 'n4%'", "SELECT id FROM t WHERE id = 6", "SELECT id FROM t WHERE id = 7", "SELECT id FROM t WHERE id = 8")), "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, `LIKE compares with "a%" in 25.0 % of the transactions`) || !strings.Contains(notes, "selects no row") {
		t.Error(notes)
	}
}
