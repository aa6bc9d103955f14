package diagnose

import (
	"strconv"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

func cLOCK01() Rule {
	return Rule{
		ID: "C-LOCK-01", Title: "Sessions wait for row locks or metadata locks", Severity: Error,
		What: "A row lock is held until its transaction ends, a metadata lock of a table as well. A transaction that is left open, such as by a client that sleeps, holds " +
			"its locks as long. An ALTER TABLE that waits for a transaction makes all later statements on the table wait. Counters of row locks " +
			"(Innodb_row_lock_time) grow when a wait ends, and show nothing of one that lasts. Only a server that is watched (tare explain --live) is judged.",
		Impact: "The sessions do nothing while they wait; after innodb_lock_wait_timeout or lock_wait_timeout their statements fail.",
		Fix: "Commit or roll back the transaction that holds the lock; KILL of its connection rolls it back. Keep transactions short, " +
			"and let no transaction wait for what is not the database.",
		Sources:  []string{mysqlInnoDB},
		Counters: []string{keys.MySQLInnoDBRowLockTime},
		Run:      waitsForLocks,
		Watched:  true,
	}
}

// QueuedFrom is the mean number of sessions that wait for row locks from which on they are a cause.
const QueuedFrom = 0.5

// waitsForLocks is for servers that another program loads: in a run, transactions wait for each other as the load has it.
func waitsForLocks(o *Observed) []Finding {
	row := rowLockWaits(o.Arm)
	metadata := metadataLockWaits(o.Arm)
	switch {
	case metadata.Verdict == Confirmed && row.Verdict == Confirmed:
		return []Finding{row, metadata}
	case metadata.Verdict == Confirmed:
		return list(metadata)
	case row.Verdict == RuledOut && metadata.Verdict == Unknown:
		return list(metadata)
	}
	return list(row)
}

// lockFact is a number of a kind of lock.
func lockFact(arm *compare.Arm, name string) (v float64, ok bool) {
	text, ok := fact(arm, keys.WatchedLocks+name)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

func rowLockWaits(arm *compare.Arm) Finding {
	readings, ok := lockFact(arm, "row.readings")
	least, ok2 := lockFact(arm, "row.least")
	took, timed := rate(arm, keys.MySQLInnoDBRowLockTime) // ms a second
	mean := min(took/1e3, float64(max(1, arm.Threads)))   // a wait that began before the span has more than the span
	switch {
	case ok && ok2 && readings >= 2 && least >= 1:
		f := seen("at each of %.0f readings, %.0f sessions or more waited for row locks", readings, least)
		if waiting, ok := lockFact(arm, "row.waiting"); ok && waiting > 0 {
			oldest, _ := lockFact(arm, "row.oldest_s")
			f = f.and("; at the end, %.0f waited, the oldest of them for %.0f s", waiting, oldest)
		}
		return f.heldBy(arm, "row")
	case timed && mean >= QueuedFrom:
		return seen("on average %.2f sessions waited for row locks (Innodb_row_lock_time)", mean).heldBy(arm, "row")
	case !ok || !ok2:
		return unread("Innodb_row_lock_current_waits")[0]
	case readings < 2:
		return unknown("Innodb_row_lock_current_waits was read once, and whether sessions waited all the time is not known")
	}
	if timed {
		return ruledOut("on average %.2f sessions waited for row locks, at one of %.0f readings or more none did, and no session waited for a metadata lock during the whole span", mean, readings)
	}
	return ruledOut("at some of %.0f readings no session waited for a row lock, and no session waited for a metadata lock during the whole span", readings)
}

// metadataLockWaits takes the session that has waited for longest: if it has waited for the whole span, the span shows what
// it waited for.
func metadataLockWaits(arm *compare.Arm) Finding {
	waiting, ok := lockFact(arm, "metadata.waiting")
	oldest, ok2 := lockFact(arm, "metadata.oldest_s")
	switch {
	case waiting < 1 && seesOwnOnly(arm):
		return unknown("the account sees its own sessions only, and whether others wait for metadata locks is not known; GRANT PROCESS ON *.* TO the account")
	case !ok || !ok2:
		return unread("the sessions that wait for metadata locks")[0]
	case waiting < 1 || len(arm.Trials) == 0 || arm.Trials[0].Window == nil || oldest+1 < arm.Trials[0].Window.Seconds:
		return ruledOut("no session waited for a metadata lock during the whole span")
	}
	return seen("at the end, %.0f sessions waited for metadata locks, the oldest of them for %.0f s", waiting, oldest).heldBy(arm, "metadata")
}

// seesOwnOnly says that the account lacks PROCESS: the server lists its own sessions, and not those of others.
func seesOwnOnly(arm *compare.Arm) bool {
	_, own := fact(arm, keys.WatchedOwnOnly)
	return own
}

// refusedSchema says that performance_schema, which has the holders in MySQL, was refused to the account.
func refusedSchema(arm *compare.Arm) bool {
	denied, _ := fact(arm, keys.WatchedDenied)
	return denied == "true"
}

// heldBy adds who holds the lock that most of the sessions wait for, as it was at the end of the span, and what to do.
func (f Finding) heldBy(arm *compare.Arm, kind string) Finding {
	f.ofTransactions = true
	id, ok := fact(arm, keys.WatchedLocks+kind+".holder")
	switch {
	case !ok && kind == "metadata" && isMariaDB(arm) && !seesOwnOnly(arm):
		return f.candidate(arm)
	case !ok && seesOwnOnly(arm) && isMariaDB(arm):
		return f.and("; who holds the locks could not be read: the account lacks the privilege PROCESS").
			fix("GRANT PROCESS ON *.* TO the account, which then sees who holds the locks; end that transaction")
	case !ok && (seesOwnOnly(arm) || refusedSchema(arm)):
		return f.and("; who holds the locks could not be read: the account lacks a privilege").
			fix("GRANT PROCESS ON *.* and SELECT ON performance_schema.* TO the account, which then sees who holds the locks; end that transaction")
	case !ok:
		return f.and("; who holds the locks could not be read").
			fix("end the transaction that holds the locks: sys.innodb_lock_waits and sys.schema_table_lock_waits (MariaDB: information_schema.INNODB_LOCK_WAITS and INNODB_TRX) have it")
	}
	account, _ := fact(arm, keys.WatchedLocks+kind+".holder.account")
	f = f.and("; connection %s (%s) holds the lock that most of them wait for", verbatim(id), verbatim(account))
	if open, ok := lockFact(arm, kind+".holder.open_s"); ok {
		f = f.and(", its transaction has been open for %.0f s", open)
	}
	sleeps, ok := lockFact(arm, kind+".holder.sleeps_s")
	if !ok {
		return f.and(", and it executes a statement").andOthers(arm, kind).
			fix("make the transactions that hold the locks shorter; KILL %s ends the connection of this one and rolls it back", verbatim(id))
	}
	return f.and(", and its client has sent nothing for %.0f s (Sleep)", sleeps).andOthers(arm, kind).
		fix("have the client of connection %s commit or roll back; KILL %s ends the connection and rolls its transaction back", verbatim(id), verbatim(id))
}

// andOthers adds how many connections more hold such locks: with one ended, sessions wait for the next.
func (f Finding) andOthers(arm *compare.Arm, kind string) Finding {
	n, ok := lockFact(arm, kind+".holder.others")
	if !ok || n < 1 {
		return f
	}
	return f.and("; %.0f more connections hold locks that sessions wait for too", n)
}

// candidate adds the connections that may hold the metadata lock of a MariaDB, of which the oldest transaction is named, and
// where the server shows the holder.
func (f Finding) candidate(arm *compare.Arm) Finding {
	id, ok := fact(arm, keys.WatchedLocks+"metadata.candidate")
	if !ok {
		return f.and("; who holds the locks could not be read").
			fix("end the transaction that holds the lock; to see which it is: %s, or performance_schema.metadata_locks if performance_schema is ON", verbatim(metadataLockInfo))
	}
	account, _ := fact(arm, keys.WatchedLocks+"metadata.candidate.account")
	if n, ok := lockFact(arm, "metadata.candidates"); ok && n > 1 {
		f = f.and("; this MariaDB does not show who holds the lock; %.0f connections have an open transaction that does not wait for a metadata lock, and one of them may hold it; the oldest is that of connection %s (%s)", n, verbatim(id), verbatim(account))
	} else {
		f = f.and("; this MariaDB does not show who holds the lock; connection %s (%s) has the only open transaction that does not wait for a metadata lock, and may hold it", verbatim(id), verbatim(account))
	}
	if open, ok := lockFact(arm, "metadata.candidate.open_s"); ok {
		f = f.and(", its transaction has been open for %.0f s", open)
	}
	if sleeps, ok := lockFact(arm, "metadata.candidate.sleeps_s"); ok {
		f = f.and(", and its client has sent nothing for %.0f s (Sleep)", sleeps)
	}
	return f.fix("have the client of connection %s commit or roll back, if it uses the table; KILL %s ends the connection and rolls its transaction back; to see who holds the lock: %s, or performance_schema.metadata_locks if performance_schema is ON", verbatim(id), verbatim(id), verbatim(metadataLockInfo))
}

// metadataLockInfo are the statements with which a running MariaDB shows who holds metadata locks (MariaDB documentation, Metadata Lock
// Info Plugin).
const metadataLockInfo = "INSTALL SONAME 'metadata_lock_info'; SELECT * FROM information_schema.METADATA_LOCK_INFO"
