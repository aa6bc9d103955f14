package process_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
	"github.com/tarebench/tare/internal/target/process"
	"github.com/tarebench/tare/internal/target/targettest"
)

func replicated(s replication.Settings) func(any) error {
	return func(into any) error { into.(*process.Settings).Replication = &s; return nil }
}

// TestReplication: in every mode a row that is written on the first member is there on all,
// the others refuse writes, and nothing is left behind.
func TestReplication(t *testing.T) {
	needRoot(t)
	t.Parallel()
	for _, c := range []struct {
		flavour  string
		settings replication.Settings
		want     map[string]string // facts
	}{
		{mysqld.MySQL, replication.Settings{Mode: replication.Group}, map[string]string{
			"replication.member.1.role": "primary", "replication.member.3.role": "secondary", "replication.member.3.state": "online",
		}},
		{mysqld.MySQL, replication.Settings{Mode: replication.SemiSync}, map[string]string{
			"replication.member.1.semisync_status": "on", "replication.member.1.semisync_replicas": "2", "replication.member.3.io_thread": "yes",
		}},
		{mysqld.MariaDB, replication.Settings{Mode: replication.Async, Members: 2}, map[string]string{
			"replication.member.1.role": "source", "replication.member.2.role": "replica", "replication.member.2.sql_thread": "yes",
		}},
		{mysqld.MariaDB, replication.Settings{Mode: replication.Galera}, map[string]string{
			"replication.member.1.state": "synced", "replication.member.3.state": "synced", "replication.member.3.certification_failures": "0",
		}},
	} {
		t.Run(c.flavour+"/"+c.settings.Mode, func(t *testing.T) {
			d := mysqldtest.Flavour(t, c.flavour)
			for _, w := range c.settings.Check(d) {
				t.Skip(w.Err)
			}
			r := targettest.WithCopies(t, targettest.Requests(t, d)(), c.settings.Defaulted().Members)
			p, err := process.New(replicated(c.settings), process.Env{Distribution: d})
			if err != nil {
				t.Fatal(err)
			}
			facts := targettest.Replicates(t, p, r)
			for key, want := range c.want {
				if facts[key] != want {
					t.Errorf("%s is %q, want %q", key, facts[key], want)
				}
			}
			for _, key := range []string{"replication.transaction_bytes", "replication.member.2.request_response_per_s"} {
				if facts[key] == "" || facts[key] == "0" {
					t.Errorf("%s is %q", key, facts[key])
				}
			}
		})
	}
}

// TestMembersDieWithTare: a killed tare takes all members with it, and a sweep finds their
// network.
func TestMembersDieWithTare(t *testing.T) {
	needRoot(t)
	t.Parallel()
	r := targettest.WithCopies(t, targettest.Requests(t, mysqldtest.Flavour(t, mysqld.MySQL))(), 2)
	tare := startOrphan(t, r, &replication.Settings{Mode: replication.Async, Members: 2})
	if n := processes(t, r); n != 2 {
		t.Errorf("%d processes of the instance run, want its 2 servers", n)
	}
	if err := tare.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = tare.Wait() // "signal: killed"
	var log strings.Builder
	if err := target.Sweep(context.Background(), r.Name, r.Dir, r.RunDir, &log); err != nil {
		t.Errorf("Sweep: %v\n%s", err, log.String())
	}
	if found, err := target.Scan(r.Name, r.Dir, r.RunDir); err != nil || found.String() != "" {
		t.Errorf("left behind after the sweep (error %v):\n%s", err, found)
	}
	if !strings.Contains(log.String(), "remove network namespace") {
		t.Errorf("the sweep removed no network namespace:\n%s", log.String())
	}
}

// TestReplicationSettings: what cannot be is said of its field, with the reason.
func TestReplicationSettings(t *testing.T) {
	for _, c := range []struct {
		settings replication.Settings
		want     string
	}{
		{replication.Settings{}, "replication.mode: write one of async, galera, group, semisync"},
		{replication.Settings{Mode: "raft"}, `replication.mode: "raft" is not a mode of replication`},
		{replication.Settings{Mode: replication.Group, Members: 10}, "replication.members: 10 is out of range; write 2 to 9"},
		{replication.Settings{Mode: replication.Async, Writers: "all"}, "replication.writers: replicas of mode async apply the writes of their source only"},
		{replication.Settings{Mode: replication.Group, Writers: "two"}, `replication.writers: "two" is not known; write one or all`},
		{replication.Settings{Mode: replication.Group, Proxy: "mysql"}, `replication.proxy: "mysql" is not known; write haproxy`},
		{replication.Settings{Mode: replication.Group, Proxy: replication.HAProxy}, "replication.proxy: a client over the socket is connected to the server itself; write client: other-node"},
		{replication.Settings{Mode: replication.Group, Proxy: replication.HAProxy, Writers: "all"}, "replication.proxy: the proxy passes the load on to the first member"},
	} {
		_, err := process.New(replicated(c.settings), process.Env{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.settings, err, c.want)
		}
	}
}

