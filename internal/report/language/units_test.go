package language

import (
	"math"
	"testing"
)

// TestReadable: values of cgroups in units of people, in both languages; what is no
// quantity stays.
func TestReadable(t *testing.T) {
	for _, c := range []struct{ key, value, en, zh string }{
		{"cgroup.pod.memory.limit_in_bytes", "1073741824", "1 GiB", "1 GiB"},
		{"cgroup.pod.memory.limit_in_bytes", "1610612736", "1.5 GiB", "1.5 GiB"},
		{"cgroup.pod.memory.limit_in_bytes", "9223372036854771712", "unlimited", "不限"},
		{"cgroup.pod.memory.max", "max", "unlimited", "不限"},
		{"cgroup.pod.memory.max", "536870912", "512 MiB", "512 MiB"},
		{"cgroup.pod.memory.usage_in_bytes", "1000", "1,000 bytes", "1,000 字节"},
		{"cgroup.pod.cpu.cfs_quota_us", "50000", "0.5 CPU", "0.5 CPU"},
		{"cgroup.pod.cpu.cfs_quota_us", "200000", "2 CPU", "2 CPU"},
		{"cgroup.pod.cpu.cfs_quota_us", "-1", "unlimited", "不限"},
		{"cgroup.pod.cpu.cfs_period_us", "100000", "100 ms", "100 ms"},
		{"cgroup.pod.cpu.max", "50000 25000", "2 CPU", "2 CPU"},
		{"cgroup.pod.cpu.max", "max 100000", "unlimited", "不限"},
		{"cgroup.pod.cpu.max", "broken", "broken", "broken"},
		{"server.run_ns", "30400000000", "30.4 s", "30.4 s"},
		{"sentinel.fsync_ns", "12345", "12.3 µs", "12.3 µs"},
		{"cgroup.pod.cpu.shares", "1024", "1024", "1024"},
		{"pod.memory.limit", "1Gi", "1Gi", "1Gi"},
		{"mysql.variable.innodb_buffer_pool_size", "134217728", "128M", "128M"}, // to be pasted into my.cnf
		{"mysql.variable.innodb_redo_log_capacity", "2147483648", "2G", "2G"},
		{"mysql.variable.innodb_redo_log_capacity", "104858000", "104858000", "104858000"},
	} {
		for tag, want := range map[string]string{"en": c.en, "zh": c.zh} {
			l, err := Of(tag)
			if err != nil {
				t.Fatal(err)
			}
			if got := l.Readable(c.key, c.value, 100_000); got != want {
				t.Errorf("%s, %s %s: %q, want %q", tag, c.key, c.value, got, want)
			}
		}
	}
}

// TestShownUnit: metrics in units of people.
func TestShownUnit(t *testing.T) {
	for _, c := range []struct {
		metric, unit string
		most         float64
		name         string
		per          float64
	}{
		{"host.cpu.user_ns", "ns/s", 1.5e9, "CPU", 1e9},
		{"server.session.run_ns", "ns/s", 1e7, "CPU", 1e9},
		{"server.session.wait_ns", "ns/s", 1e7, "s/s", 1e9},
		{"cgroup.cpu.throttled_ns", "ns/s", 1e7, "s/s", 1e9},
		{"cgroup.pressure.cpu.some_ns", "ns/s", 1e7, "s/s", 1e9},
		{"probe.cpu_ns", "ns/s", 1e7, "CPU", 1e9},
		{"mysql.redo_age", "bytes", 5 << 20, "MiB", 1 << 20},
		{"network.received_bytes", "bytes/s", 3 << 30, "GiB/s", 1 << 30},
		{"network.received_bytes", "bytes/s", 2048, "KiB/s", 1 << 10},
		{"sync", "ns", 2e6, "ms", 1e6},
		{"server.threads", "1", 40, "", 1},
		{"tcp.timeouts", "1/s", 4, "1/s", 1},
		{"host.cpu.mhz", "MHz", 2600, "MHz", 1},
	} {
		if name, per := ShownUnit(c.metric, c.unit, c.most); name != c.name || per != c.per {
			t.Errorf("%s in %s: %g %s, want %g %s", c.metric, c.unit, per, name, c.per, c.name)
		}
	}
}

// TestMinus: the real minus sign stands before numbers, and no hyphen of a name becomes one.
func TestMinus(t *testing.T) {
	for text, want := range map[string]string{
		"-1 to -2.5":                 "−1 to −2.5",
		"0.5 (-7.1 to 7.6)":          "0.5 (−7.1 to 7.6)",
		"0.5（-7.1 至 7.6），[-1, 2]":    "0.5（−7.1 至 7.6），[−1, 2]",
		"C-CPU-01, gp3-12000, 5 %":   "C-CPU-01, gp3-12000, 5\u202f%",
		"innodb-pool -x, 2026-11-25": "innodb-pool -x, 2026-11-25",
	} {
		if got := Minus(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestPValue: a p is never printed as 0.
func TestPValue(t *testing.T) {
	for _, x := range []struct {
		p    float64
		want string
	}{{0.0004, "<0.001"}, {0.001, "0.001"}, {0.0126, "0.013"}, {1, "1.000"}, {math.NaN(), "unknown"}} {
		if got := PValue(x.p, 3); got != x.want {
			t.Errorf("%v: %s, want %s", x.p, got, x.want)
		}
	}
}
