package diagnose

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"
)

// TestLockAdvice: the advice names the connection to end, also of a holder that executes a statement. A MariaDB that does
// not show who holds a metadata lock has at most a candidate, and no advice to read tables that have row locks only.
func TestLockAdvice(t *testing.T) {
	busy := said{keys.WatchedLive: "true", "watched.locks.row.holder.sleeps_s": "lost: executes"}
	mariadb := said{keys.WatchedLive: "true", keys.ServerFlavour: "mariadb"}
	candidate := with(mariadb, said{"watched.locks.metadata.candidate": "9", "watched.locks.metadata.candidate.account": "app@db", "watched.locks.metadata.candidate.open_s": "70", "watched.locks.metadata.candidate.sleeps_s": "69"})
	for name, c := range map[string]struct {
		facts          said
		says, fix, not string
		zh             string
	}{
		"a holder that executes": {with(waitingFor("3", "4", "0"), busy), "and it executes a statement", "KILL 7 ends the connection", "", "KILL 7"},
		"one of three holders": {with(waitingFor("3", "0", "12"), said{keys.WatchedLive: "true", "watched.locks.metadata.holder": "9", "watched.locks.metadata.holder.account": "app@db", "watched.locks.metadata.holder.sleeps_s": "69", "watched.locks.metadata.holder.others": "2"}),
			"; 2 more connections hold locks that sessions wait for too", "KILL 9 ends", "", "KILL 9"},
		"MySQL, without SELECT on performance_schema": {with(waitingFor("3", "0", "12"), said{keys.WatchedLive: "true", keys.WatchedDenied: "true"}), "could not be read: the account lacks a privilege",
			"SELECT ON performance_schema.* TO the account", "KILL", "performance_schema"},
		"MariaDB, a candidate": {with(waitingFor("3", "0", "12"), candidate), "connection 9 (app@db) has the only open transaction that does not wait for a metadata lock, and may hold it, its transaction has been open for 70 s",
			"KILL 9 ends", "INNODB_LOCK_WAITS", "KILL 9"},
		"MariaDB, three candidates": {with(waitingFor("3", "0", "12"), with(candidate, said{"watched.locks.metadata.candidates": "3"})), "3 connections have an open transaction that does not wait for a metadata lock, and one of them may hold it; the oldest is that of connection 9 (app@db), its transaction has been open for 70 s",
			"INSTALL SONAME 'metadata_lock_info'", "INNODB_LOCK_WAITS", "KILL 9"},
		"MariaDB, no candidate": {with(waitingFor("3", "0", "12"), mariadb), "who holds the locks could not be read", "INSTALL SONAME", "INNODB_LOCK_WAITS", "metadata_lock_info"},
	} {
		o := observed(t, "{target: container}", nil)
		o.Arm, o.Base = seenBy{facts: c.facts}.arm("x"), nil
		all := observe(cLOCK01(), o)
		if len(all) != 1 || !strings.Contains(all[0].Says, c.says) || !strings.Contains(all[0].Fix, c.fix) || c.not != "" && strings.Contains(all[0].Fix, c.not) {
			t.Errorf("%s: %+v", name, all)
			continue
		}
		if zh := all[0].FixPhrase.In("zh"); !strings.Contains(zh, c.zh) || strings.Contains(zh, "connection") {
			t.Errorf("%s: %s", name, zh)
		}
	}
}
