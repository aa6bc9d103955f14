package diagnose

import (
	"math"
	"testing"

	"github.com/tarebench/tare/internal/keys"
)

// watchedBy is a watched server in a network namespace of its own without fragments there:
// counters a transaction, and levels.
func watchedBy(each, level nums) seenBy {
	all := with(nums{"ip.fragments": 0, "ip.fragmentation_failures": 0, "ip.reassembled": 0}, each)
	return seenBy{each: all, level: level, facts: said{keys.WatchedLive: "true", "container.namespace.net": "its own"}}
}

// TestRulesOfRunningServer: what is read of a running server alone, its connections and its
// node's network, confirms a cause only with evidence of the server's own packets.
func TestRulesOfRunningServer(t *testing.T) {
	const pod = "{target: container, qos: BestEffort}"
	quiet := nums{"tcp.large_waiting": 2, "tcp.large_unanswered": 0}
	tunnel := func(packet float64) nums {
		return with(quiet, nums{"tcp.tunnel_packet_bytes": packet, "node.link_mtu_bytes": 1500})
	}
	limit := nums{"cgroup.memory.limit_bytes": 512 << 20}
	for name, c := range map[string]counterCase{
		"fragments of packets that do not fit":   {kNET06(), pod, watchedBy(nums{"node.ip.fragments": 40}, tunnel(1528)), Confirmed, ""},
		"fragments of others":                    {kNET06(), pod, watchedBy(nums{"node.ip.fragments": 40}, tunnel(1500)), Unknown, ""},
		"fragments and no tunnel":                {kNET06(), pod, watchedBy(nums{"node.ip.fragments": 40}, quiet), Unknown, ""},
		"no fragments":                           {kNET06(), pod, watchedBy(nums{"node.ip.fragments": 0, "node.ip.reassembled": 0, "node.ip.fragmentation_failures": 0}, tunnel(1528)), RuledOut, ""},
		"few fragments":                          {kNET06(), pod, watchedBy(nums{"node.ip.fragments": 0.009, "node.ip.reassembled": 0, "node.ip.fragmentation_failures": 0}, tunnel(1528)), RuledOut, ""},
		"a part of the fragments not read":       {kNET06(), pod, watchedBy(nums{"node.ip.fragments": 0}, tunnel(1528)), Unknown, ""},
		"connections not read":                   {kNET06(), pod, watchedBy(nums{"node.ip.fragments": 0}, nil), Unknown, ""},
		"node not read":                          {kNET06(), pod, watchedBy(nil, quiet), Unknown, ""},
		"large segments unanswered":              {kNET06(), pod, watchedBy(nil, nums{"tcp.large_waiting": 8, "tcp.large_unanswered": 7}), Confirmed, ""},
		"large segments unanswered in half":      {kNET06(), pod, watchedBy(nil, nums{"tcp.large_waiting": 8, "tcp.large_unanswered": 4}), Confirmed, ""},
		"large segments unanswered in few":       {kNET06(), pod, watchedBy(nil, nums{"tcp.large_waiting": 8, "tcp.large_unanswered": 3.9}), Unknown, ""},
		"loss of large segments is no accident":  {cNET04(), pod, watchedBy(nums{"tcp.sent_segments": 100, "tcp.retransmitted": 4}, nums{"tcp.large_waiting": 8, "tcp.large_unanswered": 7}), Unknown, ""},
		"loss":                                   {cNET04(), pod, watchedBy(nums{"tcp.sent_segments": 100, "tcp.retransmitted": 4, "tcp.spurious": 0}, nums{"tcp.large_waiting": 8, "tcp.large_unanswered": 1}), Confirmed, ""},
		"killed while it was watched":            {kMEM10(), pod, watchedBy(nums{"cgroup.memory.at_limit": 0, "cgroup.memory.oom_kills": 0.001}, limit), Confirmed, "{memory: 1024Mi}"},
		"at the limit":                           {kMEM10(), pod, watchedBy(nums{"cgroup.memory.at_limit": 0.011, "cgroup.memory.oom_kills": 0}, limit), Confirmed, "{memory: 1024Mi}"},
		"never at the limit, and not killed":     {kMEM10(), pod, watchedBy(nums{"cgroup.memory.at_limit": 0, "cgroup.memory.oom_kills": 0}, limit), RuledOut, ""},
		"clients held by a quota":                {pCLIENT01(), pod, clientsAt(nums{"clients.nr_periods": 4, "clients.nr_throttled": 1}, 8, 8, 0.2, 0), Confirmed, ""},
		"clients held now and then":              {pCLIENT01(), pod, clientsAt(nums{"clients.nr_periods": 4, "clients.nr_throttled": 0.9}, 8, 8, 0.2, 0), RuledOut, ""},
		"a client's event loop is busy":          {pCLIENT01(), pod, clientsAt(nil, 8, 4, 0.9, 0), Confirmed, ""},
		"a client's thread waits for a CPU":      {pCLIENT01(), pod, clientsAt(nil, 8, 8, 0.4, 0.5), Unknown, ""},
		"clients keep up":                        {pCLIENT01(), pod, clientsAt(nums{"clients.nr_periods": 0, "clients.nr_throttled": 0}, 8, 8, 0.4, 0.09), RuledOut, ""},
		"clients wait for a CPU now and then":    {pCLIENT01(), pod, clientsAt(nums{"clients.nr_periods": 0, "clients.nr_throttled": 0}, 8, 8, 0.2, 0.11), Unknown, ""},
		"clients' quota not read":                {pCLIENT01(), pod, clientsAt(nil, 8, 8, 0.4, 0.05), Unknown, ""},
		"clients here keep up, others not read":  {pCLIENT01(), pod, clientsAt(nil, 8, 7, 0.1, 0), Unknown, ""},
		"clients elsewhere":                      {pCLIENT01(), pod, clientsAt(nil, 8, 0, 0, 0), Unknown, ""},
		"clients not read":                       {pCLIENT01(), pod, watchedBy(nil, nil), Unknown, ""},
		"ended, with no reading after its death": {kMEM10(), pod, endedUnread(watchedBy(nil, limit)), Unknown, ""},
		"ended, and its cgroup was not at fault": {kMEM10(), pod, ended(watchedBy(nums{"cgroup.memory.at_limit": 0, "cgroup.memory.oom_kills": 0}, limit)), RuledOut, ""},
	} {
		o := observed(t, c.settings, nil)
		o.Arm = c.saw.arm("x")
		all := observe(c.rule, o)
		if len(all) != 1 || all[0].Verdict != c.want || all[0].Change != c.change || all[0].Says == "" {
			t.Errorf("%s: %+v, want %s %q", name, all, c.want, c.change)
		}
	}
}

