package file

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
)

// MaxSize is the largest workload file that is read, in bytes.
const MaxSize = experiment.MaxSize

// Parse reads a workload file. The error is an experiment.Problems with everything that
// can be known from the file alone.
func Parse(name string, text []byte) (*Workload, error) {
	w := &Workload{Source: text}
	at, problems, ok := experiment.DecodeFile(name, text, "workload", "docs/workloads.md shows one to start from", w)
	w.at = at
	if !ok {
		return nil, problems.Err()
	}
	c := &checker{w: w, known: problems}
	c.workload()
	if err := append(problems, c.found...).Err(); err != nil {
		return nil, err
	}
	return w, nil
}

// Read reads and parses a workload file.
func Read(name string) (*Workload, error) {
	text, err := ReadText(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, text)
}

// ReadText is the text of a workload file.
func ReadText(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > MaxSize) {
		err = fmt.Errorf("%s is not a file of at most %d bytes", name, MaxSize)
	}
	if err != nil {
		return nil, fmt.Errorf("read workload: %w", err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read workload: %w", err)
	}
	return text, nil
}

type checker struct {
	w            *Workload
	known, found experiment.Problems
}

// want notes a problem, unless the field, one that it is in or one in it could not be
// decoded.
func (c *checker) want(ok bool, field, format string, args ...any) {
	if ok {
		return
	}
	for _, p := range c.known {
		if p.Field == field || within(p.Field, field) || within(field, p.Field) {
			return
		}
	}
	c.found = append(c.found, c.w.at.Problem(field, format, args...))
}

// within says that a field is part of another.
func within(part, whole string) bool {
	return strings.HasPrefix(part, whole+".") || strings.HasPrefix(part, whole+"[")
}

// label wants a name that a pattern allows.
func (c *checker) label(name string, pattern *regexp.Regexp, field, rule string) {
	if !pattern.MatchString(name) {
		c.found = append(c.found, c.w.at.Problem(field, "%s", rule))
	}
}

// Names of transactions, statements and values appear in reports, names of tables and
// columns in statements that tare writes.
var (
	labelPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$`)
	nameInSchema = regexp.MustCompile(`^[A-Za-z0-9_$]{1,64}$`)
)

const (
	labelRule  = "a name consists of letters, digits, _ and -, at most 63"
	schemaRule = "a name of a table or column consists of letters, digits, _ and $, at most 64"
)

// Limits of a file.
const (
	mostTables       = 1000
	mostRows         = 100_000_000_000
	mostTransactions = 1000
	mostStatements   = 2000   // of all transactions
	mostParams       = 65_535 // of a statement: MySQL prepares none with more placeholders
	mostChoices      = 10_000
	mostText         = 1 << 16 // bytes of a drawn text
	mostTaken        = 16      // leading columns of an answer that can be read
)

func (c *checker) workload() {
	w := c.w
	c.want(w.APIVersion == APIVersion, "apiVersion", "write apiVersion: %s", APIVersion)
	c.want(w.Kind == Kind, "kind", "write kind: %s", Kind)
	c.want(experiment.ValidName(w.Metadata.Name), "metadata.name", "expected a name of at most 40 lower-case letters, digits and dashes")
	c.tables()
	c.transactions()
	if len(w.Tables) == 0 && !w.Data.Own && w.Writes() {
		c.want(false, "tables", "the statements write to tables that this file does not make; add the tables, or write data: {own: true} to change the server's own rows")
	}
}

func (c *checker) tables() {
	c.want(len(c.w.Tables) <= mostTables, "tables", "at most %d tables are possible", mostTables)
	for _, t := range c.w.Tables {
		field := "tables." + t.Name
		c.label(t.Name, nameInSchema, field, schemaRule)
		c.want(t.Rows >= 0 && t.Rows <= mostRows, field+".rows", "0 to %d rows are possible", int64(mostRows))
		c.create(t, field+".create")
		for i, sql := range t.Indexes {
			c.sql(sql, 0, fmt.Sprintf("%s.indexes[%d]", field, i))
		}
		c.want(t.Rows == 0 || len(t.Columns) > 0, field+".columns", "expected how at least one column is filled; or leave out rows for an empty table")
		known := map[string]bool{}
		for _, col := range t.Columns {
			at := field + ".columns." + col.Name
			c.label(col.Name, nameInSchema, at, schemaRule)
			c.value(col.Value, at, known)
			c.want(col.Value.Query == nil, at+".query", "rows are made from the seed alone, so that every arm has the same; a query is for parameters")
			known[col.Name] = true
		}
	}
}

var createPattern = regexp.MustCompile("(?is)^\\s*CREATE\\s+TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?(?:`([^`]+)`|([A-Za-z0-9_$]+))")

// create wants the definition of the table of that name: tare drops it by its name later.
func (c *checker) create(t Table, field string) {
	c.sql(t.Create, 0, field)
	m := createPattern.FindStringSubmatch(t.Create)
	if m == nil {
		c.want(false, field, "expected CREATE TABLE %s (...)", t.Name)
		return
	}
	if name := m[1] + m[2]; name != t.Name {
		c.want(false, field, "the statement makes table %s, but the file calls it %s", name, t.Name)
	}
	c.want(!strings.Contains(strings.ToUpper(m[0]), "EXISTS"), field, "leave out IF NOT EXISTS: a table that is there already must be noticed")
}

// sql wants one statement with so many parameters.
func (c *checker) sql(text string, params int, field string) {
	s := lookAt(text)
	switch {
	case strings.TrimSpace(text) == "":
		c.want(false, field, "expected an SQL statement")
	case s.open:
		c.want(false, field, "a string, a quoted name or a comment does not end")
	case s.more:
		c.want(false, field, "expected one statement; write each as an item of statements")
	case len(s.marks) != params:
		c.want(false, field, "the statement has %s, but params has %s", plural(len(s.marks), "question mark"), plural(params, "item"))
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}
