package probe

import (
	"context"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

func hostMemory() Probe {
	return Probe{
		Name: "host.memory", Help: "memory of the machine: swapping, huge pages, NUMA",
		Metrics: []record.Metric{
			gauge(keys.HostMemoryAvailableBytes, "bytes", "memory available without swapping"),
			gauge(keys.HostMemoryDirtyBytes, "bytes", "dirty page cache"),
			gauge(keys.HostHugePagesTotal, "1", "explicit huge pages"), gauge(keys.HostHugePagesFree, "1", "free explicit huge pages"),
			gauge(keys.HostTHPBytes, "bytes", "transparent huge pages of all processes"),
			counter(keys.HostTHPFaults, "1", "page faults that got a transparent huge page"),
			cost(keys.HostTHPFallbacks, "1", "page faults that fell back from a huge page to small pages"),
			cost(keys.HostTHPSplits, "1", "transparent huge pages that were split"),
			cost(keys.HostCompactionStalls, "1", "allocations that waited while memory was compacted"),
			cost(keys.HostSwapInPages, "pages", "pages read from swap"), cost(keys.HostSwapOutPages, "pages", "pages written to swap"),
			counter(keys.HostNUMALocal, "pages", "allocations on the preferred NUMA node"),
			cost(keys.HostNUMAForeign, "pages", "allocations on another NUMA node than preferred"),
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
		"MemAvailable": keys.HostMemoryAvailableBytes, "Dirty": keys.HostMemoryDirtyBytes, "AnonHugePages": keys.HostTHPBytes,
	}, 1024, put)
	rename(values, map[string]string{"HugePages_Total": keys.HostHugePagesTotal, "HugePages_Free": keys.HostHugePagesFree}, 1, put)
	text, err = read(p.Root, "proc/vmstat")
	if err != nil {
		return err
	}
	rename(keyed(text), map[string]string{
		"thp_fault_alloc": keys.HostTHPFaults, "thp_fault_fallback": keys.HostTHPFallbacks, "thp_split_page": keys.HostTHPSplits,
		"compact_stall": keys.HostCompactionStalls, "pswpin": keys.HostSwapInPages, "pswpout": keys.HostSwapOutPages,
		"numa_hit": keys.HostNUMALocal, "numa_miss": keys.HostNUMAForeign,
	}, 1, put)
	return nil
}
