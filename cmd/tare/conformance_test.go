package main

// This file runs every verb that meets a server against a real MySQL and a real MariaDB, with the same expectations:
// what only one of the two can answer is listed with its reason.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// withoutServer are the verbs that meet no running server, and why.
var withoutServer = map[string]string{
	"init": "writes a file", "render": "prints manifests", "fetch": "copies a run from a cluster", "report": "reads runs", "compare": "reads runs", "combine": "reads runs",
	"history": "reads runs", "serve": "reads runs", "export": "reads runs", "import": "reads files of other programs", "list": "prints tables of tare",
	"remedy": "writes a file", "clean": "deletes what tare left", "image": "builds an image", "version": "prints the version", "neighbour": "uses a CPU or a disk",
	"packets": "reads packets of a network interface", "man": "writes manual pages", "inside": "is tare in a pod", "pack": "packs a run", "digest": "reads this program",
	"demo": "is run with three arms of its own", "tune": "is `run` again and again", "calibrate": "measures the machine and its own load generator",
}

// meeting is one command line of a verb that meets a server.
type meeting struct {
	verb string
	args string // SOCKET, USER and DIR are replaced
	code int
	// says is in the output or the messages, for both products; unlike has what only one of them says, and why.
	says   []string
	never  []string // is in neither
	unlike map[string]unlike
}

type unlike struct {
	code int
	says []string
	why  string
}

const (
	mySQL   = mysqld.MySQL
	mariaDB = mysqld.MariaDB
)

// meetings are run in this order against one server that has its default options, besides sizes, and no other client.
var meetings = []meeting{
	{verb: "load", args: "load --mysql-socket=SOCKET --mysql-user=USER --mysql-db=sbtest --tables=1 --table-size=500 oltp_read_write prepare"},
	{verb: "load", args: "load --mysql-socket=SOCKET --mysql-user=USER --mysql-db=sbtest --tables=1 --table-size=500 --threads=2 --time=1 oltp_read_write run",
		says: []string{"transactions:", "95th percentile"}},
	{verb: "probe", args: "probe SOCKET --user USER --length 1s", says: []string{`"mysql.questions"`, `"mysql.redo_age"`, `"mysql.innodb_row_lock_time"`, `"mysql.innodb.trx_rseg_history_len"`, `"server.cpu.user_ns"`},
		unlike: map[string]unlike{mySQL: {says: []string{`"mysql.statements.time_ns":`, `"mysql.file.redo.sync_ns":`}, why: "performance_schema is off in MariaDB by default, and MariaDB has no instrument for its redo log since 10.8"}}},
	{verb: "explain", args: "explain --live SOCKET --user USER --for 2s", says: []string{"watched for", "C-IO-04", "C-BP-01", "ruled out"},
		unlike: map[string]unlike{
			mySQL:   {says: []string{"an average says nothing of so few"}, why: "performance_schema times statements by default"},
			mariaDB: {says: []string{"Time budget unknown", "SET GLOBAL userstat=ON"}, why: "userstat and performance_schema are off by default"},
		}},
	{verb: "lint", args: "lint --live SOCKET --user USER", code: exitGate, says: []string{"SOCKET", "M-REDO-01"},
		unlike: map[string]unlike{
			mySQL:   {says: []string{"innodb_redo_log_capacity=2G"}, why: "MySQL from 8.0.30 on sizes the redo log as a whole"},
			mariaDB: {says: []string{"innodb_log_file_size=2G"}, why: "MariaDB from 10.5 on has one redo log file"},
		}},
	{verb: "capture", args: "capture SOCKET --user USER --for 2s --out DIR/captured.yaml", code: exitFailed,
		unlike: map[string]unlike{
			mySQL:   {says: []string{"no statement of another program was seen"}, why: "nobody else loads it"},
			mariaDB: {says: []string{"performance_schema is off", "read the slow log, which needs no restart"}, why: "performance_schema is off in MariaDB by default"},
		}},
	{verb: "versus", args: "versus SOCKET --user USER --rounds 3 --time 1s --warmup-time 0s --tables 1 --table-size 100 --threads 2 --out DIR/versus --state DIR/state", says: []string{"DIR/versus"}},
	{verb: "check", args: "check DIR/external.yaml --state DIR/state", says: []string{"external.yaml"}},
	{verb: "run", args: "run DIR/external.yaml --out DIR/run --state DIR/state", says: []string{"DIR/run"}},
}

const externalSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: conformance}
data: {tables: 1, rows: 100}
load: {engine: tare, workload: oltp_read_only, threads: 2}
protocol: {rounds: 2, warmup: 0s, measure: 1s, aa: false, voids: 0}
baseline: one
arms:
  one: {target: external, socket: "%[1]s", user: "%[2]s"}
  two: {target: external, socket: "%[1]s", user: "%[2]s"}
