package main

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld/backup"
)

// TestDataPlan: the copies of a user's data are counted before anything is started. Copies
// that share blocks take nothing, and restored data are not restored again.
func TestDataPlan(t *testing.T) {
	const size = 20 << 30
	plan := dataPlan{size: backup.Size{Files: 300, Bytes: size}, dir: "/var/lib/tare", free: 50 << 30, known: true}
	for _, c := range []struct {
		servers                  int
		restored, shared, linked bool
		members                  int
		want                     int64
	}{
		{servers: 1, want: 2 * size},
		{servers: 3, want: 4 * size},
		{servers: 3, restored: true, want: 3 * size},
		{servers: 3, linked: true, want: size},
		{servers: 3, shared: true, linked: true, want: 0},
		{servers: 1, restored: true, members: 2, want: 3 * size},
	} {
		p := plan
		p.restored, p.shared, p.linked, p.members = c.restored, c.shared, c.linked, c.members
		if got := p.needs(c.servers); got != c.want {
			t.Errorf("%+v: %s", c, gib(got))
		}
		if why := p.shortOf(c.servers); (why != "") != (c.want > plan.free) || why != "" && !strings.Contains(why, "50.0 GiB are free in /var/lib/tare") {
			t.Errorf("%+v: %q", c, why)
		}
	}
}
