package probe

import (
	"testing"
	"testing/fstest"
)

// TestNestedQuotas: a pod and its container with the same quota are throttled at the same time,
// which counts once, whatever the pod had counted before.
func TestNestedQuotas(t *testing.T) {
	root := fstest.MapFS{}
	set := func(pod, container string) {
		for dir, usec := range map[string]string{"pod": pod, "pod/container": container} {
			root[dir+"/cpu.stat"] = &fstest.MapFile{Data: []byte("usage_usec 1\nnr_periods 9\nnr_throttled 2\nthrottled_usec " + usec + "\n")}
		}
	}
	var held quotas
	read := func() (ns, periods float64) {
		err := cpuUnified(root, []string{"pod/container", "pod"}, &held, func(name string, v float64) {
			switch name {
			case "cgroup.cpu.throttled_ns":
				ns = v
			case "cgroup.cpu.nr_throttled":
				periods = v
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return ns, periods
	}
	for _, c := range []struct {
		pod, container string
		want           float64
	}{
		{"5000000", "0", 5e9},        // of a container that was started again
		{"5100000", "200000", 5.2e9}, // the container was held for 0.2 s, the pod for 0.1 s of them
		{"5500000", "200000", 5.6e9},
	} {
		set(c.pod, c.container)
		if got, periods := read(); got != c.want || periods != 2 {
			t.Errorf("pod %s us, container %s us: %g ns in %g periods, want %g in 2", c.pod, c.container, got, periods, c.want)
		}
	}
}
