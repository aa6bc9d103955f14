package mysqld

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTLSIsOnByDefault: to a host that is not this machine the certificate and the
// name are verified unless the user says otherwise.
func TestTLSIsOnByDefault(t *testing.T) {
	for _, c := range []struct {
		at         Address
		mode, want string
	}{
		{Address{Host: "db.example.com"}, "", TLSIdentity},
		{Address{Host: "10.0.0.7"}, "", TLSIdentity},
		{Address{Host: "localhost.example.com"}, "", TLSIdentity},
		{Address{Host: "localhost"}, "", ""},
		{Address{Host: "127.0.0.1"}, "", ""},
		{Address{Host: "::1"}, "", ""},
		{Address{Socket: "/run/x.sock"}, "", ""},
		{Address{Host: "db.example.com"}, TLSOff, ""},
		{Address{Host: "db.example.com"}, "required", "required"},
		{Address{Host: "127.0.0.1"}, "verify-ca", "verify-ca"},
	} {
		got, err := c.at.WithTLS(c.mode)
		if err != nil || got.TLS != c.want {
			t.Errorf("%+v with mode %q: TLS %q, error %v, want %q", c.at, c.mode, got.TLS, err, c.want)
		}
	}
	if _, err := (Address{Host: "db"}).WithTLS("preferred"); err == nil {
		t.Error("a mode that leaves TLS to the network was accepted")
	}
}

func TestReadPassword(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	for _, c := range []struct {
		content string
		mode    os.FileMode
		want    string
		err     string
	}{
		{"p w\nrest", 0o600, "p w", ""},
		{"pw\r\n", 0o640, "pw", ""},
		{"canary\n", 0o604, "", "everyone on this machine"},
		{"canary\n", 0o602, "", "everyone on this machine"},
		{"\ncanary", 0o600, "", "first line of the file is empty"},
		{strings.Repeat("canary", 1000), 0o600, "", "not a file with a password"},
	} {
		if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		got, err := ReadPassword(file)
		if got != c.want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q with mode %v: %q, %v", c.content, c.mode, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("the error holds the password: %v", err)
		}
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadPassword(fifo); err == nil {
		t.Error("a FIFO was accepted")
	}
}
