package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestMissingSocket: whoever names a socket that is not there is told where servers have theirs, and where a server of
// this machine has its own.
func TestMissingSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.sock")
	_, err := new(net.Dialer).DialContext(t.Context(), "unix", path)
	if got := missingSocket(fmt.Errorf("probe: %w", err)); got != path {
		t.Fatalf("%q of %v", got, err)
	}
	if got := missingSocket(os.ErrNotExist); got != "" {
		t.Errorf("a file that is not there is a socket: %q", got)
	}
	for _, c := range []struct {
		there []string
		want  string
	}{
		{nil, "SHOW VARIABLES LIKE 'socket' prints the server's, usually /run/mysqld/mysqld.sock, /var/lib/mysql/mysql.sock or"},
		{[]string{"/a.sock"}, "a server of this machine listens at /a.sock, not at " + path},
		{[]string{"/a.sock", "/b.sock"}, "servers of this machine listen at /a.sock, /b.sock, not at " + path},
	} {
		if got := socketHint(path, c.there); !strings.Contains(got, c.want) {
			t.Errorf("%v: %q", c.there, got)
		}
	}
}

// TestServerSockets: the socket of a server that runs here is found.
func TestServerSockets(t *testing.T) {
	d := mysqldtest.Distributions(t)[0]
	o := mysqldtest.Prepare(t, d, nil)
	mysqldtest.WriteDefaults(t, d, o)
	mysqldtest.Initialize(t, d, o)
	s := mysqldtest.Run(t, d, o)
	if all := serverSockets(); !slices.Contains(all, s.Address.Socket) {
		t.Errorf("%s is not among %v", s.Address.Socket, all)
	}
	var said strings.Builder
	_, err := new(net.Dialer).DialContext(context.Background(), "unix", s.Address.Socket+".none")
	explain(&said, fmt.Errorf("connect: %w", err))
	if !strings.Contains(said.String(), s.Address.Socket+"") || !strings.Contains(said.String(), "listen") {
		t.Error(said.String())
	}
}
