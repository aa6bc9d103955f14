package external

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/target"
)

// TestUnfinishedSchema: a schema that a tare has created and could not mark is that tare's: the
// next one uses it, and clean drops it. One with something in it, or that no note speaks of,
// is not.
func TestUnfinishedSchema(t *testing.T) {
	const marker = "CREATE TABLE tare_bench.tare_owner (note VARCHAR(100) NOT NULL PRIMARY KEY) ENGINE=InnoDB"
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			s := serve(t, d, nil)
			for _, c := range []struct {
				name          string
				creating      bool
				self          func() (target.Note, error) // who has noted it
				inside        []string                    // what is in the schema
				used, cleaned bool
			}{
				{"killed after CREATE DATABASE", true, ended, nil, true, true},
				{"killed after CREATE TABLE", true, ended, []string{marker}, true, true},
				{"its own connection was cut", true, target.Self, nil, true, false},
				{"a tare that may run", true, elsewhere(1), nil, false, false},
				{"a table", true, ended, []string{"CREATE TABLE tare_bench.t (i INT)"}, false, false},
				{"a view", true, ended, []string{"CREATE VIEW tare_bench.v AS SELECT 1"}, false, false},
				{"a procedure", true, ended, []string{"CREATE PROCEDURE tare_bench.p() SELECT 1"}, false, false},
				{"another's marker", true, ended, []string{marker, "INSERT INTO tare_bench.tare_owner VALUES ('theirs')"}, false, false},
				{"a note of a schema that was there", false, ended, nil, false, false},
			} {
				left := func(what string, use func(*testing.T, someone, string) error, ours bool) {
					ledger := filepath.Join(t.TempDir(), "external")
					if _, err := s.as(t, c.self, ledger).note(mysqld.Holder{Run: "/runs/x"}, c.creating); err != nil {
						t.Fatal(err)
					}
					s.run(t, append([]string{"CREATE DATABASE tare_bench"}, c.inside...)...)
					err := use(t, s, ledger)
					if n := s.schemas(t); ours != (err == nil) || ours != (n == 0) {
						t.Errorf("%s, %s: %v, %d schemas are left", c.name, what, err, n)
					}
					s.run(t, "DROP DATABASE IF EXISTS tare_bench")
				}
				left("the next run", usesSchema, c.used)
				left("clean", cleansSchema, c.cleaned)
			}
		})
	}
}

// usesSchema is the next run, from its check to its end.
func usesSchema(t *testing.T, s someone, ledger string) error {
	e := s.as(t, target.Self, ledger)
	if err := errors.Join(e.Check(context.Background())...); err != nil {
		return err
	}
	if _, err := begin(t, e); err != nil {
		return err
	}
	return e.Release(context.Background())
}

// cleansSchema is `tare clean`, and an error where it leaves the schema.
func cleansSchema(_ *testing.T, _ someone, ledger string) error {
	var log bytes.Buffer
	n, err := Clean(context.Background(), ledger, false, &log)
	if err == nil && n == 0 {
		return errors.New(log.String())
	}
	return err
}

func (s someone) schemas(t *testing.T) (n int) {
	t.Helper()
	if err := s.root.QueryRow("SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'tare_bench'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestNoteOfCreation: the note says that the schema is being created only until it is marked,
// and is kept where it may have been created.
func TestNoteOfCreation(t *testing.T) {
	s := serve(t, mysqldtest.Flavour(t, mysqld.MySQL), nil)
	e := s.as(t, target.Self, filepath.Join(t.TempDir(), "external"))
	if _, err := begin(t, e); err != nil {
		t.Fatal(err)
	}
	if e.creating(true) {
		t.Error("a schema with a marker counts as being created")
	}
	if err := e.Release(context.Background()); err != nil {
		t.Fatal(err)
	}
	// The account may create the schema and nothing in it.
	s.run(t, "REVOKE ALL ON `tare\\_%`.* FROM tare@'%'", "GRANT CREATE, DROP ON tare_bench.* TO tare@'%'")
	if _, err := begin(t, e); err == nil || !strings.Contains(err.Error(), "mark schema") {
		t.Fatalf("%v", err)
	}
	if !e.creating(false) {
		t.Error("the note of a schema that is there and has no marker is gone")
	}
	s.run(t, "GRANT ALL ON tare_bench.* TO tare@'%'")
	if err := e.Release(context.Background()); err != nil || s.schemas(t) != 0 {
		t.Errorf("release: %v, %d schemas", err, s.schemas(t))
	}
}
