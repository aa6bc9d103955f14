package container

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/target"
)

func TestStorageMistakes(t *testing.T) {
	for _, c := range []struct {
		s    Settings
		want string
	}{
		{Settings{FileSystem: "overlayfs"}, `filesystem: unknown file system "overlayfs"; write overlay`},
		{Settings{Volume: "emptyDir"}, `volume: "emptyDir" is not a kind of volume; write hostPath, block or tmpfs`},
		{Settings{VolumeSize: 1 << 30}, "volumeSize: a hostPath is as large as its disk"},
		{Settings{Volume: "block", VolumeSize: 1 << 20}, "volumeSize: 1Mi is too small for a database; write at least volumeSize: 64Mi"},
	} {
		if err := c.s.contradictions(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v\nwant: %s", c.s, err, c.want)
		}
	}
	for _, volume := range []string{"", hostPath, block, tmpfs} {
		for _, over := range []string{"", "volume", "overlay"} {
			if err := (Settings{Volume: volume, FileSystem: over}).contradictions(); err != nil {
				t.Errorf("%s on %s: %v", over, volume, err)
			}
		}
	}
}

// A volume without a size holds the data twice and the logs; a tmpfs what the pod
// or the node has.
func TestVolumeSizes(t *testing.T) {
	if got := defaultVolumeSize(10<<30 + 5); got != 24<<30 {
		t.Errorf("for 10 GiB of data: %v", got)
	}
	c := &Container{machine: study()}
	if got, want := c.tmpfsSize(), study().largest().Memory; got != want {
		t.Errorf("a tmpfs of a pod without limit has %v, want %v", got, want)
	}
	c.settings.Memory = 2 << 30
	if got := c.tmpfsSize(); got != 2<<30 {
		t.Errorf("a tmpfs of a pod of 2Gi has %v", got)
	}
	v := Settings{}.newVolume(target.Request{Dir: "/i", DataDir: "/i/data"}, "/i/container")
	if v.kind != hostPath || v.data != "/i/data" || v.tmp != "/i/tmp" {
		t.Errorf("without settings: %+v", v)
	}
	if _, err := usage("/nonexistent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// TestVolumeTakes: a block device reserves its size, the files of a tmpfs are memory, and a
// directory of the host takes nothing beside the data directory.
func TestVolumeTakes(t *testing.T) {
	const data = 1 << 30
	for _, c := range []struct {
		s            Settings
		disk, memory int64
	}{
		{Settings{Volume: block, VolumeSize: 6 << 30}, 6 << 30, 0},
		{Settings{Volume: block}, 6 << 30, 0}, // twice the data and 4 GiB
		{Settings{Volume: tmpfs, VolumeSize: 6 << 30}, 0, data},
	} {
		if disk, memory := c.s.takes()(data); disk != c.disk || memory != c.memory {
			t.Errorf("%+v: %d and %d", c.s, disk, memory)
		}
	}
	if (Settings{}).takes() != nil || (Settings{Volume: hostPath}).takes() != nil {
		t.Error("a directory of the host takes something")
	}
}

// TestVolumeHasSpace: a volume that is larger than the free disk space is refused before the run, and not
// by each of its trials.
func TestVolumeHasSpace(t *testing.T) {
	dir := t.TempDir()
	c := &Container{settings: Settings{Volume: block, VolumeSize: 1 << 60}}
	if errs := c.CheckDisk(dir); len(errs) != 1 || !strings.Contains(errs[0].Error(), "volumeSize: 1Ei are reserved for the volume, and ") || !strings.Contains(errs[0].Error(), " are free in "+dir) {
		t.Error(errs)
	}
	for _, s := range []Settings{{Volume: block, VolumeSize: 64 << 20}, {Volume: tmpfs, VolumeSize: 1 << 60}, {}} {
		if errs := s.checkSpace(dir); errs != nil {
			t.Errorf("%+v: %v", s, errs)
		}
	}
}
