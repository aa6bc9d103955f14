package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload/file"
)

// capturesLive captures the server of TestLintLive while an application asks it for a
// literal, which neither the workload file nor a report of `explain --live` has.
func capturesLive(t *testing.T, server *mysqldtest.Server) {
	t.Helper()
	const canary = "canary4711"
	stop := asks(t, server, canary)
	defer stop()
	path := filepath.Join(t.TempDir(), "app.yaml")
	said := func(want int, args ...string) string {
		t.Helper()
		var out, conversation bytes.Buffer
		code := run(append(args, "--user", server.Address.User), &terminal{in: os.Stdin, out: &out, err: &conversation})
		if throttled := code == exitGate && args[0] == "explain"; code != want && !throttled { // on half a CPU, as it happens
			t.Fatalf("%q: exit code %d, want %d\n%s%s", args, code, want, out.String(), conversation.String())
		}
		return out.String() + conversation.String()
	}
	told := said(exitDone, "capture", "--socket", server.Address.Socket, "--for", "2s", "--out", path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := file.Parse(path, text)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Transactions) != 1 || !w.Transactions[0].Autocommit || w.Transactions[0].Statements[0].SQL != "SELECT `name` FROM `t` WHERE `name` = ?" || !strings.Contains(told, "select_t: 100.0 % of all") {
		t.Errorf("%s\n%s", told, text)
	}
	explained := said(exitDone, "explain", "--live", server.Address.Socket, "--for", "2s")
	piped := said(exitDone, "capture", server.Address.Socket, "--for", "2s", "--out", "-", "--hash-names")
	for _, s := range []string{string(text), told, explained, piped} {
		if strings.Contains(s, canary) {
			t.Errorf("a literal of the application is in\n%s", s)
		}
	}
	if !strings.HasPrefix(piped, "# Captured") || strings.Contains(piped, "`name`") {
		t.Errorf("%s", piped)
	}
	measuresCaptured(t, text, canary)
	for _, wrong := range [][]string{
		{"capture", "--out", "-"}, {"capture", server.Address.Socket}, {"capture", server.Address.Socket, "--socket", "/x", "--out", "-"},
		{"capture", server.Address.Socket, "--out", path}, {"capture", server.Address.Socket, "--for", "1s", "--out", "-"},
	} {
		said(exitInvalid, wrong...)
	}
}

