package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestExplainKilled: a session takes more memory than the cgroup's limit leaves, so the kernel
// kills the server while it is watched. What was seen is reported, with the cause.
func TestExplainKilled(t *testing.T) {
	t.Parallel()
	server := mysqldtest.Start(t, mysqldtest.Flavour(t, "mysql"), map[string]string{"max_allowed_packet": "1G"})
	bound(t, server.PID, 1<<30)(-1)
	t.Cleanup(func() { server.Stop(t) }) // before its cgroup goes
	db, err := mysqld.Open(server.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var out, conversation bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run([]string{"explain", "--live", server.Address.Socket, "--user", server.Address.User, "--for", "1h", "--json"}, &terminal{in: os.Stdin, out: &out, err: &conversation})
	}()
	for begun := 0; begun < 3; time.Sleep(50 * time.Millisecond) { // before the span, at its beginning, and a second later
		if err := db.QueryRow("SELECT COALESCE(SUM(COUNT_STAR), 0) FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST_TEXT LIKE 'SHOW GLOBAL STATUS%'").Scan(&begun); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec("SET @a = REPEAT('a', 1000000000), @b = REPEAT('b', 1000000000)"); err == nil {
		t.Fatal("the server lives")
	}
	var got int
	select {
	case got = <-code:
	case <-time.After(5 * time.Minute):
		t.Fatal("explain does not return when the server has ended")
	}
	var r struct {
		liveReport
		Ended float64 `json:"ended_after_s"`
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || got != exitGate || r.Ended <= 0 {
		t.Fatalf("exit code %d, ended after %.1f s: %v\n%s%s", got, r.Ended, err, out.String(), conversation.String())
	}
	for _, c := range r.Causes {
		if c.Rule == "K-MEM-10" && (c.State != "present" || !strings.Contains(c.Evidence, "OOM kill")) {
			t.Errorf("%+v", c)
		}
	}
}
