package barrier_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

const generators = 4

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
			if err := root.Exec(t.Context(), "USE tg"); err != nil {
				t.Fatal(err)
			}
			var sessions [generators]*wire.Session
			for i := range sessions {
				sessions[i] = open()
				if err := sessions[i].Exec(t.Context(), "USE tg"); err != nil {
					t.Fatal(err)
				}
			}
			// A machine that stands still lets the time pass before a generator is told.
			number := 0
			mysqldtest.Attempts(t, 5, func() error {
				number++
				return together(t, sessions, root, "run-"+strconv.Itoa(number))
			})
			waiting := open()
			if err := waiting.Exec(t.Context(), "USE tg"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if _, err := barrier.Start(ctx, waiting, "alone", 0, 2); err == nil {
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

// together starts generators that arrive at different times, and ends them. It returns
// what a machine that stands still can change.
func together(t *testing.T, sessions [generators]*wire.Session, root *wire.Session, run string) (late error) {
	t.Helper()
	var starts [generators]time.Time
	var took [generators]time.Duration
	var errs [generators]error
	var group sync.WaitGroup
	for i, session := range sessions {
		group.Go(func() {
			time.Sleep(time.Duration(i) * 150 * time.Millisecond)
			starts[i], took[i], errs[i] = barrier.StartWithin(t.Context(), session, run, i, generators)
		})
	}
	group.Wait()
	for i, at := range starts {
		// Each is off by half a round trip at most; a clock that is slewed meanwhile adds less than 1 ms.
		gap, most := at.Sub(starts[0]).Abs(), (took[i]+took[0])/2+time.Millisecond
		switch {
		case errs[i] != nil && strings.Contains(errs[i].Error(), "began"):
			late = errs[i]
		case errs[i] != nil:
			t.Fatal(errs[i])
		case errs[0] == nil && gap > most:
			t.Errorf("generator %d begins %v from the first; %v are possible", i, gap, most)
		case time.Until(at) < 0:
			late = fmt.Errorf("generator %d is told %v after the start", i, -time.Until(at))
		}
	}
	begun(t, root, run)
	if _, err := barrier.Start(t.Context(), root, run, 0, generators); err == nil {
		t.Error("a run that has begun was begun again")
	}
	for i := range generators {
		if err := barrier.Leave(t.Context(), root, run, i); err != nil {
			t.Fatal(err)
		}
		if rows, err := root.Query(t.Context(), "SELECT * FROM tare_generators"); err != nil || (len(rows) == 0) != (i == generators-1) {
			t.Errorf("%d of %d have left: %v, %v", i+1, generators, rows, err)
		}
	}
	return late
}

// begun waits until the start of a run has passed, by the clock of the server.
func begun(t *testing.T, root *wire.Session, run string) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		rows, err := root.Query(t.Context(), "SELECT 1 FROM tare_generators WHERE run = '"+run+"' AND begins < NOW(6)")
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) > 0 {
			return
		}
	}
	t.Fatalf("%s has not begun within a minute", run)
}
