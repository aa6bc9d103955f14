package mysqld_test

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

const password = "Cr0wn;Jewels@/?#%"

// testTLS goes through the modes. MySQL makes itself a CA and a certificate for
// no host; MariaDB 10.11 has no TLS unless it is given files.
func testTLS(t *testing.T, d mysqld.Distribution, s *mysqldtest.Server, db *sql.DB) {
	if _, err := db.Exec("CREATE USER enc@'127.0.0.1' IDENTIFIED BY 'x1' REQUIRE SSL"); err != nil {
		t.Fatal(err)
	}
	at := mysqld.Address{Host: "127.0.0.1", Port: s.Options.Port, User: "enc", Password: "x1"}
	ready := func(mode, ca string) error {
		at.TLS, at.CA = mode, ca
		return mysqld.Ready(context.Background(), at, hang, nil)
	}
	if err := ready("", ""); err == nil {
		t.Error("an account that requires TLS lets us in without")
	}
	if d.Flavour == mysqld.MariaDB {
		if err := ready("required", ""); !errors.Is(err, mysql.ErrNoTLS) {
			t.Errorf("a server without TLS: %v, want ErrNoTLS at once", err)
		}
		return
	}
	own := caOf(t, s.Options.DataDir)
	if err := ready("required", ""); err != nil {
		t.Errorf("required: %v", err)
	}
	if err := ready("verify-ca", own); err != nil {
		t.Errorf("verify-ca with the server's own CA: %v", err)
	}
	for _, c := range []struct{ mode, ca string }{{"verify-ca", ""}, {"verify-identity", ""}, {"verify-identity", own}} {
		var untrusted *tls.CertificateVerificationError
		if err := ready(c.mode, c.ca); !errors.As(err, &untrusted) || errors.Is(err, mysqld.ErrNotReady) {
			t.Errorf("%s with CA %q: %v, want a certificate that is not trusted, at the first attempt", c.mode, c.ca, err)
		}
	}
}

// testPassword: a refused password is an error at once and in no error's text.
func testPassword(t *testing.T, _ mysqld.Distribution, s *mysqldtest.Server, db *sql.DB) {
	for _, a := range []mysqld.Address{
		{Socket: s.Options.Socket, User: "root", Password: password},
		{Host: "127.0.0.1", Port: s.Options.Port, User: "nobody", Password: password},
		{Socket: s.Options.Socket, User: "root", Schema: "not_there"},
	} {
		err := mysqld.Ready(context.Background(), a, hang, nil)
		if err == nil {
			t.Fatalf("%+v is let in", a)
		}
		if errors.Is(err, mysqld.ErrNotReady) {
			t.Errorf("not refused at the first attempt: %v", err)
		}
		noPassword(t, err)
	}
}

// TestOpenErrors: addresses that cannot be, and none of the errors has the
// password, neither at once nor when the handle is used.
func TestOpenErrors(t *testing.T) {
	noPEM := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(noPEM, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		a    mysqld.Address
		want string
	}{
		"nothing":    {mysqld.Address{}, "neither a socket nor host and port"},
		"no port":    {mysqld.Address{Host: "db"}, "neither a socket nor host and port"},
		"TLS mode":   {mysqld.Address{Host: "db", Port: 1, TLS: "preferred"}, "write required, verify-ca or verify-identity"},
		"CA missing": {mysqld.Address{Host: "db", Port: 1, TLS: "verify-ca", CA: "/no/ca.pem"}, "read CA file"},
		"CA empty":   {mysqld.Address{Host: "db", Port: 1, TLS: "verify-ca", CA: noPEM}, "no certificate in PEM form"},
		"no socket":  {mysqld.Address{Socket: "/no/mysqld.sock"}, "no such file"},
		"nobody":     {mysqld.Address{Host: "127.0.0.1", Port: 1}, "connection refused"},
		"bad schema": {mysqld.Address{Host: "127.0.0.1", Port: 1, Schema: "a/b?c"}, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			c.a.User, c.a.Password = "u", password
			db, err := mysqld.Open(c.a)
			if err == nil {
				defer db.Close()
				err = db.Ping()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q in it", err, c.want)
			}
			noPassword(t, err)
		})
	}
}

func noPassword(t *testing.T, err error) {
	t.Helper()
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
		if strings.Contains(text, password) || strings.Contains(text, password[:8]) {
			t.Errorf("the password is in an error: %s", text)
		}
	}
}
