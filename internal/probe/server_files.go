package probe

// This file finds the server's cgroups and its disk from its process.

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// elsewhere is why nothing of a process can be read, with the flag that names it where the reader has one.
func (p Place) elsewhere() error {
	if p.TakesPID {
		return errors.New(string(record.ServerElsewhere))
	}
	return errors.New(string(record.ServerUnseen))
}

// proc is a file of the server's process.
func (p Place) proc(name string) string { return path.Join("proc", strconv.Itoa(p.PID), name) }

// mount is a line of /proc/PID/mountinfo (proc_pid_mountinfo(5)).
type mount struct {
	device, root, point, kind string
	options                   []string // of the file system
}

func (p Place) mounts(process string) ([]mount, error) {
	text, err := read(p.Root, path.Join("proc", process, "mountinfo"))
	if err != nil {
		return nil, err
	}
	var all []mount
	for line := range strings.Lines(text) {
		before, after, ok := strings.Cut(line, " - ")
		f, g := strings.Fields(before), strings.Fields(after)
		if !ok || len(f) < 5 || len(g) < 3 {
			continue
		}
		all = append(all, mount{device: f[2], root: f[3], point: f[4], kind: g[0], options: strings.Split(g[2], ",")})
	}
	return all, nil
}

// groups are the server's cgroup in the hierarchy of a controller and all above
// it that can be seen, the server's own first; unified says that it is cgroup v2.
func (p Place) groups(controller string) (dirs []string, unified bool, err error) {
	if p.PID == 0 {
		return nil, false, p.elsewhere()
	}
	file := p.proc("cgroup")
	if p.self {
		file = "proc/self/cgroup"
	}
	text, err := read(p.Root, file)
	if err != nil {
		return nil, false, err
	}
	mounts, err := p.mounts("self")
	if err != nil {
		return nil, false, err
	}
	for _, unified := range []bool{false, true} {
		for line := range strings.Lines(text) {
			f := strings.SplitN(strings.TrimSpace(line), ":", 3)
			if len(f) != 3 || unified != (f[0] == "0") || !unified && !slices.Contains(strings.Split(f[1], ","), controller) {
				continue
			}
			for _, m := range mounts {
				if unified && m.kind == "cgroup2" || !unified && m.kind == "cgroup" && slices.Contains(m.options, controller) {
					rest, err := p.below(m, f[2])
					return upwards(m.point, rest), unified, err
				}
			}
		}
	}
	return nil, false, fmt.Errorf("no cgroup hierarchy of %s is mounted", controller)
}

// shared says that the server's cgroup holds the reader too, as that of a process which tare
// started in its own: what it counts is the use of the server, of tare, its load and the other
// servers together. Limits and throttling hold for the server all the same.
func (p Place) shared(controller string) bool {
	server, _, err := p.groups(controller)
	if err != nil {
		return false
	}
	self := p
	self.self = true
	reader, _, err := self.groups(controller)
	return err == nil && slices.Contains(reader, server[0])
}

// Grouped says that the server is in a cgroup below the root, so that limits can apply to
// it: a container, a pod, or a service of the init system.
func (p Place) Grouped() bool {
	for _, controller := range []string{"cpu", "memory"} {
		if dirs, _, err := p.groups(controller); err == nil && len(dirs) > 1 {
			return true
		}
	}
	return false
}

// CPUShares are the CPU shares of the server's own cgroup, and the file they are from. The
// weight of cgroup v2 is converted as runc does it backwards (libcontainer/cgroups,
// ConvertCPUSharesToCgroupV2Value): a weight of 1 is 2 shares, which a pod without a CPU
// request has.
func (p Place) CPUShares() (shares float64, source string, err error) {
	dirs, unified, err := p.groups("cpu")
	if err != nil {
		return 0, "", err
	}
	source = path.Join(dirs[0], "cpu.shares")
	if unified {
		source = path.Join(dirs[0], "cpu.weight")
	}
	text, err := read(p.Root, strings.TrimPrefix(source, "/"))
	if err != nil {
		return 0, source, err
	}
	shares, err = strconv.ParseFloat(strings.TrimSpace(text), 64)
	if unified {
		shares = 2 + (shares-1)*262142/9999
	}
	return shares, source, err
}