// TestFaultSettings: what cannot be is said of its field, with the reason.
func TestFaultSettings(t *testing.T) {
	group := &replication.Settings{Mode: replication.Group}
	for _, c := range []struct {
		replication *replication.Settings
		fault       event.Event
		want        string
	}{
		{nil, event.Event{}, "faults[0]: expected one of kill"},
		{group, event.Event{At: seconds(5)}, "faults[0]: expected one of kill"},
		{group, event.Event{At: seconds(5), Kill: "primary", Pause: "2"}, "faults[0]: an event has one kind, not kill and pause"},
		{group, event.Event{At: seconds(5), Kill: "4"}, `faults[0].kill: "4" is not a member; write primary, secondary, or a number from 1 to 3`},
		{group, event.Event{Kill: "2"}, "faults[0].at: 0s is too early"},
		{group, event.Event{At: seconds(5), Kill: "2", For: seconds(1)}, "faults[0].for: a member that is killed stays dead"},
		{group, event.Event{At: seconds(5), Pause: "2"}, "faults[0].for: write how long it lasts"},
		{group, event.Event{At: seconds(5), SlowLink: "2", For: seconds(1)}, "faults[0].slowLink: rate is that of slowLink, which requires it"},
		{group, event.Event{At: seconds(5), Pause: "2", For: seconds(1), WriteIOPS: 5}, "faults[0].pause: readIOPS and writeIOPS are those of slowDisk"},
		{group, event.Event{At: seconds(5), SlowDisk: "2", For: seconds(1), WriteIOPS: 5}, "faults[0].slowDisk: a process has no cgroup that limits its I/O; write target: container"},
		{group, event.Event{At: seconds(5), Restart: "2"}, "faults[0].restart: a member that is started again does not join"},
		{nil, event.Event{At: seconds(5), Kill: "primary"}, `faults[0].kill: "primary" is not known: the database has one server; write kill: server`},
		{nil, event.Event{At: seconds(5), CutOff: "server", For: seconds(1)}, "faults[0].cutOff: a database of one server has kill, restart, pause and command"},
		{nil, event.Event{At: seconds(5), Restart: "server", For: seconds(1)}, "faults[0].for: how long restart lasts is what is measured"},
		{nil, event.Event{At: seconds(5), Command: []string{"true"}}, "faults[0].timeout: write when a command that has not ended is killed"},
		{nil, event.Event{At: seconds(5), Command: []string{""}, Timeout: seconds(1)}, "faults[0].command: the first item is the program"},
		{nil, event.Event{At: seconds(5), Kill: "server", Timeout: seconds(1)}, "faults[0].timeout: timeout is that of command"},
	} {
		_, err := process.New(func(into any) error {
			s := into.(*process.Settings)
			s.Replication, s.Faults = c.replication, []event.Event{c.fault}
			return nil
		}, process.Env{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.fault, err, c.want)
		}
	}
	_, err := process.New(func(into any) error {
		s := into.(*process.Settings)
		s.Replication, s.Faults = group, []event.Event{{At: seconds(5), Pause: "1", For: seconds(5)}, {At: seconds(9), Kill: "1"}}
		return nil
	}, process.Env{})
	if want := "faults[1].at: 9s is before the end of the event before it, at 10s"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestReplicationOfOtherServers: a mode that the server does not have is refused before
// anything starts.
func TestReplicationOfOtherServers(t *testing.T) {
	for _, c := range []struct {
		mode   string
		server mysqld.Distribution
		want   string
	}{
		{replication.Group, mysqld.Distribution{Server: "/usr/sbin/mariadbd", Flavour: mysqld.MariaDB, Version: "10.11.6-MariaDB"}, "mode group requires MySQL 8.0.26 or later, and the server is MariaDB"},
		{replication.Galera, mysqld.Distribution{Server: "/usr/sbin/mysqld", Flavour: mysqld.MySQL, Version: "9.7.0"}, "mode galera requires MariaDB with the Galera library, and the server is MySQL"},
		{replication.Galera, mysqld.Distribution{Root: "/nowhere", Server: "/usr/sbin/mariadbd", Flavour: mysqld.MariaDB, Version: "10.11.6-MariaDB"}, "install it (apt install galera-4)"},
		{replication.Async, mysqld.Distribution{Server: "/usr/sbin/mysqld", Flavour: mysqld.MySQL, Version: "5.7.44"}, "replication requires MySQL 8.0.26 or later, and the server is 5.7.44"},
		{replication.Async, mysqld.Distribution{Server: "/usr/sbin/mysqld", Flavour: mysqld.MySQL, Version: "8.4.0"}, ""},
	} {
		got := ""
		for _, w := range (replication.Settings{Mode: c.mode}).Check(c.server) {
			got += w.Err.Error()
		}
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("mode %s of %s %s: %q, want %q", c.mode, c.server.Flavour, c.server.Version, got, c.want)
		}
	}
}

// orphaned is what a tare that is going to be killed starts.
type orphaned struct {
	Request     target.Request
	Replication *replication.Settings
}

// startOrphan runs this test binary as such a tare, up to where its server answers.
func startOrphan(t *testing.T, r target.Request, s *replication.Settings) *exec.Cmd {
	t.Helper()
	r.Log = nil
	tare := exec.Command(os.Args[0], orphanArgument)
	tare.Stderr = os.Stderr
	stdin, err := tare.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := tare.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tare.Start(); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(stdin).Encode(orphaned{r, s}); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, len("started\n"))
	if _, err := io.ReadFull(stdout, said); err != nil {
		t.Fatalf("the other process: %q, %v", said, err)
	}
	return tare
}
