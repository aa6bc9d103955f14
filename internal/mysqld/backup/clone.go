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
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
)

// answerWithin bounds what the donor is asked before anything is started.
const answerWithin = 30 * time.Second

// passwordVariable is read where no file is named, as for target external and as the clients of MySQL do.
const passwordVariable = "MYSQL_PWD"

// donor is the address and the password of the server to clone.
func donor(c experiment.Clone) (mysqld.Address, error) {
	a, err := mysqld.Address{Host: c.Host, Port: cmp.Or(c.Port, 3306), User: c.User, CA: c.CA}.WithTLS(c.TLS)
	if err != nil {
		return a, err
	}
	if c.PasswordFile == "" {
		a.Password = os.Getenv(passwordVariable)
		return a, nil
	}
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
		return Size{}, fmt.Errorf("ask the server to clone: %w%s", err, adviceOn(err))
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

// accessDenied is the server's code for a login that it refuses (ER_ACCESS_DENIED_ERROR).
const accessDenied = 1045

// adviceOn is what to do about a connection with TLS that could not be made or a login that was refused, "" for others.
func adviceOn(err error) string {
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && refused.Number == accessDenied {
		return " (in data.from.clone, correct user or passwordFile; without passwordFile, the password is that of the environment variable MYSQL_PWD)"
	}
	if why := mysqld.Unreachable(err); !strings.HasPrefix(why, "TLS") {
		return ""
	}
	return " (in data.from.clone, name the certificate's CA in ca, or write tls: off if nobody can listen on the network path)"
}

// Shared is a directory as the recipient sees it and as this process does.
type Shared struct{ There, Here string }

// caFile is the file in a [Shared] with the certificates that the recipient trusts.
const caFile = "clone-ca.pem"

// Clone makes a copy of the donor's data in the directory name of dir, which must not exist.
// The recipient is an empty server. Its own connection to the donor is encrypted where tare's
// is; of a certificate, it checks the authority alone (sql/server_component/
// clone_protocol_service.cc, SSL_MODE_VERIFY_CA), so the name is checked by [Donor] only.
func Clone(ctx context.Context, recipient *sql.DB, c experiment.Clone, dir Shared, name string) error {
	a, err := donor(c)
	if err != nil {
		return err
	}
	at, encrypted := net.JoinHostPort(a.Host, strconv.Itoa(a.Port)), ""
	if a.TLS != "" {
		encrypted = " REQUIRE SSL"
	}
	if _, err := recipient.ExecContext(ctx, "INSTALL PLUGIN clone SONAME 'mysql_clone.so'"); err != nil {
		return fmt.Errorf("clone: %w", err)
	}
	if _, err := recipient.ExecContext(ctx, "SET GLOBAL clone_valid_donor_list = "+text(at)); err != nil {
		return fmt.Errorf("clone: %w", err)
	}
	if err := trust(ctx, recipient, a, dir); err != nil {
		return fmt.Errorf("clone %s: %w", at, err)
	}
	// The server shows a password as <secret> in its logs and process list.
	_, err = recipient.ExecContext(ctx, fmt.Sprintf("CLONE INSTANCE FROM %s@%s:%d IDENTIFIED BY %s DATA DIRECTORY = %s%s", text(a.User), text(a.Host), a.Port, text(a.Password), text(path.Join(dir.There, name)), encrypted))
	if err != nil {
		return fmt.Errorf("clone %s: %w", at, err)
	}
	return nil
}

// trust gives the recipient the certificates by which it checks the donor's.
func trust(ctx context.Context, recipient *sql.DB, a mysqld.Address, dir Shared) error {
	if !strings.HasPrefix(a.TLS, "verify-") {
		return nil
	}
	pem, err := a.CACertificates()
	if err == nil && pem == nil {
		pem, err = mysqld.SystemCertificates()
	}
	if err != nil {
		return err
	}
	// The directory is the server's user's: nothing that is there is opened (open(2), O_EXCL).
	f, err := os.OpenFile(filepath.Join(dir.Here, caFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write CA file: %w", err)
	}
	_, err = f.Write(pem)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil { // whatever the umask is
		return fmt.Errorf("write CA file: %w", err)
	}
	_, err = recipient.ExecContext(ctx, "SET GLOBAL clone_ssl_ca = "+text(path.Join(dir.There, caFile)))
	return err
}

// text is a string constant. Recipients are tare's own servers, with the default sql_mode.
func text(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'"
}
