package capture

// This file says whether the account can see the tables that the statements work in. A server shows an
// account in information_schema only what it has a privilege on (MySQL Reference Manual, "INFORMATION_SCHEMA
// Introduction"), and without columns a workload file would have 1 and NULL in the place of every value.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tarebench/tare/internal/mysqld"
)

// ErrUnreadable is of an account that sees no table of a schema. The server does not tell it whether the schema exists.
var ErrUnreadable = errors.New("the account cannot read the columns")

// Readable is nil if the account sees a table of the schema, or, where the schema is "", of any that is not the
// server's own. The error names the grant that is missing.
func Readable(ctx context.Context, db *sql.DB, schema string) error {
	var tables int
	err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? OR ? = ''"+
		" AND TABLE_SCHEMA NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema')", schema, schema).Scan(&tables)
	if err != nil {
		return fmt.Errorf("look for the tables of the schema: %w", err)
	}
	if tables > 0 {
		return nil
	}
	account := "the account"
	var user, host string
	if db.QueryRowContext(ctx, "SELECT SUBSTRING_INDEX(CURRENT_USER(), '@', 1), SUBSTRING_INDEX(CURRENT_USER(), '@', -1)").Scan(&user, &host) == nil {
		account = mysqld.QuoteName(user) + "@" + mysqld.QuoteName(host)
	}
	if schema == "" {
		return fmt.Errorf("%w of any schema: GRANT SELECT ON the schema of the statements TO %s", ErrUnreadable, account)
	}
	return fmt.Errorf("%w of %s: GRANT SELECT ON %s.* TO %s; or the server has no schema of that name, or the schema has no table",
		ErrUnreadable, schema, mysqld.QuoteName(schema), account)
}
