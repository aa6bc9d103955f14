package mysqld

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/record"
)

// secret are parts of the names of variables that can hold a password or key.
// Galera's provider options and sst_auth, LDAP's bind password and MariaDB's S3
// keys are among them; so is SQL that is run at start or connect, as it can
// set passwords. Names of files with keys are no secret.
var secret = []string{
	"secret", "_pwd", "sst_auth", "provider_options", "s3_access_key", "report_password",
	"init_connect", "init_slave", "init_replica",
}

// Variables are the server's global variables, without those that can hold a
// secret.
func Variables(ctx context.Context, db *sql.DB) (map[string]string, error) {
	all, err := pairs(ctx, db, "SHOW GLOBAL VARIABLES")
	if err != nil {
		return nil, fmt.Errorf("read server variables: %w", err)
	}
	for name := range all {
		if isSecret(name) {
			delete(all, name)
		}
	}
	return all, nil
}

func isSecret(name string) bool {
	for _, part := range secret {
		if strings.Contains(strings.ToLower(name), part) {
			return true
		}
	}
	return false
}

// Status are the server's global status counters.
func Status(ctx context.Context, db *sql.DB) (map[string]string, error) {
	all, err := pairs(ctx, db, "SHOW GLOBAL STATUS")
	if err != nil {
		return nil, fmt.Errorf("read server status: %w", err)
	}
	return all, nil
}

// pairs reads a result of names and values. A value can be NULL.
func pairs(ctx context.Context, db *sql.DB, query string) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var name string
		var value sql.NullString
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		all[name] = value.String
	}
	return all, rows.Err()
}

// ErrNoAnswer is of a server that accepts connections and says nothing: the kernel accepts them for a process that is
// stopped.
var ErrNoAnswer = errors.New("the server did not answer")

// NoAnswer is [ErrNoAnswer] after that long, with what may be the matter.
func NoAnswer(within time.Duration) error {
	return fmt.Errorf("%w within %.0f s; its process may be stopped or out of memory, or the machine overloaded", ErrNoAnswer, within.Seconds())
}

// versionWithin bounds the first question to a running server.
const versionWithin = 10 * time.Second

// Version is what a running server says it is, such as "9.7.4-2" or
// "10.11.19-MariaDB-0+deb12u1", and its flavour.
func Version(ctx context.Context, db *sql.DB) (version, flavour string, err error) {
	answer, cancel := context.WithTimeout(ctx, versionWithin)
	defer cancel()
	var comment string
	err = db.QueryRowContext(answer, "SELECT @@version, @@version_comment").Scan(&version, &comment)
	switch {
	case err != nil && answer.Err() != nil && ctx.Err() == nil:
		return "", "", fmt.Errorf("read server version: %w", NoAnswer(versionWithin))
	case err != nil:
		return "", "", fmt.Errorf("read server version: %w", err)
	}
	return version, record.FlavourOf(version, comment), nil
}

// CleanShutdown makes the server write out everything and end, so that its data
// directory can be copied and starts without recovery: with
// innodb_fast_shutdown at its default, undo logs and the change buffer would
// be left for the next start, which would then be part of a trial. It returns
// when the server has taken the order; the process ends later.
func CleanShutdown(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("shut server down: %w", err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SET GLOBAL innodb_fast_shutdown = 0"); err != nil {
		return fmt.Errorf("ask for a complete shutdown: %w", err)
	}
	_, err = conn.ExecContext(ctx, "SHUTDOWN")
	// The server may close the connection before its answer is through.
	if err != nil && !errors.Is(err, mysql.ErrInvalidConn) {
		return fmt.Errorf("shut server down: %w", err)
	}
	return nil
}

// SetVariables are the names of the variables that somebody has set: in a file, on the
// command line, or while the server ran. The others have the values that the server was
// built with.
func SetVariables(ctx context.Context, db *sql.DB) ([]string, error) {
	_, flavour, err := Version(ctx, db)
	if err != nil {
		return nil, err
	}
	query := "SELECT VARIABLE_NAME FROM performance_schema.variables_info WHERE VARIABLE_SOURCE <> 'COMPILED' ORDER BY VARIABLE_NAME"
	if flavour == MariaDB {
		query = "SELECT LOWER(VARIABLE_NAME) FROM information_schema.SYSTEM_VARIABLES WHERE GLOBAL_VALUE_ORIGIN <> 'COMPILE-TIME' ORDER BY VARIABLE_NAME"
	}
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read which variables are set: %w", err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("read which variables are set: %w", err)
		}
		names = append(names, name)
	}
	return names, rows.Err()
}
