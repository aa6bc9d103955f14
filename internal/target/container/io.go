package container

// How fast the server may read and write its volume.

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
)

// IO are the bounds of an arm: a preset in one word, or amounts a second. 0 is no
// bound.
type IO struct {
	ReadIOPS       uint64     `yaml:"readIOPS"`
	WriteIOPS      uint64     `yaml:"writeIOPS"`
	ReadBandwidth  node.Bytes `yaml:"readBandwidth"`
	WriteBandwidth node.Bytes `yaml:"writeBandwidth"`
	// Preset is the word they were written as.
	Preset string `yaml:"-"`
}

// preset is a kind of volume of Amazon's, which bounds reads and writes together;
// a cgroup bounds each, so here a mixed load may have up to twice as much.
type preset struct {
	name      string
	iops      uint64
	bandwidth node.Bytes
}

// presets are from Amazon's EBS user guide, "General Purpose SSD volumes" and
// "Provisioned IOPS SSD volumes": gp3 without anything bought; gp3 at the 12,000
// IOPS and 500 MiB/s of RDS volumes from 400 GiB on; io2 as far as every Nitro
// instance takes it.
func presets() []preset {
	const mi = 1 << 20
	return []preset{{"gp3", 3000, 125 * mi}, {"gp3-12000", 12000, 500 * mi}, {"io2", 64000, 1000 * mi}}
}

// UnmarshalText reads the name of a preset, or none.
func (io *IO) UnmarshalText(b []byte) error {
	name := string(b)
	i := slices.IndexFunc(presets(), func(p preset) bool { return p.name == name })
	switch {
	case name == "none" || name == "false":
		*io = IO{}
	case i < 0:
		return fmt.Errorf("%.40q is not a known volume; write gp3, gp3-12000, io2, none, or {readIOPS: 3000, writeIOPS: 3000, readBandwidth: 125Mi, writeBandwidth: 125Mi}", name)
	default:
		p := presets()[i]
		*io = IO{ReadIOPS: p.iops, WriteIOPS: p.iops, ReadBandwidth: p.bandwidth, WriteBandwidth: p.bandwidth, Preset: name}
	}
	return nil
}

// bounded says whether there is a bound at all.
func (io IO) bounded() bool { io.Preset = ""; return io != IO{} }

// on is the bound for a device.
func (io IO) on(major, minor int64) node.Throttle {
	return node.Throttle{
		Major: major, Minor: minor, ReadIOPS: io.ReadIOPS, WriteIOPS: io.WriteIOPS,
		ReadBandwidth: io.ReadBandwidth, WriteBandwidth: io.WriteBandwidth,
	}
}

// ioContradictions are the settings that no machine could satisfy.
func (s Settings) ioContradictions() []error {
	if s.IO.bounded() && s.Volume == tmpfs {
		return []error{target.Wrong("io", "a tmpfs has no block device whose I/O could be limited; write volume: block, or leave io out")}
	}
	return nil
}

// CheckDisk asks whether the disk of dir, below which the data of a server lie, has space for its volume,
// and whether the I/O of the server can be bounded there.
func (c *Container) CheckDisk(dir string) []error {
	if c.settings.ioContradictions() != nil {
		return nil
	}
	errs := c.settings.checkSpace(dir)
	fields := c.settings.events().With(event.SlowDisk)
	if c.settings.IO.bounded() {
		fields = append(fields, "io")
	}
	for _, field := range fields {
		if err := node.CheckThrottle(); err != nil {
			errs = append(errs, target.FieldError{Field: field, Err: err})
		} else if c.settings.Volume == tmpfs {
			errs = append(errs, target.Wrong(field, "a tmpfs has no block device whose I/O could be limited; write volume: block"))
		} else if _, _, err := node.DiskOf(dir); err != nil && c.settings.Volume != block {
			errs = append(errs, target.Wrong(field, "%w; write volume: block, or leave %s out", err, field))
		}
	}
	return errs
}

// throttle bounds the I/O of the server's container on the disk its data is on.
func (c *Container) throttle(s *server) func(context.Context) error {
	return func(context.Context) error {
		if !c.settings.IO.bounded() {
			return nil
		}
		major, minor, err := s.disk()
		if err != nil {
			return record.BoundIO.Wrap(err)
		}
		s.pod.Throttle(c.settings.IO.on(major, minor))
		return nil
	}
}

// disk is the block device that the server's data are on.
func (s *server) disk() (major, minor int64, err error) {
	if s.volume.loop != "" {
		return node.DeviceNumber(filepath.Join("/sys/block", s.volume.loop))
	}
	return node.DiskOf(s.request.DataDir)
}

// rethrottle changes the limits of the disk of a server that runs; without a limit it has
// those of its arm again.
func (s *server) rethrottle(l target.DiskLimit) error {
	if l == (target.DiskLimit{}) {
		l = target.DiskLimit{ReadIOPS: s.io.ReadIOPS, WriteIOPS: s.io.WriteIOPS}
	}
	major, minor, err := s.disk()
	if err == nil {
		err = s.pod.Rethrottle(major, minor, l.ReadIOPS, l.WriteIOPS)
	}
	if err != nil {
		return record.SlowDisk.Wrap(err)
	}
	return nil
}

// unthrottle lifts the limits of a server that ends, those of a fault included.
func (s *server) unthrottle() error {
	if s.tree == nil {
		return nil
	}
	return s.tree.Unthrottle()
}

// facts say what was asked for; what the kernel has stands with the cgroups.
func (io IO) facts() []record.Fact {
	or := func(n uint64) string {
		if n == 0 {
			return "none"
		}
		return fmt.Sprint(n)
	}
	return []record.Fact{
		{Key: keys.PodIOPreset, Value: cmp.Or(io.Preset, "none"), Source: "experiment.yaml"},
		{Key: keys.PodIOReadIOPS, Value: or(io.ReadIOPS), Source: "experiment.yaml"},
		{Key: keys.PodIOWriteIOPS, Value: or(io.WriteIOPS), Source: "experiment.yaml"},
		{Key: keys.PodIOReadBandwidth, Value: orNone(io.ReadBandwidth), Source: "experiment.yaml"},
		{Key: keys.PodIOWriteBandwidth, Value: orNone(io.WriteBandwidth), Source: "experiment.yaml"},
	}
}
