package main

import (
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/external"
)

// TestServersThatAreHere: `tare check` says of servers on this machine's own addresses what other load does to them,
// whoever started them; a run beside that load has no verdict.
func TestServersThatAreHere(t *testing.T) {
	for where, here := range map[string]bool{"host: 127.0.0.1": true, "host: localhost": true, "socket: /run/mysqld/mysqld.sock": true, "host: db1": false, "host: 192.0.2.1": false} {
		place, err := external.New(func(into any) error { return yaml.Unmarshal([]byte("{"+where+", user: u, passwordEnv: P}"), into) }, external.Env{})
		if err != nil {
			t.Fatal(err)
		}
		if got := !notHere(runner.Job{Targets: map[string]target.Target{"a": place}}); got != here {
			t.Errorf("%s: here %v, want %v", where, got, here)
		}
	}
}
