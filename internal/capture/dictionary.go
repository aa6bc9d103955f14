package capture

// This file asks a server whether it accepts the statements that were made of digests, and
// finds the numbers that digests leave out.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload/file"
)

// Dictionary is the server that knows the schema; the zero value is none.
type Dictionary struct{ DB *sql.DB }

// dictionary is what the server says of one schema.
type dictionary struct {
	db     *sql.DB // nil for none
	tables schema
	// names are those of tables and columns that are keywords, by their capital letters.
	names map[string]string
	// denied says that the account may not prepare the statements.
	denied *bool
	// most is how many parameters a statement may have.
	most int
}

func (d Dictionary) open(ctx context.Context, seen *Seen) (dictionary, error) {
	out := dictionary{tables: schema{}, denied: new(bool)}
	if d.DB == nil {
		return out, nil
	}
	if err := Readable(ctx, d.DB, seen.Schema); err != nil {
		return out, err
	}
	var err error
	if out.tables, err = readSchema(ctx, d.DB, seen.Schema); err != nil {
		return out, err
	}
	if out.names, err = keywordNames(ctx, d.DB, out.tables); err != nil {
		return out, err
	}
	used := map[string]bool{}
	for _, s := range seen.Statements {
		if in, err := lex(s.Text); err == nil {
			for _, l := range restore(in, out.names) {
				used[l.text] = used[l.text] || l.part == name
			}
		}
	}
	for _, called := range sortedNames(out.tables) {
		if used[called] {
			out.tables.ranges(ctx, d.DB, seen.Schema, out.tables[called])
		}
	}
	if _, err := d.DB.ExecContext(ctx, "USE "+mysqld.QuoteName(seen.Schema)); err != nil {
		*out.denied = true
		return out, nil //nolint:nilerr // without the right to use it, the statements are not checked, and the file says so
	}
	out.db = d.DB
	return out, nil
}

// keywordNames are the names of tables and columns that a digest has without quotes, because
// they are keywords. A name that is written in two ways is left out.
func keywordNames(ctx context.Context, db *sql.DB, tables schema) (map[string]string, error) {
	all := map[string]string{}
	add := func(id string) {
		if old, twice := all[strings.ToUpper(id)]; twice && old != id {
			id = ""
		}
		all[strings.ToUpper(id)] = id
	}
	for _, t := range tables {
		add(t.name)
		for _, c := range t.columns {
			add(c.name)
		}
	}
	keywords := map[string]string{}
	// The name selects nothing; scan has one parameter.
	err := scan(ctx, db, "SELECT WORD FROM information_schema.KEYWORDS WHERE RESERVED = 0 AND ? <> ''", "x", func(rows *sql.Rows) error {
		var keyword string
		err := rows.Scan(&keyword)
		if id := all[keyword]; id != "" {
			keywords[keyword] = id
		}
		return err
	})
	var missing *mysql.MySQLError
	if errors.As(err, &missing) { // MariaDB's table does not say which are reserved, MySQL 5.7 has none
		return notReserved(all), nil
	}
	return keywords, err
}

// notReserved are the names that can be without quotes in a digest. MariaDB has more keywords than MySQL, ID among them: a column
// that is not known for one would be compared with nothing.
func notReserved(all map[string]string) map[string]string {
	names := map[string]string{}
	for capitals, id := range all {
		if id != "" && !slices.Contains(reserved, capitals) {
			names[capitals] = id
		}
	}
	return names
}

// expand makes a statement of a digest, and has the server prepare it.
func (d dictionary) expand(ctx context.Context, s Statement) (expanded, error) {
	n := shapeOf{
		list: d.list(s), rows: max(1, int(math.Round(s.each(s.RowsAffected)))), columns: d.tables.columnsOf, names: d.names,
		temporal: func(table, name string) bool { return d.tables.column(table, name).temporal() },
	}
	n.list = max(n.list, 1)
	var last error
	for _, n.arguments = range []int{2, 3, 4} {
		e, err := d.within(s.Text, n)
		if err != nil {
			return e, err
		}
		if last = d.prepare(ctx, e); last == nil {
			return e, nil
		}
		if !slices.ContainsFunc(e.assumed, isArguments) {
			break
		}
	}
	return expanded{}, last
}

// within makes a statement with at most as many parameters as it may have: of a longer list or of more rows it has
// fewer, and says so.
func (d dictionary) within(text string, n shapeOf) (expanded, error) {
	e, err := expand(text, n)
	if err != nil || d.most == 0 || len(e.slots) <= d.most {
		return e, err
	}
	short := n
	share := float64(d.most) / float64(len(e.slots))
	short.list, short.rows = max(1, int(share*float64(n.list))), max(1, int(share*float64(n.rows)))
	if e, err = expand(text, short); err == nil {
		e.shortened = fmt.Sprintf("a statement with a list of %d values or %d rows has %d and %d in the file: a file has at most %d bytes", n.list, n.rows, short.list, short.rows, file.MaxSize)
	}
	return e, err
}

// argumentsAssumed begins the note of the number of arguments that was taken.
const argumentsAssumed = "a function with several values has"

func isArguments(assumed string) bool { return strings.HasPrefix(assumed, argumentsAssumed) }

// list is how many values an IN list has, from the statements of a log, or else from the rows that
// a statement returns or reads.
func (d dictionary) list(s Statement) int {
	if s.Lists > 0 {
		return int(math.Round(s.each(s.Lists)))
	}
	rows := s.each(math.Max(s.RowsSent, s.RowsAffected))
	if rows < 1 {
		rows = s.each(s.RowsExamined)
	}
	return int(math.Round(rows))
}

// Errors of an account that may not use the tables (mysqld_error.h).
var refusedAccess = []uint16{1044, 1142, 1143, 1370, 1227}

// prepare has the server check a statement. It is not executed.
func (d dictionary) prepare(ctx context.Context, e expanded) error {
	if d.db == nil || *d.denied {
		return nil
	}
	p, err := d.db.PrepareContext(ctx, e.sql)
	if err == nil {
		return p.Close()
	}
	var refused *mysql.MySQLError
	if !errors.As(err, &refused) {
		return err
	}
	if slices.Contains(refusedAccess, refused.Number) {
		*d.denied = true
		return nil
	}
	return fmt.Errorf("the server does not accept it with parameters (error %d)", refused.Number)
}

// quoted is a digest text in which every name is quoted.
func (d dictionary) quoted(text string) string {
	in, err := lex(text)
	if err != nil {
		return "a statement that is not shown"
	}
	return spell(restore(in, d.names))
}
