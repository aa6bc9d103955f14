package capture

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/workload/file"
)

// columnsFor is a small dictionary.
func columnsFor() shapeOf {
	tables := map[string][]string{
		"orders": {"o_id", "o_d_id", "o_w_id", "o_c_id", "o_entry_d", "o_ol_cnt", "o_all_local"},
		"t":      {"a", "b", "c"},
		"u":      {"a", "d"},
	}
	return shapeOf{
		list: 3, rows: 2, columns: func(table string) []string { return tables[table] },
		temporal: func(_, column string) bool { return column == "o_entry_d" },
	}
}

// TestExpand: what a digest text leaves out is written again, and every parameter has the
// column that it belongs to.
func TestExpand(t *testing.T) {
	type at = slot
	for _, c := range []struct {
		digest, sql string
		slots       []slot
	}{
		{"SELECT `c` FROM `t` WHERE `a` = ?", "SELECT `c` FROM `t` WHERE `a` = ?", []slot{{role: equal, table: "t", column: "a"}}},
		{"SELECT SUM ( `c` ) FROM `t` WHERE `a` BETWEEN ? AND ?", "SELECT SUM(`c`) FROM `t` WHERE `a` BETWEEN ? AND ?",
			[]slot{{role: low, table: "t", column: "a"}, {role: high, table: "t", column: "a"}}},
		{"SELECT `c` FROM `t` WHERE `a` IN (...) ORDER BY `b` LIMIT ?, ...", "SELECT `c` FROM `t` WHERE `a` IN (?, ?, ?) ORDER BY `b` LIMIT ?, ?",
			[]slot{{role: equal, table: "t", column: "a"}, {role: equal, table: "t", column: "a"}, {role: equal, table: "t", column: "a"}, {role: offset}, {role: limit}}},
		{"INSERT INTO `t` ( `a` , `b` ) VALUES (...) /* , ... */", "INSERT INTO `t` (`a`, `b`) VALUES (?, ?), (?, ?)",
			[]slot{{role: inserted, table: "t", column: "a"}, {role: inserted, table: "t", column: "b"}, {role: inserted, table: "t", column: "a", row: 1}, {role: inserted, table: "t", column: "b", row: 1}}},
		{"INSERT INTO `t` VALUES (...)", "INSERT INTO `t` VALUES (?, ?, ?)",
			[]slot{{role: inserted, table: "t", column: "a"}, {role: inserted, table: "t", column: "b"}, {role: inserted, table: "t", column: "c"}}},
		{"INSERT INTO `u` ( `d` ) VALUES (?) /* , ... */", "INSERT INTO `u` (`d`) VALUES (?), (?)",
			[]slot{{role: inserted, table: "u", column: "d"}, {role: inserted, table: "u", column: "d", row: 1}}},
		{"INSERT INTO `orders` ( `o_id` , `o_d_id` , `o_w_id` , `o_c_id` , `o_entry_d` , `o_ol_cnt` , `o_all_local` ) VALUES ( ?, ... , NOW ( ) , ?, ... )",
			"INSERT INTO `orders` (`o_id`, `o_d_id`, `o_w_id`, `o_c_id`, `o_entry_d`, `o_ol_cnt`, `o_all_local`) VALUES (?, ?, ?, ?, NOW(), ?, ?)",
			[]slot{{role: inserted, table: "orders", column: "o_id"}, {role: inserted, table: "orders", column: "o_d_id"}, {role: inserted, table: "orders", column: "o_w_id"},
				{role: inserted, table: "orders", column: "o_c_id"}, {role: inserted, table: "orders", column: "o_ol_cnt"}, {role: inserted, table: "orders", column: "o_all_local"}}},
		{"UPDATE `t` SET `b` = ? , `c` = `c` + ? WHERE `a` = ?", "UPDATE `t` SET `b` = ?, `c` = `c` + ? WHERE `a` = ?",
			[]slot{{role: assigned, table: "t", column: "b"}, {role: added, table: "t", column: "c"}, {role: equal, table: "t", column: "a"}}},
		{"SELECT * FROM `t` `x` JOIN `u` ON `x` . `a` = `u` . `a` WHERE `x` . `b` > ? AND `d` = ?", "SELECT * FROM `t` `x` JOIN `u` ON `x`.`a` = `u`.`a` WHERE `x`.`b` > ? AND `d` = ?",
			[]slot{{role: low, table: "t", column: "b"}, {role: equal, table: "u", column: "d"}}},
		{"SELECT `CONCAT` (...) FROM `t` WHERE ( `a` , `b` ) = (...)", "SELECT `CONCAT` (?, ?) FROM `t` WHERE (`a`, `b`) = (?, ?)", []slot{{}, {}, {}, {}}},
		{"INSERT INTO `t` ( `a` ) VALUES (?) ON DUPLICATE KEY UPDATE `b` = ?", "INSERT INTO `t` (`a`) VALUES (?) ON DUPLICATE KEY UPDATE `b` = ?",
			[]at{{role: inserted, table: "t", column: "a"}, {role: assigned, table: "t", column: "b"}}},
	} {
		e, err := expand(c.digest, columnsFor())
		if err != nil {
			t.Errorf("%s: %v", c.digest, err)
			continue
		}
		if e.sql != c.sql {
			t.Errorf("%s became\n%s, want\n%s", c.digest, e.sql, c.sql)
		}
		marks := 0
		for i := range e.slots { // one for each question mark of the digest
			if e.slots[i].source > 0 {
				marks++
			}
			e.slots[i].source = 0
		}
		if marks > strings.Count(c.digest, "?") {
			t.Errorf("%s: %d parameters have a question mark of their own", c.digest, marks)
		}
		if diff := cmp.Diff(c.slots, e.slots, cmp.AllowUnexported(slot{})); diff != "" {
			t.Errorf("%s: %s", c.digest, diff)
		}
	}
}

