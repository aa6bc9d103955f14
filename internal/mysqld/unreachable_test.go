package mysqld

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// TestUnreachable: names and TLS are told from a server that refuses or breaks connections.
func TestUnreachable(t *testing.T) {
	for _, c := range []struct {
		err  error
		says string
	}{
		{nil, ""},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "db.test", IsNotFound: true}}, "DNS does not resolve its name: lookup db.test: no such host"},
		{&net.DNSError{Err: "i/o timeout", Name: "db.test", IsTimeout: true}, "DNS does not resolve"},
		{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, "TLS: its certificate is not trusted"},
		{mysql.ErrNoTLS, "TLS: it offers none"},
		{&net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")}, "TLS: handshake failure"},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, "TLS: first record"},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, ""},
		{io.EOF, ""},
		{&mysql.MySQLError{Number: 1040, Message: "Too many connections"}, ""},
	} {
		got := Unreachable(c.err)
		if c.err != nil { // and behind other words
			got = Unreachable(fmt.Errorf("connect: %w", c.err))
		}
		if (got == "") != (c.says == "") || !strings.HasPrefix(got, c.says) {
			t.Errorf("%v: %q, want %q", c.err, got, c.says)
		}
	}
}

// TestLost: a connection that may be made later is told from what stays as it is.
func TestLost(t *testing.T) {
	_, ofFile := os.ReadFile(t.TempDir())
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, true},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "db.test", IsNotFound: true}}, true},
		{context.DeadlineExceeded, true},
		{driver.ErrBadConn, true},
		{mysql.ErrInvalidConn, true},
		{io.EOF, true},
		{mysql.ErrUnknownPlugin, false},
		{mysql.ErrCleartextPassword, false},
		{mysql.ErrNativePassword, false},
		{mysql.ErrNoTLS, false},
		{&net.OpError{Op: "remote error", Err: errors.New("tls: protocol version not supported")}, false},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, false},
		{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, false},
		{&mysql.MySQLError{Number: 1045, Message: "Access denied"}, false},
		{fmt.Errorf("ask: %w", &mysql.MySQLError{Number: 1040, Message: "Too many connections"}), true},
		{&mysql.MySQLError{Number: 1053, Message: "Server shutdown in progress"}, true},
		{ofFile, false}, // EISDIR
	} {
		if got := Lost(c.err); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
	if ofFile == nil {
		t.Error("a directory was read as a file")
	}
}
