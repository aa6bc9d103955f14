package runner

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/probe"
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
	unmarked  bool     // the trial's server is not tare's process
}

// reading is what the facts were made from, in seconds; others and machine are NaN where they could not be read.
type reading struct {
	machine, steal, others float64
	used                   probe.Used
}

// share is what others used of the machine's CPU time since an earlier reading; NaN where it is unknown.
func (r reading) share(before reading) float64 {
	return (r.others - before.others + r.steal - before.steal) / (r.machine - before.machine)
}

// facts are the counters, and the reading that they are of; others remembers the reading before.
func (o outside) facts(others *probe.Others) ([]record.Fact, reading) {
	machine, steal, err := o.machine()
	at := reading{machine: machine, steal: steal, others: math.NaN()}
	if err != nil {
		at.machine = math.NaN()
	}
	facts := []record.Fact{
		seconds(keys.GateMachineS, "/proc/stat", machine, err),
		seconds(keys.GateStealS, "/proc/stat", steal, err),
	}
	used, err := others.Read()
	source := "/proc/*/stat of processes that are not tare's"
	if used.Rest {
		source = "/proc/stat without tare's processes: those of the machine cannot be seen from here"
	}
	facts = append(facts, seconds(keys.GateForeignS, source, used.Seconds, err))
	if at.used = used; err == nil {
		at.others = used.Seconds
	}
	return append(facts, o.throttled()), at
}

// withoutOthers are the facts without the time of other processes: those of the machine cannot be seen, and the trial's
// own, in other containers of the machine, would be among them.
func withoutOthers(facts []record.Fact) []record.Fact {
	facts = slices.Clone(facts)
	for i, f := range facts {
		if f.Key == keys.GateForeignS {
			facts[i].Value, facts[i].Unknown = "", "the processes of the machine cannot be seen from here, and the trial's own are among them"
		}
	}
	return facts
}

// ownAmongOthers says whether the server or load pods of a trial can be among what the machine used without tare's
// processes: a server whose process is not seen, or load pods, that are not known to be on another machine. Where it is
// not known, no time of others is claimed: that of the trial's own server would be most of it.
func ownAmongOthers(server, load record.Fact, serverSeen bool, generators int) bool {
	return server.Value != record.Elsewhere && !serverSeen || load.Value != record.Elsewhere && generators > 0
}

// busiest are the names of the processes that used most of the CPU between two readings, as JSON: a name is
// what another user chose.
func busiest(grown map[string]float64) record.Fact {
	f := record.Fact{Key: keys.GateBusiest, Source: "/proc/*/stat"}
	var all []record.Busy
	for name, used := range grown {
		if used >= leastNamed {
			all = append(all, record.Busy{Name: name, CPU: math.Round(100*used) / 100})
		}
	}
	slices.SortFunc(all, func(a, b record.Busy) int {
		return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.Name, b.Name))
	})
	text, err := json.Marshal(all[:min(len(all), mostNamed)])
	if err != nil {
		f.Unknown = err.Error()
	}
	f.Value = string(text)
	return f
}

// Of the others, so many are named, from so many seconds of CPU time on.
const (
	mostNamed  = 5
	leastNamed = 0.1
)

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

// others reads the CPU time of everyone else: of what is neither this process or below it, nor marked with the
// trial's instance, nor a thread of the kernel, which may work for the arm. A server that tare did not start has
// no mark, so that no database server counts beside it.
func (o outside) others() *probe.Others {
	return &probe.Others{
		Root: os.DirFS(filepath.Dir(o.proc)), Own: []int{o.own}, Mark: target.InstanceVariable,
		Marks: func() []string { return o.instances }, NoServers: o.unmarked,
	}
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
