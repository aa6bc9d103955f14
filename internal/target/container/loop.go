package container

// A block device of the server's own: a file behind a loop device.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// attachImage makes an ext4 file system in a new file of size bytes, puts a loop
// device before it and mounts that at dir. The device frees itself when it is
// unmounted, or when this process ends before it is mounted: no killed tare leaves
// one. Its name, loop0, is returned also with an error.
func attachImage(ctx context.Context, instance, image string, size int64, dir string) (string, error) {
	if err := makeImage(ctx, instance, image, size); err != nil {
		return "", err
	}
	file, err := os.OpenFile(image, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	device, err := configureLoop(file)
	if err != nil {
		return "", record.AttachLoop.Wrap(err, image)
	}
	defer device.Close()
	if err := unix.Mount(device.Name(), dir, "ext4", 0, ""); err != nil {
		return filepath.Base(device.Name()), fmt.Errorf("mount %s at %s: %w", device.Name(), dir, err)
	}
	return filepath.Base(device.Name()), nil
}

// makeImage reserves the space, so that no trial ends for want of it, and makes
// the file system whole at once: what mkfs leaves for the first mount is done by
// a kernel thread in the middle of the measurement (ext4lazyinit).
func makeImage(ctx context.Context, instance, image string, size int64) error {
	file, err := os.OpenFile(image, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	err = unix.Fallocate(int(file.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) {
		err = file.Truncate(size)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return record.ReserveVolume.Wrap(err, fmt.Sprint(size>>20))
	}
	var complaint strings.Builder
	c := target.Command{
		Path: "mkfs.ext4", Stderr: &complaint,
		Args: []string{"-q", "-F", "-T", "largefile", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", image},
	}
	if err := target.RunHere(ctx, c.Here(ctx, instance)); err != nil {
		return record.MakeFileSystem.Error(err, err.Error()+": "+strings.TrimSpace(complaint.String()))
	}
	return nil
}

// configureLoop takes a free loop device, which another process may take first.
// Direct I/O keeps the file's pages out of the host's cache: the data would be in
// memory twice.
func configureLoop(file *os.File) (*os.File, error) {
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	for range 20 {
		n, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
		if err != nil {
			return nil, fmt.Errorf("find a free loop device: %w", err)
		}
		device, err := os.OpenFile(fmt.Sprintf("/dev/loop%d", n), os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		config := unix.LoopConfig{Fd: uint32(file.Fd())}
		config.Info.Flags = unix.LO_FLAGS_AUTOCLEAR | unix.LO_FLAGS_DIRECT_IO
		err = unix.IoctlLoopConfigure(int(device.Fd()), &config)
		if err == nil {
			return device, nil
		}
		if err = errors.Join(err, device.Close()); !errors.Is(err, unix.EBUSY) {
			return nil, err
		}
	}
	return nil, unix.EBUSY
}

// detachPatience is how long a device may take to free itself. It does so when the
// last copy of its mount is gone (target.RemoveMountPoint).
const detachPatience = time.Minute

// awaitDetached waits until a loop device has let go of the file: the kernel does
// so a moment after the last user has gone.
func awaitDetached(ctx context.Context, loop, image string) error {
	if loop == "" {
		return nil
	}
	for deadline := time.Now().Add(detachPatience); ; time.Sleep(10 * time.Millisecond) {
		b, err := os.ReadFile(filepath.Join("/sys/block", loop, "loop/backing_file"))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENODEV): // a free device has no such file
			return nil
		case err == nil && strings.TrimSpace(string(b)) != image:
			return nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return fmt.Errorf("detach loop device %s: something still uses it", loop)
		}
	}
}
