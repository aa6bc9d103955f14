package external

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/target"
)

// Check logs in and asks for what Start will need. It writes nothing.
func (e *external) Check(ctx context.Context) []error {
	if err := ctx.Err(); err != nil {
		return []error{fmt.Errorf("check target external: %w", err)}
	}
	var errs []error
	if _, err := e.settings.password(); err != nil {
		errs = append(errs, err)
	}
	if _, err := (mysqld.Address{CA: e.settings.CA}).CACertificates(); err != nil {
		errs = append(errs, target.FieldError{Field: "ca", Err: err})
	}
	if len(errs) > 0 {
		return errs
	}
	err := e.administer(ctx, func(db *sql.DB) error {
		for _, question := range []func(context.Context) error{
			func(ctx context.Context) error {
				if err := db.PingContext(ctx); err != nil {
					return e.explain(err)
				}
				return nil
			},
			func(ctx context.Context) error { return e.introduce(ctx, db) },
			func(ctx context.Context) error { return e.checkWritable(ctx, db) },
			func(ctx context.Context) error { return e.checkSchema(ctx, db) },
		} {
			if err := inTime(ctx, question); err != nil {
				return err
			}
		}
		return e.checkAlone(ctx, db)
	})
	if err != nil {
		return []error{unavailable(err)}
	}
	return nil
}

// introduce asks the server what it is.
func (e *external) introduce(ctx context.Context, db *sql.DB) error {
	version, flavour, err := mysqld.Version(ctx, db)
	if err != nil {
		return err
	}
	variables, err := mysqld.Variables(ctx, db)
	if err != nil {
		return err
	}
	e.running = &target.Running{Version: version, Flavour: flavour, Variables: variables}
	return nil
}

// unavailable marks the error of a connection that was lost. What names a field has been judged
// where it was found.
func unavailable(err error) error {
	if errors.As(err, &target.FieldError{}) || !mysqld.Lost(err) {
		return err
	}
	return target.Unavailable{Err: err}
}

// Server errors of a login or statement that was refused (mysqld_error.h).
const (
	errAccessDenied      = 1045
	errSchemaDenied      = 1044
	errTableDenied       = 1142
	errUnknownSchema     = 1049
	errUnknownTable      = 1146
	errHostNotAllowed    = 1130
	errSecureTransport   = 3159
	errAccessDeniedNoPwd = 1698
)

// CheckLogin is what to do when the server refuses the login.
const CheckLogin = "check the user and the password (MYSQL_PWD, or what passwordEnv or passwordFile refers to)"

// explain says which setting a failed connection points at.
func (e *external) explain(err error) error {
	var refused *mysql.MySQLError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return target.FieldError{Field: "tls", Err: fmt.Errorf("the server's certificate is not trusted: %w; name its CA in ca:, or the host by the name in the certificate", err)}
	case errors.Is(err, mysql.ErrNoTLS):
		return target.FieldError{Field: "tls", Err: errors.New("the server has no TLS; set it up there, or write tls: off if nobody can listen on the network path")}
	case errors.Is(err, syscall.ECONNREFUSED):
		return target.FieldError{Field: e.whereField(), Err: target.Unavailable{Err: fmt.Errorf("connect to %s: %w; start the server, or correct the address", e.settings.where(), syscall.ECONNREFUSED)}}
	case errors.Is(err, context.DeadlineExceeded):
		return target.FieldError{Field: e.whereField(), Err: target.Unavailable{Err: fmt.Errorf("connect to %s: %w", e.settings.where(), mysqld.NoAnswer(reachWithin))}}
	case !errors.As(err, &refused):
		return target.FieldError{Field: e.whereField(), Err: unavailable(fmt.Errorf("connect to %s: %w", e.settings.where(), err))}
	}
	switch refused.Number {
	case errAccessDenied, errAccessDeniedNoPwd:
		return target.FieldError{Field: "user", Err: fmt.Errorf("log in at %s: %w; %s", e.settings.where(), err, CheckLogin)}
	case errHostNotAllowed:
		return target.FieldError{Field: "user", Err: fmt.Errorf("log in at %s: %w; the account must be allowed from here", e.settings.where(), err)}
	case errSecureTransport:
		return target.FieldError{Field: "tls", Err: fmt.Errorf("log in at %s: %w; leave tls: off out", e.settings.where(), err)}
	}
	return unavailable(fmt.Errorf("log in at %s: %w", e.settings.where(), err))
}

func (e *external) whereField() string {
	if e.settings.Socket != "" {
		return "socket"
	}
	return "host"
}

// checkWritable refuses a replica: the load and its tables are written.
func (e *external) checkWritable(ctx context.Context, db *sql.DB) error {
	var readOnly bool
	if err := db.QueryRowContext(ctx, "SELECT @@GLOBAL.read_only").Scan(&readOnly); err != nil {
		return fmt.Errorf("ask whether the server is read-only: %w", err)
	}
	if readOnly {
		return target.FieldError{Field: e.whereField(), Err: fmt.Errorf("the server at %s is read-only (read_only=ON), so no tables can be created there; name the primary, or switch read_only off on a server that is not a replica", e.settings.where())}
	}
	return nil
}

