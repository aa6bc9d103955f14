package mysqld

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/record"
)

// ErrForeignSchema: the schema is there and tare did not make it, so tare
// neither writes to it nor drops it.
var ErrForeignSchema = errors.New("schema is not tare's")

// schemaName is what may be quoted without escaping, and what the load engine
// may be given on a command line.
var schemaName = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// The marker of a schema that tare made: a table that no other schema has by chance, with
// content that none has by mistake.
const (
	MarkerTable = "tare_owner"
	markerText  = "made by tare; tare may drop this schema with all that is in it"
	// adoptedText marks a schema that was there, empty, and that its owner gave to tare.
	adoptedText = "given to tare when it was empty; tare may drop all tables in it, and keeps the schema"
)

// Server errors that mean something here (mysqld_error.h).
const (
	errSchemaExists  = 1007
	errUnknownSchema = 1049
	errUnknownTable  = 1146
	errUnknownColumn = 1054
	errSystemSchema  = 3552
	errDeadlock      = 1213
	errLockWait      = 1205
)

// CreateSchema makes a schema with tare's marker in it. One that has the marker
// already is taken as it is; any other is left alone, with ErrForeignSchema.
func CreateSchema(ctx context.Context, db *sql.DB, schema string) error {
	if !schemaName.MatchString(schema) {
		return fmt.Errorf("create schema %q: use letters, digits and _, at most 64", schema)
	}
	_, err := execute(ctx, db, "CREATE DATABASE `"+schema+"`")
	switch code := serverError(err); {
	case code == errSchemaExists, code == errSystemSchema:
		return mine(ctx, db, schema)
	case code != 0:
		return refused{record.CreateSchema.Wrap(err, schema)}
	case err != nil:
		return record.CreateSchema.Wrap(err, schema)
	}
	fault.At("schema: created")
	if err := mark(ctx, db, schema, markerText); err != nil {
		return unmade(ctx, db, schema, err)
	}
	return nil
}

// unmade drops a schema that was just created and that the server refused to mark, as one with a full disk
// does. After other errors, such as that of a broken connection, what the server has done is not known.
func unmade(ctx context.Context, db *sql.DB, schema string, err error) error {
	if serverError(err) == 0 {
		return err
	}
	if empty, unseen := Unfinished(ctx, db, schema); unseen != nil || !empty {
		return errors.Join(err, unseen)
	}
	if _, kept := execute(ctx, db, "DROP DATABASE `"+schema+"`"); kept != nil {
		return errors.Join(err, fmt.Errorf("drop schema %s, which is empty: %w", schema, kept))
	}
	return refused{err}
}

// AdoptSchema marks an empty schema that is there as one whose tables tare may create and drop.
// One that has tare's marker already is taken as it is; one with anything in it is left alone, with
// ErrForeignSchema.
func AdoptSchema(ctx context.Context, db *sql.DB, schema string) error {
	there, err := OwnSchema(ctx, db, schema)
	switch {
	case err == nil && !there:
		return fmt.Errorf("use schema %s: it does not exist", schema)
	case err == nil:
		return nil
	case !errors.Is(err, ErrForeignSchema):
		return err
	}
	empty, err2 := Unfinished(ctx, db, schema)
	if err2 != nil || !empty {
		return errors.Join(err, err2)
	}
	return mark(ctx, db, schema, adoptedText)
}

// refused is an error of the server, which has not created the schema.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

// CreatedNothing tells whether [CreateSchema] has certainly created nothing when it returned
// this error. After others, as that of a broken connection, the schema may be there.
func CreatedNothing(err error) bool {
	return errors.Is(err, ErrForeignSchema) || errors.As(err, new(refused))
}

// mark puts tare's marker into a schema that tare created or was given.
func mark(ctx context.Context, db *sql.DB, schema, text string) error {
	for _, statement := range []string{
		// InnoDB by name: Group Replication and Galera refuse tables without a
		// primary key or of another engine.
		"CREATE TABLE IF NOT EXISTS `" + schema + "`." + MarkerTable + " (note VARCHAR(100) NOT NULL PRIMARY KEY) ENGINE=InnoDB",
		"INSERT IGNORE INTO `" + schema + "`." + MarkerTable + " VALUES ('" + text + "')",
	} {
		if _, err := execute(ctx, db, statement); err != nil {
			return fmt.Errorf("mark schema %s: %w", schema, err)
		}
		fault.At("schema: marked")
	}
	return nil
}

// Unfinished tells whether there is a schema of that name without tare's marker and with
// nothing else in it: what is left where a tare ends between the statements of
// [CreateSchema]. That it was a tare and not somebody else, only a note of it can tell.
func Unfinished(ctx context.Context, db *sql.DB, schema string) (bool, error) {
	if _, err := OwnSchema(ctx, db, schema); !errors.Is(err, ErrForeignSchema) {
		return false, err
	}
	var others, markers int
	err := db.QueryRowContext(ctx, `SELECT
		(SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ? AND table_name <> ?) +
		(SELECT COUNT(*) FROM information_schema.routines WHERE routine_schema = ?) +
		(SELECT COUNT(*) FROM information_schema.events WHERE event_schema = ?)`, schema, MarkerTable, schema, schema).Scan(&others)
	if err == nil && others == 0 {
		err = db.QueryRowContext(ctx, "SELECT COUNT(*) FROM `"+schema+"`."+MarkerTable).Scan(&markers)
	}
	if err != nil && serverError(err) != errUnknownTable {
		return false, fmt.Errorf("look into schema %s: %w", schema, err)
	}
	return others == 0 && markers == 0, nil
}

