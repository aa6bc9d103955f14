package runner

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestClockOfTheServer: a clock that is set while a server is loaded does not look like a
// restart, and a restart is seen whatever the clock does. The server takes the variable
// timestamp for the time of day, in its uptime too.
func TestClockOfTheServer(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			t.Parallel()
			server := mysqldtest.Start(t, d, nil)
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			s := newSession(ctx, server.Address, "")
			defer s.close()
			jump := func(seconds int) {
				t.Helper()
				if _, err := s.conn.ExecContext(ctx, fmt.Sprintf("SET timestamp = UNIX_TIMESTAMP(SYSDATE()) + %d", seconds)); err != nil {
					t.Fatal(err)
				}
			}
			for _, seconds := range []int{0, 3600, -3600, 86400 * 365, -86400 * 365} {
				if jump(seconds); s.same(ctx) != nil {
					t.Errorf("after a jump by %d s: %v", seconds, s.same(ctx))
				}
			}
			server.Stop(t)
			// The start is known to the second: one in the same second is not another.
			for time.Now().Unix() <= s.who.latest+1 {
				time.Sleep(10 * time.Millisecond)
			}
			mysqldtest.Run(t, d, server.Options)
			for err := s.ask(ctx); !errors.Is(err, errOther); err = s.ask(ctx) { // the first may find the broken connection
				if ctx.Err() != nil {
					t.Fatalf("a restart was not seen: %v", err)
				}
				if s.conn != nil {
					t.Fatalf("a restart was not seen: %v", err)
				}
			}
			for _, seconds := range []int{3600, -3600} {
				if jump(seconds); !errors.Is(s.same(ctx), errOther) {
					t.Errorf("a restart and a jump by %d s: %v", seconds, s.same(ctx))
				}
			}
		})
	}
}

// TestHoldIsTakenAgain: where the connection before still has the controller's lock, because the server
// does not know that it is broken, the lock is taken when that connection has ended.
func TestHoldIsTakenAgain(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			t.Parallel()
			server := mysqldtest.Start(t, d, nil)
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			hold := barrier.HoldSQL("hold-test")
			before := newSession(ctx, server.Address, "", hold...)
			s := newSession(ctx, server.Address, "", hold...)
			defer s.close()
			before.close()
			for !s.held {
				if err := s.ask(ctx); err != nil {
					t.Fatal(err)
				}
			}
			var mine bool
			if err := s.conn.QueryRowContext(ctx, "SELECT IS_USED_LOCK('tare.run.hold-test') = CONNECTION_ID()").Scan(&mine); err != nil || !mine {
				t.Errorf("the lock is this connection's: %t, %v", mine, err)
			}
		})
	}
}
