package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// explainsLive watches the server of TestLintLive, which has no load: what is wrong with its
// settings is found, what that took is said, and the experiment that measures the changes
// can be run.
func explainsLive(t *testing.T, server *mysqldtest.Server) {
	t.Helper()
	dir := t.TempDir()
	spec, trial := filepath.Join(dir, "like.yaml"), filepath.Join(dir, "try.yaml")
	if err := os.WriteFile(spec, fmt.Appendf(nil, killSpec, os.Getenv(mysqldtest.RootfsVariable), podFirst), 0o644); err != nil {
		t.Fatal(err)
	}
	report := func(more ...string) string {
		t.Helper()
		var out, conversation bytes.Buffer
		args := append([]string{"explain", "--live", server.Address.Socket, "--user", server.Address.User, "--for", "2s"}, more...)
		// A setting is present, M-BP-01 below: the code is that of a cause.
		if code := run(args, &terminal{in: os.Stdin, out: &out, err: &conversation, stateDir: dir}); code != exitGate {
			t.Fatalf("%q: exit code %d, want %d\n%s%s", more, code, exitGate, out.String(), conversation.String())
		}
		return out.String()
	}
	// A reading that takes longer than its limit ends the connection that watches: the next one
	// opens another, and nothing is known of the server's time.
	mysqldtest.Attempts(t, 5, func() error {
		if err := os.RemoveAll(trial); err != nil {
			return err
		}
		before := opened(t, server)
		text := report("--json", "--experiment", trial, "--spec", spec)
		var said struct {
			Settings []struct{ Rule, State, Change string }
			Probes   *float64 `json:"probes_cpu"`
			Server   *float64 `json:"server_time"`
		}
		if json.Unmarshal([]byte(text), &said) != nil || said.Probes == nil || said.Server == nil || *said.Server <= 0 || len(said.Settings) == 0 {
			return fmt.Errorf("the report lacks settings, or what it took:\n%s", text)
		}
		// One to be counted by, one to watch, one that asks who listens on the socket.
		if n := opened(t, server) - before; n != 3 {
			return fmt.Errorf("%d connections were opened", n)
		}
		return nil
	})
	text, err := os.ReadFile(trial)
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiment.Parse(trial, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if e.Baseline != "as-running" || len(e.Remedies) == 0 || !strings.Contains(string(text), "innodb_buffer_pool_size") || !strings.Contains(string(text), "cpu: 500m") {
		t.Errorf("the experiment is\n%s", text)
	}
	md := report("-o", "md")
	for _, want := range []string{"### tare: ", "| present | M-BP-01 |", "Changes to measure:", "- M-BP-01: `{config: {innodb_buffer_pool_size", "--experiment try.yaml"} {
		if !strings.Contains(md, want) {
			t.Errorf("nothing of %q in\n%s", want, md)
		}
	}
}

// opened is how many connections the server has had, with the one that asks.
func opened(t *testing.T, server *mysqldtest.Server) (n int) {
	t.Helper()
	db, err := mysqld.Open(server.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var name string
	if err := db.QueryRow("SHOW GLOBAL STATUS LIKE 'Connections'").Scan(&name, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSocketPath: the path of a socket is not taken for a host with a schema, wherever it begins.
func TestSocketPath(t *testing.T) {
	for address, socket := range map[string]string{
		"/run/mysqld.sock": "/run/mysqld.sock", "./s": "./s", "srv/m1/s.sock": "srv/m1/s.sock", "../db.sock": "../db.sock",
		"db1/shop": "", "bench@db1:3306/shop": "", "mysql://db1/x.sock": "", "db1": "",
	} {
		u, err := serverAddress(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Query().Get("socket"); got != socket {
			t.Errorf("%s: socket %q, want %q", address, got, socket)
		}
	}
}

// TestAddressForms: what is no address is answered with the forms that are.
func TestAddressForms(t *testing.T) {
	for address, want := range map[string]string{"3411": "a port without a host; write 127.0.0.1:3411 for", ":3411": "the host is missing; write HOST:PORT, ", "tcp://db:3306": "scheme tcp is unknown; write HOST:PORT, "} {
		if _, err := serverAddress(address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// TestAgainLogsIn: the command that measures the changes logs in as this one did.
func TestAgainLogsIn(t *testing.T) {
	o := watchOptions{server: liveOptions{user: "monitor", passwordFile: "secret", tls: "verify-ca", ca: "ca.pem", pid: 7}}
	const login = "--user monitor --password-file secret --tls verify-ca --ca ca.pem --pid 7"
	if got := strings.Join(o.server.login(), " "); got != login {
		t.Errorf("%q", got)
	}
	if got := (liveOptions{user: "root"}).login(); len(got) > 0 {
		t.Errorf("defaults are named: %v", got)
	}
}
