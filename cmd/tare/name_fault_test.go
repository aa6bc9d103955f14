package main

import (
	"database/sql"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
)

const (
	namedHost = "db.tare.test"
	namedSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: names}
data: {tables: 1, rows: 200}
load: {engine: tare, workload: oltp_point_select, threads: 2, rate: 200/s}
protocol: {rounds: 4, warmup: 0s, measure: 5s, ready: 60s, aa: false, probes: "off"}
baseline: a
arms:
  a: {target: external, host: %[1]s, port: %[2]d, user: tare, passwordFile: %[3]s, tls: verify-identity, ca: %[4]s, shared: true}
  b: {target: external, host: %[1]s, port: %[2]d, user: tare, passwordFile: %[3]s, tls: verify-identity, ca: %[4]s, shared: true}
`
)

// namedServer is a server that is reached by its name and known by its certificate.
type namedServer struct {
	t     *testing.T
	root  *sql.DB
	path  *badPath
	names *nameServer
	// good and bad are options of the server's: two certificates and their keys.
	good, bad [2]string
	// missed is why connections of the load could not be ended: it had ended them.
	missed string
}

// TestNamesAndCertificates takes away the server's name, and gives it the certificate of
// another authority, between trials and in them. Connections that are there go on, and their
// trial is measured. A connection that cannot be made ends its trial with DNS or TLS as the
// reason; the run goes on.
func TestNamesAndCertificates(t *testing.T) {
	needRoot(t)
	d := mysqldtest.Flavour(t, mysqld.MySQL)
	t.Parallel()
	if !onOwnMachine(t) {
		return
	}
	n := &namedServer{t: t, names: newNameServer(t)}
	login := n.start(d)
	faults := n.faults()
	_, run := faultsInTime(t, func() string { return n.disturbed(login, faults) }, func(trial int) bool { return faults[trial].outcome == record.ServerLost })
	if n.missed != "" || len(run.Trials) != 8 {
		t.Fatalf("%d trials; %s", len(run.Trials), n.missed)
	}
	for _, trial := range run.Trials {
		fault := faults[trial.Header.Trial]
		t.Logf("trial %d: %s %s %s, events %v", trial.Header.Trial, trial.End.Duration, trial.End.Outcome, trial.End.Reason, trial.Events)
		if trial.End.Outcome != fault.outcome || !strings.Contains(trial.End.Reason, fault.says) {
			t.Errorf("trial %d is to be %s and to say %q: %+v", trial.Header.Trial, fault.outcome, fault.says, trial.End)
		}
	}
	var left int
	if err := n.root.QueryRow("SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'tare_bench'").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d schemas are left, %v", left, err)
	}
}

// disturbed carries the experiment out, and does to each trial what is its turn.
func (n *namedServer) disturbed(login string, faults map[int]nameFault) (dir string) {
	n.t.Helper()
	n.missed = ""
	job := assembled(n.t, fmt.Appendf(nil, namedSpec, namedHost, n.path.listener.Addr().(*net.TCPAddr).Port, login, n.good[0]), filepath.Join(n.t.TempDir(), "run"))
	var once [9]sync.Once
	job.Observe = func(p runner.Progress) {
		switch fault := faults[p.Trial.Number]; {
		case p.Kind == runner.Second && fault.do != nil:
			once[p.Trial.Number].Do(fault.do)
		case p.Kind == runner.Phase && p.Phase == "stop" && !fault.stays:
			n.restore()
		}
	}
	if err := runner.Run(n.t.Context(), job); err == nil || !strings.Contains(err.Error(), "2 of 8 trials failed") {
		n.t.Errorf("the run ended with %v", err)
	}
	return job.Dir
}

// nameFault is what happens in a trial, and how that ends; stays says that it lasts until
// the next one has failed.
type nameFault struct {
	do      func()
	stays   bool
	outcome record.Outcome
	says    string
}

func (n *namedServer) faults() map[int]nameFault {
	const name, certificate = "DNS does not resolve its name: lookup " + namedHost, "TLS: its certificate is not trusted"
	at := n.path.to
	return map[int]nameFault{
		1: {func() { n.names.set(noSuchName) }, true, record.Measured, ""},
		2: {nil, false, record.Failed, name},
		3: {func() { n.names.set(noSuchName); n.killLoad() }, false, record.ServerLost, name},
		4: {func() { n.names.set(noAnswer); n.path.set(at, false) }, false, record.ServerLost, name},
		5: {func() { n.certify(n.bad); n.killLoad() }, true, record.ServerLost, certificate},
		6: {nil, false, record.Failed, certificate},
		7: {func() { n.certify(n.bad); n.path.set(at, false) }, false, record.ServerLost, certificate},
		8: {nil, false, record.Measured, ""},
	}
}

// start starts the server, and returns the file with tare's password.
func (n *namedServer) start(d mysqld.Distribution) (login string) {
	n.t.Helper()
	o := mysqldtest.Prepare(n.t, d, map[string]string{"innodb_buffer_pool_size": "64M"})
	o.Port = mysqldtest.FreePort(n.t)
	dir := filepath.Dir(o.DefaultsFile)
	for name, to := range map[string]*[2]string{"good": &n.good, "bad": &n.bad} {
		to[0], to[1] = selfSigned(n.t, dir, name, namedHost, d.UID)
	}
	o.Config["ssl_cert"], o.Config["ssl_key"] = n.good[0], n.good[1]
	mysqldtest.WriteDefaults(n.t, d, o)
	mysqldtest.Initialize(n.t, d, o)
	var err error
	if n.root, err = mysqld.Open(mysqldtest.Run(n.t, d, o).Address); err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { n.root.Close() })
	theirAccount(n.t, n.root)
	n.path = newBadPath(n.t, fmt.Sprintf("127.0.0.1:%d", o.Port))
	login = filepath.Join(n.t.TempDir(), "password")
	if err := os.WriteFile(login, []byte(canary), 0o600); err != nil {
		n.t.Fatal(err)
	}
	return login
}

// restore gives the server its name and its certificate back.
func (n *namedServer) restore() {
	n.names.set(resolves)
	n.certify(n.good)
}

// certify has new connections see a certificate.
func (n *namedServer) certify(with [2]string) {
	for _, statement := range []string{"SET GLOBAL ssl_cert = '" + with[0] + "'", "SET GLOBAL ssl_key = '" + with[1] + "'", "ALTER INSTANCE RELOAD TLS"} {
		if _, err := n.root.Exec(statement); err != nil {
			n.t.Errorf("%s: %v", statement, err)
		}
	}
}

// killLoad ends the load's connections, and none of those that watch the server: they name
// themselves in another way.
func (n *namedServer) killLoad() {
	rows, err := n.root.Query("SELECT processlist_id FROM performance_schema.session_connect_attrs WHERE attr_name = 'program_name' AND attr_value = 'tare'")
	if err != nil {
		n.t.Error(err)
		return
	}
	defer rows.Close()
	killed := 0
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			n.t.Error(err)
			return
		}
		if _, err := n.root.Exec(fmt.Sprintf("KILL %d", id)); err != nil {
			n.t.Error(err)
			return
		}
		killed++
	}
	if killed != 2 {
		n.missed = fmt.Sprintf("%d connections of the load were ended, not 2: %v", killed, rows.Err())
	}
}
