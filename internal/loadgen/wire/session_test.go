package wire_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

const password = "pa ss#w\"o=r,d"

// certify writes a certificate authority and a server's certificate for 127.0.0.1
// into the instance's directory and returns the server's options for them.
func certify(t *testing.T, dir, name string) (config map[string]string, ca string) {
	t.Helper()
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	write := func(file, kind string, der []byte) string {
		path := filepath.Join(dir, name+file)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	caKey, serverKey := key(), key()
	caCert := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	caDER, err := x509.CreateCertificate(rand.Reader, caCert, caCert, caKey.Public(), caKey)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, cert, caCert, serverKey.Public(), caKey)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(serverKey)
	if err != nil {
		t.Fatal(err)
	}
	ca = write("ca.pem", "CERTIFICATE", caDER)
	return map[string]string{"ssl_ca": ca, "ssl_cert": write("cert.pem", "CERTIFICATE", der), "ssl_key": write("key.pem", "PRIVATE KEY", keyDER)}, ca
}

func dial(t *testing.T, a mysqld.Address) (*wire.Session, error) {
	t.Helper()
	d, err := wire.NewDialer(a)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return d.Dial(ctx)
}

// TestConnect: every way of authenticating, over every way of connecting, to real
// servers; each connection then works after it has left the runtime's hands.
func TestConnect(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			o := mysqldtest.Prepare(t, d, nil)
			o.Port = mysqldtest.FreePort(t)
			dir := filepath.Dir(o.DefaultsFile)
			config, ca := certify(t, dir, "our")
			_, otherCA := certify(t, dir, "other")
			o.Config = config
			mysqldtest.WriteDefaults(t, d, o)
			mysqldtest.Initialize(t, d, o)
			s := mysqldtest.Run(t, d, o)
			for _, m := range methods(d) {
				connectBy(t, s, m, o.Port, ca, otherCA)
			}
		})
	}
}

// method is a way of authenticating and how a user of it is made.
type method struct{ name, install, create string }

func methods(d mysqld.Distribution) []method {
	if d.Flavour == "mysql" {
		return []method{
			{"caching_sha2_password", "", "IDENTIFIED WITH caching_sha2_password BY '%s'"},
		}
	}
	return []method{
		{"mysql_native_password", "", "IDENTIFIED BY '%s'"},
		{"ed25519", "INSTALL SONAME 'auth_ed25519'", "IDENTIFIED VIA ed25519 USING PASSWORD('%s')"},
	}
}

func connectBy(t *testing.T, s *mysqldtest.Server, m method, port int, ca, otherCA string) {
	t.Helper()
	root, err := dial(t, s.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	user := "u_" + m.name[:6]
	for _, sql := range []string{m.install, fmt.Sprintf("CREATE USER %s@'%%' "+m.create, user, password), fmt.Sprintf("CREATE USER %s@localhost "+m.create, user, password)} {
		if sql == "" {
			continue
		}
		if err := root.Exec(t.Context(), sql); err != nil {
			t.Logf("%s: not on this server: %v", m.name, err)
			return
		}
	}
	tcp := mysqld.Address{Host: "127.0.0.1", Port: port, User: user, Password: password}
	for _, c := range []struct {
		name, tls, ca string
		socket, wrong bool
		refused       string
	}{
		{name: "tcp"}, {name: "tcp again"}, {name: "socket", socket: true},
		{name: "required", tls: "required"}, {name: "verify-ca", tls: "verify-ca", ca: ca}, {name: "verify-identity", tls: "verify-identity", ca: ca},
		{name: "another authority", tls: "verify-ca", ca: otherCA, refused: "certificate"},
		{name: "another authority, identity", tls: "verify-identity", ca: otherCA, refused: "certificate"},
		{name: "wrong password", wrong: true, refused: "error 1045"},
	} {
		a := tcp
		a.TLS, a.CA = c.tls, c.ca
		if c.socket {
			a.Socket = s.Options.Socket
		}
		if c.wrong {
			a.Password = "wrong"
		}
		session, err := dial(t, a)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) || strings.Contains(err.Error(), password) {
				t.Errorf("%s, %s: error %v, want one with %q", m.name, c.name, err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s, %s: %v", m.name, c.name, err)
			continue
		}
		useReleased(t, m.name+", "+c.name, session)
	}
	byName := tcp
	byName.Host, byName.TLS, byName.CA = "localhost", "verify-identity", ca
	if _, err := dial(t, byName); err == nil {
		t.Errorf("%s: a certificate for 127.0.0.1 passed for localhost", m.name)
	}
}

// useReleased runs a large result over a connection that does not block any more.
func useReleased(t *testing.T, name string, s *wire.Session) {
	t.Helper()
	c, err := s.Release()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	defer c.Close()
	query := "SELECT REPEAT('x', 100000) UNION ALL SELECT 'y'"
	if e := c.Send(wire.AppendQuery(nil, query)); e != 0 {
		t.Errorf("%s: send: %v", name, e)
		return
	}
	var r wire.Response
	r.Reset()
	buf := make([]byte, 30000)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		n, e := c.Receive(buf)
		if e == unix.EAGAIN {
			fds := []unix.PollFd{{Fd: int32(c.FD), Events: unix.POLLIN}}
			if _, err := unix.Poll(fds, 1000); err != nil && !errors.Is(err, unix.EINTR) {
				t.Fatal(err)
			}
			continue
		}
		if e != 0 {
			t.Errorf("%s: receive: %v", name, e)
			return
		}
		if _, done, err := r.Feed(buf[:n]); done || err != nil {
			if err != nil || r.Rows != 2 || r.Code != 0 {
				t.Errorf("%s: %d rows, error %d %v", name, r.Rows, r.Code, err)
			}
			return
		}
	}
	t.Errorf("%s: no end of the answer", name)
}

// TestHostileServer: whatever a server sends in the handshake, Dial returns an
// error, soon and without using much memory.
func TestHostileServer(t *testing.T) {
	long := strings.Repeat("\x00\xff\xffx", 1<<20)
	for name, greeting := range map[string]string{
		"nothing": "", "one byte": "\x00", "a huge packet": "\xff\xff\xff\x00\x0a" + long,
		"zeroes": strings.Repeat("\x00", 4096), "a version without end": "\x40\x00\x00\x00\x0a" + strings.Repeat("9", 63),
		"short greeting": "\x06\x00\x00\x00\x0a9.7\x00\x01", "error": "\x17\x00\x00\x00\xff\x10\x04Too many connections", "short error": "\x01\x00\x00\x00\xff",
		"http": "HTTP/1.1 400 Bad Request\r\n\r\n",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = c.Write([]byte(greeting))
				time.Sleep(100 * time.Millisecond)
				c.Close()
			}
		}()
		s, err := dial(t, mysqld.Address{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, User: "u"})
		if err == nil {
			s.Close()
			t.Errorf("%s: a session", name)
		}
		l.Close()
	}
}
