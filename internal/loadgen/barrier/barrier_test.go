package barrier_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestStart: generators that arrive at different times are told one time, which
// lies ahead of all of them; a run's name is good once; and a generator that
// waits for others that never come can be ended.
func TestStart(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			s := mysqldtest.Start(t, d, nil)
			open := func() *wire.Session {
				dialer, err := wire.NewDialer(s.Address)
				if err != nil {
					t.Fatal(err)
				}
				session, err := dialer.Dial(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { session.Close() })
				return session
			}
			root := open()
			if err := root.Exec(t.Context(), "CREATE SCHEMA tg"); err != nil {
				t.Fatal(err)
			}
			const of = 4
			var starts [of]time.Time
			var errs [of]error
			var group sync.WaitGroup
			for i := range of {
				session := open()
				if err := session.Exec(t.Context(), "USE tg"); err != nil {
					t.Fatal(err)
				}
				group.Go(func() {
					time.Sleep(time.Duration(i) * 150 * time.Millisecond)
					starts[i], errs[i] = barrier.Start(t.Context(), session, "run-1", i, of)
				})
			}
			group.Wait()
			for i, at := range starts {
				if errs[i] != nil {
					t.Fatal(errs[i])
				}
				if gap := at.Sub(starts[0]).Abs(); gap > 20*time.Millisecond || time.Until(at) < 0 {
					t.Errorf("generator %d begins %v from the first, in %v", i, gap, time.Until(at))
				}
			}
			if err := root.Exec(t.Context(), "USE tg"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Until(starts[0]) + 10*time.Millisecond)
			if _, err := barrier.Start(t.Context(), root, "run-1", 0, of); err == nil {
				t.Error("a run that has begun was begun again")
			}
			for i := range of {
				if err := barrier.Leave(t.Context(), root, "run-1", i); err != nil {
					t.Fatal(err)
				}
				if rows, err := root.Query(t.Context(), "SELECT * FROM tare_generators"); err != nil || (len(rows) == 0) != (i == of-1) {
					t.Errorf("%d of %d have left: %v, %v", i+1, of, rows, err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if _, err := barrier.Start(ctx, root, "run-2", 0, 2); err == nil {
				t.Error("one of two began alone")
			}
			if _, err := barrier.Start(t.Context(), root, "x'; DROP TABLE y", 0, 1); err == nil {
				t.Error("a hostile name passed")
			}
			if err := barrier.Drop(t.Context(), root); err != nil {
				t.Error(err)
			}
		})
	}
}
