package loop_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

var tableNumber = regexp.MustCompile(`sbtest\d+`)

// digests are the statements that the server executed since the last call, by
// their normalised text, with all tables taken for one. Preparing and closing are
// not part of a transaction: sysbench tries to prepare BEGIN, which cannot be, and
// closes its statements before it closes the connection.
func (b *bench) digests(t *testing.T) map[string]int64 {
	t.Helper()
	s := b.root(t)
	defer s.Close()
	awaitAlone(t, s)
	rows, err := s.Query(t.Context(), "SELECT DIGEST_TEXT, COUNT_STAR FROM performance_schema.events_statements_summary_by_digest WHERE SCHEMA_NAME = 'sbtest'")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int64{}
	for _, r := range rows {
		if strings.HasPrefix(r[0], "PREPARE ") || strings.HasPrefix(r[0], "DEALLOCATE ") {
			continue
		}
		n, err := strconv.ParseInt(r[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seen[tableNumber.ReplaceAllString(r[0], "sbtest")] += n
	}
	if err := s.Exec(t.Context(), "TRUNCATE performance_schema.events_statements_summary_by_digest"); err != nil {
		t.Fatal(err)
	}
	return seen
}

// awaitAlone waits until a session is the server's only one. A statement is counted
// after its answer has been sent, but before its connection ends.
func awaitAlone(t *testing.T, s *wire.Session) {
	t.Helper()
	const others = "SELECT COUNT(*) FROM performance_schema.threads WHERE TYPE = 'FOREGROUND' AND PROCESSLIST_COMMAND <> 'Daemon' AND PROCESSLIST_ID <> CONNECTION_ID()"
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		rows, err := s.Query(t.Context(), others)
		if err != nil {
			t.Fatal(err)
		}
		if rows[0][0] == "0" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s other sessions do not end", rows[0][0])
		}
	}
}

// agreesWithSysbench: for the same number of transactions the server sees the
// same statements, digest by digest and as often, from sysbench and from us.
func agreesWithSysbench(t *testing.T, b *bench) {
	if !b.mysql {
		return // MariaDB has no performance_schema unless it is started with it
	}
	if _, err := exec.LookPath("sysbench"); err != nil {
		t.Skip("no sysbench on this machine")
	}
	b.prepare(t, small(2, 5000, 1))
	b.exec(t, "CREATE USER sb@'127.0.0.1'", "GRANT ALL ON sbtest.* TO sb@'127.0.0.1'")
	for name := range perTransaction {
		for _, mode := range []string{"auto", "disable"} {
			o := small(2, 5000, 1) // one connection: no deadlock repeats a transaction
			if name == "select_random_points" || name == "select_random_ranges" {
				o.Tables = 1
			}
			o.TextProtocol = mode == "disable"
			const events = 40
			b.digests(t)
			cmd := exec.Command("sysbench", "--mysql-host=127.0.0.1", "--mysql-port="+strconv.Itoa(b.address.Port), "--mysql-user=sb",
				fmt.Sprintf("--tables=%d", o.Tables), "--table-size=5000", "--threads=1", fmt.Sprintf("--events=%d", events), "--time=0",
				"--db-ps-mode="+mode, name, "run")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
			}
			want := b.digests(t)
			j := b.job(t, name, o)
			j.Events = events
			run(t, j)
			got := b.digests(t)
			if d := cmp.Diff(want, got); d != "" || len(want) == 0 {
				t.Errorf("%s, prepared statements %s: -sysbench +tare\n%s", name, mode, d)
			}
		}
	}
}
