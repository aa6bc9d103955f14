package probe

import (
	"context"

	"github.com/tarebench/tare/internal/record"
)

func hostMemory() Probe {
	return Probe{
		Name: "host.memory", Help: "memory of the machine: swapping, huge pages, NUMA",
		Metrics: []record.Metric{
			gauge("host.memory.available_bytes", "bytes", "memory available without swapping"),
			gauge("host.memory.dirty_bytes", "bytes", "dirty page cache"),
			gauge("host.hugepages.total", "1", "explicit huge pages"), gauge("host.hugepages.free", "1", "free explicit huge pages"),
			gauge("host.thp_bytes", "bytes", "transparent huge pages of all processes"),
			counter("host.thp.faults", "1", "page faults that got a transparent huge page"),
			cost("host.thp.fallbacks", "1", "page faults that fell back from a huge page to small pages"),
			cost("host.thp.splits", "1", "transparent huge pages that were split"),
			cost("host.compaction_stalls", "1", "allocations that waited while memory was compacted"),
			cost("host.swap_in_pages", "pages", "pages read from swap"), cost("host.swap_out_pages", "pages", "pages written to swap"),
			counter("host.numa.local", "pages", "allocations on the preferred NUMA node"),
			cost("host.numa.foreign", "pages", "allocations on another NUMA node than preferred"),
		},
		Start: func(p Place) (Read, error) {
			return func(_ context.Context, put func(string, float64)) error { return readMemory(p, put) }, nil
		},
	}
}

func readMemory(p Place, put func(string, float64)) error {
	text, err := read(p.Root, "proc/meminfo")
	if err != nil {
		return err
	}
	values := keyed(text)
	rename(values, map[string]string{
		"MemAvailable": "host.memory.available_bytes", "Dirty": "host.memory.dirty_bytes", "AnonHugePages": "host.thp_bytes",
	}, 1024, put)
	rename(values, map[string]string{"HugePages_Total": "host.hugepages.total", "HugePages_Free": "host.hugepages.free"}, 1, put)
	text, err = read(p.Root, "proc/vmstat")
	if err != nil {
		return err
	}
	rename(keyed(text), map[string]string{
		"thp_fault_alloc": "host.thp.faults", "thp_fault_fallback": "host.thp.fallbacks", "thp_split_page": "host.thp.splits",
		"compact_stall": "host.compaction_stalls", "pswpin": "host.swap_in_pages", "pswpout": "host.swap_out_pages",
		"numa_hit": "host.numa.local", "numa_miss": "host.numa.foreign",
	}, 1, put)
	return nil
}
