package process_test

// Tests of failovers: a promoted replica has what its source had acknowledged, or not.

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target/event"
)

// TestLostWrites: a source that is cut off from its replica acknowledges what the replica
// never gets. After the failover the ledger shows it, and a tampered table too.
func TestLostWrites(t *testing.T) {
	t.Parallel()
	var of map[int]loadgen.Ledgered
	var left map[int]string
	d, facts := runInTime(t, func() *disturbed {
		return startDisturbed(t, mysqld.MySQL, replication.Settings{Mode: replication.Async, Members: 2, Failover: seconds(4)}, nil,
			event.Event{At: seconds(1), CutOff: "primary", For: seconds(8)}, event.Event{At: seconds(9), Pause: "primary", For: seconds(1)})
	}, "event-ended: pause", func(d *disturbed, facts map[string]string) bool {
		if !failedOver(d, facts) {
			return false
		}
		of, left = d.ledgers(t)
		return of[2].Lost > 0 // a source that stood still after the cut has acknowledged nothing more
	})
	if facts["event.1.ended_s"] == "" || facts["event.2.primary_before"] != "2" || facts["event.2.promoted_after_s"] != "" {
		t.Errorf("the faults are %v", facts)
	}
	if !strings.Contains(left[1], "it was the primary before the failover") || of[2].Lost == 0 || of[2].Doubled > 0 || of[2].Unknown > 0 || of[2].Whole() {
		t.Fatalf("member 2 has %+v; left: %v", of[2], left)
	}
	lost := of[2].Lost
	all, err := d.server.Capabilities().Members(t.Context(), faultsWithin)
	if err != nil {
		t.Fatal(err)
	}
	db, err := mysqld.Open(all[1].Address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"INSERT INTO tare.ledger_entry (client, number) VALUES (0, 7), (1, 1000000000)", "DELETE FROM tare.ledger_entry WHERE client = 0 AND number = 9",
		"UPDATE tare.ledger_account SET balance = balance + 5 WHERE client = 0",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	of, _ = d.ledgers(t)
	if v := of[2]; v.Lost != lost+1 || v.Doubled != 1 || v.Unknown != 1 || !strings.Contains(v.Balances, record.AccountsDiffer.Say("", record.AccountDiffers.Say("0", "105", "100"))) {
		t.Errorf("the tampered table is %+v", v)
	}
}

// TestFailoverThatDoesNotSucceed: a replica that cannot apply its relay log is not promoted. The
// record says so when the load ends during the wait, and the replica follows the source again.
func TestFailoverThatDoesNotSucceed(t *testing.T) {
	t.Parallel()
	const want = "the load ended first: promote member 2: apply the relay log"
	var conn *sql.Conn
	d, facts := runInTime(t, func() *disturbed {
		// A source on a busy machine answers nothing for a second now and then.
		d := startDisturbed(t, mysqld.MariaDB, replication.Settings{Mode: replication.Async, Members: 2, Failover: seconds(3)}, nil,
			event.Event{At: seconds(1), CutOff: "primary", For: seconds(8)})
		conn = lockedReplica(t, d)
		return d
	}, "event-ended", func(_ *disturbed, facts map[string]string) bool {
		return strings.HasPrefix(facts["event.1.failover_failed"], want)
	})
	if got := facts["event.1.failover_failed"]; !strings.HasPrefix(got, want) || !slices.ContainsFunc(d.events, func(e string) bool { return strings.HasPrefix(e, "failover-failed: "+want) }) {
		t.Errorf("%q, want %q; what happened: %q", got, want, d.events)
	}
	if facts["event.1.promoted_after_s"] != "" || facts["event.1.primary_after"] != "1" {
		t.Errorf("another member is the primary: %v", facts)
	}
	if _, err := conn.ExecContext(t.Context(), "UNLOCK TABLES"); err != nil {
		t.Fatal(err)
	}
	if of, left := d.ledgers(t); len(of) != 2 || !of[1].Whole() || !of[2].Whole() {
		t.Errorf("members have %+v; left: %v", of, left)
	}
}

// lockedReplica locks the load's table on member 2, which cannot apply its relay log then. The
// server ends the connection.
func lockedReplica(t *testing.T, d *disturbed) *sql.Conn {
	t.Helper()
	all, err := d.server.Capabilities().Members(t.Context(), faultsWithin) // the table is on the replica
	if err != nil {
		t.Fatal(err)
	}
	db, err := mysqld.Open(all[1].Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "LOCK TABLES tare.ledger_entry WRITE"); err != nil {
		t.Fatal(err)
	}
	return conn
}
