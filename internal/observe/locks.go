package observe

// This file reads which sessions wait for locks at the end of a span. Counters of waits grow when a wait ends: of a wait that
// lasts longer than the span they show nothing.

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// InnoDB's times are in the time zone of the system, NOW() is in that of the session.
const systemNow = "CONVERT_TZ(NOW(), @@session.time_zone, 'SYSTEM')"

const (
	rowWaits = "SELECT COUNT(*), COALESCE(MAX(TIMESTAMPDIFF(SECOND, trx_wait_started, " + systemNow + ")), 0)" +
		" FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'"
	metadataWaits = "SELECT COUNT(*), COALESCE(MAX(TIME), 0) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for % metadata lock'"

	// The holders are transactions that wait for nothing themselves, the one that most of the others wait for first.
	holderOf = "SELECT p.ID, p.USER, p.HOST, p.COMMAND, p.TIME, TIMESTAMPDIFF(SECOND, b.trx_started, " + systemNow + ")"
	rowPairs = " JOIN information_schema.INNODB_TRX b ON b.trx_id = w.held JOIN information_schema.PROCESSLIST p ON p.ID = b.trx_mysql_thread_id" +
		" WHERE b.trx_state <> 'LOCK WAIT' GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY COUNT(DISTINCT w.waits) DESC, 1"
	rowHolderSchema  = holderOf + " FROM (SELECT REQUESTING_ENGINE_TRANSACTION_ID AS waits, BLOCKING_ENGINE_TRANSACTION_ID AS held FROM performance_schema.data_lock_waits) w" + rowPairs
	rowHolderInnoDB  = holderOf + " FROM (SELECT requesting_trx_id AS waits, blocking_trx_id AS held FROM information_schema.INNODB_LOCK_WAITS) w" + rowPairs
	metadataHolderOf = holderOf + " FROM performance_schema.metadata_locks w JOIN performance_schema.metadata_locks g ON g.OBJECT_TYPE = w.OBJECT_TYPE" +
		" AND g.OBJECT_SCHEMA = w.OBJECT_SCHEMA AND g.OBJECT_NAME = w.OBJECT_NAME AND g.LOCK_STATUS = 'GRANTED'" +
		" JOIN performance_schema.threads t ON t.THREAD_ID = g.OWNER_THREAD_ID JOIN information_schema.PROCESSLIST p ON p.ID = t.PROCESSLIST_ID" +
		" LEFT JOIN information_schema.INNODB_TRX b ON b.trx_mysql_thread_id = p.ID" +
		" WHERE w.LOCK_STATUS = 'PENDING' AND w.OBJECT_TYPE = 'TABLE' AND g.OWNER_THREAD_ID NOT IN" +
		" (SELECT OWNER_THREAD_ID FROM performance_schema.metadata_locks WHERE LOCK_STATUS = 'PENDING')" +
		" GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY COUNT(DISTINCT w.OWNER_THREAD_ID) DESC, 1"
)

// The candidates are the open transactions of sessions that wait for no metadata lock, the oldest first: one of them holds what
// the others wait for, unless the holder has no transaction of InnoDB, as after LOCK TABLES.
const (
	candidates = " FROM information_schema.INNODB_TRX b JOIN information_schema.PROCESSLIST p ON p.ID = b.trx_mysql_thread_id" +
		" WHERE p.ID <> CONNECTION_ID() AND COALESCE(p.STATE, '') NOT LIKE 'Waiting for % metadata lock'"
	countCandidates = "SELECT COUNT(*)" + candidates
	oldestCandidate = holderOf + candidates + " ORDER BY b.trx_started, p.ID LIMIT 1"
)

// locks are facts of the sessions that wait now, and of who holds what most of them wait for.
func locks(ctx context.Context, db *sql.DB, t *record.Trial) []record.Fact {
	rowHolder := []string{rowHolderSchema, rowHolderInnoDB} // the former is of MySQL 8.0 and later
	if t.Flavour() == record.MariaDB {
		rowHolder = []string{rowHolderInnoDB}
	}
	all := lockReadings(t)
	row, denied := lockWaits(ctx, db, "row", rowWaits, rowHolder)
	all = append(all, row...)
	metadata, _ := lockWaits(ctx, db, "metadata", metadataWaits, []string{metadataHolderOf})
	if denied { // the list of processes then has the sessions of this account only, and no error
		all = append(all, record.Fact{Key: keys.WatchedOwnOnly, Value: "true", Source: "information_schema.INNODB_TRX"})
	}
	if n := len(metadata); t.Flavour() == record.MariaDB && metadata[n-1].Key == keys.WatchedLocks+"metadata.holder" && metadata[n-1].Unknown != "" {
		metadata = append(metadata, candidateFacts(ctx, db)...)
	}
	return append(all, metadata...)
}

