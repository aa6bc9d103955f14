// The first process of a node, seen from inside: it makes the node's view of the
// machine, starts the agents and waits for ended processes.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// boot runs as process 1 of the node's process namespace.
func (l *lab) boot(name string) error {
	n, err := findNode(name)
	if err != nil {
		return err
	}
	if os.Getpid() != 1 {
		return errors.New("node: only lab starts this, as the first process of a node")
	}
	p, err := l.pluginOf(n)
	if err != nil {
		return err
	}
	for _, step := range []func(node) error{l.mountNode, joinCgroups, func(n node) error { return l.connect(n, p) }} {
		if err := step(n); err != nil {
			return err
		}
	}
	if err := unix.Sethostname([]byte(n.name)); err != nil {
		return fmt.Errorf("set host name: %w", err)
	}
	// Flannel's agent knows its node by this; elsewhere its DaemonSet sets it.
	if err := os.Setenv("NODE_NAME", n.name); err != nil {
		return fmt.Errorf("set NODE_NAME: %w", err)
	}
	return l.supervise(n, l.agents(n, p))
}

// mountNode gives the node directories of its own where agents expect theirs.
// /etc, /opt and /var are covered by an overlay, so that mount points can be
// made in them that the machine does not have, and nothing reaches the machine.
func (l *lab) mountNode(n node) error {
	steps := []mounting{
		{"", "/", "", unix.MS_REC | unix.MS_PRIVATE, ""},
		{"proc", "/proc", "proc", 0, ""},
		// A new sysfs shows the links of this network namespace; the cgroups below
		// the old one move over.
		{"/sys/fs/cgroup", l.in(n, "cgroup"), "", unix.MS_BIND | unix.MS_REC, ""},
		{"sysfs", "/sys", "sysfs", 0, ""},
		{l.in(n, "cgroup"), "/sys/fs/cgroup", "", unix.MS_BIND | unix.MS_REC, ""},
		{"tmpfs", "/run", "tmpfs", 0, "mode=755,size=256m"},
	}
	for _, dir := range []string{"etc", "opt", "var"} {
		up, work := l.in(n, "over", dir), l.in(n, "work", dir)
		steps = append(steps, mounting{"overlay", "/" + dir, "overlay", 0, "lowerdir=/" + dir + ",upperdir=" + up + ",workdir=" + work})
		if err := makeDirs(up, work); err != nil {
			return err
		}
	}
	for _, bind := range [][2]string{
		{l.in(n, "disk/containerd"), "/var/lib/containerd"}, {l.in(n, "disk/kubelet"), "/var/lib/kubelet"},
		{l.in(n, "disk/cni"), "/var/lib/cni"}, {l.in(n, "disk/pods"), "/var/log/pods"}, {l.in(n, "disk/containers"), "/var/log/containers"},
		{l.in(n, "cni"), "/etc/cni/net.d"}, {l.in(n, "volumes"), "/var/lib/volumes"},
		{l.in(n, "disk/tare"), "/var/lib/tare"}, // what bare: true runs on: the same disk as the volumes
	} {
		steps = append(steps, mounting{bind[0], bind[1], "", unix.MS_BIND, ""})
	}
	// The distribution's plugins with the lab's own among them.
	steps = append(steps, mounting{"overlay", "/opt/cni/bin", "overlay", unix.MS_RDONLY, "lowerdir=" + l.in(n, ownPlugins) + ":" + pluginDir()})
	steps = append(steps, mounting{"", "/", "", unix.MS_REC | unix.MS_SHARED, ""})
	for _, m := range steps {
		if err := m.do(); err != nil {
			return err
		}
	}
	return l.nodeFiles(n)
}

// nodeFiles are those that agents read under their usual names.
func (l *lab) nodeFiles(n node) error {
	for from, to := range map[string]string{
		l.pki("ca.crt"): "/etc/kubernetes/ca.crt", l.in(n, "resolv.conf"): "/etc/kubernetes/resolv.conf", l.in(n, "hosts"): "/etc/hosts",
		l.kubeconfig(n.name): "/etc/kubernetes/kubelet.conf",
	} {
		b, err := os.ReadFile(from)
		if err == nil {
			err = writeFile(to, string(b))
		}
		if err != nil {
			return fmt.Errorf("make the node's files: %w", err)
		}
	}
	return makeDirs("/run/lock", "/run/netns")
}

type mounting struct {
	source, at, kind string
	flags            uintptr
	options          string
}

func (m mounting) do() error {
	bind := m.flags&unix.MS_BIND != 0
	if bind {
		if err := makeDirs(m.source); err != nil {
			return err
		}
	}
	if err := makeDirs(m.at); err != nil {
		return err
	}
	if err := unix.Mount(m.source, m.at, m.kind, m.flags, m.options); err != nil {
		return fmt.Errorf("mount %s at %s: %w", m.source, m.at, err)
	}
	return nil
}

func makeDirs(dirs ...string) error {
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
	}
	return nil
}

// pluginDir is where the distribution has the standard network plugins.
func pluginDir() string {
	for _, dir := range []string{"/opt/cni/bin", "/usr/libexec/cni"} {
		if _, err := os.Stat(filepath.Join(dir, "host-local")); err == nil {
			return dir
		}
	}
	return "/usr/lib/cni"
}

// hostnameOverride begins the argument of a kubelet that names its node.
const hostnameOverride = "--hostname-override="

// agents of a node, in the order in which they need each other.
func (l *lab) agents(n node, p plugin) [][]string {
	all := [][]string{
		{"containerd", "-c", l.in(n, "containerd.toml")},
		{l.path("bin", "kubelet"), "--config=" + l.in(n, "kubelet.yaml"), "--kubeconfig=/etc/kubernetes/kubelet.conf",
			hostnameOverride + n.name, "--node-ip=" + n.address(), "--v=1"},
		{l.path("bin", "kube-proxy"), "--config=" + l.in(n, "proxy.yaml")},
	}
	if p.backend != "" {
		all = append(all, l.flannel(n))
	}
	return all
}

// supervise keeps the agents running, each started again a second after it
// ended, and reaps what is orphaned in the node.
func (l *lab) supervise(n node, agents [][]string) error {
	running := map[int][]string{}
	start := func(argv []string) error {
		p, err := l.spawn(n.name+"-"+filepath.Base(argv[0]), argv, nil)
		if err == nil {
			running[p.Pid] = argv
		}
		return err
	}
	for _, argv := range agents {
		if err := start(argv); err != nil {
			return err
		}
		if argv[0] == "containerd" {
			waitForContainerd("/run/containerd/containerd.sock")
		}
	}
	// Process 1 is not ended by signals without a handler; SIGKILL from outside is
	// how a node ends.
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	for {
		pid, err := syscall.Wait4(-1, nil, 0, nil)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return fmt.Errorf("wait for agents: %w", err)
		}
		if argv, ok := running[pid]; ok {
			delete(running, pid)
			fmt.Fprintf(os.Stderr, "%s %s has ended\n", time.Now().UTC().Format(time.RFC3339), strings.Join(argv, " "))
			time.Sleep(time.Second)
			if err := start(argv); err != nil {
				return err
			}
		}
	}
}

// waitForContainerd gives it half a minute; a kubelet that finds none says so
// and is started again.
func waitForContainerd(socket string) {
	for range 300 {
		if exec.Command("ctr", "-a", socket, "version").Run() == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}
