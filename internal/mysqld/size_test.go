package mysqld

import (
	"strconv"
	"strings"
	"testing"
)

func TestParseSize(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "134217728": 134217728, "16k": 16384, "512M": 512 << 20, "2g": 2 << 30,
		"1T": 1 << 40, "1P": 1 << 50, "7E": 7 << 60, " 64M ": 64 << 20,
	} {
		if got, err := ParseSize(in); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"":                     "such as 512M",
		"M":                    "such as 512M",
		"-1":                   "such as 512M",
		"1.5G":                 "such as 512M",
		"1Gi":                  "(here: 1G)",
		"512MiB":               "(here: 512M)",
		"4kb":                  "(here: 4K)",
		"8E":                   "larger than 8 EiB",
		"9223372036854775807K": "larger than 8 EiB",
		"99999999999999999999": "such as 512M",
	} {
		if _, err := ParseSize(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", in, err, want)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"1", "16K", "2G", "8E", "1Gi", "-1", "", "1.5G", "Ж"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseSize(s)
		if err != nil {
			return
		}
		if n < 0 {
			t.Fatalf("%q is %d", s, n)
		}
		if again, err := ParseSize(strconv.FormatInt(n, 10)); err != nil || again != n {
			t.Fatalf("%q is %d, and that is %d, %v", s, n, again, err)
		}
	})
}

func TestBufferPool(t *testing.T) {
	const m, g = 1 << 20, 1 << 30
	for name, c := range map[string]struct {
		config           map[string]string
		flavour, version string
		want             int64
	}{
		"default":                   {nil, MySQL, "8.0.40", 128 * m},
		"default of MariaDB":        {nil, MariaDB, "10.11.19-MariaDB", 128 * m},
		"set with dashes":           {map[string]string{"innodb-buffer-pool-size": "512M"}, MySQL, "9.7.4", 512 * m},
		"rounded to a chunk":        {map[string]string{"innodb_buffer_pool_size": "200M"}, MySQL, "9.7.4", 256 * m},
		"less than a chunk":         {map[string]string{"innodb_buffer_pool_size": "64M"}, MySQL, "9.7.4", 64 * m},
		"MariaDB does not round":    {map[string]string{"innodb_buffer_pool_size": "200M"}, MariaDB, "10.11.19-MariaDB", 200 * m},
		"8 instances from 1 GiB on": {map[string]string{"innodb_buffer_pool_size": "1100M"}, MySQL, "8.0.40", 2 * g},
		"one from 8.4 on":           {map[string]string{"innodb_buffer_pool_size": "1100M"}, MySQL, "8.4.3", 1152 * m},
		"instances set":             {map[string]string{"innodb_buffer_pool_size": "1100M", "innodb_buffer_pool_instances": "4"}, MySQL, "9.7.4", 1536 * m},
		"instances below 1 GiB":     {map[string]string{"innodb_buffer_pool_size": "256M", "innodb_buffer_pool_instances": "8"}, MySQL, "9.7.4", 256 * m},
		"chunk set":                 {map[string]string{"innodb_buffer_pool_size": "65M", "innodb_buffer_pool_chunk_size": "1M"}, MySQL, "9.7.4", 65 * m},
		"nonsense":                  {map[string]string{"innodb_buffer_pool_size": "a lot"}, MySQL, "9.7.4", 128 * m},
		"too large to round":        {map[string]string{"innodb_buffer_pool_size": "9223372036854775807"}, MySQL, "9.7.4", 1<<63 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := BufferPool(c.config, c.flavour, c.version); got != c.want {
				t.Errorf("%d MiB, want %d", got/m, c.want/m)
			}
		})
	}
}

func TestParseVersion(t *testing.T) {
	for in, want := range map[string]release{
		"9.7.4-2 for Linux on x86_64": {9, 7, 4}, "10.11.19-MariaDB-0+deb12u1": {10, 11, 19},
		"8.4": {8, 4, 0}, "8": {8, 0, 0}, Unknown: {}, "": {}, "8.x.3": {8, 0, 0},
	} {
		if got := parseVersion(in); got != want {
			t.Errorf("%q is %v, want %v", in, got, want)
		}
	}
}

// TestRedoLog: the capacity wins over the sizes of files that it replaces, where the server has one.
func TestRedoLog(t *testing.T) {
	for _, c := range []struct {
		config           map[string]string
		flavour, version string
		want             int64
	}{
		{nil, MySQL, "8.4.6", 100 << 20},
		{map[string]string{"innodb_redo_log_capacity": "2G"}, MySQL, "8.4.6", 2 << 30},
		{map[string]string{"innodb-redo-log-capacity": "2G", "innodb_log_file_size": "1G"}, MySQL, "8.0.30", 2 << 30},
		{map[string]string{"innodb_log_file_size": "1G"}, MySQL, "8.4.6", 2 << 30},
		{map[string]string{"innodb_log_files_in_group": "4"}, MySQL, "", 192 << 20},
		{map[string]string{"innodb_log_file_size": "1G", "innodb_log_files_in_group": "3", "innodb_redo_log_capacity": "8G"}, MySQL, "8.0.29", 3 << 30},
		{nil, MySQL, "5.7.44", 96 << 20},
		{nil, MariaDB, "11.8.2", 96 << 20},
		{map[string]string{"innodb_log_file_size": "1G", "innodb_log_files_in_group": "3"}, MariaDB, "10.11.6", 1 << 30},
	} {
		if got := RedoLog(c.config, c.flavour, c.version); got != c.want {
			t.Errorf("%s %s %v: %d MiB, want %d", c.flavour, c.version, c.config, got>>20, c.want>>20)
		}
	}
}
