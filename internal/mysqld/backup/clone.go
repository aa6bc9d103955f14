package backup

// This file has MySQL copy the data of a running server with its clone plugin (MySQL
// Reference Manual, "The Clone Plugin").

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
)

// answerWithin bounds what the donor is asked before anything is started.
const answerWithin = 30 * time.Second

// donor is the address and the password of the server to clone.
func donor(c experiment.Clone) (mysqld.Address, error) {
	a := mysqld.Address{Host: c.Host, Port: cmp.Or(c.Port, 3306), User: c.User}
	if c.PasswordFile == "" {
		return a, nil
	}
	var err error
	a.Password, err = mysqld.ReadPassword(c.PasswordFile)
	return a, err
}

// Donor asks the server to clone for its size, and says why it cannot be cloned.
func Donor(ctx context.Context, c experiment.Clone) (Size, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	a, err := donor(c)
	if err != nil {
		return Size{}, err
	}
	db, err := mysqld.Open(a)
	if err != nil {
		return Size{}, err
	}
	defer db.Close()
	var active int
	if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'clone' AND PLUGIN_STATUS = 'ACTIVE'").Scan(&active); err != nil {
		return Size{}, fmt.Errorf("ask the server to clone: %w", err)
	}
	if active == 0 {
		return Size{}, errors.New("the server has no clone plugin; on it: INSTALL PLUGIN clone SONAME 'mysql_clone.so' (MySQL 8.0.17 and later)")
	}
	var bytes sql.NullFloat64
	if err := db.QueryRowContext(ctx, "SELECT SUM(FILE_SIZE) FROM information_schema.INNODB_TABLESPACES").Scan(&bytes); err != nil {
		return Size{}, fmt.Errorf("ask the server to clone for its size (the account needs PROCESS): %w", err)
	}
	return Size{Bytes: int64(bytes.Float64) + besideRows, Estimated: true}, nil
}

// Clone makes a copy of the donor's data in the directory dir of the recipient, which must
// not exist. The recipient is an empty server.
func Clone(ctx context.Context, recipient *sql.DB, c experiment.Clone, dir string) error {
	a, err := donor(c)
	if err != nil {
		return err
	}
	at := net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
	if _, err := recipient.ExecContext(ctx, "INSTALL PLUGIN clone SONAME 'mysql_clone.so'"); err != nil {
		return fmt.Errorf("clone: %w", err)
	}
	if _, err := recipient.ExecContext(ctx, "SET GLOBAL clone_valid_donor_list = "+text(at)); err != nil {
		return fmt.Errorf("clone: %w", err)
	}
	// The server shows a password as <secret> in its logs and process list.
	_, err = recipient.ExecContext(ctx, fmt.Sprintf("CLONE INSTANCE FROM %s@%s:%d IDENTIFIED BY %s DATA DIRECTORY = %s", text(a.User), text(a.Host), a.Port, text(a.Password), text(dir)))
	if err != nil {
		return fmt.Errorf("clone %s: %w", at, err)
	}
	return nil
}

// text is a string constant. Recipients are tare's own servers, with the default sql_mode.
func text(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'"
}
