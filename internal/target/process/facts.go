package process

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/sys/mountinfo"
	"github.com/prometheus/procfs"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// Facts read what the kernel says of the server's process, of the cgroups it
// happens to be in, which are this tare's, of the network and of the neighbour.
func (s *server) Facts(ctx context.Context, phase string) []record.Fact {
	pid := s.PID()
	facts := target.ProcessFacts(pid, phase)
	if phase == "start" {
		facts = append(facts, ownCgroups(pid, phase)...)
		for _, f := range s.network.Facts(ctx) {
			f.Phase = phase
			facts = append(facts, f)
		}
	}
	if phase == "end" {
		for _, f := range s.network.Streams(ctx) {
			f.Phase = phase
			facts = append(facts, f)
		}
	}
	return append(facts, s.neighbour.facts(phase)...)
}

// cgroupFiles are the values that bound a server, by cgroup v1 controller; ""
// stands for v2.
var cgroupFiles = map[string][]string{
	"cpu":    {"cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us"},
	"cpuset": {"cpuset.effective_cpus"},
	"memory": {"memory.limit_in_bytes"},
	"":       {"cpu.weight", "cpu.max", "cpuset.cpus.effective", "memory.max"},
}

// ownCgroups reads the bounds of the cgroups that the server is in.
func ownCgroups(pid int, phase string) []record.Fact {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return []record.Fact{{Key: keys.CgroupOwn, Unknown: err.Error(), Phase: phase}}
	}
	groups, err := p.Cgroups()
	if err != nil {
		return []record.Fact{{Key: keys.CgroupOwn, Unknown: err.Error(), Phase: phase}}
	}
	mounts, err := mountinfo.GetMounts(mountinfo.FSTypeFilter("cgroup", "cgroup2"))
	if err != nil {
		return []record.Fact{{Key: keys.CgroupOwn, Unknown: err.Error(), Phase: phase}}
	}
	var facts []record.Fact
	for _, controller := range []string{"cpu", "cpuset", "memory"} {
		for _, g := range groups {
			if slices.Contains(g.Controllers, controller) {
				facts = append(facts, ownFiles(mounts, controller, g.Path, phase)...)
			}
		}
	}
	if len(facts) > 0 {
		return facts // the controllers are in v1; a v2 hierarchy beside it has none
	}
	for _, g := range groups {
		facts = append(facts, ownFiles(mounts, "", g.Path, phase)...)
	}
	return facts
}

func ownFiles(mounts []*mountinfo.Info, controller, path, phase string) []record.Fact {
	var facts []record.Fact
	for _, name := range cgroupFiles[controller] {
		facts = append(facts, ownCgroup(mounts, controller, path, name, phase))
	}
	return facts
}

func ownCgroup(mounts []*mountinfo.Info, controller, path, name, phase string) record.Fact {
	f := record.Fact{Key: keys.CgroupOwnPrefix + name, Phase: phase}
	for _, m := range mounts {
		if (controller == "" && m.FSType == "cgroup2") || (controller != "" && slices.Contains(strings.Split(m.VFSOptions, ","), controller)) {
			f.Source = filepath.Join(m.Mountpoint, path, name)
			b, err := os.ReadFile(f.Source)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				f.Unknown = record.NoCgroupFile.Say()
			case err != nil:
				f.Unknown = err.Error()
			default:
				f.Value = strings.TrimSpace(string(b))
			}
			return f
		}
	}
	f.Unknown = record.NoHierarchy.Say()
	return f
}
