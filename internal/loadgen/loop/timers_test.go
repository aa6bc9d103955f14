package loop

import (
	"math/rand/v2"
	"testing"
)

// TestTimers: waits end in the order of their times, each connection's last one alone, and
// adding one does not allocate.
func TestTimers(t *testing.T) {
	var q timers
	random := rand.New(rand.NewPCG(1, 2))
	conns := make([]*connection, 200)
	due := map[*connection]int64{}
	for i := range conns {
		conns[i] = &connection{}
		for range 3 { // the first two are forgotten
			at := int64(random.IntN(1000))
			q.add(at, conns[i])
			due[conns[i]] = at
		}
	}
	q.add(1, conns[0])
	conns[0].timer = 0 // as a lost connection's
	delete(due, conns[0])
	for now := int64(0); now <= 1000; now += 10 {
		q.expire(now, func(c *connection) {
			if at, waits := due[c]; !waits || at > now || at <= now-10 {
				t.Errorf("at %d a connection is woken that is due at %d (waits: %v)", now, at, waits)
			}
			delete(due, c)
		})
	}
	if len(due) != 0 || q.next() != forever {
		t.Errorf("%d connections were not woken, the next is due at %d", len(due), q.next())
	}
	if n := testing.AllocsPerRun(100, func() {
		for i, c := range conns {
			q.add(int64(i), c)
		}
		q.expire(forever, func(*connection) {})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
