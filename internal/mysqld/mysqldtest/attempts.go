package mysqldtest

import "testing"

// Attempts runs a case up to n times until it returns nil, and fails with its last error.
// It is for bounds on times and on counts within a time: a machine that stands still for a
// second breaks them once, a fault breaks them every time. What does not depend on time is
// checked by the case itself in every attempt.
func Attempts(t testing.TB, n int, attempt func() error) {
	t.Helper()
	for i := 1; ; i++ {
		err := attempt()
		if err == nil {
			return
		}
		if i == n {
			t.Errorf("in each of %d attempts, last: %v", n, err)
			return
		}
		t.Logf("attempt %d: %v", i, err)
	}
}
