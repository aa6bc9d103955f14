package probe

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tarebench/tare/internal/record"
)

// TestSharedCgroup: the use of a cgroup that holds the reader too is not the server's and is left
// out, with the reason; limits and throttling hold for the server all the same and are read at both
// ends of every turn. A cgroup of the server's own has its use.
func TestSharedCgroup(t *testing.T) {
	const mounts = "1 0 0:1 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n2 0 0:2 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n" +
		"3 0 0:3 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	groups := func(path string) string {
		return "3:memory:" + path + "\n2:cpuacct:" + path + "\n1:cpu:" + path + "\n"
	}
	for name, c := range map[string]struct {
		server, reader string
		shared         bool
	}{
		"the root":        {"/", "/", true},
		"the session's":   {"/session", "/session", true},
		"above tare's":    {"/session", "/session/tare", true},
		"its own":         {"/pod/server", "/session", false},
		"a similar name":  {"/session", "/session-2", false},
		"below the other": {"/session/server", "/session", false},
	} {
		root := fstest.MapFS{}
		put := func(path, text string) {
			root[strings.TrimPrefix(path, "/")] = &fstest.MapFile{Data: []byte(text)}
		}
		put("proc/self/mountinfo", mounts)
		put("proc/self/cgroup", groups(c.reader))
		put("proc/7/cgroup", groups(c.server))
		put("proc/7/mountinfo", mounts)
		const at = "sys/fs/cgroup/"
		for _, dir := range []string{"", "/session", "/session/server", "/pod", "/pod/server"} {
			put(at+"cpu"+dir+"/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_time 30\n")
			put(at+"cpuacct"+dir+"/cpuacct.usage", "77\n")
			put(at+"memory"+dir+"/memory.stat", "total_rss 5\n")
			put(at+"memory"+dir+"/memory.usage_in_bytes", "6\n")
			put(at+"memory"+dir+"/memory.limit_in_bytes", "1000\n")
			put(at+"memory"+dir+"/memory.oom_control", "oom_kill 0\n")
		}
		w := Start(Place{Root: root, PID: 7}, []Probe{cgroupCPU(), cgroupMemory()})
		values := map[string]float64{}
		for i := range w.probes {
			if w.probes[i].GoesOn != c.shared {
				t.Errorf("%s: %s goes on: %v", name, w.probes[i].Name, w.probes[i].GoesOn)
			}
			if err := w.probes[i].read(context.Background(), func(metric string, v float64) { values[metric] = v }); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, cpu := values["cgroup.cpu.usage_ns"]
		_, memory := values["cgroup.memory.usage_bytes"]
		if cpu == c.shared || memory == c.shared || values["cgroup.cpu.nr_periods"] != 9 || values["cgroup.memory.limit_bytes"] != 1000 {
			t.Errorf("%s: %v", name, values)
		}
		said := 0
		for _, f := range w.facts {
			if f.Unknown == record.CgroupShared.Say() {
				said++
			}
		}
		if said != map[bool]int{true: 2, false: 0}[c.shared] {
			t.Errorf("%s: %+v", name, w.facts)
		}
	}
}
