package diagnose

import "github.com/tarebench/tare/internal/keys"

func cIO01() Rule {
	return Rule{
		ID: "C-IO-01", Title: "Volume IOPS or bandwidth limit reached", Severity: Error,
		What:     "A volume has a maximum number of IOPS and bytes per second, independent of the device. At this limit every read and fsync waits in a queue.",
		Impact:   "Throughput is limited by the volume; read and commit latency rise.",
		Fix:      "Use a volume with more IOPS or bandwidth. Enlarge the buffer pool where reads reach the limit, the redo log where page writes do.",
		Sources:  []string{kubeblocks2023, ebsParameters},
		Counters: []string{keys.CgroupIOReads, keys.CgroupIOWrites, keys.CgroupIOReadBytes, keys.CgroupIOWriteBytes},
		Run:      bounded,
	}
}

// boundFrom is the part of a bound from which it counts as reached: the mean of a
// window in which it is reached in most seconds.
const boundFrom = 0.85

// boundAtStart is that part for a server that never answered: it reads before it writes,
// so a bound is not reached in its first seconds (0.87 in one that was given 15 s).
const boundAtStart = 0.7

func bounded(o *Observed) []Finding {
	used := func(counter string) (float64, bool) { return rate(o.Arm, counter) }
	limit := func(name string) (float64, bool) {
		v, _, ok := level(o.Arm, name)
		return v, ok
	}
	when, from := Phrase{}, boundFrom
	if _, ok := used(keys.CgroupIOWrites); !ok {
		t := unready(o.Arm)
		if t == nil {
			return declaredLimit(o, unread("the I/O of its cgroup"))
		}
		when = phrase(" in the %.0f s in which the server did not become ready", t.level("seconds"))
		used, limit, from = t.rate, t.limit, boundAtStart
	}
	best, says, found := 0.0, Phrase{}, false
	for _, b := range []struct {
		counter, limit string
		unit           Phrase
		per            float64
	}{
		{keys.CgroupIOReads, keys.CgroupIOReadIOPSLimit, term("read IOPS"), 1}, {keys.CgroupIOWrites, keys.CgroupIOWriteIOPSLimit, term("write IOPS"), 1},
		{keys.CgroupIOReadBytes, keys.CgroupIOReadBytesLimit, term("MiB/s read"), 1 << 20}, {keys.CgroupIOWriteBytes, keys.CgroupIOWriteBytesLimit, term("MiB/s written"), 1 << 20},
	} {
		did, ok := used(b.counter)
		may, bound := limit(b.limit)
		if !ok || !bound || may <= 0 {
			continue
		}
		found = true
		if did/may >= best {
			best = did / may
			says = reached(did/b.per, may/b.per, b.unit, when)
		}
	}
	switch {
	case !found:
		return declaredLimit(o, outsideCgroup(o))
	case best < from:
		return list(ruledOut("at most %s", says))
	}
	f := seen("%s", says).fix("use a volume with more IOPS or bandwidth")
	if o.Spec.Has("io") {
		f = f.change("{io: null}")
	}
	return list(f)
}

// exactly is how far above a limit a counter can be by the moments at which it is read.
const exactly = 1.02

// reached is what was done of a limit. On cgroup v1 the kernel counts an operation when the server submits it and not
// when the limit lets it go (blk_throtl_bio in block/blk-throttle.h, Linux 6.18): a page cleaner that submits 140
// writes at a time to a volume of 20 a second showed 28 a second in windows of 10 s, and no volume does more than its
// limit.
func reached(did, may float64, unit, when Phrase) Phrase {
	if did > exactly*may {
		return phrase("%.0f %s, more than the limit of the volume, which is %.0f: operations count when they are submitted%s", did, unit, may, when)
	}
	return phrase("%.0f of %.0f %s, the limit of the volume%s", did, may, unit, when)
}
