package mysqld

// Why no connection can be made, where the reason is neither the server nor its load.

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/record"
)

// Unreachable says why an attempt to connect failed before the server could answer: DNS
// does not resolve its name, or TLS cannot be agreed on. It is "" for every other error.
func Unreachable(err error) string {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &name):
		return record.NameUnresolved.Say(name.Error())
	case errors.As(err, &certificate):
		return record.NotTrusted.Say(certificate.Error())
	case errors.Is(err, mysql.ErrNoTLS):
		return record.NoTLS.Say()
	}
	// The other errors of crypto/tls have no common type; each begins with the package's name.
	if _, why, found := strings.Cut(err.Error(), "tls: "); found {
		return "TLS: " + why
	}
	return ""
}

// What a server answers that takes no connection now (mysqld_error.h): ER_CON_COUNT_ERROR and
// ER_SERVER_SHUTDOWN.
const (
	errTooManyConnections = 1040
	errServerShutdown     = 1053
)

// Lost tells whether an error is that of a connection which cannot be made now, or has ended. The same
// attempt may succeed later. Of what server and client do not agree on (TLS, a plugin of a login),
// and of files that cannot be read, this is not so.
func Lost(err error) bool {
	if strings.HasPrefix(Unreachable(err), "TLS") {
		return false
	}
	var refused *mysql.MySQLError
	if errors.As(err, &refused) {
		return refused.Number == errTooManyConnections || refused.Number == errServerShutdown
	}
	// Not net.Error: syscall.Errno is one too, whatever it is the error of.
	var connection *net.OpError
	var name *net.DNSError
	return errors.As(err, &connection) || errors.As(err, &name) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrNoAnswer) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, io.EOF)
}