`

// conforming are the servers that every verb is run against: MySQL's newest release, MariaDB of Debian stable and of
// unstable.
var conforming = map[string]func(testing.TB) mysqld.Distribution{
	mySQL:           func(t testing.TB) mysqld.Distribution { return mysqldtest.Flavour(t, mySQL) },
	mariaDB:         func(t testing.TB) mysqld.Distribution { return mysqldtest.Flavour(t, mariaDB) },
	"newer-mariadb": mysqldtest.NewerMariaDB,
}

// TestConformance: see this file's first comment. A verb without a row fails.
func TestConformance(t *testing.T) {
	for _, v := range verbs(&terminal{}) {
		_, alone := withoutServer[v.Name()]
		if meets := slices.ContainsFunc(meetings, func(m meeting) bool { return m.verb == v.Name() }); meets == alone {
			t.Errorf("%s: a verb has either rows of meetings or a reason in withoutServer", v.Name())
		}
	}
	for name, distribution := range conforming {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := distribution(t)
			flavour := d.Flavour
			server := mysqldtest.Start(t, d, nil)
			db, err := mysqld.Open(server.Address)
			if err != nil {
				t.Fatal(err)
			}
			_, err = db.Exec("CREATE DATABASE sbtest")
			if err = errors.Join(err, db.Close()); err != nil { // a server with other clients is refused
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "external.yaml"), fmt.Appendf(nil, externalSpec, server.Address.Socket, server.Address.User), 0o600); err != nil {
				t.Fatal(err)
			}
			here := strings.NewReplacer("SOCKET", server.Address.Socket, "USER", server.Address.User, "DIR", dir)
			for _, m := range meetings {
				t.Run(m.verb, func(t *testing.T) { m.meet(t, here, dir, m.unlike[flavour]) })
			}
		})
	}
}

// meet runs the command line and compares what it says with what both products and this one say.
func (m meeting) meet(t *testing.T, here *strings.Replacer, dir string, only unlike) {
	t.Helper()
	if (only.code != 0 || only.says != nil) && only.why == "" {
		t.Errorf("%s: no reason why the products differ", m.args)
	}
	var out, conversation bytes.Buffer
	code := run(strings.Fields(here.Replace(m.args)), &terminal{in: os.Stdin, out: &out, err: &conversation, stateDir: filepath.Join(dir, "state")})
	said := strings.Join(strings.Fields(out.String()+conversation.String()), " ") // lines are broken at a width
	want := m.code
	if only.code != 0 {
		want = only.code
	}
	if code != want {
		t.Errorf("%s: exit code %d, want %d\n%s", m.args, code, want, said)
	}
	for _, words := range m.never {
		if strings.Contains(said, words) {
			t.Errorf("%s: %q is in\n%s", m.args, words, said)
		}
	}
	for _, words := range slices.Concat(m.says, only.says) {
		if words = here.Replace(words); !strings.Contains(said, words) {
			t.Errorf("%s: want %q in\n%s", m.args, words, said)
		}
	}
}

// TestStoppedServer: a server whose process is stopped accepts connections and says nothing. Every verb that asks a
// server then ends, and says so.
func TestStoppedServer(t *testing.T) {
	for _, flavour := range []string{mySQL, mariaDB} {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			server := mysqldtest.Start(t, mysqldtest.Flavour(t, flavour), nil)
			signal := func(s syscall.Signal) {
				if err := syscall.Kill(server.PID, s); err != nil {
					t.Fatal(err)
				}
			}
			signal(syscall.SIGSTOP)
			t.Cleanup(func() { signal(syscall.SIGCONT) })
			here := strings.NewReplacer("SOCKET", server.Address.Socket, "USER", server.Address.User, "DIR", t.TempDir())
			for args, within := range map[string]string{
				"explain --live SOCKET --user USER --for 2s":                          "10 s",
				"capture SOCKET --user USER --for 2s --out DIR/x.yaml":                "10 s",
				"lint --live SOCKET --user USER":                                      "10 s",
				"probe SOCKET --user USER --length 1s":                                "10 s",
				"load --socket SOCKET --user USER oltp_point_select run --time 1":     "10 s",
				"load --socket SOCKET --user USER oltp_read_only prepare --threads=4": "10 s",
				"versus SOCKET --user USER --rounds 1 --out DIR/run":                  "5 s",
			} {
				t.Run(strings.Fields(args)[0], func(t *testing.T) {
					t.Parallel()
					meeting{args: args, code: exitFailed, says: []string{"the server did not answer within " + within}, never: []string{"deadline", "i/o timeout", "handshake"}}.meet(t, here, t.TempDir(), unlike{})
				})
			}
		})
	}
}
