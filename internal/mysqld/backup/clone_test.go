package backup

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"database/sql"
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

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestDonorAddress: the certificate and the name of a server on another machine are verified
// unless the experiment says otherwise.
func TestDonorAddress(t *testing.T) {
	for _, c := range []struct {
		clone      experiment.Clone
		tls, wrong string
	}{
		{experiment.Clone{Host: "db.example.com"}, mysqld.TLSIdentity, ""},
		{experiment.Clone{Host: "127.0.0.1"}, "", ""},
		{experiment.Clone{Host: "db.example.com", TLS: "off"}, "", ""},
		{experiment.Clone{Host: "127.0.0.1", TLS: "verify-ca"}, "verify-ca", ""},
		{experiment.Clone{Host: "db.example.com", TLS: "on"}, "", `"on" is not a TLS mode`},
	} {
		c.clone.CA = "/etc/ca.pem"
		a, err := donor(c.clone)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%+v: %v", c.clone, err)
			}
			continue
		}
		if err != nil || a.TLS != c.tls || a.CA != c.clone.CA {
			t.Errorf("%+v: %+v, %v; want TLS %q", c.clone, a, err, c.tls)
		}
	}
}

// TestDonorPassword: without a file, the password is that of MYSQL_PWD, and a refused login names both.
func TestDonorPassword(t *testing.T) {
	t.Setenv("MYSQL_PWD", "from-the-environment")
	login := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(login, []byte("from-the-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"": "from-the-environment", login: "from-the-file"} {
		if a, err := donor(experiment.Clone{Host: "127.0.0.1", PasswordFile: path}); err != nil || a.Password != want {
			t.Errorf("%q: %q, %v", path, a.Password, err)
		}
	}
	if advice := adviceOn(fmt.Errorf("ask: %w", &mysql.MySQLError{Number: 1045})); !strings.Contains(advice, "passwordFile") || !strings.Contains(advice, "MYSQL_PWD") {
		t.Errorf("%q", advice)
	}
}

// TestCloneIsEncrypted: neither tare nor the server that copies logs in at a server without
// TLS, or at one whose certificate another authority has signed, unless the experiment says so.
func TestCloneIsEncrypted(t *testing.T) {
	d := mysqldtest.Flavour(t, mysqld.MySQL)
	own, port := startDonor(t, d)
	o := mysqldtest.Prepare(t, d, small())
	mysqldtest.Initialize(t, d, o)
	recipient, err := mysqld.Open(mysqldtest.Run(t, d, o).Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { recipient.Close() })
	plain := listenPlain(t)
	for _, c := range []struct {
		name  string
		clone experiment.Clone
		says  string
		login bool // of the server without TLS
	}{
		{"no TLS there", experiment.Clone{Port: plain.port, TLS: "required"}, "SSL", false},
		{"no TLS here", experiment.Clone{Port: plain.port, TLS: "off"}, "clone 127.0.0.1", true},
		{"another authority", experiment.Clone{Port: port, TLS: "verify-ca", CA: authority(t)}, "SSL", false},
		{"its own authority", experiment.Clone{Port: port, TLS: "verify-ca", CA: filepath.Join(own, "ca.pem")}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.clone.Host, c.clone.User = "127.0.0.1", "donor"
			err := cloneTo(t, recipient, c.clone, filepath.Dir(o.DataDir))
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("clone: %v, want %q", err, c.says)
			}
			if plain.login() != c.login {
				t.Errorf("login at a server without TLS: %v", !c.login)
			}
			if c.says != "SSL" {
				return
			}
			if _, err := Donor(t.Context(), c.clone); err == nil || !strings.Contains(err.Error(), "data.from.clone, name the certificate's CA in ca") {
				t.Errorf("size: %v", err)
			}
			if plain.login() {
				t.Error("tare has sent a login")
			}
		})
	}
}

// authority is a file with the certificate of an authority that has signed nothing.
func authority(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "another authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// small are options of a server that only has to be there.
func small() map[string]string {
	return map[string]string{"innodb_buffer_pool_size": "32M", "innodb_redo_log_capacity": "8M"}
}

// startDonor starts a server that can be cloned, and returns its data directory and its port.
func startDonor(t *testing.T, d mysqld.Distribution) (string, int) {
	t.Helper()
	config := small()
	config["plugin_load_add"] = "mysql_clone.so"
	server := mysqldtest.StartTCP(t, d, config)
	db, err := mysqld.Open(server.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{"CREATE USER donor@'%'", "GRANT BACKUP_ADMIN, PROCESS ON *.* TO donor@'%'"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	return server.Options.DataDir, server.Options.Port
}

// cloneTo clones into a directory of the recipient, and leaves it as it was.
func cloneTo(t *testing.T, recipient *sql.DB, c experiment.Clone, dir string) error {
	t.Helper()
	err := Clone(t.Context(), recipient, c, Shared{There: dir, Here: dir}, "copy")
	if _, dropErr := recipient.Exec("UNINSTALL PLUGIN clone"); dropErr != nil {
		t.Fatal(dropErr)
	}
	if removed := os.Remove(filepath.Join(dir, caFile)); removed != nil && !errors.Is(removed, os.ErrNotExist) {
		t.Fatal(removed)
	}
	return err
}

// plainServer greets as a server without TLS does, and notes what clients answer.
type plainServer struct {
	port    int
	answers chan string
}

func listenPlain(t *testing.T) *plainServer {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &plainServer{port: l.Addr().(*net.TCPAddr).Port, answers: make(chan string, 100)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			// Protocol 10 without CLIENT_SSL (page_protocol_connection_phase of MySQL's source).
			greeting := "\x0a8.4.0\x00\x01\x00\x00\x00abcdefgh\x00\x0f\xa2\x21\x02\x00\x08\x00\x15" + strings.Repeat("\x00", 10) + "ijklmnopqrst\x00caching_sha2_password\x00"
			answer := make([]byte, 4096)
			if _, err := c.Write(append([]byte{byte(len(greeting)), 0, 0, 0}, greeting...)); err == nil {
				if n, _ := c.Read(answer); n > 0 {
					s.answers <- string(answer[:n])
				}
			}
			c.Close()
		}
	}()
	return s
}

// login says whether the name of the account has come since the last time.
func (s *plainServer) login() bool {
	for {
		select {
		case a := <-s.answers:
			if strings.Contains(a, "donor") {
				return true
			}
		default:
			return false
		}
	}
}
