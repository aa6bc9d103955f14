package file

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/experiment"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// TestMarshal: a file that uses every field is read, written and read as the same.
func TestMarshal(t *testing.T) {
	text, err := os.ReadFile("testdata/good/every.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w, err := Parse("every.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	w.Comments = []string{"Written by a test.", ""}
	w.Tables[0].Comments = []string{"The table\nof orders."}
	w.Transactions[0].Comments = []string{"70 % of all transactions."}
	w.Transactions[0].Statements[0].Comments = []string{"by primary key \x00\u2028no: line"}
	out := w.Marshal()
	golden(t, "testdata/good/every.golden", string(out))
	again, err := Parse("every.yaml", out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := same(w, again); diff != "" {
		t.Error(diff)
	}
}

// TestBadInput: each mistake is named with its place and what to write, all of a file at
// once.
func TestBadInput(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata/bad/*.yaml", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Parse(filepath.Base(file), text)
		var problems experiment.Problems
		if !errors.As(err, &problems) {
			t.Fatalf("%s: error is %T (%v), not Problems", file, err, err)
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".txt", err.Error()+"\n")
	}
}

func TestRead(t *testing.T) {
	if _, err := Read("testdata/good/every.yaml"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"testdata/missing.yaml", "testdata"} {
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Read(%q): %v", name, err)
		}
	}
}

func TestClassify(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT 1":                                         ClassRead,
		"select id from t for update":                      ClassRead,
		"(SELECT 1) UNION (SELECT 2)":                      ClassRead,
		"/* app */ -- x\n SELECT 1":                        ClassRead,
		"/*!80000 INSERT */ INTO t ()":                     ClassWrite,
		"SHOW TABLES":                                      ClassRead,
		"UPDATE t SET a = 1":                               ClassWrite,
		"INSERT INTO t SELECT * FROM u":                    ClassWrite,
		"WITH a AS (SELECT 1) SELECT * FROM a":             ClassRead,
		"WITH a AS (SELECT 1) UPDATE t, a SET t.x = 1":     ClassWrite,
		"WITH RECURSIVE a (n) AS (SELECT 1) DELETE FROM t": ClassWrite,
		"CALL p()":    ClassWrite,
		"SET @a = 1":  ClassOther,
		"BEGIN":       ClassOther,
		"COMMIT":      ClassOther,
		"DO SLEEP(1)": ClassOther,
		"":            ClassOther,
		"'SELECT'":    ClassOther,
	} {
		if got := Classify(sql); got != want {
			t.Errorf("Classify(%q) = %s, want %s", sql, got, want)
		}
	}
}

// TestParameters: question marks in strings, names and comments are none.
func TestParameters(t *testing.T) {
	for sql, want := range map[string]int{
		"SELECT ?":                                   1,
		"SELECT '?', \"?\", `?`, ? -- ?\n, ?":        2,
		`SELECT 'a\'?', 'b''?', ?`:                   1,
		"SELECT ? # ?":                               1,
		"SELECT /* ? */ ? /*! , ? */":                2,
		"SELECT 1--?":                                1,
		"SELECT '?":                                  0,
		"SELECT a->'$.x' FROM t WHERE j->>'$.y' = ?": 1,
	} {
		marks := Parameters(sql)
		if len(marks) != want {
			t.Errorf("%q: %v, want %d", sql, marks, want)
		}
		for _, at := range marks {
			if sql[at] != '?' {
				t.Errorf("%q: offset %d is %q", sql, at, sql[at])
			}
		}
	}
}

func TestUnprepared(t *testing.T) {
	for sql, want := range map[string]bool{"BEGIN": true, "START TRANSACTION READ ONLY": true, "ROLLBACK": true, "COMMIT": false, "SELECT 1": false, "LOCK TABLES t READ": true} {
		if got := Unprepared(sql); got != want {
			t.Errorf("Unprepared(%q) = %v", sql, got)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]string{
		"10": "10", "-3": "-3", "0.99": "0.99", "-0.05": "-0.05", "1_000": "1000", "1e6": "1000000", "1.5e1": "15", "12.50": "12.50", "0.000": "0.000",
		"999999999999999999": "999999999999999999", "-9223372036854775808": "-9223372036854775808",
	} {
		var n Number
		if err := n.UnmarshalText([]byte(text)); err != nil || n.String() != want {
			t.Errorf("%s: %s, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "x", "1.", ".5", "1e", "1e-3", "1e19", "9223372036854775808", "1.2.3", "1.-2", "0x10", "1.0000000000000000001"} {
		var n Number
		if err := n.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %s", text, n)
		}
	}
}

// TestSpan: neither the ends of int64 nor different numbers of decimals overflow.
func TestSpan(t *testing.T) {
	for _, c := range []struct {
		from, to Number
		want     int64
	}{
		{Number{1, 0}, Number{10, 0}, 10}, {Number{-5, 0}, Number{5, 0}, 11}, {Number{99, 2}, Number{1, 0}, 2},
		{Number{5, 0}, Number{4, 0}, 0}, {Number{-1 << 63, 0}, Number{1<<63 - 1, 0}, -1}, {Number{1, 18}, Number{10, 0}, -1},
	} {
		if n, ok := Span(c.from, c.to); ok != (c.want >= 0) || ok && n != c.want {
			t.Errorf("Span(%s, %s) = %d, %v", c.from, c.to, n, ok)
		}
	}
}