// lockReadings are how many sessions waited for row locks in the samples: at least, and of how many. A sample has what has
// changed: Questions has in every reading of the server's status, by the reading itself.
func lockReadings(t *record.Trial) []record.Fact {
	n, now, known, least := 0, 0.0, false, 0.0
	for _, s := range t.Samples {
		asked := false
		for name, v := range s.Values.All() {
			switch name {
			case keys.MySQLInnoDBRowLockCurrentWaits:
				now, known, asked = v, true, true
			case keys.MySQLQuestions:
				asked = true
			}
		}
		if !asked || !known {
			continue
		}
		if n++; n == 1 || now < least {
			least = now
		}
	}
	if n == 0 {
		return nil
	}
	const source = "Innodb_row_lock_current_waits"
	return []record.Fact{
		{Key: keys.WatchedLocks + "row.readings", Value: strconv.Itoa(n), Source: source},
		{Key: keys.WatchedLocks + "row.least", Value: strconv.FormatFloat(least, 'f', -1, 64), Source: source},
	}
}

// lockWaits are the facts of one kind of lock. denied says that the account lacks the privilege PROCESS.
func lockWaits(ctx context.Context, db *sql.DB, kind, waits string, holders []string) (facts []record.Fact, denied bool) {
	key := func(name string) string { return keys.WatchedLocks + kind + "." + name }
	var waiting, oldest int64
	if err := db.QueryRowContext(ctx, waits).Scan(&waiting, &oldest); err != nil {
		return []record.Fact{{Key: key("waiting"), Unknown: err.Error()}}, refused(err, privilegeDenied)
	}
	facts = []record.Fact{{Key: key("waiting"), Value: strconv.FormatInt(waiting, 10)}, {Key: key("oldest_s"), Value: strconv.FormatInt(max(0, oldest), 10)}}
	if waiting == 0 {
		return facts, false
	}
	var err error
	for _, query := range holders {
		var holder []record.Fact
		if holder, err = holderFacts(ctx, db, query, key("holder")); err == nil {
			return append(facts, holder...), false
		}
	}
	return append(facts, record.Fact{Key: key("holder"), Unknown: err.Error()}), false
}

// privilegeDenied is the server's code for a privilege that the account lacks (ER_SPECIFIC_ACCESS_DENIED_ERROR): without
// PROCESS, information_schema.INNODB_TRX cannot be read.
const privilegeDenied = 1227

// OwnOnly says that the account of an observed run sees its own sessions only.
func OwnOnly(r *record.Run) bool {
	return slices.ContainsFunc(r.Trials[0].Facts, func(f record.Fact) bool { return f.Key == keys.WatchedOwnOnly })
}

// holderFacts are those of the first row, and how many more there are: with one of several ended, sessions wait for the next.
func holderFacts(ctx context.Context, db *sql.DB, query, key string) (facts []record.Fact, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read the holder of a lock: %w", err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		if n > 0 {
			continue
		}
		if facts, err = connectionFacts(rows, key); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the holder of a lock: %w", err)
	}
	if n == 0 {
		return nil, fmt.Errorf("read the holder of a lock: %w", sql.ErrNoRows)
	}
	return append(facts, record.Fact{Key: key + ".others", Value: strconv.Itoa(n - 1)}), nil
}

// connectionFacts are those of a row of holderOf.
func connectionFacts(row interface{ Scan(...any) error }, key string) ([]record.Fact, error) {
	var id, idle int64
	var user, host, command string
	var open sql.NullInt64
	if err := row.Scan(&id, &user, &host, &command, &idle, &open); err != nil {
		return nil, fmt.Errorf("read the holder of a lock: %w", err)
	}
	facts := []record.Fact{{Key: key, Value: strconv.FormatInt(id, 10)}, {Key: key + ".account", Value: fmt.Sprintf("%s@%s", user, host)}}
	if open.Valid {
		facts = append(facts, record.Fact{Key: key + ".open_s", Value: strconv.FormatInt(max(0, open.Int64), 10)})
	}
	if command == "Sleep" {
		facts = append(facts, record.Fact{Key: key + ".sleeps_s", Value: strconv.FormatInt(max(0, idle), 10)})
	}
	return facts, nil
}

// candidateFacts are the facts of the connections that may hold the metadata lock: how many, and the one whose transaction is
// the oldest; none where there is none, or where they cannot be read, which the fact of the holder says.
func candidateFacts(ctx context.Context, db *sql.DB) []record.Fact {
	var n int64
	if err := db.QueryRowContext(ctx, countCandidates).Scan(&n); err != nil || n == 0 {
		return nil
	}
	facts, err := connectionFacts(db.QueryRowContext(ctx, oldestCandidate), keys.WatchedLocks+"metadata.candidate")
	if err != nil {
		return nil
	}
	return append(facts, record.Fact{Key: keys.WatchedLocks + "metadata.candidates", Value: strconv.FormatInt(n, 10)})
}
