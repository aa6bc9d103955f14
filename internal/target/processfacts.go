package target

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// ProcessFacts reads what the kernel says of a server's process: what is set,
// at the phase "start", and what is counted, at every phase. Keys begin with
// "server."; values are verbatim but for sums over the threads.
func ProcessFacts(pid int, phase string) []record.Fact {
	p := procDir(filepath.Join("/proc", strconv.Itoa(pid)))
	var facts []record.Fact
	if phase == "start" {
		facts = append(facts, p.link(keys.ServerExe, "exe"), p.whole(keys.ServerCgroup, "cgroup"),
			p.whole(keys.ServerOOMScoreAdj, "oom_score_adj"))
		facts = append(facts, p.keyed("status", map[string]string{
			"Uid":     keys.ServerUID,
			"Seccomp": keys.ServerSeccomp, "NoNewPrivs": keys.ServerNoNewPrivs, "Speculation_Store_Bypass": keys.ServerSpeculationStoreBypass,
		})...)
		facts = append(facts, p.allowed()...)
		facts = append(facts, p.limits()...)
	}
	facts = append(facts, p.keyed("status", map[string]string{
		"VmRSS": keys.ServerRSS, "VmHWM": keys.ServerRSSPeak, "VmSwap": keys.ServerSwap, "Threads": keys.ServerThreads,
	})...)
	facts = append(facts, p.keyed("io", map[string]string{
		"read_bytes": keys.ServerIOReadBytes, "write_bytes": keys.ServerIOWriteBytes,
	})...)
	facts = append(facts, p.times()...)
	facts = append(facts, p.threads()...)
	for i := range facts {
		facts[i].Phase = phase
	}
	return facts
}

// AllowedFacts are the CPUs and the memory nodes that a process may use.
func AllowedFacts(pid int) []record.Fact {
	return procDir(filepath.Join("/proc", strconv.Itoa(pid))).allowed()
}

type procDir string

func (p procDir) read(name string) (text, source string, err error) {
	source = filepath.Join(string(p), name)
	b, err := os.ReadFile(source)
	return strings.TrimSpace(string(b)), source, err
}

func fact(key, value, source string, err error) record.Fact {
	f := record.Fact{Key: key, Value: value, Source: source}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH):
		f.Value, f.Unknown = "", record.ProcessGone.Say()
	case err != nil:
		f.Value, f.Unknown = "", err.Error()
	}
	return f
}

func (p procDir) allowed() []record.Fact {
	return p.keyed("status", map[string]string{"Cpus_allowed_list": keys.ServerCPUsAllowed, "Mems_allowed_list": keys.ServerMemsAllowed})
}

func (p procDir) whole(key, name string) record.Fact {
	text, source, err := p.read(name)
	return fact(key, text, source, err)
}

func (p procDir) link(key, name string) record.Fact {
	source := filepath.Join(string(p), name)
	to, err := os.Readlink(source)
	return fact(key, to, source, err)
}

// keyed reads lines of "name: value" under the keys given for the names.
func (p procDir) keyed(file string, keys map[string]string) []record.Fact {
	text, source, err := p.read(file)
	found := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			found[name] = strings.Join(strings.Fields(value), " ")
		}
	}
	var facts []record.Fact
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		value, ok := found[name]
		reason := err
		if !ok && err == nil {
			reason = errors.New(record.NoKernelLine.Say(name))
		}
		facts = append(facts, fact(keys[name], value, source, reason))
	}
	return facts
}

// limits are the soft and the hard limit of every resource (proc_pid_limits(5)):
// names of several words, then two values, then perhaps a unit.
func (p procDir) limits() []record.Fact {
	text, source, err := p.read("limits")
	if err != nil {
		return []record.Fact{fact(keys.ServerLimits, "", source, err)}
	}
	var facts []record.Fact
	for line := range strings.Lines(text) {
		if len(line) < 26 || !strings.HasPrefix(line, "Max ") {
			continue
		}
		values := strings.Fields(line[26:]) // the kernel prints the name %-25s wide
		if len(values) >= 2 {
			name := strings.ReplaceAll(strings.TrimSpace(line[4:26]), " ", "_")
			facts = append(facts, fact(keys.ServerLimitsPrefix+name, values[0]+" "+values[1], source, nil))
		}
	}
	return facts
}

// times are fields 10, 12, 14 and 15 of proc_pid_stat(5), of all threads, those
// that have ended included.
func (p procDir) times() []record.Fact {
	text, source, err := p.read("stat")
	// The name in field 2 may hold blanks and brackets; field 3 comes after the last bracket.
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	var facts []record.Fact
	for _, f := range []struct {
		key   string
		field int
	}{
		{keys.ServerMinorFaults, 10}, {keys.ServerMajorFaults, 12}, {keys.ServerUTimeTicks, 14}, {keys.ServerSTimeTicks, 15},
	} {
		value := ""
		if f.field-3 < len(fields) {
			value = fields[f.field-3]
		}
		facts = append(facts, fact(f.key, value, source, err))
	}
	return facts
}

// threads sums what the kernel counts per thread only: time on a CPU and time
// waiting for one (Documentation/scheduler/sched-stats.rst), and switches. The
// counts of a thread go with it, so a difference of two sums is of the threads
// that lived through both.
func (p procDir) threads() []record.Fact {
	source := filepath.Join(string(p), "task/*")
	tasks, _ := filepath.Glob(source) // the pattern is well-formed
	var run, wait, voluntary, forced uint64
	var err error
	for _, dir := range tasks {
		t := procDir(dir)
		text, _, e := t.read("schedstat")
		var timeslices uint64
		if e == nil {
			var r, w uint64
			if _, e = fmt.Sscan(text, &r, &w, &timeslices); e == nil {
				run, wait = run+r, wait+w
			}
		}
		for _, f := range t.keyed("status", map[string]string{"voluntary_ctxt_switches": "v", "nonvoluntary_ctxt_switches": "n"}) {
			n, _ := strconv.ParseUint(f.Value, 10, 64)
			if f.Key == "v" {
				voluntary += n
			} else {
				forced += n
			}
		}
		if e != nil && !errors.Is(e, fs.ErrNotExist) && !errors.Is(e, syscall.ESRCH) {
			err = e
		}
	}
	if len(tasks) == 0 {
		err = fs.ErrNotExist
	}
	return []record.Fact{
		fact(keys.ServerRunNS, fmt.Sprint(run), source+"/schedstat", err),
		fact(keys.ServerRunQueueWaitNS, fmt.Sprint(wait), source+"/schedstat", err),
		fact(keys.ServerVoluntarySwitches, fmt.Sprint(voluntary), source+"/status", err),
		fact(keys.ServerNonvoluntarySwitches, fmt.Sprint(forced), source+"/status", err),
	}
}
