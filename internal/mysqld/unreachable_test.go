package mysqld

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
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
