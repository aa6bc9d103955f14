package external

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/target"
)

// TestMistakeIsNotUnavailable: what server and client do not agree on, and a CA file that cannot be
// read, stay as they are until somebody changes them; a server that does not listen may listen later.
func TestMistakeIsNotUnavailable(t *testing.T) {
	made, err := parse("{host: 127.0.0.1, port: 1, user: u, passwordEnv: TARE_TEST_PASSWORD, tls: verify-ca, ca: " + t.TempDir() + "}")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TARE_TEST_PASSWORD", secret)
	e := made.(*external)
	ofDirectory := errors.Join(e.Check(t.Context())...)
	for _, c := range []struct {
		err         error
		field       string
		unavailable bool
	}{
		{e.explain(mysql.ErrUnknownPlugin), "host", false},
		{e.explain(mysql.ErrCleartextPassword), "host", false},
		{e.explain(&net.OpError{Op: "remote error", Err: errors.New("tls: protocol version not supported")}), "host", false},
		{e.explain(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), "host", true},
		{ofDirectory, "ca", false},
	} {
		var field target.FieldError
		if !errors.As(c.err, &field) || field.Field != c.field || errors.As(c.err, &target.Unavailable{}) != c.unavailable {
			t.Errorf("%v: field %q, want %q, unavailable: %v", c.err, field.Field, c.field, c.unavailable)
		}
	}
}

// TestPasswordOfTheEnvironment: MYSQL_PWD is the password where the settings name no other source, and only there.
func TestPasswordOfTheEnvironment(t *testing.T) {
	t.Setenv("MYSQL_PWD", secret)
	t.Setenv("TARE_TEST_PASSWORD", "other")
	for settings, want := range map[string]string{"": secret, ", passwordEnv: TARE_TEST_PASSWORD": "other"} {
		e, err := parse("{host: 127.0.0.1, user: u" + settings + "}")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.(*external).settings.password(); got != want || err != nil {
			t.Errorf("%q: %q, %v", settings, got, err)
		}
	}
}
