package capture

// This file reads what the server's dictionary and the optimizer's statistics say of the
// tables: columns, indexes, numbers of rows and of different values. The only values of the
// tables that it reads are the lowest and the highest of whole numbers in an index.

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/mysqld"
)

// schema is the tables of one schema by their names.
type schema map[string]*table

type table struct {
	name    string
	rows    int64
	columns []*column
	indexes map[string]*index
}

type column struct {
	name, kind string // kind is the type without its length: int, varchar
	length     int64  // of texts, in characters
	decimals   int
	unsigned   bool
	auto       bool // AUTO_INCREMENT
	// low and high are the range of a whole number; ranged says that they are known.
	low, high int64
	ranged    bool
}

type index struct {
	unique  bool
	columns []string
}

func (s schema) columnsOf(name string) (names []string) {
	if t := s[name]; t != nil {
		for _, c := range t.columns {
			names = append(names, c.name)
		}
	}
	return names
}

func (s schema) column(table, name string) *column {
	if t := s[table]; t != nil {
		for _, c := range t.columns {
			if c.name == name {
				return c
			}
		}
	}
	return nil
}

func (c *column) whole() bool {
	return c != nil && (slices.Contains([]string{"tinyint", "smallint", "mediumint", "int", "bigint"}, c.kind))
}

func (c *column) number() bool {
	return c != nil && slices.Contains([]string{"decimal", "float", "double"}, c.kind)
}

func (c *column) temporal() bool {
	return c != nil && slices.Contains([]string{"date", "datetime", "timestamp"}, c.kind)
}

func (c *column) character() bool {
	return c != nil && slices.Contains([]string{"char", "varchar", "tinytext", "text", "mediumtext", "longtext", "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"}, c.kind)
}

// highest is the largest number that a column's type holds, or 2^62 if that is less.
func (c *column) highest() int64 {
	bits := map[string]int{"tinyint": 7, "smallint": 15, "mediumint": 23, "int": 31, "bigint": 62}[c.kind]
	if c.unsigned && bits < 62 {
		bits++
	}
	return 1<<bits - 1
}

// readSchema reads the dictionary about the tables of a schema.
func readSchema(ctx context.Context, db *sql.DB, name string) (schema, error) {
	// Else the server answers with what it knew a day ago. MariaDB has no such variable.
	_, _ = db.ExecContext(ctx, "SET SESSION information_schema_stats_expiry = 0")
	s := schema{}
	err := scan(ctx, db, "SELECT TABLE_NAME, COALESCE(TABLE_ROWS, 0) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE'", name, func(rows *sql.Rows) error {
		t := &table{indexes: map[string]*index{}}
		err := rows.Scan(&t.name, &t.rows)
		s[t.name] = t
		return err
	})
	if err != nil {
		return nil, err
	}
	err = scan(ctx, db, "SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, COALESCE(CHARACTER_MAXIMUM_LENGTH, 0), COALESCE(NUMERIC_SCALE, 0), EXTRA"+
		" FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME, ORDINAL_POSITION", name, func(rows *sql.Rows) error {
		var of, full, extra string
		c := &column{}
		if err := rows.Scan(&of, &c.name, &c.kind, &full, &c.length, &c.decimals, &extra); err != nil {
			return err
		}
		c.kind, c.unsigned, c.auto = strings.ToLower(c.kind), strings.Contains(full, "unsigned"), strings.Contains(extra, "auto_increment")
		if t := s[of]; t != nil {
			t.columns = append(t.columns, c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, scan(ctx, db, "SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE, COALESCE(COLUMN_NAME, '') FROM information_schema.STATISTICS"+
		" WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX", name, func(rows *sql.Rows) error {
		var of, called, col string
		var several bool
		if err := rows.Scan(&of, &called, &several, &col); err != nil {
			return err
		}
		t := s[of]
		if t == nil {
			return nil
		}
		if t.indexes[called] == nil {
			t.indexes[called] = &index{unique: !several}
		}
		t.indexes[called].columns = append(t.indexes[called].columns, col)
		return nil
	})
}

func scan(ctx context.Context, db *sql.DB, query, of string, each func(*sql.Rows) error) error {
	rows, err := db.QueryContext(ctx, query, of)
	if err != nil {
		return fmt.Errorf("read the schema %s: %w", of, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return fmt.Errorf("read the schema %s: %w", of, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the schema %s: %w", of, err)
	}
	return nil
}

// ranges reads the lowest and the highest value of the whole numbers in the indexes of a
// table. Each is one step in an index: of its first column in the whole table, of a further
// column among the rows that have the lowest value in the columns before it.
func (s schema) ranges(ctx context.Context, db *sql.DB, name string, t *table) {
	for _, called := range sortedNames(t.indexes) {
		where, args := "", []any{}
		for _, col := range t.indexes[called].columns {
			c := s.column(t.name, col)
			if !c.whole() {
				break
			}
			at := mysqld.QuoteName(name) + "." + mysqld.QuoteName(t.name)
			var low, high sql.NullInt64
			query := fmt.Sprintf("SELECT MIN(%s), MAX(%s) FROM %s", mysqld.QuoteName(col), mysqld.QuoteName(col), at)
			if where != "" {
				query += " WHERE " + where
			}
			if err := db.QueryRowContext(ctx, query, args...).Scan(&low, &high); err != nil || !low.Valid {
				break // without the right to read the table its ranges are not known
			}
			if !c.ranged || high.Int64-low.Int64 > c.high-c.low {
				c.low, c.high, c.ranged = low.Int64, high.Int64, true
			}
			if where != "" {
				where += " AND "
			}
			where += mysqld.QuoteName(col) + " = ?"
			args = append(args, low.Int64)
		}
	}
}

func sortedNames[T any](of map[string]T) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
