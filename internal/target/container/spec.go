package container

import (
	"path/filepath"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"github.com/tarebench/tare/internal/target"
)

// bundle is what the container's configuration is made from.
type bundle struct {
	request   target.Request
	volume    volume
	security  security
	rootfs    string
	args      []string
	submounts []string
	cgroup    string
	resources *specs.LinuxResources
	oomAdj    int
	openFiles specs.POSIXRlimit
	// unified: cgroup v2, where a pod's containers have cgroup namespaces.
	unified bool
	// resolver is the file that says who answers DNS, "" for the image's own.
	resolver string
	// network is the namespace to join, none for the host's.
	network []specs.LinuxNamespace
}

// spec is the OCI configuration a CRI runtime makes for the container of a pod
// (containerd v1.7 and v2, internal/cri/server/container_create_linux.go and
// pkg/oci/spec.go), with two layers that tare switches on alone, the pod network,
// without which the host's is used, and the seccomp profile, and without AppArmor. CRI sets no limits of the process's
// own (ulimit), so a pod's are inherited; here they are tare's, as in the process target, and written down because a
// runtime built with Go hands on a soft limit of open files that Go has raised.
func (b bundle) spec() *specs.Spec {
	d := b.request.Distribution
	return b.security.confine(&specs.Spec{
		Version:  "1.0.2", // what runc 1.1 and crun 1.8 know
		Hostname: b.request.Name,
		Root:     &specs.Root{Path: b.rootfs},
		Process: &specs.Process{
			User:        specs.User{UID: uint32(d.UID), GID: uint32(d.GID)},
			Args:        b.args,
			Env:         b.request.Environment(),
			Cwd:         "/",
			OOMScoreAdj: &b.oomAdj,
			Rlimits:     []specs.POSIXRlimit{b.openFiles},
		},
		Mounts: append(systemMounts(), b.ownMounts()...),
		Linux: &specs.Linux{
			CgroupsPath: b.cgroup,
			Resources:   b.withDevices(),
			Namespaces:  b.namespaces(),
			MaskedPaths: []string{
				"/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list",
				"/proc/timer_stats", "/proc/sched_debug", "/sys/firmware", "/sys/devices/virtual/powercap", "/proc/scsi",
			},
			ReadonlyPaths: []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"},
		},
	})
}

func systemMounts() []specs.Mount {
	return []specs.Mount{
		{Destination: "/proc", Type: "proc", Source: "proc", Options: []string{"nosuid", "noexec", "nodev"}},
		{Destination: "/dev", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "strictatime", "mode=755", "size=65536k"}},
		{Destination: "/dev/pts", Type: "devpts", Source: "devpts", Options: []string{"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"}},
		{Destination: "/dev/mqueue", Type: "mqueue", Source: "mqueue", Options: []string{"nosuid", "noexec", "nodev"}},
		{Destination: "/dev/shm", Type: "tmpfs", Source: "shm", Options: []string{"nosuid", "noexec", "nodev", "mode=1777", "size=65536k"}},
		{Destination: "/sys", Type: "sysfs", Source: "sysfs", Options: []string{"nosuid", "noexec", "nodev", "ro"}},
		{Destination: "/sys/fs/cgroup", Type: "cgroup", Source: "cgroup", Options: []string{"nosuid", "noexec", "nodev", "relatime", "ro"}},
	}
}

// ownMounts are the instance's directories, on the disk they are on for every
// other target, and the parts of the root file system that are mounts.
func (b bundle) ownMounts() []specs.Mount {
	bind := func(source, inside, mode string) specs.Mount {
		return specs.Mount{Destination: inside, Type: "bind", Source: source, Options: []string{"rbind", "rprivate", mode}}
	}
	r := b.request
	mounts := []specs.Mount{
		bind(b.volume.data, target.InsideData, "rw"),
		bind(r.RunDir, target.InsideRun, "rw"),
		bind(b.volume.tmp, target.InsideTmp, "rw"),
	}
	if b.resolver != "" {
		mounts = append(mounts, bind(b.resolver, "/etc/resolv.conf", "ro"))
	}
	for _, inside := range b.submounts {
		mounts = append(mounts, bind(filepath.Join(r.Distribution.Root, inside), inside, "ro"))
	}
	return mounts
}

// withDevices denies all devices but those every container has, which the
// runtime adds.
func (b bundle) withDevices() *specs.LinuxResources {
	b.resources.Devices = []specs.LinuxDeviceCgroup{{Allow: false, Access: "rwm"}}
	return b.resources
}

func (b bundle) namespaces() []specs.LinuxNamespace {
	all := []specs.LinuxNamespace{
		{Type: specs.PIDNamespace}, {Type: specs.IPCNamespace}, {Type: specs.UTSNamespace}, {Type: specs.MountNamespace},
	}
	if b.unified {
		all = append(all, specs.LinuxNamespace{Type: specs.CgroupNamespace})
	}
	return append(all, b.network...)
}
