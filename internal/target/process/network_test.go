package process_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/process"
	"github.com/tarebench/tare/internal/target/targettest"
)

// TestClients: from the node and from another node the server of every flavour
// answers over TCP, in a network that is not the host's and ends with it.
func TestClients(t *testing.T) {
	needRoot(t)
	t.Parallel()
	for _, d := range mysqldtest.Distributions(t) {
		request := targettest.Requests(t, d)
		for client, want := range map[string]string{network.Host: "127.0.0.1", network.OtherNode: "10.200.0.2"} {
			t.Run(d.Flavour+"/"+client, func(t *testing.T) {
				r := request()
				before, _ := target.Scan(r.Name, r.Dir, r.RunDir)
				settings := func(into any) error { into.(*process.Settings).Client = client; return nil }
				s := started(t, settings, process.Env{Distribution: d}, r)
				if got := targettest.ClientFrom(t, s); got != want {
					t.Errorf("the client comes from %s, want %s", got, want)
				}
				facts := s.Facts(context.Background(), "start")
				if got := known(t, facts, "network.client"); got != client {
					t.Errorf("the facts have the client at %s", got)
				}
				sameNetwork(t, s)
				if err := s.Stop(context.Background()); err != nil {
					t.Errorf("Stop: %v", err)
				}
				if found, err := target.Scan(r.Name, r.Dir, r.RunDir); err != nil || found.String() != before.String() {
					t.Errorf("left behind (error %v):\n%s", err, found)
				}
			})
		}
	}
}

// sameNetwork: a command beside the server is in its network, and that is not
// this process's.
func sameNetwork(t *testing.T, s target.Server) {
	t.Helper()
	var out strings.Builder
	c := target.Command{Path: "/bin/sh", Args: []string{"-c", "cat /proc/net/tcp"}, Stdout: &out, Stderr: &out}
	if err := s.Exec(context.Background(), target.ServerSide, c); err != nil || !strings.Contains(out.String(), ":0CEA ") { // 3306
		t.Errorf("beside the server nothing listens (error %v):\n%s", err, out.String())
	}
	if ours, err := os.ReadFile("/proc/net/tcp"); err != nil || string(ours) == out.String() {
		t.Errorf("it is in the host's network (error %v)", err)
	}
}

// TestNetworkSettings: what a process cannot have is said of its field.
func TestNetworkSettings(t *testing.T) {
	for _, c := range []struct {
		settings process.Settings
		want     string
	}{
		{process.Settings{Client: "moon"}, `client: "moon" is not a client location`},
		{process.Settings{Client: network.OtherPod}, "client: a process has no pod; write socket, host or other-node"},
		{process.Settings{Network: &network.Block{Plugin: "bridge"}}, "network.plugin: a process has no pod network"},
		{process.Settings{Client: network.OtherNode, Network: &network.Block{Between: "vxlan"}}, "network.between: only pods have a network"},
		{process.Settings{Client: network.OtherNode, Network: &network.Block{DNS: 1e6}}, "network.dns: only pods have a resolver"},
		{process.Settings{Client: network.Host, Network: &network.Block{Rate: 1e9}}, "network: rate, delay, loss, offload, linkMTU and icmp are those of the link between two nodes"},
	} {
		_, err := process.New(func(into any) error { *into.(*process.Settings) = c.settings; return nil }, process.Env{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.settings, err, c.want)
		}
	}
}
