package mysqld

import "testing"

// TestAIORequests: 2,305 is what fs.aio-nr grows by for each mysqld 9.7 with two CPUs.
func TestAIORequests(t *testing.T) {
	for name, c := range map[string]struct {
		config           map[string]string
		flavour, version string
		cpus             int
		want             int64
	}{
		"as measured":       {nil, MySQL, "9.7.4-2", 2, 2305},
		"many CPUs":         {nil, MySQL, "8.4.6", 64, 256*(32+4+1) + 1},
		"many CPUs, 8.0":    {nil, MySQL, "8.0.43", 64, 2305},
		"set":               {map[string]string{"innodb-read-io-threads": "2", "innodb_write_io_threads": "1"}, MySQL, "9.7.4", 2, 256*4 + 1},
		"more than it uses": {map[string]string{"innodb_read_io_threads": "1000"}, MySQL, "9.7.4", 2, 256*(64+4+1) + 1},
		"off":               {map[string]string{"innodb_use_native_aio": "OFF"}, MySQL, "9.7.4", 2, 0},
		"MariaDB":           {nil, MariaDB, "10.11.14", 2, 0},
	} {
		if got := AIORequests(c.config, c.flavour, c.version, c.cpus); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
