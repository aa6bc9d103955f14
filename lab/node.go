// Nodes seen from outside: their files, their start, and their end.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// startNodes tells the API server of the nodes, and starts them. Their pod
// networks are fixed here and not by the controller manager, which hands them
// out in the order in which kubelets call.
func (l *lab) startNodes(ctx context.Context) error {
	var objects strings.Builder
	for _, n := range nodes {
		fmt.Fprintf(&objects, "{apiVersion: v1, kind: Node, metadata: {name: %s}, spec: {podCIDR: %s, podCIDRs: [%s]}}\n---\n", n.name, n.pods(), n.pods())
	}
	if plugins[l.cni].backend != "" {
		objects.WriteString(flannelManifest)
	}
	// A discovery document can be late at the first moment of a new API server.
	err := l.until(ctx, startPatience, "the API server takes nodes", func() error {
		_, err := l.kubectl(ctx, objects.String(), "apply", "-f", "-")
		return err
	})
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if err := l.prepareNode(n); err != nil {
			return err
		}
		if err := l.startNode(n); err != nil {
			return err
		}
	}
	return nil
}

// prepareNode writes the node's files.
func (l *lab) prepareNode(n node) error {
	if err := l.cloneStore(n); err != nil {
		return err
	}
	files := map[string]string{
		"kubelet.yaml":         l.kubeletConfig(n),
		"proxy.yaml":           l.proxyConfig(n),
		"containerd.toml":      containerdConfig("/var/lib/containerd", "/run/containerd"),
		"resolv.conf":          "",
		pluginFile:             l.cni + "\n",
		"hosts":                "127.0.0.1 localhost\n" + n.address() + " " + n.name + "\n",
		"volumes/.placeholder": "",
	}
	for name, text := range files {
		if err := writeFile(l.in(n, name), text); err != nil {
			return err
		}
	}
	if err := makeDirs(l.in(n, ownPlugins)); err != nil {
		return err
	}
	if err := os.Symlink(l.path("bin", "lab"), l.in(n, ownPlugins, secondPlugin)); err != nil {
		return fmt.Errorf("make the node's plugins: %w", err)
	}
	return nil
}

// ownPlugins is the directory of the lab's own network plugins.
const ownPlugins = "bin"

// startNode makes the node's first process: this program again, in new mount,
// process and host name namespaces and in the node's network namespace.
func (l *lab) startNode(n node) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start node: %w", err)
	}
	return l.daemon(n.name, []string{"nsenter", "--net=/run/netns/" + n.netns(), "--", self, "node", n.name}, &syscall.SysProcAttr{
		Setsid: true, Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS,
	})
}

// powerOff kills the node's first process, and with it the kernel kills all
// others of the node: no pod and no agent gets a word in.
func (l *lab) powerOff(n node) error {
	pid, err := l.initOf(n)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("power off %s: %w", n.name, err)
	}
	if err := waitGone(pid); err != nil {
		return err
	}
	return errors.Join(unplug(n), removeCgroups(prefix+"/"+n.name))
}

// powerOn starts a node that is off, on the disk it had.
func (l *lab) powerOn(n node) error {
	if _, err := l.initOf(n); err == nil {
		return fmt.Errorf("node %s runs", n.name)
	}
	if err := plug(n); err != nil {
		return err
	}
	return l.startNode(n)
}

// waitGone waits until a killed process has ended with all of its threads. The first thread may be
// a zombie while another still listens on the port that the next process needs.
func waitGone(pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("wait for process %d: %w", pid, err)
	}
	defer unix.Close(fd)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		// Readable when the last thread has ended, whether or not its parent knows (pidfd_open(2)).
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 1000)
		if n > 0 {
			return nil
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for process %d: %w", pid, err)
		}
	}
	return fmt.Errorf("process %d does not end", pid)
}

// execute runs a command inside a node, with this terminal.
func execute(ctx context.Context, l *lab, args []string) error {
	if len(args) < 2 {
		return errors.New("write lab exec n1 COMMAND")
	}
	n, err := findNode(args[0])
	if err != nil {
		return err
	}
	enter, err := l.enter(n)
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, enter[0], append(enter[1:], args[1:]...)...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("run %s in %s: %w", args[1], n.name, err)
	}
	return nil
}
