package mysqld

import (
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Open returns a handle on the server at a. It connects on first use. No error
// of it or of the handle holds the password: the driver is configured without
// a DSN, so there is no text that the password is part of.
func Open(a Address) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.DBName = a.User, a.Password, a.Schema
	if c.User == "" {
		c.User = "root"
	}
	c.Timeout = 10 * time.Second
	// The driver's own logger writes to standard error behind our back.
	c.Logger = &mysql.NopLogger{}
	switch {
	case a.Socket != "":
		c.Net, c.Addr = "unix", a.Socket
	case a.Host == "" || a.Port <= 0:
		return nil, fmt.Errorf("open server: neither a socket nor host and port are given (host %q, port %d)", a.Host, a.Port)
	default:
		c.Net, c.Addr = "tcp", net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
	}
	var err error
	if c.TLS, err = a.tls(); err != nil {
		return nil, fmt.Errorf("open server: %w", err)
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("open server: %w", err)
	}
	return sql.OpenDB(connector), nil
}

// tls is the TLS configuration of an address, nil for none. The modes are those
// of the mysql client's --ssl-mode.
func (a Address) tls() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: a.Host}
	switch a.TLS {
	case "":
		return nil, nil
	case "required":
		c.InsecureSkipVerify = true // what "required" means: encrypted, to whomever
		return c, nil
	case "verify-ca", "verify-identity":
	default:
		return nil, fmt.Errorf("read TLS mode %q: write required, verify-ca or verify-identity, or leave it out for no TLS", a.TLS)
	}
	var err error
	if c.RootCAs, err = a.trusted(); err != nil {
		return nil, err
	}
	if a.TLS == "verify-ca" {
		// crypto/tls has no mode that checks the chain and not the name: its
		// own check is turned off and done here (as in the package's example).
		c.InsecureSkipVerify = true
		c.VerifyConnection = chain(c.RootCAs)
	}
	return c, nil
}

// trusted are the certificates of the CA file, or the system's.
func (a Address) trusted() (*x509.CertPool, error) {
	pem, err := a.CACertificates()
	if err != nil {
		return nil, err
	}
	if pem == nil {
		pool, err := x509.SystemCertPool()
		if err != nil {
			return nil, fmt.Errorf("read the system's certificates: %w (name a CA file)", err)
		}
		return pool, nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read CA file: %s holds no certificate in PEM form", a.CA)
	}
	return pool, nil
}

// CACertificates are the certificates that are trusted, in PEM form; nil for the system's.
func (a Address) CACertificates() ([]byte, error) {
	if a.Certificates != "" {
		return []byte(a.Certificates), nil
	}
	if a.CA == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(a.CA)
	if err != nil {
		return nil, fmt.Errorf("read CA file: %w", err)
	}
	return pem, nil
}

// SystemCertificates are the certificates that this system trusts, in PEM form, for a server
// that has to be told of them. crypto/x509 reads them and does not give them out; the places
// are those where it looks (crypto/x509/root_linux.go, root_unix.go).
func SystemCertificates() ([]byte, error) {
	for _, file := range []string{
		os.Getenv("SSL_CERT_FILE"), "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
		"/etc/pki/tls/cacert.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
	} {
		if pem, err := os.ReadFile(file); err == nil && file != "" {
			return pem, nil
		}
	}
	return nil, errors.New("find the system's certificates: they are in no file that is known; name a CA file")
}

// Portable is the address for another machine, which does not have the CA file: its
// certificates are in the address.
func (a Address) Portable() (Address, error) {
	pem, err := a.CACertificates()
	a.Certificates = string(pem)
	return a, err
}

// chain checks that the server's certificate leads to a trusted one.
func chain(roots *x509.CertPool) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 {
			return errors.New("the server sent no certificate")
		}
		between := x509.NewCertPool()
		for _, c := range s.PeerCertificates[1:] {
			between.AddCert(c)
		}
		_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
		if err != nil {
			return &tls.CertificateVerificationError{UnverifiedCertificates: s.PeerCertificates, Err: err}
		}
		return nil
	}
}
