package probe

// This file finds the sockets at the other ends of a running server's connections, in every
// network namespace of its machine.

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/network"
)

// sockets are the inodes of a process's sockets (proc_pid_fd(5)).
func (p Place) sockets(pid int) (map[uint32]bool, error) {
	dir := Place{PID: pid}.proc("fd")
	entries, err := fs.ReadDir(p.Root, dir)
	if err != nil {
		return nil, err
	}
	all := map[uint32]bool{}
	for _, e := range entries {
		to, err := fs.ReadLink(p.Root, path.Join(dir, e.Name()))
		text, is := strings.CutPrefix(to, "socket:[")
		if err != nil || !is {
			continue
		}
		if n, err := strconv.ParseUint(strings.TrimSuffix(text, "]"), 10, 32); err == nil {
			all[uint32(n)] = true
		}
	}
	return all, nil
}

// endpoint is an address and a port, in one form for both families.
type endpoint struct {
	address string
	port    uint16
}

// endpointOf writes an IPv4 address that an IPv6 socket has as IPv4.
func endpointOf(ip net.IP, port uint16) endpoint { return endpoint{ip.String(), port} }

// otherEnds are the sockets of this machine that the server is connected to, by inode, and how
// many connections it has, those of tare left out. A client that is behind a translation of
// addresses is not found by its address.
func (p Place) otherEnds() (ends map[uint32]bool, connections int, err error) {
	own, err := p.sockets(p.PID)
	if err != nil {
		return nil, 0, err
	}
	mine, _ := p.sockets(os.Getpid())
	peers := map[endpoint]bool{}
	if port, err := p.port(); err == nil && port > 0 { // 0 with skip_networking
		all, err := p.connections(port)
		if err != nil {
			return nil, 0, err
		}
		for _, c := range all {
			peers[endpointOf(c.peer, c.port)] = true
		}
	}
	ends = map[uint32]bool{}
	local := 0
	err = p.eachNamespace(func(server bool) error {
		unixEnds, failed := overUnix(own)
		for inode := range unixEnds {
			ends[inode], local = true, local+1
		}
		for inode := range overTCP(peers, server) {
			ends[inode] = true
		}
		return failed
	})
	connections = len(peers) + local
	for inode := range mine {
		if ends[inode] {
			delete(ends, inode)
			connections--
		}
	}
	return ends, connections, err
}

// eachNamespace calls f in each network namespace in which a process of this machine is, and
// says whether it is the server's.
func (p Place) eachNamespace(f func(server bool) error) error {
	entries, err := fs.ReadDir(p.Root, "proc")
	if err != nil {
		return err
	}
	server, err := fs.ReadLink(p.Root, p.proc("ns/net"))
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		file := path.Join("proc", e.Name(), "ns/net")
		ns, err := fs.ReadLink(p.Root, file)
		if err != nil || seen[ns] { // it has ended, or is of a namespace that has been asked
			continue
		}
		err = network.Inside("/"+file, func() error { return f(ns == server) })
		switch {
		case errors.Is(err, fs.ErrNotExist): // it has ended meanwhile; another may be in its namespace
			continue
		case err != nil:
			return err
		}
		seen[ns] = true
	}
	return nil
}

// overUnix are the other ends of the server's Unix sockets in this namespace. The server's end
// has the name of the socket that it was accepted at; what it has connected to, such as the
// log of its standard output, has not (unix(7), sock_diag(7)).
func overUnix(server map[uint32]bool) (map[uint32]bool, error) {
	all, err := unixSockets()
	if err != nil {
		return nil, err
	}
	ends := map[uint32]bool{}
	for _, s := range all {
		if server[s.inode] && s.kind == unix.SOCK_STREAM && s.peer != 0 && s.name != "" {
			ends[s.peer] = true
		}
	}
	return ends, nil
}

// overTCP are the sockets of this namespace at those addresses. Each namespace has a loopback
// address of its own: only those of the server's are meant.
func overTCP(peers map[endpoint]bool, server bool) map[uint32]bool {
	ends := map[uint32]bool{}
	if len(peers) == 0 {
		return ends
	}
	for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
		all, _ := netlink.SocketDiagTCP(family) // a namespace without IPv6 has none
		for _, s := range all {
			// One in TIME-WAIT belongs to no process and has no inode.
			if s.INode != 0 && peers[endpointOf(s.ID.Source, s.ID.SourcePort)] && (server || !s.ID.Source.IsLoopback()) {
				ends[s.INode] = true
			}
		}
	}
	return ends
}
