package node

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/tarebench/tare/internal/record"
)

// sheet is one cgroup file to read back.
type sheet struct {
	controller string // v1 only
	name       string
	keyed      bool // lines of "key value", each a fact of its own
	counter    bool // read at the start and at the end; else only at the start
	devices    bool // lines of "device operation value", and of containers alone
}

func sheets1() []sheet {
	return []sheet{
		{controller: "cpu", name: "cpu.shares"},
		{controller: "cpu", name: "cpu.cfs_quota_us"},
		{controller: "cpu", name: "cpu.cfs_period_us"},
		{controller: "cpuset", name: "cpuset.effective_cpus"},
		{controller: "memory", name: "memory.limit_in_bytes"},
		{controller: "memory", name: "memory.memsw.limit_in_bytes"},
		{controller: "cpu", name: "cpu.stat", keyed: true, counter: true},
		{controller: "cpuacct", name: "cpuacct.usage", counter: true},
		{controller: "memory", name: "memory.usage_in_bytes", counter: true},
		{controller: "memory", name: "memory.max_usage_in_bytes", counter: true},
		{controller: "memory", name: "memory.failcnt", counter: true},
		{controller: "memory", name: "memory.oom_control", keyed: true, counter: true},
		{controller: "blkio", name: "blkio.throttle.read_iops_device", devices: true},
		{controller: "blkio", name: "blkio.throttle.write_iops_device", devices: true},
		{controller: "blkio", name: "blkio.throttle.read_bps_device", devices: true},
		{controller: "blkio", name: "blkio.throttle.write_bps_device", devices: true},
		{controller: "blkio", name: "blkio.throttle.io_serviced", devices: true, keyed: true, counter: true},
		{controller: "blkio", name: "blkio.throttle.io_service_bytes", devices: true, keyed: true, counter: true},
	}
}

func sheets2() []sheet {
	return []sheet{
		{name: "cpu.weight"},
		{name: "cpu.max"},
		{name: "cpuset.cpus.effective"},
		{name: "memory.min"},
		{name: "memory.low"},
		{name: "memory.high"},
		{name: "memory.max"},
		{name: "memory.swap.max"},
		{name: "memory.oom.group"},
		{name: "cpu.stat", keyed: true, counter: true},
		{name: "cpu.pressure", keyed: true, counter: true},
		{name: "memory.current", counter: true},
		{name: "memory.peak", counter: true},
		{name: "memory.events", keyed: true, counter: true},
		{name: "memory.pressure", keyed: true, counter: true},
		{name: "io.pressure", keyed: true, counter: true},
		{name: "io.max", devices: true},
		{name: "io.stat", devices: true, counter: true},
	}
}

// ReadBack reads what the kernel says of every level of the tree: the values at
// the phase "start", and what it counts at every phase. Keys are
// cgroup.<level>.<file>[.<key>], with the pod's prefix before them.
func (t *Tree) ReadBack(phase string) []record.Fact {
	facts := t.hierarchy.readBack("", t.top, phase)
	for _, l := range t.tiers {
		facts = append(facts, t.hierarchy.readBack("", l, phase)...)
	}
	for _, p := range t.pods {
		facts = append(facts, t.hierarchy.readBack(p.prefix, p.pod, phase)...)
		facts = append(facts, t.hierarchy.readBack(p.prefix, p.container, phase)...)
	}
	return facts
}

// OOMKills is how many processes of the pod's container the kernel has killed for
// their memory, "" where it does not say.
func (p *Pod) OOMKills() string {
	h := p.tree.hierarchy
	file := sheet{controller: "memory", name: "memory.oom_control", keyed: true}
	if h.unified {
		file.name = "memory.events"
	}
	for _, f := range readSheet(file.name, h.file(file.controller, p.container.path, file.name), file, "end") {
		if f.Key == file.name+".oom_kill" {
			return f.Value
		}
	}
	return ""
}

func (h hierarchy) readBack(prefix string, l level, phase string) []record.Fact {
	sheets := sheets1()
	if h.unified {
		sheets = sheets2()
	}
	var facts []record.Fact
	for _, s := range sheets {
		if s.devices && !l.limits.container {
			continue
		}
		if s.counter || phase == "start" {
			source := h.file(s.controller, l.path, s.name)
			facts = append(facts, readSheet(prefix+"cgroup."+l.key+"."+s.name, source, s, phase)...)
		}
	}
	return facts
}

// readSheet reads one file into one fact, or one for each of its lines.
func readSheet(key, source string, s sheet, phase string) []record.Fact {
	b, err := os.ReadFile(source)
	if err != nil {
		return []record.Fact{{Key: key, Source: source, Unknown: why(err), Phase: phase}}
	}
	text := strings.TrimSpace(string(b))
	if text == "" {
		text = "none" // no device is bounded, or none was used
	}
	if !s.keyed || text == "none" {
		return []record.Fact{{Key: key, Value: text, Source: source, Phase: phase}}
	}
	var facts []record.Fact
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if operation, n, ok := strings.Cut(value, " "); ok && s.devices {
			name, value = name+"."+operation, n
		}
		facts = append(facts, record.Fact{Key: key + "." + name, Value: value, Source: source, Phase: phase})
	}
	return facts
}

func why(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return record.CgroupGone.Say()
	}
	return err.Error()
}

// isBusy says that a cgroup still holds a process or a child.
func isBusy(err error) bool {
	return errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.ENOTEMPTY)
}
