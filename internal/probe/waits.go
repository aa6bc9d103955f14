package probe

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// waitFiles are the server's kinds of files and their instruments, which are all
// on by default.
func waitFiles() [][2]string {
	return [][2]string{
		{"redo", "wait/io/file/innodb/innodb_log_file"}, {"data", "wait/io/file/innodb/innodb_data_file"},
		{"doublewrite", "wait/io/file/innodb/innodb_dblwr_file"}, {"binlog", "wait/io/file/sql/binlog"},
	}
}

// waits reads performance_schema: how long statements took in the server, and
// how often and how long it read, wrote and synced each kind of file. An answer
// is only had where performance_schema is on: MariaDB's is off by default.
func waits() Probe {
	return Probe{
		Name: "mysql.waits", Help: "time of statements and of file operations in the server (performance_schema)",
		Metrics: waitMetrics(), Every: asked,
		Start: func(p Place) (Read, error) {
			if p.DB == nil {
				return nil, errNoSession
			}
			return func(ctx context.Context, put func(string, float64)) error {
				if err := readStatements(ctx, p.DB, put); err != nil {
					return err
				}
				return readFiles(ctx, p.DB, put)
			}, nil
		},
	}
}

func waitMetrics() []record.Metric {
	all := []record.Metric{
		counter(keys.MySQLStatementsCount, "1", "statements; each protocol command counts as one"),
		counter(keys.MySQLStatementsTimeNS, "ns", "time of all statements in the server"),
		counter(keys.MySQLCommitTimeNS, "ns", "time of COMMIT in the server"),
		cost(keys.MySQLStatementsLockNS, "ns", "time of all statements waiting for table and metadata locks"),
	}
	for _, f := range waitFiles() {
		for _, op := range []string{"read", "write", "sync"} {
			all = append(all, counter("mysql.file."+f[0]+"."+op+"_count", "1", op+"s of "+f[0]+" files"),
				cost("mysql.file."+f[0]+"."+op+"_ns", "ns", "time of "+op+"s of "+f[0]+" files"))
		}
	}
	return all
}

// Timers are in picoseconds. What a stored program executes is counted with the statement that calls it, and
// once more as statement/sp (MySQL Reference Manual, Performance Schema Statement Event Tables): no
// client has sent it.
func readStatements(ctx context.Context, db *sql.DB, put func(string, float64)) error {
	var n, wait, lock sql.NullFloat64
	err := db.QueryRowContext(ctx, "SELECT SUM(COUNT_STAR), SUM(SUM_TIMER_WAIT)/1000, SUM(SUM_LOCK_TIME)/1000"+
		" FROM performance_schema.events_statements_summary_global_by_event_name WHERE COUNT_STAR > 0 AND EVENT_NAME NOT LIKE 'statement/sp/%'").Scan(&n, &wait, &lock)
	if err != nil {
		return fmt.Errorf("read statements of performance_schema: %w", err)
	}
	if !n.Valid { // the schema is off: its tables are empty
		return nil
	}
	put(keys.MySQLStatementsCount, n.Float64)
	put(keys.MySQLStatementsTimeNS, wait.Float64)
	put(keys.MySQLStatementsLockNS, lock.Float64)
	return readCommits(ctx, db, put)
}

// readCommits takes the digests of COMMIT: as text, and as a prepared statement. MariaDB makes no digest of the latter
// (measured with 10.5.23, 10.11.19, 11.4.5 and 11.8.9), so that who reads this asks for mysql.com_stmt_execute as well.
func readCommits(ctx context.Context, db *sql.DB, put func(string, float64)) error {
	var ns sql.NullFloat64
	err := db.QueryRowContext(ctx, "SELECT SUM(SUM_TIMER_WAIT)/1000 FROM performance_schema.events_statements_summary_by_digest"+
		" WHERE DIGEST_TEXT IN ('COMMIT', 'EXECUTE COMMIT')").Scan(&ns)
	if err != nil {
		return fmt.Errorf("read commits of performance_schema: %w", err)
	}
	put(keys.MySQLCommitTimeNS, ns.Float64) // none yet is 0
	return nil
}

// readFiles takes the "miscellaneous" operations for syncs: opening, closing and
// seeking are in it too, and are rare on files that stay open.
func readFiles(ctx context.Context, db *sql.DB, put func(string, float64)) error {
	var names []string
	for _, f := range waitFiles() {
		names = append(names, "'"+f[1]+"'")
	}
	rows, err := db.QueryContext(ctx, "SELECT EVENT_NAME, COUNT_READ, SUM_TIMER_READ/1000, COUNT_WRITE, SUM_TIMER_WRITE/1000, COUNT_MISC, SUM_TIMER_MISC/1000"+
		" FROM performance_schema.file_summary_by_event_name WHERE EVENT_NAME IN ("+strings.Join(names, ",")+")")
	if err != nil {
		return fmt.Errorf("read files of performance_schema: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var v [6]float64
		if err := rows.Scan(&name, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]); err != nil {
			return fmt.Errorf("read files of performance_schema: %w", err)
		}
		for _, f := range waitFiles() {
			if f[1] != name {
				continue
			}
			for i, op := range []string{"read", "write", "sync"} {
				put("mysql.file."+f[0]+"."+op+"_count", v[2*i])
				put("mysql.file."+f[0]+"."+op+"_ns", v[2*i+1])
			}
		}
	}
	return rows.Err()
}