// measuresCaptured runs an experiment with a captured workload, on data that the user has
// dumped: no file that the run writes has the application's literal.
func measuresCaptured(t *testing.T, captured []byte, literal string) {
	t.Helper()
	dir := t.TempDir()
	spec := filepath.Join(dir, "x.yaml")
	for name, content := range map[string]string{
		"app.yaml": string(captured), "dump.sql": "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(40));\nINSERT INTO t VALUES (1, 'one');\n",
		"x.yaml": fmt.Sprintf("apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: app}\ndatabase: {rootfs: %s}\n"+
			"load: {engine: tare, workload: ./app.yaml, threads: 1}\ndata: {from: {dump: %s}, schema: app}\n"+
			"protocol: {kind: windows, rounds: 1, warmup: 1s, measure: 1s, ready: 300s, aa: false, voids: 0}\nbaseline: a\narms: {a: {target: process}, b: {target: process}}\n", testRootfs(t), filepath.Join(dir, "dump.sql")),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tareBelow(t, dir, "run", spec, "--out", filepath.Join(dir, "run"))
	filesHaveNone(t, dir, 20, func(b []byte) bool { return bytes.Contains(b, []byte(literal)) })
}

// asks runs an application until the returned function is called; it has begun when asks
// returns.
func asks(t *testing.T, server *mysqldtest.Server, literal string) (stop func()) {
	t.Helper()
	a := server.Address
	admin, err := mysqld.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	for _, q := range []string{"CREATE DATABASE app", "CREATE TABLE app.t (id INT PRIMARY KEY, name VARCHAR(40))", fmt.Sprintf("INSERT INTO app.t VALUES (1, '%s')", literal)} {
		if _, err := admin.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	a.Schema = "app"
	db, err := mysqld.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	end, done, first := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer db.Close()
		for n := 0; ; n++ {
			if _, err := db.Exec(fmt.Sprintf("SELECT name FROM t WHERE name = '%s'", literal)); err != nil {
				t.Error(err)
				if n == 0 {
					close(first)
				}
				return
			}
			if n == 0 {
				close(first)
			}
			select {
			case <-end:
				return
			default:
			}
		}
	}()
	<-first
	return func() { close(end); <-done }
}

// TestCapturePackets: a capture that tcpdump made of a shop at port 42437, its first 300
// packets, becomes a workload file that an experiment can load.
func TestCapturePackets(t *testing.T) {
	const packets, literal = "testdata/shop.pcap.gz", "canary4711"
	dir := t.TempDir()
	t.Setenv("TARE_STATE", t.TempDir())
	said := func(want int, args ...string) string {
		t.Helper()
		var out, conversation bytes.Buffer
		if code := run(args, &terminal{in: os.Stdin, out: &out, err: &conversation}); code != want {
			t.Fatalf("%q: exit code %d, want %d\n%s%s", args, code, want, out.String(), conversation.String())
		}
		return out.String() + conversation.String()
	}
	shop, dump, spec := filepath.Join(dir, "shop.yaml"), filepath.Join(dir, "shop.sql"), filepath.Join(dir, "x.yaml")
	told := said(exitDone, "capture", "--packets", packets, "--port", "42437", "--out", shop)
	text, err := os.ReadFile(shop)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"captured packets of port 42437", "Server 9.7.4-2", "SELECT `tax` FROM `district` WHERE `id` = ? FOR UPDATE", "INSERT INTO `orders`", "100.0 % of the statements"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("nothing of %s in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), literal) || strings.Contains(told, literal) || !strings.Contains(told, "update_district: 100.0 % of all") {
		t.Errorf("%s\n%s", told, text)
	}
	if root := os.Getenv("TARE_TEST_ROOTFS"); root != "" && os.Geteuid() == 0 {
		for path, content := range map[string]string{dump: "CREATE TABLE district (id INT);\n", spec: fmt.Sprintf("apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: shop}\ndatabase: {rootfs: %s}\n"+
			"load: {engine: tare, workload: ./shop.yaml, threads: 2}\ndata: {from: {dump: %s}, schema: shop}\nbaseline: a\narms: {a: {target: process}, b: {target: process}}\n", root, dump)} {
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		said(exitDone, "check", spec)
	}
	for args, want := range map[string]string{
		"--packets " + packets:                            "none of 300 packets uses TCP port 3306",
		"--packets capture_test.go":                       "it is not a packet capture in pcap or pcapng format",
		"--packets none.pcap":                             "no such file",
		"--packets " + packets + " --log x":               "--log and --packets exclude each other",
		"--port 3306 --log x":                             "--port is that of --host, or of the server in a packet capture",
		"db:3306 --port 3307":                             "the address has a port; leave --port out",
		"db:3306 --host db":                               "ADDRESS, --host and --socket exclude each other",
		"db:70000 --packets " + packets:                   "70000 is not a TCP port",
		"db:42437 --schema other --packets " + packets:    "no statement that reads or writes rows in schema other",
		"--packets " + packets + " --port 70000":          "70000",
		"--log " + packets:                                "it is a packet capture; read it with --packets",
		"--packets " + packets + " --port 42437 --for 1s": "use at least 2s",
	} {
		code := exitInvalid
		if strings.HasPrefix(want, "none of") || strings.HasPrefix(want, "no statement") {
			code = exitFailed
		}
		if told := said(code, append([]string{"capture", "--out", "-"}, strings.Fields(args)...)...); !strings.Contains(told, want) {
			t.Errorf("%s: %s, want %s", args, told, want)
		}
	}
}
