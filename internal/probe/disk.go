package probe

import (
	"context"
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// disk reads the line of the data's device in /proc/diskstats
// (Documentation/admin-guide/iostats.rst).
func disk() Probe {
	return Probe{
		Name: "disk", Help: "the block device of the data: operations, their times, the queue, flushes",
		Metrics: []record.Metric{
			counter(keys.DiskReads, "1", "reads completed"), counter(keys.DiskWrites, "1", "writes completed"), counter(keys.DiskFlushes, "1", "flushes completed"),
			counter(keys.DiskReadBytes, "bytes", "bytes read"), counter(keys.DiskWriteBytes, "bytes", "bytes written"),
			cost(keys.DiskReadNS, "ns", "time of all reads, including the queue"), cost(keys.DiskWriteNS, "ns", "time of all writes, including the queue"),
			cost(keys.DiskFlushNS, "ns", "time of all flushes"),
			counter(keys.DiskBusyNS, "ns", "time with at least one operation in flight"), cost(keys.DiskQueueNS, "ns", "time of all operations in flight, summed (weighted busy time)"),
			gauge(keys.DiskInFlight, "1", "operations in flight"),
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
		3: {keys.DiskReads, 1}, 5: {keys.DiskReadBytes, sector}, 6: {keys.DiskReadNS, ms},
		7: {keys.DiskWrites, 1}, 9: {keys.DiskWriteBytes, sector}, 10: {keys.DiskWriteNS, ms},
		11: {keys.DiskInFlight, 1}, 12: {keys.DiskBusyNS, ms}, 13: {keys.DiskQueueNS, ms},
		18: {keys.DiskFlushes, 1}, 19: {keys.DiskFlushNS, ms},
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
