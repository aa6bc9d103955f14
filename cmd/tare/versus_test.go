package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestVersusAddresses: what an address says is in the experiment, which tare accepts; a password is in none of it.
func TestVersusAddresses(t *testing.T) {
	t.Setenv("MYSQL_PWD", "")
	o := versusOptions{user: "root", workload: "oltp_read_only", threads: []int{2}, tables: 1, rows: 10, rounds: 6, time: 1e9, warmup: 1e9}
	for _, c := range []struct {
		a, b string
		want []string
	}{
		{"mysql://bench@db1.example.com", "mysql://db2.example.com:3307", []string{`db1.example.com: {target: external, host: "db1.example.com", user: "bench"}`, `"db2.example.com:3307": {target: external, host: "db2.example.com", port: 3307, user: "root"}`}},
		{"/run/mysqld/mysqld.sock", "127.0.0.1:3307/scratch", []string{`mysqld.sock: {target: external, socket: "/run/mysqld/mysqld.sock", user: "root"}`, `"127.0.0.1:3307": {`, `schema: "scratch", keepSchema: true`}},
		{"mysql://a@[::1]:3306?tls=required&ca=/x.pem", "mariadb://h?password-file=/s", []string{`host: "::1", port: 3306, user: "a", tls: required, ca: "/x.pem"`, `passwordFile: "/s"`}},
		{"db.example.com", "db.example.org", []string{"db.example.com:", "db.example.org:"}},
		{"127.0.0.1:3306/one", "127.0.0.1:3306/two", []string{"127-0-0-1-3306-a:", "127-0-0-1-3306-b:"}},
		{"/run/a/mysqld.sock", "/run/b/mysqld.sock", []string{"run-a-mysqld:", "run-b-mysqld:"}},
		{"orders.abcdefghijkl.eu-central-1.rds.amazonaws.com:3306", "DB2:3306", []string{`"orders:3306":`, `"db2:3306":`}},
	} {
		spec, err := versusSpec([]string{c.a, c.b}, o, "versus", "versus")
		if err != nil {
			t.Errorf("%s, %s: %v", c.a, c.b, err)
			continue
		}
		if _, err := experiment.Parse("versus.yaml", spec); err != nil {
			t.Errorf("%s, %s: %v\n%s", c.a, c.b, err, spec)
		}
		for _, want := range c.want {
			if !strings.Contains(string(spec), want) {
				t.Errorf("%s, %s: want %q in\n%s", c.a, c.b, want, spec)
			}
		}
	}
	for address, want := range map[string]string{
		"mysql://u:canary@db": "has a password", "postgres://db": "scheme postgres is unknown", "mysql://": "the host is missing",
		"mysql://db?ssl=1": "parameter ssl is unknown", "mysql://u:canary@[": "not an address",
	} {
		if _, err := versusSpec([]string{address, "other"}, o, "versus", "versus"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	o.others = 0.99
	if spec, err := versusSpec([]string{"db", "db2"}, o, "versus", "versus"); err != nil || !strings.Contains(string(spec), "\nprotocol:\n  rounds: 6\n  warmup: 1s\n  measure: 1s\n") || !strings.Contains(string(spec), "\n  othersCPU: 99% ") {
		t.Errorf("%v\n%s", err, spec)
	}
	o.others = 0
	if spec, err := versusSpec([]string{"db"}, o, "versus", "versus"); err != nil || !strings.Contains(string(spec), "\n  db-again: {") {
		t.Errorf("one server: %v\n%s", err, spec)
	}
}

// TestVersus is the everyday question: a server before and after a change, with an account that may only use a schema
// that is there.
func TestVersus(t *testing.T) {
	d := mysqldtest.Flavour(t, mysqld.MariaDB)
	t.Parallel()
	password := "versus-" + canaryEnd[:6] // not the canary: TestExternalServer, which runs beside this, looks for that in all processes
	server := mysqldtest.Start(t, d, map[string]string{"innodb_buffer_pool_size": "64M"})
	root, err := mysqld.Open(server.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, statement := range []string{"CREATE DATABASE scratch", "CREATE USER bench@localhost IDENTIFIED BY '" + password + "'",
		"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER ON scratch.* TO bench@localhost"} {
		if _, err := root.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	tare := func(args ...string) string {
		cmd := exec.Command(builtTare(t), args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "MYSQL_PWD="+password, "TARE_STATE="+filepath.Join(dir, "state"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tare %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		if strings.Contains(string(out), password) {
			t.Errorf("the password is in the output:\n%s", out)
		}
		return string(out)
	}
	address := "mysql://bench@localhost/scratch?socket=" + server.Address.Socket
	for _, name := range []string{"before", "after"} {
		out := tare("versus", address, "--out", name, "--rounds", "4", "--time", "1s", "--warmup", "0s", "--tables", "1", "--table-size", "100", "--threads", "2")
		if !strings.Contains(out, "4 of 4 rounds") || !strings.Contains(out, "event=trial trial=8") || !strings.Contains(out, name+"/report.html") {
			t.Errorf("no progress, no result or no page:\n%s", out)
		}
	}
	// One server has one answer, although every round measured it twice.
	out := tare("compare", "before", "after")
	if n := len(regexp.MustCompile(`threads +[\d,.]+ -> `).FindAllString(out, -1)); n != 1 || !strings.Contains(strings.Join(strings.Fields(out), " "), "are one server, which each round measured more than once") {
		t.Errorf("%d answers:\n%s", n, out)
	}
	if !regexp.MustCompile(`at 2 threads +[\d,.]+ -> [\d,.]+ +-?[\d.]+ \[-?[\d.]+, -?[\d.]+\] %`).MatchString(out) {
		t.Errorf("no throughputs with an estimate:\n%s", out)
	}
	var tables int
	if err := root.QueryRow("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'scratch'").Scan(&tables); err != nil || tables != 0 {
		t.Errorf("%v, %d tables are left", err, tables)
	}
}

// TestVersusNamesItsFlags: there is no file of the experiment, so what is wrong with it is said of the flag.
func TestVersusNamesItsFlags(t *testing.T) {
	workload := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(workload, []byte("apiVersion: tarebench.io/v1alpha1\nkind: Workload\nmetadata: {name: shop}\ndata: {own: true}\ntransactions:\n  one:\n    statements: [{sql: SELECT 1}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--workload", "./none.yaml"}, "tare: --workload ./none.yaml: read workload: "},
		{[]string{"--workload", "nonesuch"}, `tare: --workload nonesuch: unknown workload "nonesuch"`},
		{[]string{"--workload", workload, "--tables", "3"}, "tare: --tables: a workload file has its own tables; leave out --tables\n--table-size: a workload file has the rows of its tables"},
	} {
		var out, errs strings.Builder
		code := run(append([]string{"versus", "127.0.0.1:1", "127.0.0.1:2", "--out", filepath.Join(t.TempDir(), "run")}, c.flags...), &terminal{out: &out, err: &errs})
		if code != exitInvalid || !strings.Contains(errs.String(), c.want) || strings.Contains(errs.String(), versusFile) {
			t.Errorf("%v: exit code %d, want %q:\n%s", c.flags, code, c.want, errs.String())
		}
	}
}
