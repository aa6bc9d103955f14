package runner

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestKeptRows: what somebody does to the rows of an external server between two trials
// is seen before the next one.
func TestKeptRows(t *testing.T) {
	d := mysqldtest.Flavour(t, mysqld.MySQL)
	s := mysqldtest.Start(t, d, nil)
	db, err := mysqld.Open(s.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	do := func(statements ...string) {
		t.Helper()
		for _, statement := range statements {
			if _, err := db.Exec(statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	look := func() kept {
		t.Helper()
		k, err := keptIn(context.Background(), s.Address, "bench")
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	do("CREATE DATABASE bench", "CREATE TABLE bench.sbtest1 (id INT PRIMARY KEY, k INT)", "CREATE TABLE bench.history (w INT)",
		"CREATE TABLE bench.tare_lease (id TINYINT PRIMARY KEY)", "INSERT INTO bench.sbtest1 VALUES (1, 0), (1000, 0)")
	before := look()
	for _, c := range []struct{ do, says string }{
		{"UPDATE bench.sbtest1 SET k = 5", ""},
		{"INSERT INTO bench.sbtest1 VALUES (1001, 0)", ""},
		{"INSERT INTO bench.history VALUES (1)", ""},
		{"CREATE TABLE bench.tare_generators (run INT)", ""},
		{"DELETE FROM bench.sbtest1 WHERE id > 200", "the greatest id of table sbtest1 is 1 and was 1000"},
		{"DROP TABLE bench.history", "table history is gone"},
	} {
		do(c.do)
		err := before.changed(look())
		if c.says == "" && err != nil || c.says != "" && (!errors.Is(err, errChanged) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", c.do, err, c.says)
		}
	}
	// A table's time has seconds; another second is as good as waiting for one.
	again := before
	again.made = maps.Clone(before.made)
	again.made["sbtest1"] = "2001-01-01 00:00:00"
	if err := before.changed(again); !errors.Is(err, errChanged) || !strings.Contains(err.Error(), "created again") {
		t.Errorf("a table that was created again: %v", err)
	}
	all := map[string]kept{"direct": before}
	share(all, "proxy", look())
	if len(all) != 2 || all["direct"].changed(look()) != nil {
		t.Error("two arms of one schema do not share what was made last")
	}
}

// TestServersAlikeAreTwo: two servers with one host name, port and server_id, as cloned machines have, are not taken
// for one, whose tables would have been made again.
func TestServersAlikeAreTwo(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			t.Parallel()
			look := func() kept {
				k, err := keptIn(context.Background(), mysqldtest.Start(t, d, map[string]string{"server_id": "1"}).Address, "mysql")
				if err != nil {
					t.Fatal(err)
				}
				return k
			}
			a, b := look(), look()
			if a.server == b.server {
				t.Errorf("both are %s", a.server)
			}
		})
	}
}
