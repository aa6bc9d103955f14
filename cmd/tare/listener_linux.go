package main

// Which process of this machine serves a TCP address of it, or a Unix socket.

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/probe"
)

// listenerTCP is the server's process that listens on an address of this machine, 0 where it cannot be told: the
// address is of another machine, the process is not this user's, or it is no server. A proxy, such as that of a
// container or of `kubectl port-forward`, listens for a server that is elsewhere.
func listenerTCP(host string, port int) int {
	sockets := map[string]bool{}
	for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
		all, err := netlink.SocketDiagTCP(family)
		if err != nil {
			continue // a kernel without IPv6
		}
		for _, s := range all {
			if s.State == netlink.TCP_LISTEN && int(s.ID.SourcePort) == port && isOwn(host, s.ID.Source) {
				sockets["socket:["+strconv.FormatUint(uint64(s.INode), 10)+"]"] = true
			}
		}
	}
	if len(sockets) == 0 {
		return 0
	}
	fs, err := procfs.NewFS("/proc")
	if err != nil {
		return 0
	}
	all, err := fs.AllProcs()
	if err != nil {
		return 0
	}
	for _, p := range all {
		name, err := p.Comm()
		if err != nil || !probe.IsServerName(name) {
			continue
		}
		files, err := p.FileDescriptorTargets()
		if err == nil && slices.ContainsFunc(files, func(file string) bool { return sockets[file] }) {
			return p.PID
		}
	}
	return 0
}

// serverSockets are the Unix sockets at which servers of this machine listen, as far as this user may see them; X
// Protocol's are not among them. A path that is not there belongs to a server in a container.
func serverSockets() (paths []string) {
	fs, err := procfs.NewFS("/proc")
	if err != nil {
		return nil
	}
	sockets, err := fs.NetUNIX()
	if err != nil {
		return nil
	}
	procs, err := fs.AllProcs()
	if err != nil {
		return nil
	}
	open := map[string]bool{}
	for _, p := range procs {
		if name, err := p.Comm(); err != nil || !probe.IsServerName(name) {
			continue
		}
		files, err := p.FileDescriptorTargets()
		for _, file := range files {
			open[file] = err == nil
		}
	}
	for _, s := range sockets.Rows {
		if !open["socket:["+strconv.FormatUint(s.Inode, 10)+"]"] || strings.HasSuffix(s.Path, "mysqlx.sock") || slices.Contains(paths, s.Path) {
			continue
		}
		if i, err := os.Stat(s.Path); err == nil && i.Mode()&os.ModeSocket != 0 {
			paths = append(paths, s.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// listener is the process that listens on a Unix socket, as this one sees it; 0
// where it cannot be told (unix(7), SO_PEERCRED).
func listener(socket string) int {
	c, err := net.DialTimeout("unix", socket, 5*time.Second)
	if err != nil {
		return 0
	}
	defer c.Close()
	raw, err := c.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	err = raw.Control(func(fd uintptr) {
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	if err != nil {
		return 0
	}
	return pid
}

// isOwn says whether a name or an address is this machine's, and a connection to it reaches a socket that listens on
// local.
func isOwn(host string, local net.IP) bool {
	if host == "localhost" {
		host = "127.0.0.1"
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return false // a name can stand for several machines
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	ip := net.IP(address.AsSlice())
	here := ip.IsLoopback() || slices.ContainsFunc(own, func(a net.Addr) bool {
		network, ok := a.(*net.IPNet)
		return ok && network.IP.Equal(ip)
	})
	return here && (local.IsUnspecified() || local.Equal(ip))
}
