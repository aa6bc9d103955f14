package diagnose

import "fmt"

func cIO01() Rule {
	return Rule{
		ID: "C-IO-01", Title: "The volume's bound of operations or bytes is reached", Severity: Error,
		Why: "A volume has a number of operations and bytes a second that it may do, whatever the device could. From there on every read and every " +
			"fsync stands in a queue, and throughput follows the bound.",
		Remedy:   "A volume with more IOPS or throughput; a larger buffer pool where reads reach the bound; more redo where page writes do.",
		Sources:  []string{kubeblocks2023, ebsParameters},
		Counters: []string{"cgroup.io.reads", "cgroup.io.writes", "cgroup.io.read_bytes", "cgroup.io.write_bytes"},
		Run:      bounded,
	}
}

// boundFrom is the part of a bound from which it counts as reached: the mean of a
// window in which it is reached in most seconds.
const boundFrom = 0.85

func bounded(o *Observed) []Finding {
	if _, ok := rate(o.Arm, "cgroup.io.writes"); !ok {
		return unread("the I/O of its cgroup")
	}
	best, says, found := 0.0, "", false
	for _, b := range []struct{ counter, limit, unit string }{
		{"cgroup.io.reads", "cgroup.io.read_iops_limit", "reads/s"}, {"cgroup.io.writes", "cgroup.io.write_iops_limit", "writes/s"},
		{"cgroup.io.read_bytes", "cgroup.io.read_bytes_limit", "bytes read/s"}, {"cgroup.io.write_bytes", "cgroup.io.write_bytes_limit", "bytes written/s"},
	} {
		used, ok := rate(o.Arm, b.counter)
		limit, _, bound := level(o.Arm, b.limit)
		if !ok || !bound || limit <= 0 {
			continue
		}
		found = true
		if used/limit >= best {
			best = used / limit
			says = fmt.Sprintf("%.0f of %.0f %s that the volume's bound allows", used, limit, b.unit)
		}
	}
	switch {
	case !found:
		return list(ruledOut("nothing bounds the I/O of its cgroup"))
	case best < boundFrom:
		return list(ruledOut("at most %s", says))
	}
	f := seen("%s", says).write("a volume with more IOPS or throughput")
	if o.Spec.Has("io") {
		f = f.change("{io: null}")
	}
	return list(f)
}