// Statements of others that are not a load: a cloud's agent asks a few a second.
const (
	listenFor  = time.Second
	idleEnough = 20 // statements in that time
	ownAsking  = 1  // of them, the second question itself
)

// status asks for a status variable.
func status(ctx context.Context, db *sql.DB, name string) (value int64, err error) {
	err = inTime(ctx, func(ctx context.Context) error {
		return db.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE '"+name+"'").Scan(&name, &value)
	})
	return value, err
}

// checkAlone refuses a server that others are using: their statements would be part of
// what is measured, in some trials more than in others.
func (e *external) checkAlone(ctx context.Context, db *sql.DB) error {
	if e.settings.Shared {
		return nil
	}
	before, err := status(ctx, db, "Questions")
	if err != nil {
		return fmt.Errorf("count the statements of others: %w", err)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(listenFor):
	}
	after, err := status(ctx, db, "Questions")
	if err != nil {
		return fmt.Errorf("count the statements of others: %w", err)
	}
	others := after - before - ownAsking
	if others <= idleEnough {
		return nil
	}
	connections, err := status(ctx, db, "Threads_connected")
	if err != nil {
		return fmt.Errorf("count the connections of others: %w", err)
	}
	return target.FieldError{Field: e.whereField(), Err: target.Unavailable{Err: fmt.Errorf("the server at %s has other clients: %d other connections, %d statements within %s; measure when they are gone, or write shared: true to measure beside them",
		e.settings.where(), connections-1, others, listenFor)}}
}

// markerTable is the one by which mysqld.CreateSchema knows its own.
const markerTable = "tare_owner"

// checkSchema: the schema is tare's, or is absent and may be made.
func (e *external) checkSchema(ctx context.Context, db *sql.DB) error {
	var schemas, markers int
	err := db.QueryRowContext(ctx, `SELECT
		(SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?),
		(SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ? AND table_name = ?)`,
		e.settings.Schema, e.settings.Schema, markerTable).Scan(&schemas, &markers)
	switch {
	case err != nil:
		return fmt.Errorf("look for schema %s: %w", e.settings.Schema, err)
	case schemas == 0 && e.settings.KeepSchema:
		return target.FieldError{Field: "schema", Err: fmt.Errorf("use schema %s: it does not exist, or user %s has no privilege on it; create it, or name no schema and let tare create one", e.settings.Schema, e.settings.User)}
	case schemas > 0 && markers == 0 && e.settings.KeepSchema:
		if empty, err := mysqld.Unfinished(ctx, db, e.settings.Schema); err != nil || !empty {
			return errors.Join(err, target.FieldError{Field: "schema", Err: fmt.Errorf("use schema %s: %w: it is not empty, and tare drops all tables of its schema at the end; name an empty one", e.settings.Schema, mysqld.ErrForeignSchema)})
		}
	case schemas > 0 && markers == 0 && !e.unfinished(ctx, db):
		return target.FieldError{Field: "schema", Err: fmt.Errorf("use schema %s: %w: it has no marker of tare's; name another schema, or drop this one yourself", e.settings.Schema, mysqld.ErrForeignSchema)}
	}
	if err := e.mayCreate(ctx, db); err != nil {
		return err
	}
	return e.checkLease(ctx, db)
}

// unfinished tells whether the schema is one that a tare has created and could not mark.
func (e *external) unfinished(ctx context.Context, db *sql.DB) bool {
	if !e.creating(false) {
		return false
	}
	unfinished, err := mysqld.Unfinished(ctx, db, e.settings.Schema)
	return err == nil && unfinished
}

// mayCreate asks for the right to create without using it: the copy of a table
// that does not exist cannot be made, and servers look at the rights first.
// SHOW GRANTS would have to be parsed, with its roles and wildcards.
func (e *external) mayCreate(ctx context.Context, db *sql.DB) error {
	s := e.settings.Schema
	_, err := db.ExecContext(ctx, "CREATE TABLE `"+s+"`.tare_may_create LIKE `"+s+"`.tare_does_not_exist")
	var refused *mysql.MySQLError
	if !errors.As(err, &refused) {
		return fmt.Errorf("check the privilege to create schema %s: %w", s, errors.Join(err, errors.New("no answer of the server's")))
	}
	switch refused.Number {
	case errUnknownSchema, errUnknownTable:
		return nil
	case errTableDenied, errSchemaDenied:
		return target.FieldError{Field: "user", Err: fmt.Errorf("user %s may not create the schema %s; run: GRANT ALL ON `%s`.* TO that user, or name an existing empty schema (mysql://USER@HOST/SCHEMA, in a file keepSchema: true)", e.settings.User, s, s)}
	}
	return fmt.Errorf("check the privilege to create schema %s: %w", s, err)
}
