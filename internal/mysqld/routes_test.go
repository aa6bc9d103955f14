package mysqld_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/mysqld"
)

// TestRoutes: a change moves only the connections of servers that take no more load, and no
// server at all changes nothing.
func TestRoutes(t *testing.T) {
	r := mysqld.NewRoutes(make([]mysqld.Address, 3), 0, 1, 2)
	told := 0
	stop := r.Watch(func() { told++ })
	of := func() (all []int) {
		for c := range 6 {
			all = append(all, r.Of(c))
		}
		return all
	}
	for _, c := range []struct {
		to, want []int
		told     int
	}{
		{[]int{0, 1, 2}, []int{0, 1, 2, 0, 1, 2}, 0},
		{[]int{1, 2}, []int{1, 1, 2, 2, 1, 2}, 1},
		{nil, []int{1, 1, 2, 2, 1, 2}, 1},
		{[]int{2}, []int{2, 2, 2, 2, 2, 2}, 2},
	} {
		r.Set(c.to...)
		if diff := cmp.Diff(c.want, of()); diff != "" || told != c.told {
			t.Errorf("servers %v: told %d times, want %d; -want +got:\n%s", c.to, told, c.told, diff)
		}
	}
	stop()
	if r.Set(0); told != 2 {
		t.Error("a watcher that was stopped is told")
	}
}
