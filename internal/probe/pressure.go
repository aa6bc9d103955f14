package probe

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// pressureMetrics are the totals of pressure stall information: how long some or
// all tasks stood still for want of a resource (Documentation/accounting/psi.rst).
func pressureMetrics(prefix, of string) []record.Metric {
	var all []record.Metric
	for _, resource := range []string{"cpu", "memory", "io"} {
		for _, kind := range []string{"some", "full"} {
			all = append(all, cost(prefix+"."+resource+"."+kind+"_ns", "ns", "time in which "+kind+" tasks of "+of+" waited for "+resource))
		}
	}
	return all
}

// cgroupPressure is known on cgroup v2 alone.
func cgroupPressure() Probe {
	return Probe{
		Name: "cgroup.pressure", Help: "pressure stall information of the server's cgroup (cgroup v2)",
		Metrics: pressureMetrics("cgroup.pressure", "the server's cgroup"),
		Start: func(p Place) (Read, error) {
			dirs, unified, err := p.groups("cpu")
			if err != nil {
				return nil, err
			}
			if !unified {
				return nil, fs.ErrNotExist
			}
			if p.shared("cpu") {
				return nil, errors.New(string(record.CgroupShared))
			}
			return func(_ context.Context, put func(string, float64)) error {
				return pressure(p.Root, dirs[0], ".pressure", "cgroup.pressure.", put)
			}, nil
		},
	}
}

func hostPressure() Probe {
	return Probe{
		Name: "host.pressure", Help: "pressure stall information of the whole machine",
		Metrics: pressureMetrics("host.pressure", "the machine"),
		Start: func(p Place) (Read, error) {
			_, err := fs.Stat(p.Root, "proc/pressure/cpu")
			return func(_ context.Context, put func(string, float64)) error {
				return pressure(p.Root, "proc/pressure", "", "host.pressure.", put)
			}, err
		},
	}
}

// pressure reads lines of "some avg10=0.00 avg60=0.00 avg300=0.00 total=0", in
// microseconds.
func pressure(root fs.FS, dir, suffix, prefix string, put func(string, float64)) error {
	for _, resource := range []string{"cpu", "memory", "io"} {
		text, err := read(root, path.Join(dir, resource+suffix))
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			kind, rest, _ := strings.Cut(line, " ")
			_, total, _ := strings.Cut(rest, "total=")
			if v, ok := number(strings.TrimSpace(total)); ok && (kind == "some" || kind == "full") {
				put(prefix+resource+"."+kind+"_ns", v*1e3)
			}
		}
	}
	return nil
}
