package loadgen

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/wire"
)

// builtInPreparedElsewhere: two generators make one table each, with the rows that this
// machine would make; what is wrong with a table ends all of it.
func builtInPreparedElsewhere(t *testing.T, s *testServer) {
	j := builtInJob(s)
	e := BuiltIn("")
	sums := func() []string {
		t.Helper()
		d, err := wire.NewDialer(j.Server)
		if err != nil {
			t.Fatal(err)
		}
		session, err := d.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		rows, err := session.Query(t.Context(), "CHECKSUM TABLE sbtest1, sbtest2")
		if err != nil {
			t.Fatal(err)
		}
		return []string{rows[0][1], rows[1][1]}
	}
	remove := func() {
		t.Helper()
		if err := e.Cleanup(t.Context(), j, testLog{t}); err != nil {
			t.Fatal(err)
		}
	}
	remove()
	if err := e.Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	want := sums()
	remove()
	var log bytes.Buffer
	if err := PrepareBy(t.Context(), j, j.Server, 2, "filled", generators(2), &log); err != nil {
		t.Fatal(err)
	}
	if got := sums(); !slices.Equal(got, want) {
		t.Errorf("checksums %v, want %v", got, want)
	}
	for _, says := range []string{"generator 0: sbtest1: verified", "generator 1: sbtest2: verified"} {
		if !strings.Contains(log.String(), says) {
			t.Errorf("no %q in the log:\n%s", says, &log)
		}
	}
	j.Seed++
	if err := PrepareBy(t.Context(), j, j.Server, 2, "other", generators(2), &log); !errors.Is(err, fill.ErrOtherRows) {
		t.Errorf("on rows of another seed: %v", err)
	}
	remove()
}
