package kubernetes

import "testing"

// TestCounterValue: a container without a memory limit has the file's value for that, not 0 bytes.
func TestCounterValue(t *testing.T) {
	for _, c := range []struct {
		counter counter
		v       float64
		want    string
	}{
		{counter{metric: memoryLimit, scale: 1}, 0, "9223372036854771712"},
		{counter{metric: memoryLimit, scale: 1}, 512 << 20, "536870912"},
		{counter{metric: "container_cpu_usage_seconds_total", scale: 1e9}, 1.5, "1500000000"},
		{counter{metric: "container_cpu_cfs_periods_total", scale: 1}, 0, "0"},
	} {
		if got := c.counter.value(c.v); got != c.want {
			t.Errorf("%s %v: %s, want %s", c.counter.metric, c.v, got, c.want)
		}
	}
}
