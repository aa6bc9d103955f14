package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/tarebench/tare/internal/mysqld"
)

// handshakeLimit bounds what a server may send before the connection is
// authenticated: a certificate chain and a key are a few kilobytes.
const handshakeLimit = 256 << 10

// Dialer makes connections to one server.
type Dialer struct {
	address mysqld.Address
	config  *tls.Config // nil without TLS
	// LocalFiles lets a session answer LOAD DATA LOCAL INFILE: only Session.Load
	// does, and with what its caller gives, never with a file.
	LocalFiles bool
	// Inside calls f on a thread in the network namespace that connections are made from; nil
	// is here.
	Inside func(f func() error) error
}

// NewDialer reads the certificates that the address names.
func NewDialer(a mysqld.Address) (*Dialer, error) {
	config, err := tlsConfig(a)
	if err != nil {
		return nil, fmt.Errorf("prepare TLS: %w", err)
	}
	return &Dialer{address: a, config: config}, nil
}

// tlsConfig follows the words of MySQL's --ssl-mode.
func tlsConfig(a mysqld.Address) (*tls.Config, error) {
	if a.TLS == "" {
		return nil, nil
	}
	c := &tls.Config{ServerName: a.Host, MinVersion: tls.VersionTLS12}
	pem, err := a.CACertificates()
	if err != nil {
		return nil, err
	}
	if pem != nil {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", a.CA)
		}
	}
	switch a.TLS {
	case "required":
		c.InsecureSkipVerify = true
	case "verify-ca":
		// crypto/tls verifies chain and name together or not at all.
		c.InsecureSkipVerify = true
		c.VerifyConnection = func(s tls.ConnectionState) error { return verifyChain(s, c.RootCAs) }
	case "verify-identity":
	default:
		return nil, fmt.Errorf("unknown TLS mode %q: required, verify-ca or verify-identity", a.TLS)
	}
	return c, nil
}

func verifyChain(s tls.ConnectionState, roots *x509.CertPool) error {
	if len(s.PeerCertificates) == 0 {
		return errors.New("the server shows no certificate")
	}
	o := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
	for _, c := range s.PeerCertificates[1:] {
		o.Intermediates.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(o)
	return err
}

// ServerError is an error that the server sent, by its code.
type ServerError struct {
	Code    uint16
	Message string
}

func (e *ServerError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// dialLimit bounds a connection attempt whose ctx has no earlier end: a server that
// accepts and says nothing must not be waited for without end.
const dialLimit = 30 * time.Second

// Dial connects and authenticates. ctx and 30 s bound the whole of it. A *ServerError is
// what the server refused the connection with.
func (d *Dialer) Dial(ctx context.Context) (s *Session, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	release := func() bool { return true }
	defer func() {
		if !release() && err == nil { // ctx ended, and with it the connection's time
			s.Close()
			s, err = nil, fmt.Errorf("connect: %w", context.Cause(ctx))
		}
	}()
	defer func() {
		// The library indexes into the server's greeting without looking at its
		// length, so a hostile one panics.
		if r := recover(); r != nil {
			s, err = nil, fmt.Errorf("connect: %w: %v", ErrProtocol, r)
		}
	}()
	var lower *switched
	c, err := client.ConnectWithDialer(ctx, "", d.target(), d.address.User, d.address.Password, d.address.Schema,
		func(ctx context.Context, network, address string) (net.Conn, error) {
			raw, err := d.connect(ctx, network, address)
			if err != nil {
				return nil, err
			}
			deadline, _ := ctx.Deadline()
			_ = raw.SetDeadline(deadline)
			release = context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
			lower = &switched{Conn: &limited{Conn: raw, left: handshakeLimit}}
			return lower, nil
		}, d.options)
	if err != nil {
		if lower != nil {
			lower.Close()
		}
		if cause := context.Cause(ctx); cause != nil { // what the connection says then follows from it
			return nil, fmt.Errorf("connect: %w", cause)
		}
		return nil, fmt.Errorf("connect: %w", serverError(err))
	}
	lower.Conn = lower.Conn.(*limited).Conn
	return &Session{conn: c.Conn.Conn, lower: lower, id: c.GetConnectionID(), version: c.GetServerVersion()}, nil
}

// connect makes the socket. An address that needs no look-up is dialled on the
// calling thread, so the socket belongs to that thread's network namespace.
func (d *Dialer) connect(ctx context.Context, network, address string) (raw net.Conn, err error) {
	dial := func() error {
		raw, err = new(net.Dialer).DialContext(ctx, network, address)
		return err
	}
	if d.Inside == nil {
		err = dial()
		return raw, err
	}
	err = d.Inside(dial)
	return raw, err
}

func (d *Dialer) target() string {
	if d.address.Socket != "" {
		return d.address.Socket
	}
	return net.JoinHostPort(d.address.Host, strconv.Itoa(d.address.Port))
}

func (d *Dialer) options(c *client.Conn) error {
	// The library's own, utf8mb4_0900_ai_ci, is unknown to MariaDB, which then takes what is
	// sent for latin1. This one is in every server.
	if err := c.SetCollation("utf8mb4_general_ci"); err != nil {
		return err
	}
	c.BufferSize = 4096
	// With query attributes every COM_QUERY and COM_STMT_EXECUTE has more fields;
	// sysbench's connector does not send them either.
	c.UnsetCapability(mysql.CLIENT_QUERY_ATTRIBUTES)
	// Without it CALL of a procedure that selects is error 1312.
	c.SetCapability(mysql.CLIENT_MULTI_RESULTS)
	c.SetCapability(mysql.CLIENT_PS_MULTI_RESULTS)
	c.SetAttributes(map[string]string{"program_name": "tare"})
	if d.LocalFiles {
		c.SetCapability(mysql.CLIENT_LOCAL_FILES)
	}
	if d.config != nil && d.address.Socket == "" {
		c.SetTLSConfig(d.config)
	}
	return nil
}

// serverError finds the server's own error in the library's chain.
// A connection that has ended is said in words: the library names the function in which it saw that.
func serverError(err error) error {
	var e *mysql.MyError
	if errors.As(err, &e) {
		return &ServerError{Code: e.Code, Message: e.Message}
	}
	for _, end := range []string{io.EOF.Error(), syscall.ECONNRESET.Error(), syscall.EPIPE.Error(), net.ErrClosed.Error()} {
		if text := err.Error(); strings.Contains(text, mysql.ErrBadConn.Error()) && strings.Contains(text, end) {
			return closedError{}
		}
	}
	return err
}

// closedError is a connection that the server has ended. It is [io.EOF].
type closedError struct{}

func (closedError) Error() string { return "the server closed the connection" }
func (closedError) Unwrap() error { return io.EOF }

// limited refuses to read more than a handshake can need.
type limited struct {
	net.Conn
	left int
}

func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("%w: the handshake does not end", ErrProtocol)
	}
	n, err := l.Conn.Read(b[:min(len(b), l.left)])
	l.left -= n
	return n, err
}
