package replication

// Who is a member, and who is the primary, while the database is loaded and members fail.

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/mysqld"
)

// Standing is how one member sees itself and the database.
type Standing struct {
	// Member says that it is part of a database that can commit.
	Member bool
	// Primary is the member that takes writes, from 1, as far as this one knows; 0 for none.
	Primary int
}

// Connect opens a connection to every member for Standing, Promote and CaughtUp. The caller
// closes them.
func (d *Database) Connect() ([]*sql.DB, error) { return d.open() }

// Standing asks a member.
func (d *Database) Standing(ctx context.Context, all []*sql.DB, number int) (Standing, error) {
	s, err := d.mode.standing(ctx, d, all[number-1], number)
	if err != nil {
		return s, fmt.Errorf("ask member %d: %w", number, err)
	}
	return s, nil
}

// groupStanding is the member's view of its group. A member that has lost the majority has a
// view too, in which most are unreachable, and cannot commit.
func groupStanding(ctx context.Context, d *Database, db *sql.DB, number int) (s Standing, err error) {
	rows, err := table(ctx, db, "SELECT MEMBER_HOST, MEMBER_STATE, MEMBER_ROLE FROM performance_schema.replication_group_members")
	if err != nil {
		return s, err
	}
	online := 0
	for _, r := range rows {
		at := slices.Index(d.hosts, r["MEMBER_HOST"]) + 1
		if r["MEMBER_STATE"] != "ONLINE" {
			continue
		}
		online++
		s.Member = s.Member || at == number
		if r["MEMBER_ROLE"] == "PRIMARY" {
			s.Primary = at
		}
	}
	if s.Member = s.Member && 2*online > len(rows); !s.Member {
		s.Primary = 0
	}
	if d.settings.Writers == AllWriters && s.Member {
		s.Primary = number
	}
	return s, nil
}

// galeraStanding: the members of the primary component are equal, and who takes the writes is
// known to tare alone.
func galeraStanding(ctx context.Context, _ *Database, db *sql.DB, _ int) (s Standing, err error) {
	status, err := statusLike(ctx, db, "wsrep_%")
	if err != nil {
		return s, err
	}
	s.Member = status["wsrep_cluster_status"] == "Primary" && status["wsrep_local_state_comment"] == "Synced"
	return s, nil
}

// replicaStanding: the source is the one that tare has made it. A replica is a member while
// its threads run or try to.
func replicaStanding(ctx context.Context, d *Database, db *sql.DB, number int) (s Standing, err error) {
	source := int(d.source.Load())
	if number == source {
		var one int
		err := db.QueryRowContext(ctx, "SELECT 1").Scan(&one)
		return Standing{Member: err == nil, Primary: source}, err
	}
	status, err := d.replicaStatus(ctx, db)
	if err != nil {
		return s, err
	}
	return Standing{Member: status["sql"] == "Yes" && status["host"] == d.hosts[source-1], Primary: source}, nil
}

// Promoted says whether tare itself makes another member the primary: the other modes elect
// one.
func (d *Database) Promoted() bool {
	s := d.settings
	return s.Failover > 0 && (s.Mode == Async || s.Mode == SemiSync || s.Mode == Galera && s.Writers == OneWriter)
}

// Promote makes the best of these members the primary: of a source's replicas the one that
// has received the most. What only the old source had is lost, as with any failover of
// asynchronous replication.
func (d *Database) Promote(ctx context.Context, all []*sql.DB, candidates []int) (primary int, err error) {
	if len(candidates) == 0 {
		return 0, fmt.Errorf("promote: no member answers")
	}
	if d.settings.Mode == Galera {
		primary = candidates[0]
		return primary, run(ctx, all[primary-1], "SET GLOBAL read_only = OFF")
	}
	most := int64(-1)
	for _, number := range candidates {
		received, err := d.received(ctx, all[number-1])
		if err != nil {
			return 0, fmt.Errorf("promote: member %d: %w", number, err)
		}
		if received > most {
			primary, most = number, received
		}
	}
	if err := d.lead(ctx, all[primary-1]); err != nil {
		return 0, fmt.Errorf("promote member %d: %w", primary, err)
	}
	d.source.Store(int64(primary))
	for _, number := range candidates {
		if number == primary {
			continue
		}
		if err := run(ctx, all[number-1], append(d.stopReplica(false), d.followOn()...)...); err != nil {
			return primary, fmt.Errorf("have member %d follow member %d: %w", number, primary, err)
		}
	}
	return primary, nil
}

