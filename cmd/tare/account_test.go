package main

// The account of docs/live.md, and what docs/install.md has people run with it against a MySQL or MariaDB that runs.

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// accountOfDocs are the statements of docs/live.md that make the account.
var accountOfDocs = regexp.MustCompile("(?s)```sql\n(CREATE USER monitor.*?)```")

func TestDocumentedAccount(t *testing.T) {
	page, err := os.ReadFile("../../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	block := accountOfDocs.FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/live.md has no statements that make the account monitor")
	}
	for name, distribution := range conforming {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := distribution(t)
			server := mysqldtest.StartTCP(t, d, nil)
			db, err := mysqld.Open(server.Address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for statement := range strings.SplitSeq(string(block[1]), ";") {
				if statement = strings.TrimSpace(strings.Replace(statement, "'...'", "'a secret'", 1)); statement == "" {
					continue
				}
				if _, err := db.Exec(statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("a secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			with := strings.NewReplacer("ADDRESS", fmt.Sprintf("127.0.0.1:%d", server.Options.Port), "DIR", dir, "PID", strconv.Itoa(server.PID))
			for _, m := range []meeting{
				{args: "lint --live ADDRESS --user monitor --password-file DIR/secret", code: exitGate, says: []string{"M-REDO-01"}},
				{args: "explain --live ADDRESS --pid PID --user monitor --password-file DIR/secret --for 2s", says: []string{"watched for", "C-IO-04"},
					unlike: map[string]unlike{mySQL: {says: []string{"an average says nothing of so few"}}, mariaDB: {says: []string{"SET GLOBAL userstat=ON"}}}},
				{args: "probe ADDRESS --user monitor --password-file DIR/secret --length 1s", says: []string{`"mysql.questions"`}},
			} {
				only := m.unlike[d.Flavour]
				only.why = "MariaDB times no statements by default"
				m.meet(t, with, dir, only)
			}
		})
	}
}
