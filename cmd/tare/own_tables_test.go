package main

import (
	"testing"

	"github.com/tarebench/tare/internal/workload/file"
)

// TestUnqualified: only a table without its schema is one of the schema that tare makes.
func TestUnqualified(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT c FROM sbtest1 WHERE id = ?":                                true,
		"SELECT `c` FROM `sbtest2` WHERE `id` BETWEEN ? AND ? ORDER BY `c`": true,
		"UPDATE `sbtest1` SET k = k + 1":                                    true,
		"INSERT INTO t VALUES (?)":                                          true,
		"SELECT 1 FROM shop.a JOIN b ON a.x = b.x":                          true,
		"SELECT c FROM shop.orders":                                         false,
		"SELECT c FROM `shop` . `orders` FOR UPDATE":                        false,
		"UPDATE shop.orders SET x = 1":                                      false,
		"INSERT INTO shop.t VALUES (?) ON DUPLICATE KEY UPDATE `c` = 1":     false,
		"SELECT x FROM (SELECT 1 AS x) AS t":                                false,
		"WITH t AS (SELECT 1) SELECT * FROM t":                              false,
		"SELECT EXTRACT(YEAR FROM ?)":                                       false,
		"DO 1":                                                              false,
	} {
		w := &file.Workload{Transactions: []file.Transaction{{Statements: []file.Statement{{SQL: sql}}}}}
		if got := unqualified(w); got != want {
			t.Errorf("%q: %v", sql, got)
		}
	}
}
