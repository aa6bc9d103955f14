package external

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

func yamlInto(text string, into any) error {
	return yaml.UnmarshalWithOptions([]byte(text), into, yaml.Strict())
}

// TestTLS: each mode checks what it says, against a server whose certificate
// is for its address.
func TestTLS(t *testing.T) {
	ours, others := newAuthority(t), newAuthority(t)
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			s := serve(t, d, ours)
			for _, c := range []struct{ settings, says string }{
				{"tls: verify-identity, ca: " + ours.file, ""},
				{"tls: verify-ca, ca: " + ours.file, ""},
				{"tls: required", ""},
				{"tls: verify-identity, ca: " + others.file, "is not trusted"},
				{"tls: verify-ca, ca: " + others.file, "is not trusted"},
				{"tls: verify-identity", "is not trusted"}, // the system does not know the CA
				// The same server by a name that is not in its certificate.
				{"host: localhost, tls: verify-identity, ca: " + ours.file, "is not trusted"},
				{"host: localhost, tls: verify-ca, ca: " + ours.file, ""},
			} {
				e := s.override(t, "user: tare, "+c.settings)
				expect(t, c.settings, errors.Join(e.Check(context.Background())...), "tls", c.says)
			}
			encrypted(t, s.override(t, "user: tare, tls: verify-identity, ca: "+ours.file))
		})
	}
}

// encrypted: the connection of the trial's server is, too.
func encrypted(t *testing.T, e *external) {
	t.Helper()
	server, err := e.Start(context.Background(), requests(t)())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop(context.Background())
	for _, f := range server.Facts(context.Background(), "start") {
		if f.Key == "external.tls_version" && f.Value != "TLSv1.3" && f.Value != "TLSv1.2" {
			t.Errorf("TLS version of the connection: %q %s", f.Value, f.Unknown)
		}
	}
}

// testOwnCertificates: those that MySQL makes for itself name no host, so they
// can be verified but for the name; MariaDB 10.11 makes none.
func testOwnCertificates(t *testing.T, s someone, d mysqld.Distribution) {
	cases := []struct{ settings, says string }{{"tls: required", "has no TLS"}}
	if d.Flavour == mysqld.MySQL {
		ca := filepath.Join(s.server.Options.DataDir, "ca.pem")
		cases = []struct{ settings, says string }{
			{"tls: required", ""},
			{"tls: verify-ca, ca: " + ca, ""},
			{"tls: verify-identity, ca: " + ca, "is not trusted"},
		}
	}
	for _, c := range cases {
		e := s.override(t, "user: tare, "+c.settings)
		expect(t, c.settings, errors.Join(e.Check(context.Background())...), "tls", c.says)
	}
}

// authority is a certificate authority of a test's.
type authority struct {
	file        string // its certificate
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{file: filepath.Join(t.TempDir(), "ca.pem"), key: newKey(t)}
	a.certificate = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "tare's test authority"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	a.sign(t, a.certificate, a.key, a.file)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) sign(t *testing.T, c *x509.Certificate, key *ecdsa.PrivateKey, file string) {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, c, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, file, "CERTIFICATE", der, 0o644)
}

func writePEM(t *testing.T, file, kind string, der []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode); err != nil {
		t.Fatal(err)
	}
}

// install makes a certificate for 127.0.0.1 in dir and returns the server's
// options for it.
func (a *authority) install(t *testing.T, dir string, uid int) map[string]string {
	t.Helper()
	key := newKey(t)
	cert, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "test server"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, key, cert)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, keyFile, "PRIVATE KEY", der, 0o600)
	if os.Geteuid() == 0 {
		if err := os.Chown(keyFile, uid, -1); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{"ssl_cert": cert, "ssl_key": keyFile}
}
