package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// outside is what the kernel counts of causes that no arm can produce: read before
// and after the load, so that the record shows whether a trial was disturbed. The
// judgement is the reading side's.
type outside struct {
	proc, sys string   // mount points, for tests
	own       int      // this process; what it started is its own as well
	instances []string // values of TARE_INSTANCE in the processes of the trial, and of those beside it
}

func (o outside) facts() []record.Fact {
	machine, steal, err := o.machine()
	facts := []record.Fact{
		seconds(keys.GateMachineS, "/proc/stat", machine, err),
		seconds(keys.GateStealS, "/proc/stat", steal, err),
	}
	foreign, err := o.foreign()
	facts = append(facts, seconds(keys.GateForeignS, "/proc/*/stat of processes that are not tare's", foreign, err))
	return append(facts, o.throttled())
}

func seconds(key, source string, v float64, err error) record.Fact {
	f := record.Fact{Key: key, Source: source}
	if err != nil {
		f.Unknown = err.Error()
		return f
	}
	f.Value = strconv.FormatFloat(v, 'f', 2, 64)
	return f
}

// machine is the CPU time of the whole machine, idle included, and the part that a
// hypervisor gave to others; guest time is in user time already (proc(5)).
func (o outside) machine() (all, steal float64, err error) {
	fs, err := procfs.NewFS(o.proc)
	if err != nil {
		return 0, 0, fmt.Errorf("read CPU times: %w", err)
	}
	stat, err := fs.Stat()
	if err != nil {
		return 0, 0, fmt.Errorf("read CPU times: %w", err)
	}
	t := stat.CPUTotal
	return t.User + t.Nice + t.System + t.Idle + t.Iowait + t.IRQ + t.SoftIRQ + t.Steal, t.Steal, nil
}

// userHZ is the unit of CPU times in /proc on every Linux of today.
const userHZ = 100

// foreign is the CPU time of everyone else: of what is neither this process or
// below it, nor marked with the trial's instance, nor a thread of the kernel, which
// may work for the arm. A process that ends leaves its time with its parent, who is
// counted too, so the sum grows by what was used.
func (o outside) foreign() (float64, error) {
	fs, err := procfs.NewFS(o.proc)
	if err != nil {
		return 0, fmt.Errorf("read processes: %w", err)
	}
	all, err := fs.AllProcs()
	if err != nil {
		return 0, fmt.Errorf("read processes: %w", err)
	}
	parent, ticks := map[int]int{}, map[int]float64{}
	for _, p := range all {
		s, err := p.Stat()
		if err != nil {
			continue // it has just ended
		}
		parent[p.PID] = s.PPID
		if !o.marked(p) {
			ticks[p.PID] = float64(s.UTime) + float64(s.STime) + float64(s.CUTime) + float64(s.CSTime)
		}
	}
	var sum float64
	for pid, t := range ticks {
		if !below(parent, pid, o.own) && !below(parent, pid, kernelThreads) {
			sum += t
		}
	}
	return sum / userHZ, nil
}

const kernelThreads = 2 // kthreadd's process id

func (o outside) marked(p procfs.Proc) bool {
	environ, err := p.Environ()
	if err != nil {
		return false
	}
	for _, v := range environ {
		if name, ok := strings.CutPrefix(v, target.InstanceVariable+"="); ok && slices.Contains(o.instances, name) {
			return true
		}
	}
	return false
}

// below says that a process is root or one of its descendants.
func below(parent map[int]int, pid, root int) bool {
	for range len(parent) + 1 { // a bound, as processes end while they are listed
		if pid == root {
			return true
		}
		next, known := parent[pid]
		if !known {
			return false
		}
		pid = next
	}
	return false
}

// throttled counts how often a core or package was slowed because it was too hot.
func (o outside) throttled() record.Fact {
	f := record.Fact{Key: keys.GateThermalEvents, Source: "/sys/devices/system/cpu/cpu*/thermal_throttle/*_throttle_count"}
	files, err := filepath.Glob(filepath.Join(o.sys, "devices/system/cpu/cpu*/thermal_throttle/*_throttle_count"))
	if err != nil || len(files) == 0 {
		f.Unknown = "the kernel does not count it on this machine"
		return f
	}
	var sum int64
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err == nil {
			var n int64
			n, err = strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
			sum += n
		}
		if err != nil {
			f.Unknown = err.Error()
			return f
		}
	}
	f.Value = strconv.FormatInt(sum, 10)
	return f
}
