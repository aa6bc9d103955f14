package capture

// This file tests that the heading of an entry in a quoted text or a comment does not split a statement where that can
// be known, and that the statement is counted as not read where it cannot.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnclosed(t *testing.T) {
	for text, want := range map[string]unclosed{
		"":                               0,
		"SELECT 'a":                      '\'',
		"SELECT 'a''b":                   '\'',
		`SELECT 'a\'`:                    '\'',
		"SELECT 'a' \"":                  '"',
		"SELECT `a":                      '`',
		"SELECT `a\\`":                   0,
		"SELECT 1 -- it's\n":             0,
		"SELECT 1 --it's":                '\'',
		"SELECT 1 # it's\n, 'b":          '\'',
		"SELECT /* it's":                 inComment,
		"SELECT /* it's */ 1, '/*":       '\'',
		"SELECT '-- \n# \n', \"/* \", `": '`',
	} {
		var got unclosed
		for _, line := range strings.Split(text, "\n") {
			got = got.after(line)
		}
		if got != want {
			t.Errorf("%q: %q is open, want %q", text, string(rune(got)), string(rune(want)))
		}
	}
}

// heading is one of an entry at a second, as MySQL writes it.
func heading(second int) string {
	return fmt.Sprintf("# Time: 2026-03-04T10:00:%02d.000000Z\n# User@Host: app[app] @ web-1 [10.0.0.7]  Id:    11\n# Query_time: 0.003000  Lock_time: 0.000002 Rows_sent: 1  Rows_examined: 1\n", second)
}

// TestHeadingsInStatements: a table of notes is written whose rows are parts of slow logs.
func TestHeadingsInStatements(t *testing.T) {
	const read, note = "SELECT `a` FROM `t` WHERE `id` = ?", "INSERT INTO `note` (`text`) VALUES (?)"
	log := func(statement string) string {
		return heading(1) + "use shop;\nSET timestamp=1772618400;\nSELECT a FROM t WHERE id = 1;\n" + heading(5) + "SET timestamp=1772618404;\n" + statement + heading(9) + "SET timestamp=1772618408;\nSELECT a FROM t WHERE id = 2;\n"
	}
	inQuotes := strings.TrimSuffix(heading(3), "\n")
	for name, c := range map[string]struct {
		statement string
		counts    map[string]float64
		unread    float64
	}{
		"in a literal":                  {"INSERT INTO note (text) VALUES ('it said\n" + inQuotes + "');\n", map[string]float64{read: 2, note: 1}, 0},
		"in double quotes":              {"INSERT INTO note (text) VALUES (\"it said\n" + heading(3) + "\");\n", map[string]float64{read: 2, note: 1}, 0},
		"in a comment":                  {"/* from\n" + heading(3) + "*/ INSERT INTO note (text) VALUES ('a');\n", map[string]float64{read: 2, note: 1}, 0},
		"a banner in a literal":         {"INSERT INTO note (text) VALUES ('\n" + banner + "');\n", map[string]float64{read: 2, note: 1}, 0},
		"a whole entry in a literal":    {"INSERT INTO note (text) VALUES ('SELECT 1;\n" + heading(3) + "');\n", map[string]float64{read: 2}, 2},
		"cut off by a collector":        {"INSERT INTO note (text) VALUES ('it sa\n", map[string]float64{read: 1}, 2},
		"a statement that never closed": {"INSERT INTO note (text) VALUES ('it said);\n", map[string]float64{read: 2}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			seen, err := ReadLog(strings.NewReader(log(c.statement)), "shop")
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]float64{}
			for _, s := range seen.Statements {
				if verbOfText(s.Text) == work {
					got[s.Text] = s.Count
				}
			}
			if d := cmp.Diff(c.counts, got); d != "" || seen.Uncounted.Count != c.unread {
				t.Errorf("%s; %v statements not read, want %v", d, seen.Uncounted.Count, c.unread)
			}
		})
	}
}
