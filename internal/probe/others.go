package probe

// This file sums the CPU time of processes that are neither tare's nor a measured server's.

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Others reads the CPU time of other processes than tare's and those of the servers that are measured. It
// remembers what cannot change, so that one reading costs a file for each process that is not a thread of the
// kernel.
type Others struct {
	Root fs.FS
	// Own are processes that do not count, nor what they started: tare, and a server that is measured.
	Own []int
	// Mark is the name of a variable in the environment of what tare started, wherever it is now, and Marks
	// gives the values that do not count.
	Mark  string
	Marks func() []string
	// AnyMark: no process with the mark counts, whatever its value.
	AnyMark bool
	// NoServers leaves out all database servers: one of them may be what is measured.
	NoServers bool

	threads map[int]bool   // of the kernel
	marks   map[int]marked // of the other processes
	// before has all processes of the reading before, and measured those of them that do not count; inherited is the time of
	// ended ones among these that is in the time of a process that counts.
	before    map[int]process
	measured  map[int]bool
	inherited map[int]float64
	// unreaped is the time of processes that count and have ended without anybody waiting for them.
	unreaped float64
}

// marked is the value of the mark of a process, which began at a time: numbers are used again.
type marked struct{ began, value string }

// Used is CPU time in seconds since an unnamed beginning: the change of two readings tells something.
type Used struct {
	Seconds float64
	// Names has it by the names of processes. A process that ended left its time with its parent, where that
	// waited for it.
	Names map[string]float64
	// Rest says that the processes of the machine cannot be seen, as in a container. Seconds is then what the
	// machine used without what is known to be tare's: threads of the kernel are in it.
	Rest bool

	processes map[int]process // those that Names is from
}

// Grown is what the processes of each name used since an earlier reading, together no more than all of them did. The time
// of a process that has ended since is in that of whoever waited for it, and what it had used before the earlier reading
// does not count again.
func (u Used) Grown(before Used) map[string]float64 {
	byProcess, reaped := map[int]float64{}, map[int]float64{} // reaped is the part that came from ended processes
	for pid, p := range u.processes {
		byProcess[pid], reaped[pid] = p.own+p.waited, p.waited
		if was, there := before.processes[pid]; there && was.began == p.began {
			byProcess[pid] -= was.own + was.waited
			reaped[pid] -= was.waited
		}
	}
	for pid, was := range before.processes {
		if p, there := u.processes[pid]; there && p.began == was.began {
			continue
		}
		if heir, there := heir(u.processes, before.processes, was.parent); there {
			byProcess[heir] -= was.own + was.waited
			reaped[heir] -= was.own + was.waited
		}
	}
	u.within(u.Seconds-before.Seconds, byProcess, reaped)
	grown := map[string]float64{}
	for pid, seconds := range byProcess {
		if seconds > 0 {
			grown[u.processes[pid].name] += seconds
		}
	}
	return grown
}

// heir is the nearest ancestor of an ended process that still runs: each on the way has left its time, and what it waited
// for, to the next.
func heir(now, before map[int]process, pid int) (int, bool) {
	for range len(before) + 1 {
		p, there := now[pid]
		was, known := before[pid]
		if there && (!known || was.began == p.began) {
			return pid, true
		}
		if !known {
			return 0, false
		}
		pid = was.parent
	}
	return 0, false
}

// within takes off what is more than all processes used: an orphan leaves its time to a process that is not its
// parent (wait(2), PR_SET_CHILD_SUBREAPER), so that time from before is in what that one has waited for.
func (u Used) within(most float64, byProcess, reaped map[int]float64) {
	excess := -most
	var pids []int
	for pid, seconds := range byProcess {
		excess += max(0, seconds)
		if seconds > 0 && reaped[pid] > 0 {
			pids = append(pids, pid)
		}
	}
	slices.SortFunc(pids, func(a, b int) int { return cmp.Or(cmp.Compare(reaped[b], reaped[a]), cmp.Compare(a, b)) })
	for _, pid := range pids {
		off := max(0, min(excess, reaped[pid], byProcess[pid]))
		byProcess[pid] -= off
		excess -= off
	}
}

// process is a line of /proc/PID/stat (proc_pid_stat(5)), without what is not needed.
type process struct {
	parent      int
	name, began string
	own, waited float64 // seconds; waited is that of children that have ended
}

// kernelThreads is the process id of kthreadd, the parent of all threads of the kernel.
const kernelThreads = 2

// Read sums over the processes that there are, and those that ended without their parent waiting for them, as they were at
// the reading before. It grows by what was used. A measured process that ends leaves its time with one that counts: what it had used at the
// reading before is left out, so that readings a second apart miss a second of it at most.
func (o *Others) Read() (Used, error) {
	if o.marks == nil {
		o.threads, o.marks, o.inherited = map[int]bool{}, map[int]marked{}, map[int]float64{}
	}
	whole := o.seesAll()
	all, err := o.processes(whole)
	if err != nil {
		return Used{}, err
	}
	measured := map[int]bool{}
	for pid, p := range all {
		measured[pid] = o.counted(all, pid, p)
	}
	o.unreaped += o.lost(all)
	o.inherit(all, measured)
	if whole {
		return o.sum(all), nil
	}
	return o.rest(all)
}

// lost is the time at the reading before of processes that count and have ended since, as far as nobody can have waited for
// them: all that was waited for since may be theirs.
func (o *Others) lost(all map[int]process) float64 {
	ended, waited := 0.0, 0.0
	for pid, was := range o.before {
		switch p, there := all[pid]; {
		case there && p.began == was.began:
			waited += p.waited - was.waited
		case !o.measured[pid]:
			ended += was.own + was.waited - o.inherited[pid]
		}
	}
	return max(0, ended-waited)
}

