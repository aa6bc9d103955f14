package environment_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/environment"
)

// TestPassed: a program gets what it needs to run and what it is said to read, and no variable
// that a user may have put a password into.
func TestPassed(t *testing.T) {
	have := []string{"PATH=/bin", "MYSQL_PWD=secret", "LC_TIME=C", "LC_PASSWORD=secret", "LUA_PATH=/scripts", "PATHS=x", "B_PASSWORD=secret", "HOME=/root", "="}
	for _, c := range []struct {
		more, want []string
	}{
		{nil, []string{"PATH=/bin", "LC_TIME=C", "HOME=/root"}},
		{[]string{"LUA_PATH", "LUA_CPATH"}, []string{"PATH=/bin", "LC_TIME=C", "LUA_PATH=/scripts", "HOME=/root"}},
	} {
		if diff := cmp.Diff(c.want, environment.Of(have, c.more...)); diff != "" {
			t.Errorf("with %v (-want +got):\n%s", c.more, diff)
		}
	}
	t.Setenv("TARE_TEST_SECRET", "secret")
	t.Setenv("TZ", "UTC")
	passed := map[string]bool{}
	for _, v := range environment.Passed() {
		passed[v] = true
	}
	if passed["TARE_TEST_SECRET=secret"] || !passed["TZ=UTC"] {
		t.Errorf("passed: %v", passed)
	}
}