// received is how many transactions a replica has, applied or not, once it receives no more.
func (d *Database) received(ctx context.Context, db *sql.DB) (int64, error) {
	if d.server.Flavour == mysqld.MariaDB {
		if err := run(ctx, db, "STOP SLAVE IO_THREAD"); err != nil {
			return 0, err
		}
		status, err := d.replicaStatus(ctx, db)
		return positionsBehind(status["received"], ""), err
	}
	if err := run(ctx, db, "STOP REPLICA IO_THREAD"); err != nil {
		return 0, err
	}
	status, err := d.replicaStatus(ctx, db)
	if err != nil {
		return 0, err
	}
	var executed string
	if err := db.QueryRowContext(ctx, "SELECT @@GLOBAL.gtid_executed").Scan(&executed); err != nil {
		return 0, err
	}
	var waiting string
	err = db.QueryRowContext(ctx, "SELECT GTID_SUBTRACT(?, ?)", status["received"], executed).Scan(&waiting)
	return gtidCount(executed) + gtidCount(waiting), err
}

// lead has a replica apply what it has received, and accept writes.
func (d *Database) lead(ctx context.Context, db *sql.DB) error {
	status, err := d.replicaStatus(ctx, db)
	if err != nil {
		return err
	}
	wait := "SELECT WAIT_FOR_EXECUTED_GTID_SET(?, 60)"
	if d.server.Flavour == mysqld.MariaDB {
		wait = "SELECT MASTER_GTID_WAIT(?, 60)"
	}
	var late int
	if err := db.QueryRowContext(ctx, wait, strings.ReplaceAll(status["received"], "\n", "")).Scan(&late); err != nil {
		return fmt.Errorf("apply the relay log: %w", err)
	}
	if late != 0 {
		return fmt.Errorf("apply the relay log: it is not applied after 60 s")
	}
	statements := d.stopReplica(true)
	if d.settings.Mode == SemiSync {
		source, _ := d.semiSyncNames()
		statements = append(statements, "SET GLOBAL "+source+"_enabled = ON")
	}
	readOnly := "SET GLOBAL super_read_only = OFF, GLOBAL read_only = OFF"
	if d.server.Flavour == mysqld.MariaDB {
		readOnly = "SET GLOBAL read_only = OFF"
	}
	return run(ctx, db, append(statements, readOnly)...)
}

// stopReplica ends replication, and with forget also the settings of it.
func (d *Database) stopReplica(forget bool) []string {
	word := "REPLICA"
	if d.server.Flavour == mysqld.MariaDB {
		word = "SLAVE"
	}
	statements := []string{"STOP " + word}
	if forget {
		statements = append(statements, "RESET "+word+" ALL")
	}
	return statements
}

// CaughtUp says whether a member has applied what the primary has.
func (d *Database) CaughtUp(ctx context.Context, all []*sql.DB, primary, number int) (bool, error) {
	if primary == number {
		return true, nil
	}
	if d.settings.Mode == Galera {
		return d.sameSeqno(ctx, all[primary-1], all[number-1])
	}
	behind, err := d.behind(ctx, all[primary-1], all[number-1])
	return behind == 0, err
}

// sameSeqno compares the last transactions that two members of a Galera cluster committed:
// the number counts the cluster's transactions.
func (d *Database) sameSeqno(ctx context.Context, primary, member *sql.DB) (bool, error) {
	const last = "wsrep_last_committed"
	a, err := statusLike(ctx, primary, last)
	if err != nil {
		return false, err
	}
	b, err := statusLike(ctx, member, last)
	return a[last] == b[last], err
}
