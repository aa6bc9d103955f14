package container

import (
	"errors"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/node"
)

func TestPresets(t *testing.T) {
	for text, want := range map[string]IO{
		"none":      {},
		"gp3":       {ReadIOPS: 3000, WriteIOPS: 3000, ReadBandwidth: 125 << 20, WriteBandwidth: 125 << 20, Preset: "gp3"},
		"gp3-12000": {ReadIOPS: 12000, WriteIOPS: 12000, ReadBandwidth: 500 << 20, WriteBandwidth: 500 << 20, Preset: "gp3-12000"},
		"io2":       {ReadIOPS: 64000, WriteIOPS: 64000, ReadBandwidth: 1000 << 20, WriteBandwidth: 1000 << 20, Preset: "io2"},
	} {
		var got IO
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %+v (%v)", text, got, err)
		}
		if got.bounded() != (text != "none") {
			t.Errorf("%s: bounded is %v", text, got.bounded())
		}
	}
	err := new(IO).UnmarshalText([]byte("gp2"))
	if err == nil || !strings.Contains(err.Error(), "write gp3, gp3-12000, io2, none, or {readIOPS: 3000") {
		t.Errorf("gp2: %v", err)
	}
}

// A bound needs a block device, which is asked for before anything starts.
func TestIOMistakes(t *testing.T) {
	io := IO{ReadIOPS: 100}
	if err := (Settings{IO: io, Volume: tmpfs}).contradictions(); err == nil || !strings.Contains(err.Error(), "io: a tmpfs has no block device whose I/O could be limited; write volume: block") {
		t.Errorf("tmpfs: %v", err)
	}
	if err := (Settings{Volume: tmpfs}).contradictions(); err != nil {
		t.Errorf("tmpfs without bounds: %v", err)
	}
	c := &Container{settings: Settings{IO: io}}
	if err := errors.Join(c.CheckDisk("/proc")...); node.CheckThrottle() == nil && (err == nil || !strings.Contains(err.Error(), "on no block device; write volume: block")) {
		t.Errorf("a file system without a device: %v", err)
	}
	for _, s := range []Settings{{IO: io, Volume: block}, {}} {
		c := &Container{settings: s}
		if err := errors.Join(c.CheckDisk("/proc")...); err != nil && node.CheckThrottle() == nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
