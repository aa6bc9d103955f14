package external

import (
	"errors"
	"github.com/google/go-cmp/cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/tarebench/tare/internal/target"
)

const secret = "hunter2-is-no-secret"

func parse(text string) (target.Target, error) {
	return New(func(into any) error { return yaml.UnmarshalWithOptions([]byte(text), into, yaml.Strict()) }, Env{})
}

func TestContradictions(t *testing.T) {
	for _, c := range []struct{ text, field, says string }{
		{"user: a", "host", "the address is missing"},
		{"{host: h, socket: /s, user: a}", "socket", "leave one out"},
		{"{socket: /s, user: a, tls: required}", "socket", "no TLS"},
		{"{host: 'h:3306', user: a}", "host", "port is a field"},
		{"{host: 'http://h', user: a}", "host", "not a host name"},
		{"{host: h, user: a, port: 70000}", "port", "1 to 65535"},
		{"{host: h}", "user", "the user is missing"},
		{"{host: h, user: a, passwordEnv: A, passwordFile: b}", "passwordFile", "leave one out"},
		{"{host: h, user: a, tls: 'on'}", "tls", "verify-identity, verify-ca"},
		{"{host: h, user: a, schema: 'a-b'}", "schema", "letters, digits"},
		{"{host: h, user: a, schema: MySQL}", "schema", "server's own"},
		{"{host: h, user: a, password: " + secret + "}", "password", "passwordEnv"},
		{"{host: h, user: a, password: 12345678}", "password", "passwordFile"},
	} {
		_, err := parse(c.text)
		var field target.FieldError
		if !errors.As(err, &field) || field.Field != c.field || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want one of field %s with %q", c.text, err, c.field, c.says)
		}
		if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "12345678") {
			t.Errorf("%s: the error tells the password: %v", c.text, err)
		}
	}
	_, err := parse("{port: -1, tls: x}")
	if all, ok := err.(interface{ Unwrap() []error }); !ok || len(all.Unwrap()) != 4 {
		t.Errorf("not all four mistakes at once: %v", err)
	}
}

func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		text string
		tls  string
		port int
	}{
		{"{host: db.example.com, user: a}", "verify-identity", 3306},
		{"{host: 10.0.0.5, user: a, port: 3307}", "verify-identity", 3307},
		{"{host: 10.0.0.5, user: a, tls: off}", "off", 3306},
		{"{host: localhost.example.com, user: a}", "verify-identity", 3306},
		{"{host: localhost, user: a}", "off", 3306},
		{"{host: 127.0.0.2, user: a}", "off", 3306},
		{"{host: '::1', user: a}", "off", 3306},
		{"{host: localhost, user: a, tls: verify-ca}", "verify-ca", 3306},
		{"{socket: /run/s, user: a}", "off", 0},
	} {
		e, err := parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if s := e.(*external).settings; s.TLS != c.tls || s.Port != c.port || s.Schema != "tare_bench" {
			t.Errorf("%s: TLS %s, port %d, schema %s; want %s, %d, tare_bench", c.text, s.TLS, s.Port, s.Schema, c.tls, c.port)
		}
	}
}

func TestPassword(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("TARE_TEST_PASSWORD", secret)
	t.Setenv("TARE_TEST_EMPTY", "")
	for _, c := range []struct {
		name string
		s    Settings
		want string
		says string // "" for no error
	}{
		{"none", Settings{}, "", ""},
		{"variable", Settings{PasswordEnv: "TARE_TEST_PASSWORD"}, secret, ""},
		{"empty variable", Settings{PasswordEnv: "TARE_TEST_EMPTY"}, "", ""},
		{"unset variable", Settings{PasswordEnv: "TARE_TEST_UNSET"}, "", "TARE_TEST_UNSET is not set"},
		{"file", Settings{PasswordFile: file("good", secret+"\n", 0o640)}, secret, ""},
		{"file of a Windows user", Settings{PasswordFile: file("crlf", secret+"\r\nmore", 0o600)}, secret, ""},
		{"blanks are part of it", Settings{PasswordFile: file("blanks", " a ", 0o600)}, " a ", ""},
		{"readable for all", Settings{PasswordFile: file("open", secret, 0o644)}, "", "chmod"},
		{"empty file", Settings{PasswordFile: file("empty", "\n", 0o600)}, "", "empty"},
		{"large file", Settings{PasswordFile: file("large", strings.Repeat("x", 5000), 0o600)}, "", "not a file with a password"},
		{"directory", Settings{PasswordFile: dir}, "", "not a file with a password"},
		{"missing file", Settings{PasswordFile: filepath.Join(dir, "absent")}, "", "no such file"},
	} {
		got, err := c.s.password()
		if got != c.want || (err != nil) != (c.says != "") || (err != nil && !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %q, %v; want %q, error with %q", c.name, got, err, c.want, c.says)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error tells the password: %v", c.name, err)
		}
	}
}

// TestInstance: what the file says of the server's machine is in the record, and is
// checked.
func TestInstance(t *testing.T) {
	e, err := parse("{host: db.example.com, user: a, instance: {type: db.m5d.xlarge, cpu: 4, memory: 16Gi, iops: 12000, zones: 3}, price: 1.72/h}")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range e.(*external).settings.declared() {
		got[strings.TrimPrefix(f.Key, "external.instance.")] = f.Value
	}
	want := map[string]string{"type": "db.m5d.xlarge", "cpu": "4", "memory": "16Gi", "iops": "12000", "zones": "3", "price": "1.72/h"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, c := range []struct{ text, says string }{
		{"price: 1.72", `"1.72" is not a price`},
		{"instance: {cpu: max}", "instance.cpu: expected an amount"},
		{"instance: {iops: -1}", "instance: iops and zones"},
	} {
		if _, err := parse("{host: h, user: a, " + c.text + "}"); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %q", c.text, err, c.says)
		}
	}
}
