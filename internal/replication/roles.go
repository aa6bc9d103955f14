package replication

// Who is a member, and who is the primary, while the database is loaded and members fail.

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
)

// Standing is how one member sees itself and the database.
type Standing struct {
	// Member says that it is part of a database that can commit.
	Member bool
	// Primary is the member that takes writes, from 1, as far as this one knows; 0 for none.
	Primary int
	// View is how many members of a group can elect, as far as this one knows: those that recover
	// name no primary. It is 0 in other modes.
	View int
	// State is the member's state in the words of the server, "" where it has none.
	State string
}

// Connect opens a connection to every member for Standing, Promote and CaughtUp. The caller
// closes them.
func (d *Database) Connect() ([]*sql.DB, error) { return d.open() }

// Standing asks a member.
func (d *Database) Standing(ctx context.Context, all []*sql.DB, number int) (Standing, error) {
	s, err := d.mode.standing(ctx, d, all[number-1], number)
	if err != nil {
		return s, record.AskMember.Wrap(err, strconv.Itoa(number))
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
	reachable := 0 // those that the database's majority is made of
	for _, r := range rows {
		at := slices.Index(d.hosts, r["MEMBER_HOST"]) + 1
		state := r["MEMBER_STATE"]
		if at == number {
			s.State = state
		}
		if state == "ONLINE" || state == "RECOVERING" {
			reachable++
		}
		if state == "ONLINE" || state == "UNREACHABLE" {
			s.View++
		}
		if state != "ONLINE" {
			continue
		}
		s.Member = s.Member || at == number
		if r["MEMBER_ROLE"] == "PRIMARY" {
			s.Primary = at
		}
	}
	if s.Member = s.Member && 2*reachable > len(rows); !s.Member {
		s.Primary = 0
	}
	if d.settings.Writers == AllWriters && s.Member {
		s.Primary = number
	}
	return s, nil
}

// Elected is the member that most members of a view name as their primary, 0 for none. A member
// that was paused or cut off has its old view for a while after it is back, alone.
func Elected(all []Standing) int {
	votes, view := map[int]int{}, map[int]int{}
	for _, s := range all {
		if s.Member && s.Primary != 0 && s.View > 0 {
			votes[s.Primary]++
			view[s.Primary] = max(view[s.Primary], s.View)
		}
	}
	for primary, n := range votes {
		if 2*n > view[primary] {
			return primary
		}
	}
	return 0
}

// galeraStanding: the members of the primary component are equal, and who takes the writes is
// known to tare alone.
func galeraStanding(ctx context.Context, _ *Database, db *sql.DB, _ int) (s Standing, err error) {
	status, err := statusLike(ctx, db, "wsrep_%")
	if err != nil {
		return s, err
	}
	s.State = status["wsrep_local_state_comment"]
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

// stepWithin bounds what one member is asked while another is promoted, appliedWithin the wait for
// its relay log.
const (
	stepWithin    = 10 * time.Second
	appliedWithin = 60 * time.Second
)

// Promote makes the best of these members the primary: of a source's replicas the one that
// has received the most. What only the old source had is lost, as with any failover of
// asynchronous replication. It ends within appliedWithin and a few stepWithin for each member.
// When no member could be promoted, the candidates receive transactions again. answers says whether
// the old source does so again by now: it may have for as long as the best had transactions to apply,
// and what it has acknowledged since then would be lost. None is promoted then.
func (d *Database) Promote(ctx context.Context, all []*sql.DB, candidates []int, answers func() bool) (primary int, err error) {
	if len(candidates) == 0 {
		return 0, errors.New(record.NoCandidate.Say())
	}
	if d.settings.Mode == Galera {
		primary = candidates[0]
		return primary, bounded(ctx, stepWithin, func(ctx context.Context) error {
			return run(ctx, all[primary-1], "SET GLOBAL read_only = OFF")
		})
	}
	primary, stopped, errs := d.best(ctx, all, candidates)
	if primary == 0 {
		return 0, errors.Join(append(errs, d.receiveAgain(ctx, all, candidates))...)
	}
	err = d.applied(ctx, all[primary-1])
	if err == nil && answers() {
		return 0, errors.Join(append(errs, d.receiveAgain(ctx, all, candidates))...)
	}
	if err == nil {
		err = d.lead(ctx, all[primary-1])
	}
	if err != nil {
		return 0, errors.Join(append(errs, record.PromoteMember.Wrap(err, strconv.Itoa(primary)), d.receiveAgain(ctx, all, candidates))...)
	}
	d.source.Store(int64(primary))
	for _, number := range stopped {
		if number == primary {
			continue
		}
		err := bounded(ctx, stepWithin, func(ctx context.Context) error {
			return run(ctx, all[number-1], append(d.stopReplica(false), d.followOn()...)...)
		})
		if err != nil {
			errs = append(errs, record.FollowMember.Wrap(err, strconv.Itoa(number), strconv.Itoa(primary)))
		}
	}
	return primary, errors.Join(errs...)
}

// best is the candidate that has received the most. A candidate that does not stop receiving
// in time is left out: it must not keep the others from being promoted.
func (d *Database) best(ctx context.Context, all []*sql.DB, candidates []int) (primary int, stopped []int, errs []error) {
	most := int64(-1)
	for _, number := range candidates {
		var received int64
		err := bounded(ctx, stepWithin, func(ctx context.Context) (err error) {
			received, err = d.received(ctx, all[number-1])
			return err
		})
		if err != nil {
			errs = append(errs, record.StopReceiving.Wrap(err, strconv.Itoa(number)))
			continue
		}
		stopped = append(stopped, number)
		if received > most {
			primary, most = number, received
		}
	}
	return primary, stopped, errs
}

// receiveAgain has replicas receive from their source again, also after ctx has ended: a
// replica that no longer receives would never have what the source has.
func (d *Database) receiveAgain(ctx context.Context, all []*sql.DB, numbers []int) error {
	start := "START REPLICA IO_THREAD"
	if d.server.Flavour == mysqld.MariaDB {
		start = "START SLAVE IO_THREAD"
	}
	var errs []error
	for _, number := range numbers {
		err := bounded(context.WithoutCancel(ctx), stepWithin, func(ctx context.Context) error { return run(ctx, all[number-1], start) })
		if err != nil {
			errs = append(errs, record.ReceiveAgain.Wrap(err, strconv.Itoa(number)))
		}
	}
	return errors.Join(errs...)
}

// bounded calls f with a limit of time.
func bounded(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return f(ctx)
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

// applied has a replica apply what it has received.
func (d *Database) applied(ctx context.Context, db *sql.DB) error {
	err := bounded(ctx, appliedWithin+stepWithin, func(ctx context.Context) error { return d.applyAll(ctx, db) })
	if err != nil {
		return record.ApplyRelayLog.Wrap(err)
	}
	return nil
}

// lead has a replica that has applied everything accept writes.
func (d *Database) lead(ctx context.Context, db *sql.DB) error {
	statements := d.stopReplica(true)
	if d.settings.Mode == SemiSync {
		source, _ := d.semiSyncNames()
		statements = append(statements, "SET GLOBAL "+source+"_enabled = ON")
	}
	readOnly := "SET GLOBAL super_read_only = OFF, GLOBAL read_only = OFF"
	if d.server.Flavour == mysqld.MariaDB {
		readOnly = "SET GLOBAL read_only = OFF"
	}
	return bounded(ctx, stepWithin, func(ctx context.Context) error { return run(ctx, db, append(statements, readOnly)...) })
}

// applyAll waits until a replica has applied what it has received. A replica that applies slower
// than the source commits can have much to apply.
func (d *Database) applyAll(ctx context.Context, db *sql.DB) error {
	status, err := d.replicaStatus(ctx, db)
	if err != nil {
		return err
	}
	wait := "SELECT WAIT_FOR_EXECUTED_GTID_SET(?, ?)"
	if d.server.Flavour == mysqld.MariaDB {
		wait = "SELECT MASTER_GTID_WAIT(?, ?)"
	}
	var late int
	err = db.QueryRowContext(ctx, wait, strings.ReplaceAll(status["received"], "\n", ""), int(appliedWithin.Seconds())).Scan(&late)
	if err == nil && late != 0 {
		return errors.New(record.NotApplied.Say(appliedWithin.String()))
	}
	return err
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
