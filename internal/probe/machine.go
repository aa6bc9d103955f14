package probe

// This file reads what a machine does for whoever it is, without a server: before a run, to say what else runs.

import (
	"cmp"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/keys"
)

// Machine is a reading of counters that only grow, in seconds. The change of two says what the machine did.
type Machine struct {
	At         time.Time
	CPU, Steal float64 // of all CPUs together; CPU is idle time too
	Used       Used    // by others
	// Pressure is the time in which at least one task waited for cpu, memory or io; empty where the kernel does not
	// tell. Disks is the time in which a disk had an operation in flight, by name.
	Pressure, Disks map[string]float64
}

// ReadMachine reads the machine of others.Root. An error is about the CPU; a file that is not there says nothing.
func ReadMachine(others *Others) (Machine, error) {
	m := Machine{At: time.Now(), Pressure: map[string]float64{}}
	used, err := others.Read()
	if err != nil {
		return m, err
	}
	m.Used = used
	err = readStat(others.Root, func(name string, v float64) {
		switch {
		case name == keys.HostCPUStealNS:
			m.Steal = v / 1e9
			m.CPU += v / 1e9
		case strings.HasPrefix(name, "host.cpu."):
			m.CPU += v / 1e9
		}
	})
	if err != nil {
		return m, err
	}
	const prefix, suffix = "", ".some_ns"
	_ = pressure(others.Root, "proc/pressure", "", prefix, func(name string, v float64) { // not with every kernel
		if resource, some := strings.CutSuffix(name, suffix); some {
			m.Pressure[resource] = v / 1e9
		}
	})
	m.Disks = diskTimes(others.Root)
	return m, nil
}

// diskTimes are those of whole disks that are not files or memory.
func diskTimes(root fs.FS) map[string]float64 {
	all := map[string]float64{}
	text, err := read(root, "proc/diskstats")
	if err != nil {
		return all
	}
	const name, busy = 2, 12 // Documentation/admin-guide/iostats.rst: milliseconds
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) <= busy || strings.HasPrefix(f[name], "loop") || strings.HasPrefix(f[name], "ram") {
			continue
		}
		if _, err := fs.Stat(root, path.Join("sys/block", f[name])); err != nil {
			continue // a partition
		}
		if v, ok := number(f[busy]); ok {
			all[f[name]] = v / 1e3
		}
	}
	return all
}

// Load is what a machine did in a while: shares of its CPU time and of the time, from 0 to 1, NaN where unknown.
type Load struct {
	Over          time.Duration
	Others, Steal float64
	// Busiest are the others that used most.
	Busiest         []Share
	CPU, Memory, IO float64 // pressure
	// Disk is the disk that was busy for the largest share of the time; "" where none is known.
	Disk Share
}

// Share is that of something with a name.
type Share struct {
	Name string
	Of   float64
}

// Since is what the machine did between two readings.
func (m Machine) Since(before Machine) Load {
	cpu, seconds := m.CPU-before.CPU, m.At.Sub(before.At).Seconds()
	l := Load{
		Over:   m.At.Sub(before.At),
		Others: math.Min(1, math.Max(0, (m.Used.Seconds-before.Used.Seconds)/cpu)), Steal: (m.Steal - before.Steal) / cpu,
		CPU: math.NaN(), Memory: math.NaN(), IO: math.NaN(),
	}
	for resource, at := range map[string]*float64{"cpu": &l.CPU, "memory": &l.Memory, "io": &l.IO} {
		if was, known := before.Pressure[resource]; known {
			*at = math.Min(1, (m.Pressure[resource]-was)/seconds)
		}
	}
	grown := m.Used.Grown(before.Used)
	for _, name := range slices.Sorted(maps.Keys(grown)) {
		if share := grown[name] / cpu; share >= leastNamed {
			l.Busiest = append(l.Busiest, Share{name, share})
		}
	}
	slices.SortStableFunc(l.Busiest, func(a, b Share) int { return cmp.Compare(b.Of, a.Of) })
	l.Busiest = l.Busiest[:min(len(l.Busiest), mostNamed)]
	for _, name := range slices.Sorted(maps.Keys(m.Disks)) {
		if was, known := before.Disks[name]; known && (l.Disk.Name == "" || (m.Disks[name]-was)/seconds > l.Disk.Of) {
			l.Disk = Share{name, math.Min(1, (m.Disks[name]-was)/seconds)}
		}
	}
	return l
}

// Of the others, so many are named, from such a share of the machine's CPU time on.
const (
	mostNamed  = 3
	leastNamed = 0.01
)
