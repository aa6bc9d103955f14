package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/target"
)

// TestResumeWaitsForTheLease: a resumed run waits until the lease of a process has ended that
// nobody can look at, and can then use the schema. Until then the schema is in use, which is no
// mistake of the experiment.
func TestResumeWaitsForTheLease(t *testing.T) {
	s := serve(t, mysqldtest.Flavour(t, "mysql"), nil)
	first, next := s.as(t, elsewhere(1), ""), s.as(t, elsewhere(2), "")
	if _, err := begin(t, first); err != nil {
		t.Fatal(err)
	}
	first.lease.stop()             // as a pod that is lost
	renewed := func(seconds int) { // ago, by the server's clock
		t.Helper()
		s.run(t, fmt.Sprintf("UPDATE tare_bench.tare_lease SET renewed = UTC_TIMESTAMP(6) - INTERVAL %d SECOND", seconds))
	}
	renewed(-60) // it lasts while this machine stands still
	var held *mysqld.HeldError
	err := errors.Join(next.Check(t.Context())...)
	if !errors.As(err, &held) || !errors.As(err, &target.Unavailable{}) || !errors.As(err, &target.FieldError{}) {
		t.Errorf("before: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := next.resume(ended, "", &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted wait: %v", err)
	}
	var said bytes.Buffer
	for attempt := 0; attempt < 5 && said.Len() == 0; attempt++ { // unless it is over before it is read
		renewed(22)
		if err := next.Capabilities().Resume(t.Context(), "", &said); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(said.String(), "process 1 on host ") {
		t.Errorf("said: %s", said.String())
	}
	if errs := next.Check(t.Context()); len(errs) > 0 {
		t.Errorf("after: %v", errs)
	}
	if err := next.Release(t.Context()); err != nil {
		t.Error(err)
	}
}
