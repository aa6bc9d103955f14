package replication

// Whether a member has applied what the database has, after the load.

import (
	"context"
	"database/sql"
)

// CaughtUp says whether a member has applied what another one has, and all that it has received
// itself: a primary that was elected or promoted a moment ago can have much to apply. other may be the
// member itself.
func (d *Database) CaughtUp(ctx context.Context, all []*sql.DB, other, number int) (bool, error) {
	if done, err := d.appliedReceived(ctx, all[number-1]); !done || err != nil || other == number {
		return done, err
	}
	if d.settings.Mode == Galera {
		return d.sameSeqno(ctx, all[other-1], all[number-1])
	}
	behind, err := d.behind(ctx, all[other-1], all[number-1])
	return behind == 0, err
}

// appliedReceived says whether nothing that a member has received waits there. A source receives
// nothing, and its replicas are compared with it.
func (d *Database) appliedReceived(ctx context.Context, db *sql.DB) (bool, error) {
	switch d.settings.Mode {
	case Group:
		return groupApplied(ctx, db)
	case Galera:
		const queue = "wsrep_local_recv_queue"
		status, err := statusLike(ctx, db, queue)
		return status[queue] == "0", err
	}
	return true, nil
}

// groupApplied says whether a member of a group has applied what it has received. A transaction gets
// its GTID, by which it is compared, when the member certifies it. Until then it is only counted.
func groupApplied(ctx context.Context, db *sql.DB) (bool, error) {
	row, err := oneRow(ctx, db, `SELECT COUNT_TRANSACTIONS_IN_QUEUE AS uncertified,
		(SELECT GTID_SUBTRACT(RECEIVED_TRANSACTION_SET, @@GLOBAL.gtid_executed)
			FROM performance_schema.replication_connection_status WHERE CHANNEL_NAME = 'group_replication_applier') AS unapplied
		FROM performance_schema.replication_group_member_stats WHERE MEMBER_ID = @@server_uuid`)
	if err != nil {
		return false, err
	}
	return row["uncertified"] == "0" && gtidCount(row["unapplied"]) == 0, nil
}

// sameSeqno compares the last transactions that two members of a Galera cluster committed:
// the number counts the cluster's transactions.
func (d *Database) sameSeqno(ctx context.Context, one, other *sql.DB) (bool, error) {
	const last = "wsrep_last_committed"
	a, err := statusLike(ctx, one, last)
	if err != nil {
		return false, err
	}
	b, err := statusLike(ctx, other, last)
	return a[last] == b[last], err
}
