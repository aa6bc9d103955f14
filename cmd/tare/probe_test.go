package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
)

// TestProbe watches real servers, a MySQL and a MariaDB: every probe that a
// machine and a server can have puts values that a metric declares. The use of a cgroup is none of
// these: the servers share theirs with the test (TestSharedCgroup of internal/probe).
func TestProbe(t *testing.T) {
	t.Parallel()
	for flavour, want := range map[string][]string{
		"mysql": {"mysql.questions", "mysql.redo_age", "mysql.innodb_redo_log_capacity_resized", "mysql.innodb.trx_rseg_history_len", "mysql.innodb.lock_deadlocks", "mysql.statements.time_ns", "mysql.commit.time_ns", "mysql.file.redo.sync_count",
			"server.cpu.user_ns", "server.background.run_ns", "host.cpu.idle_ns", "tcp.sent_segments", "probe.cpu_ns"},
		"mariadb": {"mysql.questions", "mysql.redo_age", "mysql.innodb.trx_rseg_history_len", "server.cpu.user_ns"}, // performance_schema is off
	} {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			watched(t, flavour, want)
		})
	}
	if code := run([]string{"probe", "/nowhere.sock", "--length", "1ms"}, &terminal{in: os.Stdin, out: new(bytes.Buffer), err: new(bytes.Buffer)}); code != exitInvalid {
		t.Errorf("a length of a millisecond: exit code %d", code)
	}
}

func watched(t *testing.T, flavour string, want []string) {
	t.Helper()
	server := mysqldtest.Start(t, mysqldtest.Flavour(t, flavour), nil)
	var out, conversation bytes.Buffer
	code := run([]string{"probe", server.Address.Socket, "--user", server.Address.User, "--length", "1s"}, &terminal{in: os.Stdin, out: &out, err: &conversation})
	server.Stop(t)
	if code != exitDone {
		t.Fatalf("%s: exit code %d: %s", flavour, code, conversation.String())
	}
	declared, read := map[string]bool{}, map[string]bool{}
	for s := bufio.NewScanner(&out); s.Scan(); {
		var l record.Line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if l.Metric != nil {
			declared[l.Metric.Name] = true
		}
		if l.Sample == nil {
			continue
		}
		for name := range l.Sample.Values.All() {
			read[name] = true
			if !declared[name] {
				t.Errorf("%s: %s is put and not declared", flavour, name)
			}
		}
	}
	for _, name := range want {
		if !read[name] {
			t.Errorf("%s: %s was not read", flavour, name)
		}
	}
}
