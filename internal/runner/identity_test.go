package runner

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

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
