package container

// What an arm says of its storage, what of it is impossible, and what the kernel
// says was made.

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/moby/sys/mountinfo"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/mysqld/backup"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// storageContradictions are the settings that no machine could satisfy.
func (s Settings) storageContradictions() []error {
	var errs []error
	if f := s.FileSystem; f != "" && f != "volume" && f != "overlay" {
		errs = append(errs, target.Wrong("filesystem", "unknown file system %.40q; write overlay for the container's own, or volume", f))
	}
	switch s.Volume {
	case "", hostPath:
		if s.VolumeSize != 0 {
			errs = append(errs, target.Wrong("volumeSize", "a hostPath is as large as its disk; write volume: block or volume: tmpfs, or leave it out"))
		}
	case block, tmpfs:
		if least := node.Bytes(64 << 20); s.VolumeSize != 0 && s.VolumeSize < least {
			errs = append(errs, target.Wrong("volumeSize", "%v is too small for a database; write at least volumeSize: %v", s.VolumeSize, least))
		}
	default:
		errs = append(errs, target.Wrong("volume", "%.40q is not a kind of volume; write hostPath, block or tmpfs", s.Volume))
	}
	return errs
}

// checkStorage says what of it this machine cannot do.
func (s Settings) checkStorage() []error {
	if s.Volume == block {
		if err := node.CheckBlock(); err != nil {
			return []error{target.FieldError{Field: "volume", Err: err}}
		}
	}
	return nil
}

// checkSpace says that one volume, the least that a run needs, is larger than the free disk space.
func (s Settings) checkSpace(dir string) []error {
	takes := s.takes()
	if takes == nil {
		return nil
	}
	size, _ := takes(0)
	free, ok := backup.Free(dir)
	if !ok || size <= free {
		return nil
	}
	return []error{target.Wrong("volumeSize", "%v are reserved for the volume, and %v are free in %s; write a smaller volumeSize, or name another disk with data.directory", node.Bytes(size), node.Bytes(free), dir)}
}

// tmpfsSize is that of a tmpfs without one of its own.
func (c *Container) tmpfsSize() node.Bytes {
	if limit := c.MemoryLimit(); limit > 0 {
		return node.Bytes(limit)
	}
	return c.machine.largest().Memory
}

// storageFacts say what the server's data directory lies on, as its own process
// sees it.
func (s *server) storageFacts() []record.Fact {
	source := fmt.Sprintf("/proc/%d/mountinfo", s.pid)
	facts := []record.Fact{
		{Key: keys.ContainerVolume, Value: s.volume.kind, Source: "experiment.yaml"},
		{Key: keys.ContainerDataFilesystem, Source: source},
		{Key: keys.ContainerDataOptions, Source: source},
		{Key: keys.ContainerDataMountPath, Source: source},
	}
	at, err := mountOf(s.pid, target.InsideData)
	if err != nil {
		for i := range facts[1:] {
			facts[i+1].Unknown = err.Error()
		}
		return facts
	}
	facts[1].Value, facts[3].Value = at.FSType, at.Source
	// Directories are another's in every trial.
	var options []string
	for o := range strings.SplitSeq(at.Options+","+at.VFSOptions, ",") {
		if !strings.Contains(o, "dir=") {
			options = append(options, o)
		}
	}
	facts[2].Value = strings.Join(options, ",")
	if s.volume.loop != "" {
		facts = append(facts, s.loopFacts()...)
	}
	return facts
}

// loopFacts are those of the block device that can change a measurement.
func (s *server) loopFacts() []record.Fact {
	var facts []record.Fact
	for _, f := range [][2]string{
		{keys.ContainerBlockDirectIO, "loop/dio"}, {keys.ContainerBlockLogicalBlockSize, "queue/logical_block_size"},
		{keys.ContainerBlockScheduler, "queue/scheduler"}, {keys.ContainerBlockDeviceName, "dev"},
	} {
		fact := record.Fact{Key: f[0], Source: "/sys/block/" + s.volume.loop + "/" + f[1]}
		if b, err := os.ReadFile(fact.Source); err != nil {
			fact.Unknown = err.Error()
		} else {
			fact.Value = strings.TrimSpace(string(b))
		}
		facts = append(facts, fact)
	}
	return facts
}

// mountOf is the mount at a path in a process's mount namespace.
func mountOf(pid int, path string) (*mountinfo.Info, error) {
	f, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "mountinfo"))
	if err != nil {
		return nil, fmt.Errorf("read mounts: %w", err)
	}
	defer f.Close()
	mounts, err := mountinfo.GetMountsFromReader(f, nil)
	if err != nil {
		return nil, fmt.Errorf("read mounts: %w", err)
	}
	for i := len(mounts) - 1; i >= 0; i-- {
		if mounts[i].Mountpoint == path {
			return mounts[i], nil
		}
	}
	return nil, fmt.Errorf("read mounts: nothing is mounted at %s", path)
}
