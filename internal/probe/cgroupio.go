package probe

import (
	"context"
	"path"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// cgroupIO reads the server's I/O of the data's device and its bounds there. On
// cgroup v1 the kernel counts direct I/O alone (cgroup-v1/blkio-controller.rst).
func cgroupIO() Probe {
	return Probe{
		Name: "cgroup.io", Help: "I/O of the server's cgroup on the device of the data, and its limits",
		GoesOn: true, Controller: "blkio",
		Metrics: []record.Metric{
			counter(keys.CgroupIOReads, "1", "read operations"), counter(keys.CgroupIOWrites, "1", "write operations"),
			counter(keys.CgroupIOReadBytes, "bytes", "bytes read"), counter(keys.CgroupIOWriteBytes, "bytes", "bytes written"),
			gauge(keys.CgroupIOReadIOPSLimit, "1/s", "read IOPS limit; absent without one"),
			gauge(keys.CgroupIOWriteIOPSLimit, "1/s", "write IOPS limit; absent without one"),
			gauge(keys.CgroupIOReadBytesLimit, "bytes/s", "read bandwidth limit; absent without one"),
			gauge(keys.CgroupIOWriteBytesLimit, "bytes/s", "write bandwidth limit; absent without one"),
		},
		Start: func(p Place) (Read, error) {
			dirs, unified, err := p.groups("blkio")
			if err != nil {
				return nil, err
			}
			_, device, err := p.device()
			if err != nil {
				return nil, err
			}
			return p.own("blkio", usageOfIO(), func(_ context.Context, put func(string, float64)) error {
				if unified {
					return ioUnified(p, dirs[0], device, put)
				}
				return ioV1(p, dirs[0], device, put)
			}), nil
		},
	}
}

func usageOfIO() []string {
	return []string{keys.CgroupIOReads, keys.CgroupIOWrites, keys.CgroupIOReadBytes, keys.CgroupIOWriteBytes}
}

// ioUnified reads lines of "major:minor key=value ...".
func ioUnified(p Place, dir, device string, put func(string, float64)) error {
	for name, keys := range map[string]map[string]string{
		"io.stat": {"rios": keys.CgroupIOReads, "wios": keys.CgroupIOWrites, "rbytes": keys.CgroupIOReadBytes, "wbytes": keys.CgroupIOWriteBytes},
		"io.max": {"riops": keys.CgroupIOReadIOPSLimit, "wiops": keys.CgroupIOWriteIOPSLimit,
			"rbps": keys.CgroupIOReadBytesLimit, "wbps": keys.CgroupIOWriteBytesLimit},
	} {
		text, err := read(p.Root, path.Join(dir, name))
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			if len(f) == 0 || f[0] != device {
				continue
			}
			for _, pair := range f[1:] {
				key, value, _ := strings.Cut(pair, "=")
				if v, ok := number(value); ok && keys[key] != "" { // "max" is not a number
					put(keys[key], v)
				}
			}
		}
	}
	return nil
}

// ioV1 reads lines of "major:minor operation value", of bounds "major:minor value".
func ioV1(p Place, dir, device string, put func(string, float64)) error {
	var last error
	for name, keys := range map[string]map[string]string{
		"blkio.throttle.io_serviced":       {"Read": keys.CgroupIOReads, "Write": keys.CgroupIOWrites},
		"blkio.throttle.io_service_bytes":  {"Read": keys.CgroupIOReadBytes, "Write": keys.CgroupIOWriteBytes},
		"blkio.throttle.read_iops_device":  {"": keys.CgroupIOReadIOPSLimit},
		"blkio.throttle.write_iops_device": {"": keys.CgroupIOWriteIOPSLimit},
		"blkio.throttle.read_bps_device":   {"": keys.CgroupIOReadBytesLimit},
		"blkio.throttle.write_bps_device":  {"": keys.CgroupIOWriteBytesLimit},
	} {
		text, err := read(p.Root, path.Join(dir, name))
		if err != nil {
			last = err
			continue
		}
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			if len(f) < 2 || f[0] != device {
				continue
			}
			operation := ""
			if len(f) == 3 {
				operation = f[1]
			}
			if v, ok := number(f[len(f)-1]); ok && keys[operation] != "" {
				put(keys[operation], v)
			}
		}
	}
	return last
}
