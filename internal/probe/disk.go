package probe

import (
	"context"
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// disk reads the line of the data's device in /proc/diskstats
// (Documentation/admin-guide/iostats.rst).
func disk() Probe {
	return Probe{
		Name: "disk", Help: "the block device of the data: operations, their times, the queue, flushes",
		Metrics: []record.Metric{
			counter("disk.reads", "1", "reads completed"), counter("disk.writes", "1", "writes completed"), counter("disk.flushes", "1", "flushes completed"),
			counter("disk.read_bytes", "bytes", "bytes read"), counter("disk.write_bytes", "bytes", "bytes written"),
			cost("disk.read_ns", "ns", "time of all reads, including the queue"), cost("disk.write_ns", "ns", "time of all writes, including the queue"),
			cost("disk.flush_ns", "ns", "time of all flushes"),
			counter("disk.busy_ns", "ns", "time with at least one operation in flight"), cost("disk.queue_ns", "ns", "time of all operations in flight, summed (weighted busy time)"),
			gauge("disk.in_flight", "1", "operations in flight"),
		},
		Start: func(p Place) (Read, error) {
			device, _, err := p.device()
			if err != nil {
				return nil, err
			}
			return func(_ context.Context, put func(string, float64)) error { return readDisk(p, device, put) }, nil
		},
	}
}

// diskFields are the numbers of the fields, counted from the device's major one.
func diskFields() map[int]struct {
	metric string
	factor float64
} {
	const sector, ms = 512, 1e6
	return map[int]struct {
		metric string
		factor float64
	}{
		3: {"disk.reads", 1}, 5: {"disk.read_bytes", sector}, 6: {"disk.read_ns", ms},
		7: {"disk.writes", 1}, 9: {"disk.write_bytes", sector}, 10: {"disk.write_ns", ms},
		11: {"disk.in_flight", 1}, 12: {"disk.busy_ns", ms}, 13: {"disk.queue_ns", ms},
		18: {"disk.flushes", 1}, 19: {"disk.flush_ns", ms},
	}
}

func readDisk(p Place, device string, put func(string, float64)) error {
	text, err := read(p.Root, "proc/diskstats")
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 14 || f[0]+":"+f[1] != device {
			continue
		}
		for i, d := range diskFields() {
			if i < len(f) {
				if v, ok := number(f[i]); ok {
					put(d.metric, v*d.factor)
				}
			}
		}
		return nil
	}
	return fmt.Errorf("read /proc/diskstats: no device %s", device)
}