// FinishSchema marks a schema that is [Unfinished], and leaves every other as it is. The caller
// knows that a tare created it.
func FinishSchema(ctx context.Context, db *sql.DB, schema string) error {
	unfinished, err := Unfinished(ctx, db, schema)
	if err != nil || !unfinished {
		return err
	}
	return mark(ctx, db, schema, markerText)
}

// DropSchema drops a schema that has tare's marker; of one that tare was given, the tables. One that
// is not there is no error; one without the marker is ErrForeignSchema.
func DropSchema(ctx context.Context, db *sql.DB, schema string) error {
	there, err := OwnSchema(ctx, db, schema)
	if err != nil || !there {
		return err
	}
	note, err := noteOf(ctx, db, schema)
	if err != nil {
		return err
	}
	if note == adoptedText {
		return dropTables(ctx, db, schema)
	}
	if _, err := execute(ctx, db, "DROP DATABASE `"+schema+"`"); err != nil {
		return fmt.Errorf("drop schema %s: %w", schema, err)
	}
	return nil
}

// dropTables empties a schema that tare was given; the marker goes last, so that whoever is killed
// meanwhile can begin again. Tables may refer to each other, in an order that need not be known.
func dropTables(ctx context.Context, db *sql.DB, schema string) error {
	one, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("empty schema %s: %w", schema, err)
	}
	defer one.Close()
	if _, err := one.ExecContext(ctx, "SET SESSION foreign_key_checks=0"); err != nil {
		return fmt.Errorf("empty schema %s: %w", schema, err)
	}
	tables, err := tablesOf(ctx, one, schema)
	if err != nil {
		return err
	}
	for _, name := range append(tables, MarkerTable) {
		quoted := "`" + schema + "`.`" + strings.ReplaceAll(name, "`", "``") + "`"
		if _, err := one.ExecContext(ctx, "DROP TABLE IF EXISTS "+quoted); err != nil {
			return fmt.Errorf("empty schema %s: %w", schema, err)
		}
	}
	return nil
}

// tablesOf are the tables of a schema without the marker.
func tablesOf(ctx context.Context, one *sql.Conn, schema string) (tables []string, err error) {
	rows, err := one.QueryContext(ctx, "SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND table_type = 'BASE TABLE' AND table_name <> ?", schema, MarkerTable)
	if err != nil {
		return nil, fmt.Errorf("list tables of schema %s: %w", schema, err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("list tables of schema %s: %w", schema, err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list tables of schema %s: %w", schema, err)
	}
	return tables, nil
}

// OwnSchema tells whether there is a schema of that name. One without tare's marker is
// ErrForeignSchema.
func OwnSchema(ctx context.Context, db *sql.DB, schema string) (there bool, err error) {
	if !schemaName.MatchString(schema) {
		return false, fmt.Errorf("drop schema %q: use letters, digits and _, at most 64", schema)
	}
	var n int
	err = db.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?", schema).Scan(&n)
	switch {
	case err != nil:
		return false, fmt.Errorf("look for schema %s: %w", schema, err)
	case n == 0:
		return false, nil
	}
	return true, mine(ctx, db, schema)
}

// mine returns nil for a schema with tare's marker.
func mine(ctx context.Context, db *sql.DB, schema string) error {
	_, err := noteOf(ctx, db, schema)
	return err
}

// noteOf is the text of tare's marker; a schema without one is ErrForeignSchema.
func noteOf(ctx context.Context, db *sql.DB, schema string) (note string, err error) {
	err = again(ctx, func() error {
		return db.QueryRowContext(ctx, "SELECT note FROM `"+schema+"`."+MarkerTable+" WHERE note IN (?, ?)", markerText, adoptedText).Scan(&note)
	})
	code := serverError(err)
	switch {
	case err == nil:
		return note, nil
	case errors.Is(err, sql.ErrNoRows), code == errUnknownTable, code == errUnknownColumn, code == errUnknownSchema:
		return "", record.ForeignSchema.Error(ErrForeignSchema, schema)
	}
	return "", fmt.Errorf("read marker of schema %s: %w", schema, err)
}

// serverError is the number of an error that the server sent, else 0.
func serverError(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// again repeats a statement that the server has rolled back for another's: even a read meets
// a deadlock beside statements that make the table ("Always be prepared to re-issue a
// transaction", MySQL Reference Manual, Deadlocks in InnoDB).
func again(ctx context.Context, statement func() error) error {
	const tries = 20
	for range tries - 1 {
		err := statement()
		if code := serverError(err); ctx.Err() != nil || code != errDeadlock && code != errLockWait {
			return err
		}
	}
	return statement()
}

// execute is a statement without rows, repeated as [again] says.
func execute(ctx context.Context, db *sql.DB, statement string, args ...any) (result sql.Result, err error) {
	err = again(ctx, func() error {
		result, err = db.ExecContext(ctx, statement, args...)
		return err
	})
	return result, err
}
