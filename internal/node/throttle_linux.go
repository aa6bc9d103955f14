package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
)

// Throttle bounds a container's reads and writes of one block device: operations
// and bytes a second, each direction on its own as the kernel has it; 0 is no
// bound. On cgroup v1 the kernel counts an operation to whoever submits it, so
// direct and synchronous I/O is held, and what it writes back later from the page
// cache, or into a file system's journal, is not (Documentation/admin-guide/
// cgroup-v1/blkio-controller.rst).
type Throttle struct {
	Major, Minor                  int64
	ReadIOPS, WriteIOPS           uint64
	ReadBandwidth, WriteBandwidth Bytes
}

// Throttle bounds the I/O of the pod's container.
func (p *Pod) Throttle(t Throttle) { p.container.limits.throttle = t }

// blockIO is the bound in the form an OCI runtime takes, which writes
// blkio.throttle files on v1 and io.max on v2; nil for none.
func (t Throttle) blockIO() *specs.LinuxBlockIO {
	if t == (Throttle{}) {
		return nil
	}
	rate := func(n uint64) []specs.LinuxThrottleDevice {
		if n == 0 {
			return nil
		}
		d := specs.LinuxThrottleDevice{Rate: n}
		d.Major, d.Minor = t.Major, t.Minor
		return []specs.LinuxThrottleDevice{d}
	}
	return &specs.LinuxBlockIO{
		ThrottleReadIOPSDevice: rate(t.ReadIOPS), ThrottleWriteIOPSDevice: rate(t.WriteIOPS),
		ThrottleReadBpsDevice: rate(uint64(t.ReadBandwidth)), ThrottleWriteBpsDevice: rate(uint64(t.WriteBandwidth)),
	}
}

// DiskOf is the number of the whole block device that holds a path, or the
// nearest directory above it that exists: a partition is not throttled.
func DiskOf(path string) (major, minor int64, err error) {
	var st unix.Stat_t
	for err = unix.Stat(path, &st); errors.Is(err, unix.ENOENT) && path != "/"; err = unix.Stat(path, &st) {
		path = filepath.Dir(path)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("find the disk of %s: %w", path, err)
	}
	dir := fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev))
	if _, err := os.Stat(dir); err != nil {
		return 0, 0, fmt.Errorf("find the disk of %s: its file system is on no block device", path)
	}
	if _, err := os.Stat(filepath.Join(dir, "partition")); err == nil {
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return 0, 0, fmt.Errorf("find the disk of %s: %w", path, err)
		}
		dir = filepath.Dir(dir)
	}
	return DeviceNumber(dir)
}

// DeviceNumber is the number of a block device from its directory in /sys.
func DeviceNumber(dir string) (major, minor int64, err error) {
	b, err := os.ReadFile(filepath.Join(dir, "dev"))
	if err != nil {
		return 0, 0, fmt.Errorf("read device number: %w", err)
	}
	first, second, _ := strings.Cut(strings.TrimSpace(string(b)), ":")
	major, err = strconv.ParseInt(first, 10, 64)
	minor, err2 := strconv.ParseInt(second, 10, 64)
	if err = errors.Join(err, err2); err != nil {
		return 0, 0, fmt.Errorf("read device number: %w", err)
	}
	return major, minor, nil
}

// CheckThrottle asks whether this machine's cgroups can bound I/O.
func CheckThrottle() error {
	h, err := findHierarchy()
	if err != nil {
		return err
	}
	if h.unified {
		b, err := os.ReadFile(filepath.Join(h.root, "cgroup.controllers"))
		if err != nil || !slices.Contains(strings.Fields(string(b)), "io") {
			return fmt.Errorf("I/O limits need the cgroup controller io, which the kernel does not offer at %s", h.root)
		}
		return nil
	}
	if _, err := os.Stat(h.file("blkio", "/", "blkio.throttle.read_iops_device")); err != nil {
		return errors.New("I/O limits need the cgroup controller blkio with throttling (CONFIG_BLK_DEV_THROTTLING), which this kernel does not have")
	}
	return nil
}

// Rethrottle changes the limits of operations of the pod's container, which runs; 0 is none.
func (p *Pod) Rethrottle(major, minor int64, readIOPS, writeIOPS uint64) error {
	h, at := p.tree.hierarchy, p.container.path
	device := fmt.Sprintf("%d:%d ", major, minor)
	files := map[string]string{}
	if h.unified {
		files[h.file("", at, "io.max")] = device + "riops=" + orMax(readIOPS) + " wiops=" + orMax(writeIOPS)
	} else {
		files[h.file("blkio", at, "blkio.throttle.read_iops_device")] = device + strconv.FormatUint(readIOPS, 10)
		files[h.file("blkio", at, "blkio.throttle.write_iops_device")] = device + strconv.FormatUint(writeIOPS, 10)
	}
	var errs []error
	for file, text := range files {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			errs = append(errs, fmt.Errorf("limit I/O: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Unthrottle lifts all limits of I/O in the cgroup of a directory, on all devices. A
// process that is killed ends only when the requests that it has submitted are done: one
// write of 16 MiB at 8 operations per second takes longer than a minute
// (block/blk-throttle.c divides it into many).
func Unthrottle(group string) error {
	var errs []error
	for _, of := range []struct{ file, none string }{
		{"io.max", "rbps=max wbps=max riops=max wiops=max"},
		{"blkio.throttle.read_iops_device", "0"},
		{"blkio.throttle.write_iops_device", "0"},
		{"blkio.throttle.read_bps_device", "0"},
		{"blkio.throttle.write_bps_device", "0"},
	} {
		path := filepath.Join(group, of.file)
		limits, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) { // of the other version, or removed
			continue
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("lift I/O limit: %w", err))
			continue
		}
		for line := range strings.Lines(string(limits)) {
			device, _, _ := strings.Cut(line, " ")
			if err := os.WriteFile(path, []byte(device+" "+of.none), 0); err != nil {
				errs = append(errs, fmt.Errorf("lift I/O limit: %w", err))
			}
		}
	}
	return errors.Join(errs...)
}

// Unthrottle lifts all limits of I/O in the tree.
func (t *Tree) Unthrottle() error {
	groups, err := t.hierarchy.directories(t.top.path)
	if err != nil {
		return err
	}
	var errs []error
	for _, g := range groups {
		errs = append(errs, Unthrottle(g))
	}
	return errors.Join(errs...)
}

func orMax(n uint64) string {
	if n == 0 {
		return "max"
	}
	return strconv.FormatUint(n, 10)
}