// below is a cgroup's path in a mount. What lies outside of the reader's cgroup
// namespace is shown by the way up to it, and so is the root of a mount of the whole
// machine: /../../pod1/server in /../../../.. (cgroup_namespaces(7)). The names between
// the two are told by neither, and are looked for.
func (p Place) below(m mount, group string) (string, error) {
	up, rest := outside(group)
	depth, beyond := outside(m.root)
	if depth == 0 && up == 0 {
		return path.Clean("/" + strings.TrimPrefix(group, m.root)), nil
	}
	if up > depth || beyond != "/" || rest == "/" {
		return "", fmt.Errorf("the cgroup %s cannot be seen from %s, where %s is mounted", group, m.point, m.root)
	}
	literal := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
	point := strings.TrimPrefix(m.point, "/")
	found, err := fs.Glob(p.Root, path.Join(literal.Replace(point), strings.Repeat("*/", depth-up), literal.Replace(rest)))
	if err != nil {
		return "", fmt.Errorf("look for the cgroup %s below %s: %w", group, m.point, err)
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%d cgroups below %s can be what is shown here as %s", len(found), m.point, group)
	}
	return strings.TrimPrefix(found[0], point), nil
}

// outside is how many levels above the reader's cgroup namespace a path begins, and
// the rest of it.
func outside(group string) (up int, rest string) {
	for rest = group; strings.HasPrefix(rest+"/", "/../"); up++ {
		rest = rest[len("/.."):]
	}
	return up, path.Clean("/" + rest)
}

// upwards are the directories from a cgroup to the root of its mount.
func upwards(point, rest string) []string {
	var dirs []string
	for ; len(dirs) < 64; rest = path.Dir(rest) {
		dirs = append(dirs, path.Join(point, rest))
		if rest == "/" {
			break
		}
	}
	return dirs
}

// device is the number of the block device that the data lie on, "major:minor",
// and of the whole disk it is a part of: cgroups know whole disks alone.
func (p Place) device() (device, disk string, err error) {
	best, err := p.dataMount()
	if err != nil {
		return "", "", err
	}
	if strings.HasPrefix(best.device, "0:") {
		return "", "", fmt.Errorf("the data lie on a file system without a block device: %q", best.kind)
	}
	return best.device, p.whole(best.device), nil
}

// FileSystem is the kind that the data lie on, as the server's mounts name it: "ext4".
func (p Place) FileSystem() (string, error) {
	m, err := p.dataMount()
	return m.kind, err
}

// dataMount is the server's mount that the data lie on.
func (p Place) dataMount() (best mount, err error) {
	if p.DataDir == "" || p.PID == 0 {
		return mount{}, errors.New("the data directory is not on this machine, or not known")
	}
	mounts, err := p.mounts(strconv.Itoa(p.PID))
	if err != nil {
		return mount{}, err
	}
	dir := path.Clean(p.DataDir)
	for _, m := range mounts {
		if (dir == m.point || strings.HasPrefix(dir, strings.TrimSuffix(m.point, "/")+"/")) && len(m.point) >= len(best.point) {
			best = m
		}
	}
	if best.device == "" { // as in a root that is no mount of its own
		return mount{}, errors.New("the file system of the data cannot be seen from the server's root")
	}
	return best, nil
}

// whole is the disk of a partition, or the device itself.
func (p Place) whole(device string) string {
	const all = "sys/dev/block"
	link, err := fs.ReadLink(p.Root, path.Join(all, device))
	if err != nil {
		return device
	}
	dir := path.Join(all, link)
	if _, err := fs.Stat(p.Root, path.Join(dir, "partition")); err != nil {
		return device
	}
	text, err := read(p.Root, path.Join(path.Dir(dir), "dev"))
	if err != nil {
		return device
	}
	return strings.TrimSpace(text)
}
