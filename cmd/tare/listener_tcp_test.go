package main

import (
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestListenerTCP: the process of a real server is found by a TCP address of this machine, and nothing is taken for it
// that listens and is no server, or is elsewhere.
func TestListenerTCP(t *testing.T) {
	t.Parallel()
	for _, flavour := range []string{mysqld.MySQL, mysqld.MariaDB} {
		d := mysqldtest.Flavour(t, flavour)
		server := mysqldtest.StartTCP(t, d, nil)
		proxy := mysqldtest.Relay(t, "unix", server.Address.Socket, nil)
		for _, c := range []struct {
			host      string
			port, pid int
		}{{"127.0.0.1", server.Options.Port, server.PID}, {"localhost", server.Options.Port, server.PID}, {"192.0.2.1", server.Options.Port, 0}, {"127.0.0.1", proxy, 0}, {"db.example.com", server.Options.Port, 0}} {
			if pid := listenerTCP(c.host, c.port); pid != c.pid {
				t.Errorf("%s: the process at %s:%d is %d, want %d", flavour, c.host, c.port, pid, c.pid)
			}
		}
	}
}
