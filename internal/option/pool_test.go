package option

import "testing"

// TestPoolSize: sizes as servers made them of the same options.
func TestPoolSize(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		product                      string
		in                           Release
		size, chunk, instances, want int64
	}{
		{MySQL, Release{8, 4, 6}, 900, 0, 0, 1024},
		{MySQL, Release{8, 4, 6}, 480, 0, 0, 512},
		{MySQL, Release{8, 4, 6}, 480, 32, 0, 480},
		{MySQL, Release{8, 4, 6}, 40, 0, 0, 40},
		{MySQL, Release{8, 4, 6}, 1100, 0, 0, 1152},
		{MySQL, Release{8, 4, 6}, 1100, 0, 4, 1536},
		{MySQL, Release{8, 0, 46}, 900, 0, 8, 1024},
		{MySQL, Release{8, 0, 46}, 1100, 0, 0, 2048},
		{MySQL, Release{8, 0, 46}, 1 << 20, 0, 0, 1 << 20},
		{MySQL, Release{}, 1100, 0, 0, 1152},
		{MariaDB, Release{11, 8, 9}, 900, 0, 0, 900},
	} {
		if got := PoolSize(c.product, c.in, c.size*mib, c.chunk*mib, c.instances); got != c.want*mib {
			t.Errorf("%+v: %d MiB", c, got/mib)
		}
	}
}
