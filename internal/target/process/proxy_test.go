package process_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/environment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/process"
	"github.com/tarebench/tare/internal/target/targettest"
)

// TestProxy: the load's connections come from the node of the proxy and arrive at the first
// member, are frozen and go on with the members, and nothing of the proxy is left.
func TestProxy(t *testing.T) {
	needRoot(t)
	if _, err := exec.LookPath("haproxy"); err != nil {
		t.Fatalf("make setup-test installs it: %v", err)
	}
	t.Parallel()
	d := mysqldtest.Flavour(t, mysqld.MariaDB)
	r := targettest.WithCopies(t, targettest.Requests(t, d)(), 2)
	p, err := process.New(func(into any) error {
		*into.(*process.Settings) = process.Settings{Client: network.OtherNode, Replication: &replication.Settings{Mode: replication.Async, Members: 2, Proxy: replication.HAProxy}}
		return nil
	}, process.Env{Distribution: d})
	if err != nil {
		t.Fatal(err)
	}
	server, err := p.Start(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop(context.Background())
	has := server.Capabilities()
	if err := has.Join(context.Background(), faultsWithin); err != nil {
		t.Fatal(err)
	}
	client := target.ClientOf(server)
	if client.Address.Port == network.Port {
		t.Errorf("the load goes to %s:%d", client.Address.Host, client.Address.Port)
	}
	asked := func() (from string, err error) {
		err = client.Inside(func() error {
			db, err := mysqld.Open(client.Address)
			if err != nil {
				return err
			}
			defer db.Close()
			var number int
			err = db.QueryRow("SELECT @@server_id, SUBSTRING_INDEX(HOST, ':', 1) FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()").Scan(&number, &from)
			if err == nil && number != 1 {
				err = fmt.Errorf("member %d answers", number)
			}
			return err
		})
		return from, err
	}
	from, err := asked()
	if err != nil || from != client.Address.Host {
		t.Errorf("the server sees a client at %q, want the proxy's %s (error %v)", from, client.Address.Host, err)
	}
	for err := has.Freeze(); err != nil; err = has.Freeze() {
		t.Logf("Freeze: %v", err)
	}
	if err := has.Thaw(); err != nil {
		t.Error(err)
	}
	if _, err := asked(); err != nil {
		t.Errorf("after it was frozen: %v", err)
	}
	known := map[string]record.Fact{}
	for _, f := range server.Facts(context.Background(), "end") {
		known[f.Key] = f
	}
	for _, key := range []string{"replication.proxy", "replication.proxy.address", "replication.proxy.run_ns"} {
		if known[key].Value == "" {
			t.Errorf("%s is unknown: %+v", key, known[key])
		}
	}
	proxyHasOnlyWhatItNeeds(t, r)
	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	if found, err := target.Scan(r.Name, r.Dir, r.RunDir); err != nil || found.Running() {
		t.Errorf("left behind (error %v):\n%s", err, found)
	}
}

// proxyHasOnlyWhatItNeeds: the password of an external arm beside this one may be in any other
// variable of tare.
func proxyHasOnlyWhatItNeeds(t *testing.T, r target.Request) {
	t.Helper()
	found, err := target.Scan(r.Name, r.Dir, r.RunDir)
	if err != nil {
		t.Fatal(err)
	}
	proxies := 0
	for _, p := range found.Processes {
		if !strings.Contains(p.Command, "haproxy") {
			continue
		}
		proxies++
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
		if err != nil {
			t.Fatal(err)
		}
		needed := append(environment.Passed(), target.InstanceVariable+"="+r.Name)
		for _, v := range bytes.Split(bytes.TrimSuffix(environ, []byte{0}), []byte{0}) {
			if name, _, _ := strings.Cut(string(v), "="); !slices.Contains(needed, string(v)) {
				t.Errorf("the proxy has the variable %s of tare", name)
			}
		}
	}
	if proxies == 0 {
		t.Errorf("no proxy among %v", found.Processes)
	}
}
