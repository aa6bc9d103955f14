package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestExplainHotRows: statements with autocommit on two rows, and commits that nothing waits for. The sessions that wait
// for row locks are said with and without a time budget, and parts that together are longer than what the server times
// are not ranked.
func TestExplainHotRows(t *testing.T) {
	t.Parallel()
	for _, flavour := range []string{"mysql", "mariadb"} {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			server := mysqldtest.Start(t, mysqldtest.Flavour(t, flavour), map[string]string{"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0"})
			t.Cleanup(func() { server.Stop(t) })
			setUp, err := mysqld.Open(server.Address)
			if err != nil {
				t.Fatal(err)
			}
			defer setUp.Close()
			for _, q := range []string{"CREATE DATABASE hot", "CREATE TABLE hot.t (id INT PRIMARY KEY, n INT)", "INSERT INTO hot.t VALUES (1, 0), (2, 0)"} {
				if _, err := setUp.Exec(q); err != nil {
					t.Fatal(err)
				}
			}
			stop := loadedBy(t, server, 16, func(db *sql.DB) error {
				_, err := db.Exec("UPDATE hot.t SET n = n + 1 WHERE id = 1 + MOD(CONNECTION_ID(), 2)")
				return err
			})
			defer stop()
			mysqldtest.Attempts(t, 3, func() error { return saysTheLocks(t, server, flavour == "mysql") })
		})
	}
}

func saysTheLocks(t *testing.T, server *mysqldtest.Server, timed bool) error {
	t.Helper()
	var out, conversation bytes.Buffer
	code := run([]string{"explain", "--live", server.Address.Socket, "--user", server.Address.User, "--for", "3s"}, &terminal{in: os.Stdin, out: &out, err: &conversation})
	if code != exitDone && code != exitGate {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), conversation.String())
	}
	text, prose := out.String(), strings.Join(strings.Fields(out.String()), " ")
	if !regexp.MustCompile(`Row locks: on average \d+\.\d\d sessions waited for one \(\d+\.\d waits/s\)`).MatchString(prose) || strings.Contains(prose, "The counters show no cause.") {
		return fmt.Errorf("the row locks are not said:\n%s", text)
	}
	if !timed {
		return nil
	}
	whole, sum := 0.0, 0.0
	for _, m := range regexp.MustCompile(`(?m)^ +(.*?)  (\d+\.\d+) ms$`).FindAllStringSubmatch(text, -1) {
		var ms float64
		if _, err := fmt.Sscan(m[2], &ms); err != nil {
			return err
		}
		if m[1] == "a transaction" {
			whole = ms
			continue
		}
		sum += ms
	}
	// The rows are rounded; within that, either is right.
	if ranked := strings.Contains(prose, "The largest part of an average transaction"); whole == 0 || ranked && sum > 1.05*whole || !ranked && sum < whole {
		return fmt.Errorf("parts of %.3f ms of %.3f ms, ranked: %t\n%s", sum, whole, ranked, text)
	}
	return nil
}
