package main

// What to look for when a server's socket is not where it was said to be.

import (
	"errors"
	"net"
	"strings"
	"syscall"
)

// missingSocket is the path of a Unix socket that an error says is not there; "" where it says something else.
func missingSocket(err error) string {
	var op *net.OpError
	if !errors.Is(err, syscall.ENOENT) || !errors.As(err, &op) || op.Net != "unix" || op.Addr == nil {
		return ""
	}
	return op.Addr.String()
}

// usualSockets are where packages and images put the socket: Debian and the official images, Red Hat, MySQL's own default.
const usualSockets = "/run/mysqld/mysqld.sock, /var/lib/mysql/mysql.sock or /tmp/mysql.sock"

// socketHint says how to find the socket, and which sockets of servers there are on this machine.
func socketHint(missing string, there []string) string {
	hint := "no socket is there. SHOW VARIABLES LIKE 'socket' prints the server's, usually " + usualSockets
	switch len(there) {
	case 0:
		return hint + "; a server in a container has it in the container"
	case 1:
		return "a server of this machine listens at " + there[0] + ", not at " + missing
	}
	return "servers of this machine listen at " + strings.Join(there, ", ") + ", not at " + missing
}