// inherit finds out which processes have the time of measured ones that have ended since the reading before: the runtime of
// a pod, which waited for its processes (containerd's shim), and then whoever waited for that one. What they used after
// that reading is not known, so that it should not be long ago.
func (o *Others) inherit(all map[int]process, measured map[int]bool) {
	given := map[int]float64{}
	for pid, was := range o.before {
		if p, there := all[pid]; there && p.began == was.began {
			continue
		}
		left := o.inherited[pid]
		delete(o.inherited, pid)
		if o.measured[pid] {
			left = was.own + was.waited
		}
		if to, there := heir(all, o.before, was.parent); there && !measured[to] {
			given[to] += left
		}
	}
	for pid, seconds := range given {
		if was, known := o.before[pid]; known { // it may have waited for none of them
			o.inherited[pid] += max(0, min(seconds, all[pid].waited-was.waited))
		}
	}
	o.before, o.measured = all, measured
}

// seesAll says that the processes are those of the machine: the first of a process namespace
// (pid_namespaces(7)) has kthreadd.
func (o *Others) seesAll() bool {
	name, err := read(o.Root, "proc/"+strconv.Itoa(kernelThreads)+"/comm")
	return err == nil && strings.TrimSpace(name) == "kthreadd"
}

func (o *Others) sum(all map[int]process) Used {
	used := Used{Seconds: o.unreaped, Names: map[string]float64{}, processes: map[int]process{}}
	for pid, p := range all {
		if o.measured[pid] {
			continue
		}
		p.waited -= o.inherited[pid]
		used.processes[pid] = p
		if t := p.own + p.waited; t > 0 {
			used.Seconds += t
			used.Names[p.name] += t
		}
	}
	return used
}

// rest is the time of the machine in user and kernel mode without that of the known processes.
func (o *Others) rest(all map[int]process) (Used, error) {
	used := o.sum(all)
	used.Rest, used.Seconds = true, 0
	err := readStat(o.Root, func(name string, v float64) {
		if name == keys.HostCPUUserNS || name == keys.HostCPUSystemNS {
			used.Seconds += v / 1e9
		}
	})
	for pid, p := range all {
		if o.measured[pid] {
			used.Seconds -= p.own + p.waited
		}
	}
	return used, err
}

// counted says that a process is tare's or a measured server's.
func (o *Others) counted(all map[int]process, pid int, p process) bool {
	if o.NoServers && IsServerName(p.name) {
		return true
	}
	for _, root := range o.Own {
		if below(all, pid, root) {
			return true
		}
	}
	if o.Marks == nil && !o.AnyMark {
		return false
	}
	m, known := o.marks[pid]
	if !known || m.began != p.began {
		m = marked{began: p.began, value: o.markOf(pid)}
		o.marks[pid] = m
	}
	return m.value != "" && (o.AnyMark || slices.Contains(o.Marks(), m.value))
}

// markOf is the value of the mark; "" where there is none, or where the environment is not to be read.
func (o *Others) markOf(pid int) string {
	text, err := read(o.Root, Place{PID: pid}.proc("environ"))
	if err != nil {
		return ""
	}
	for v := range strings.SplitSeq(text, "\x00") {
		if value, ok := strings.CutPrefix(v, o.Mark+"="); ok {
			return value
		}
	}
	return ""
}

// below says that a process is root or one of its descendants.
func below(all map[int]process, pid, root int) bool {
	for range len(all) + 1 { // a bound, as processes end while they are listed
		if pid == root {
			return true
		}
		p, known := all[pid]
		if !known {
			return false
		}
		pid = p.parent
	}
	return false
}

func (o *Others) stat(pid int) (process, error) {
	text, err := read(o.Root, Place{PID: pid}.proc("stat"))
	if err != nil {
		return process{}, err
	}
	from, to := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if from < 0 || to < from {
		return process{}, fmt.Errorf("read /proc/%d/stat: %.40q has no name", pid, text)
	}
	const first = 3 // the field after the name
	f := strings.Fields(text[to+1:])
	if len(f) <= 22-first {
		return process{}, fmt.Errorf("read /proc/%d/stat: %d fields", pid, len(f))
	}
	seconds := func(field int) float64 {
		v, _ := number(f[field-first])
		return v * tick / 1e9
	}
	parent, err := strconv.Atoi(f[4-first])
	if err != nil {
		return process{}, fmt.Errorf("read /proc/%d/stat: %w", pid, err)
	}
	return process{
		parent: parent, name: text[from+1 : to], began: f[22-first],
		own: seconds(14) + seconds(15), waited: seconds(16) + seconds(17),
	}, nil
}

func hostOthers() Probe {
	return Probe{
		Name: "host.others", Help: "CPU time of the machine's other processes",
		Metrics: []record.Metric{
			cost(keys.HostCPUOthersNS, "ns", "CPU time of processes that are neither tare's nor the measured server's"),
		},
		Start: func(p Place) (Read, error) {
			others := p.Others
			if others == nil {
				others = &Others{Root: p.Root, Own: []int{os.Getpid(), p.PID}}
			}
			return func(_ context.Context, put func(string, float64)) error {
				used, err := others.Read()
				if err == nil {
					put(keys.HostCPUOthersNS, used.Seconds*1e9)
				}
				return err
			}, nil
		},
	}
}