// TestExpandRefuses: a text that cannot be written out again is refused with the reason.
func TestExpandRefuses(t *testing.T) {
	for text, why := range map[string]string{
		"SELECT `a` , `b` ...":                 "truncated",
		"SELECT `a` FROM `t` WHERE `b":         "truncated",
		"SELECT 'secret'":                      "literal",
		"":                                     "empty",
		"INSERT INTO `nowhere` VALUES (...)":   "columns of its table are not known",
		"INSERT INTO `u` ( `d` ) VALUES (...)": "more values than columns",
		"INSERT INTO `u` ( `d` ) VALUES ( `f` (...) )": "unknown number of values",
	} {
		if _, err := expand(text, columnsFor()); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzExpand: whatever the server's text is, the statement has as many question marks as
// parameters and no literal, and its names can be replaced.
func FuzzExpand(f *testing.F) {
	for _, seed := range []string{
		"SELECT `c` FROM `t` WHERE `a` IN (...) LIMIT ?, ...", "INSERT INTO `orders` VALUES ( ?, ... , NOW ( ) , ?, ... ) /* , ... */",
		"INSERT INTO `t` ( `a` , `b` ) VALUES (...) /* , ... */", "SELECT ( `a` , `b` ) = (...) FROM `t`", "UPDATE `t` SET `a` = ? WHERE `b` BETWEEN ? AND ?",
		"VALUES (", "IN (...)", "`", "...", "SELECT ?, ... , ?, ...",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := expand(text, columnsFor())
		if err != nil {
			return
		}
		if n := strings.Count(spellParams(e.sql), "?"); n != len(e.slots) {
			t.Errorf("%q became %q: %d question marks, %d parameters", text, e.sql, n, len(e.slots))
		}
		newHasher().sql(e.sql)
		verbOfText(text)
		withoutDigits(text)
	})
}

// spellParams is a statement without its quoted names.
func spellParams(sql string) string {
	in, err := lex(sql)
	if err != nil {
		return sql
	}
	n := 0
	for _, l := range in {
		if l.part == param {
			n++
		}
	}
	return strings.Repeat("?", n)
}

// TestHashedNames: a name has the same hash in all statements of a file, functions keep
// theirs, and another file has other hashes.
func TestHashedNames(t *testing.T) {
	w := func() *file.Workload {
		return &file.Workload{Transactions: file.Transactions{{
			Values: file.Columns{{Name: "secret_1", Value: file.Value{Query: &file.Query{SQL: "SELECT `secret` FROM `vault` LIMIT 9"}}}},
			Statements: []file.Statement{
				{SQL: "INSERT INTO `vault` (`secret`) VALUES (?)", Params: []file.Value{from("secret_1", 0)}},
				{SQL: "SELECT `CONCAT` (`secret`, ?) FROM `vault`", Params: []file.Value{constant(1)}},
			},
		}}}
	}
	first, second := w(), w()
	newHasher().apply(first)
	newHasher().apply(second)
	t1 := first.Transactions[0]
	table := strings.Fields(t1.Statements[0].SQL)[2]
	if !strings.HasSuffix(t1.Statements[1].SQL, "FROM "+table) || !strings.Contains(t1.Values[0].Value.Query.SQL, table) || !strings.Contains(t1.Statements[1].SQL, "`CONCAT` (") {
		t.Errorf("%+v", t1)
	}
	if t1.Statements[0].Params[0].From.Name != t1.Values[0].Name || strings.Contains(string(first.Marshal()), "secret") || strings.Contains(string(first.Marshal()), "vault") {
		t.Errorf("%s", first.Marshal())
	}
	if t1.Statements[0].SQL == second.Transactions[0].Statements[0].SQL {
		t.Error("two files have the same hashes: who guesses a name can check it")
	}
}
