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
	for _, wrong := range [][]string{
		{"capture", "--out", "-"}, {"capture", server.Address.Socket}, {"capture", server.Address.Socket, "--socket", "/x", "--out", "-"},
		{"capture", server.Address.Socket, "--out", path}, {"capture", server.Address.Socket, "--for", "1s", "--out", "-"},
	} {
		said(exitInvalid, wrong...)
	}
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
