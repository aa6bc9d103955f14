package replication

// What the members of a source with replicas tell of themselves, and how far a replica is
// behind its source.

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/mysqld"
)

// replicaFacts are a member's. A replica's distance is counted in transactions: seconds
// are whole, and 0 while the replica has received nothing (MySQL Reference Manual, SHOW
// REPLICA STATUS).
func replicaFacts(ctx context.Context, d *Database, all []*sql.DB, number int) ([]value, error) {
	source := int(d.source.Load())
	if number == source {
		return []value{{"role", "source", "experiment.yaml", true}}, nil
	}
	status, err := d.replicaStatus(ctx, all[number-1])
	if err != nil {
		return nil, err
	}
	behind, err := d.behind(ctx, all[source-1], all[number-1])
	if err != nil {
		return nil, err
	}
	const from = "SHOW REPLICA STATUS"
	return []value{
		{"role", "replica", "experiment.yaml", true},
		{"io_thread", strings.ToLower(status["io"]), from, false},
		{"sql_thread", strings.ToLower(status["sql"]), from, false},
		{"behind_s", status["behind_s"], from, false},
		{"behind_transactions", fmt.Sprint(behind), "GTIDs of the source and of the replica", false},
	}, nil
}

// behind is how many transactions of the source a replica has not applied.
func (d *Database) behind(ctx context.Context, source, replica *sql.DB) (int64, error) {
	if d.server.Flavour == mysqld.MariaDB {
		var has, applied string
		if err := source.QueryRowContext(ctx, "SELECT @@GLOBAL.gtid_binlog_pos").Scan(&has); err != nil {
			return 0, err
		}
		err := replica.QueryRowContext(ctx, "SELECT @@GLOBAL.gtid_slave_pos").Scan(&applied)
		return positionsBehind(has, applied), err
	}
	var has, missing string
	if err := source.QueryRowContext(ctx, "SELECT @@GLOBAL.gtid_executed").Scan(&has); err != nil {
		return 0, err
	}
	if err := replica.QueryRowContext(ctx, "SELECT GTID_SUBTRACT(?, @@GLOBAL.gtid_executed)", has).Scan(&missing); err != nil {
		return 0, err
	}
	return gtidCount(missing), nil
}

// gtidCount is how many transactions a set of MySQL's GTIDs has: for every server its
// UUID, then intervals and, from 8.3 on, tags (MySQL Reference Manual, "GTID Sets").
func gtidCount(set string) int64 {
	var count int64
	for server := range strings.SplitSeq(set, ",") {
		for i, part := range strings.Split(strings.TrimSpace(server), ":") {
			if i == 0 || part == "" || part[0] < '0' || part[0] > '9' {
				continue // the UUID, or a tag
			}
			from, to, ranged := strings.Cut(part, "-")
			first, err := strconv.ParseInt(from, 10, 64)
			if err != nil {
				continue
			}
			last := first
			if ranged {
				if last, err = strconv.ParseInt(to, 10, 64); err != nil {
					continue
				}
			}
			count += last - first + 1
		}
	}
	return count
}

// positionsBehind is how far MariaDB's position applied is behind another: DOMAIN-SERVER-
// SEQUENCE for every domain (MariaDB Knowledge Base, "Global Transaction ID").
func positionsBehind(has, applied string) int64 {
	at := positions(applied)
	var count int64
	for domain, sequence := range positions(has) {
		count += max(0, sequence-at[domain])
	}
	return count
}

func positions(text string) map[string]int64 {
	all := map[string]int64{}
	for position := range strings.SplitSeq(text, ",") {
		if f := strings.Split(strings.TrimSpace(position), "-"); len(f) == 3 {
			if n, err := strconv.ParseInt(f[2], 10, 64); err == nil {
				all[f[0]] = n
			}
		}
	}
	return all
}

// semiSyncFacts are a replica's or a source's, with what the plugin counts: no_tx are the
// transactions that were committed without waiting, because no replica had answered for
// rpl_semi_sync_source_timeout. After a failover the source is another member.
func semiSyncFacts(ctx context.Context, d *Database, all []*sql.DB, number int) ([]value, error) {
	values, err := replicaFacts(ctx, d, all, number)
	if err != nil || number != int(d.source.Load()) {
		return values, err
	}
	source, _ := d.semiSyncNames()
	status, err := statusLike(ctx, all[number-1], source+"_%")
	if err != nil {
		return nil, err
	}
	for _, v := range [][2]string{
		{"semisync_status", "_status"}, {"semisync_replicas", "_clients"}, {"semisync_waited", "_yes_tx"},
		{"semisync_not_waited", "_no_tx"}, {"semisync_mean_wait_us", "_tx_avg_wait_time"},
	} {
		values = append(values, value{v[0], strings.ToLower(status[source+v[1]]), "SHOW GLOBAL STATUS " + source + v[1], false})
	}
	return values, nil
}