// clientsAt are connections, those of a process here, and the part of the time for which its busiest thread
// was on a CPU and waited for one.
func clientsAt(each nums, all, here, run, wait float64) seenBy {
	s := watchedBy(each, nums{"clients.connections": all, "clients.here": here})
	s.each["clients.busiest_run_ns"], s.each["clients.busiest_wait_ns"] = run*1e7, wait*1e7 // 100 transactions/s
	return s
}

// ended is a server that ended while it was watched.
func ended(s seenBy) seenBy {
	s.facts[keys.WatchedEndedS] = "7.3"
	return s
}

// endedUnread is one whose cgroup could not be read after its end.
func endedUnread(s seenBy) seenBy {
	s = ended(s)
	s.facts[keys.WatchedMemory] = "lost: the cgroup is gone"
	return s
}

// TestFullMachine: a machine is full of others where no CPU was idle and others used a part of it; a server that takes
// all of it by itself has a full machine of its own.
func TestFullMachine(t *testing.T) {
	for name, c := range map[string]struct {
		user, idle, own float64 // CPUs
		full            bool
	}{
		"others take it": {1.95, 0.05, 0.1, true}, "the server takes it": {1.95, 0.05, 1.9, false}, "CPUs are idle": {1, 1, 0.1, false},
	} {
		const each = 1e9 / 100 // transactions are 100 a second
		arm := watchedBy(nums{keys.HostCPUUserNS: c.user * each, keys.HostCPUSystemNS: 0, keys.HostCPUIdleNS: c.idle * each, keys.ServerCPUUserNS: c.own * each, keys.ServerCPUSystemNS: 0}, nil).arm("x")
		if others, cpus, full := FullMachine(arm); full != c.full || full && (math.Abs(others-c.user+c.own) > 0.01 || cpus != 2) {
			t.Errorf("%s: %.2f of %.0f CPUs, %v", name, others, cpus, full)
		}
	}
}
