package container

// Where the server's data directory lies: on what kind of volume, and whether the
// container's own file system lies in between.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/remove"
	"github.com/tarebench/tare/internal/target"
)

// The kinds of volume.
const (
	hostPath = "hostPath" // a directory of the node, as it is
	block    = "block"    // a block device of its own: a file behind a loop device, with ext4
	tmpfs    = "tmpfs"    // memory: an emptyDir with medium Memory
)

// volume is what holds the data directory and the directory for temporary files.
type volume struct {
	kind    string
	overlay bool
	size    node.Bytes // 0: what the kind makes of it
	dir     string     // where block devices and tmpfs are mounted
	image   string     // the file behind the loop device
	loop    string     // its name, "" for none
	layers  layers     // between the volume and the server
	// data and tmp are what the server gets as its directories.
	data, tmp string
}

func (s Settings) newVolume(r target.Request, dir string) volume {
	return volume{
		kind: cmp.Or(s.Volume, hostPath), overlay: s.FileSystem == "overlay", size: s.VolumeSize,
		dir: filepath.Join(dir, "volume"), image: filepath.Join(dir, "volume.img"), data: r.DataDir, tmp: r.TmpDir(),
	}
}

// makeVolume makes the volume, copies the data onto it and lays the container's
// file system over it.
func (s *server) makeVolume(ctx context.Context) error {
	v := &s.volume
	work := s.runtime.dir
	if v.kind != hostPath {
		if err := s.fillVolume(ctx); err != nil {
			return record.MakeVolume.Wrap(err)
		}
		work = v.dir
	}
	if !v.overlay {
		return nil
	}
	// The database's files are where a server in a container without a volume has
	// made them: in the writable layer.
	v.layers = layers{
		lower: filepath.Join(s.runtime.dir, "data-lower"), upper: v.data,
		work: filepath.Join(work, "data-work"), merged: filepath.Join(s.runtime.dir, "data"),
	}
	for _, dir := range []string{v.layers.lower, v.layers.work, v.layers.merged} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return fmt.Errorf("make layer: %w", err)
		}
	}
	v.data = v.layers.merged
	return v.layers.mountOverlay()
}

// fillVolume mounts the volume and puts a copy of the data on it.
func (s *server) fillVolume(ctx context.Context) error {
	v := &s.volume
	if err := os.Mkdir(v.dir, 0o755); err != nil {
		return err
	}
	used, err := usage(s.request.DataDir)
	if err != nil {
		return err
	}
	if err := s.mountVolume(ctx, used); err != nil {
		return err
	}
	from := v.data
	v.data, v.tmp = filepath.Join(v.dir, "data"), filepath.Join(v.dir, "tmp")
	for _, dir := range []string{v.data, v.tmp} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		if err := os.Chown(dir, s.request.Distribution.UID, s.request.Distribution.GID); err != nil {
			return err
		}
	}
	if err := s.copyData(ctx, from, v.data); err != nil {
		return err
	}
	d, err := os.Open(v.dir)
	if err != nil {
		return err
	}
	if err := errors.Join(unix.Syncfs(int(d.Fd())), d.Close()); err != nil {
		return err
	}
	// By slices all servers of a round are there at once: their data would take the disk's space twice.
	return remove.Contents(filepath.Dir(from), from, remove.AnyOwner)
}

func (s *server) mountVolume(ctx context.Context, used int64) error {
	v := &s.volume
	if v.kind == tmpfs {
		// A kubelet bounds it by the pod's memory limit, or by what the node can
		// allocate (feature SizeMemoryBackedVolumes, pkg/volume/emptydir).
		size := v.size
		if size == 0 {
			size = s.tmpfsSize
		}
		if err := unix.Mount("tmpfs", v.dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0755", size)); err != nil {
			return fmt.Errorf("mount tmpfs at %s: %w", v.dir, err)
		}
		return nil
	}
	if v.size == 0 {
		v.size = defaultVolumeSize(used)
	}
	name, err := attachImage(ctx, s.request.Name, v.image, int64(v.size), v.dir)
	v.loop = name
	return err
}

// defaultVolumeSize leaves room for the data to double and for the logs.
func defaultVolumeSize(used int64) node.Bytes {
	const logs = 4 << 30
	return node.Bytes(2*used+logs) &^ (1<<20 - 1)
}

// takes is what the volume of a server takes, for data of so many bytes: of the disk, where a block device
// has all of its size reserved, and of memory. nil: the server runs on the data directory.
func (s Settings) takes() func(data int64) (disk, memory int64) {
	switch s.Volume {
	case block:
		return func(data int64) (disk, memory int64) {
			return int64(cmp.Or(s.VolumeSize, defaultVolumeSize(data))), 0
		}
	case tmpfs:
		return func(data int64) (disk, memory int64) { return 0, data }
	}
	return nil
}

// copyData copies from the host. Onto a tmpfs it is done from within the pod: the
// files are memory, and count to the pod that wrote them.
func (s *server) copyData(ctx context.Context, from, to string) error {
	argv := []string{"cp", "-a", from + "/.", to}
	if s.volume.kind == tmpfs {
		dirs, err := s.pod.Beside("volume")
		if err != nil {
			return err
		}
		const enter = `while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs" || exit 1; shift; done; shift; exec "$@"`
		argv = append(append(append([]string{"/bin/sh", "-c", enter, "sh"}, dirs...), "--"), argv...)
	}
	var complaint strings.Builder
	c := target.Command{Path: argv[0], Args: argv[1:], Stderr: &complaint}
	if err := target.RunHere(ctx, c.Here(ctx, s.request.Name)); err != nil {
		return record.CopyData.Error(err, err.Error()+": "+strings.TrimSpace(complaint.String()))
	}
	return nil
}

// remove undoes makeVolume as far as it came. A loop device goes with its mount.
func (v *volume) remove(ctx context.Context) error {
	if v.layers.merged != "" {
		if err := unmount(v.layers.merged); err != nil {
			return err
		}
	}
	if err := unmount(v.dir); err != nil {
		return err
	}
	return awaitDetached(ctx, v.loop, v.image)
}

// usage is how many bytes the files below a directory have.
func usage(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("add up the data: %w", err)
	}
	return total, nil
}
