package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestServerHints: what a real server refuses is said with what to do, and a wrong password has one exit code in every
// verb. A load of which the server takes nothing has failed.
func TestServerHints(t *testing.T) {
	t.Parallel()
	d := mysqldtest.Flavour(t, mysqld.MySQL)
	server := mysqldtest.StartTCP(t, d, nil)
	root, err := mysqld.Open(server.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, statement := range []string{"CREATE DATABASE app", "CREATE TABLE app.t (id INT NOT NULL)", "CREATE USER monitor@localhost IDENTIFIED BY '" + canary + "'",
		"GRANT PROCESS ON *.* TO monitor@localhost", "GRANT SELECT ON performance_schema.* TO monitor@localhost"} {
		if _, err := root.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	nulls, right, wrong := filepath.Join(dir, "nulls.yaml"), filepath.Join(dir, "right"), filepath.Join(dir, "wrong")
	for name, text := range map[string]string{
		nulls: "apiVersion: tarebench.io/v1alpha1\nkind: Workload\nmetadata: {name: nulls}\ndata: {own: true}\ntransactions:\n  insert: {autocommit: true, statements: [{sql: 'INSERT INTO t VALUES (?)', params: [null]}]}\n",
		right: canary, wrong: "not this one",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	socket := server.Address.Socket
	load := []string{"load", "--mysql-socket", socket, "--mysql-user", server.Address.User, "--mysql-db", "app", "--threads", "1", "--time", "1"}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitFailed, "prepare the tables first, with the same flags: tare load ... oltp_read_only prepare", append(load, "oltp_read_only", "run")},
		{exitInvalid, "CREATE DATABASE nosuch", append(load, "oltp_read_only", "run", "--mysql-db", "nosuch")},
		{exitInvalid, "the format is the first argument: tare export csv DIR", []string{"export", "--format", "csv", dir, "--out", "x"}},
		{exitInvalid, "tare remedy writes to standard output; to write it to a file, add > FILE", []string{"remedy", dir, "--out", "x"}},
		{exitInvalid, "nulls.yaml is a file, and a run directory is expected", []string{"report", nulls}},
		{exitFailed, "no transaction was committed", append(load, "--workload", nulls, "run")},
		{exitInvalid, "correct the user (--mysql-user) or the password (--mysql-password-file FILE", append(load, "oltp_read_only", "run", "--mysql-user", "monitor", "--mysql-password-file", wrong)},
		{exitInvalid, "correct the user (--user) or the password (--password-file FILE", []string{"explain", "--live", socket, "--for", "2s", "--user", "monitor", "--password-file", wrong}},
		{exitInvalid, "correct the user (--user) or the password (--password-file FILE", []string{"lint", "--live", socket, "--user", "monitor", "--password-file", wrong}},
		{exitInvalid, "correct the user (--user) or the password (--password-file FILE", []string{"capture", socket, "--out", "-", "--user", "monitor", "--password-file", wrong}},
		{exitInvalid, "check the user (--user, or USER@ in the address) and the password (--password-file FILE", []string{"versus", socket, "--out", filepath.Join(dir, "run"), "--user", "monitor", "--password-file", wrong}},
		{exitInvalid, "cannot read the columns of app: GRANT SELECT ON `app`.* TO `monitor`@`localhost`", []string{"capture", socket, "--out", "-", "--schema", "app", "--user", "monitor", "--password-file", right}},
	} {
		var out, said bytes.Buffer
		if code := run(c.args, &terminal{in: os.Stdin, out: &out, err: &said, stateDir: filepath.Join(dir, "state")}); code != c.code || strings.Count(said.String(), c.want) != 1 {
			t.Errorf("%q: exit code %d, want %d and once %q\n%s%s", c.args, code, c.code, c.want, out.String(), said.String())
		}
	}
}
