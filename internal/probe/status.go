package probe

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// errNoSession is why nothing can be asked of the server.
var errNoSession = errors.New("there is no connection to ask the server over")

// asked is how often the server is asked at most: an answer takes it about a
// millisecond of CPU time, which is then 0.02 % of one CPU.
const asked = 5 * time.Second

// status reads SHOW GLOBAL STATUS; what a server does not have is left out.
func status() Probe {
	return Probe{
		Name: "mysql.status", Help: "the server's status variables (SHOW GLOBAL STATUS)",
		Metrics: statusMetrics(), Every: asked,
		Start: func(p Place) (Read, error) {
			if p.DB == nil {
				return nil, errNoSession
			}
			query := statusQuery()
			return func(ctx context.Context, put func(string, float64)) error { return readStatus(ctx, p.DB, query, put) }, nil
		},
	}
}

const bytesUnit, count = "bytes", "1"

// busyTime is 0 as long as userstat is off: nothing is counted then.
const busyTime = "busy_time"

// statusMetrics are named mysql.<variable in small letters>.
func statusMetrics() []record.Metric {
	v := func(m record.Metric) record.Metric { m.Name = "mysql." + m.Name; return m }
	return []record.Metric{
		v(counter("innodb_buffer_pool_read_requests", count, "logical reads of pages")),
		v(cost("innodb_buffer_pool_reads", count, "logical reads that the buffer pool could not satisfy")),
		v(cost("innodb_buffer_pool_wait_free", count, "waits for a free page")),
		v(gauge("innodb_buffer_pool_pages_total", count, "pages of the buffer pool")),
		v(gauge("innodb_buffer_pool_pages_free", count, "free pages of the buffer pool")),
		v(gauge("innodb_buffer_pool_pages_dirty", count, "pages of the buffer pool that are not written")),
		v(counter("innodb_buffer_pool_pages_flushed", count, "pages written")),
		v(counter("innodb_data_fsyncs", count, "calls of fsync by InnoDB")),
		v(counter("innodb_os_log_fsyncs", count, "calls of fsync on the redo log")),
		v(counter("innodb_os_log_written", bytesUnit, "bytes written to the redo log")),
		v(cost("innodb_log_waits", count, "waits for the log buffer")),
		v(counter("innodb_data_read", bytesUnit, "bytes read")), v(counter("innodb_data_written", bytesUnit, "bytes written")),
		v(counter("innodb_data_reads", count, "operations that read files")), v(counter("innodb_data_writes", count, "operations that write files, the redo log included")),
		v(counter("innodb_dblwr_writes", count, "writes of the doublewrite buffer")),
		v(gauge("innodb_row_lock_current_waits", count, "sessions that wait for row locks")),
		v(cost("innodb_row_lock_time", "ms", "time that transactions waited for row locks")),
		v(cost("innodb_row_lock_waits", count, "waits for row locks")),
		v(gauge("innodb_redo_log_current_lsn", bytesUnit, "redo written so far")), v(gauge("innodb_redo_log_checkpoint_lsn", bytesUnit, "redo that is no longer needed")),
		v(gauge("innodb_redo_log_capacity_resized", bytesUnit, "redo log capacity in effect")),
		v(gauge("redo_age", bytesUnit, "redo written since the checkpoint")),
		v(gauge("innodb_checkpoint_age", bytesUnit, "redo written since the checkpoint (MariaDB)")), v(gauge("innodb_checkpoint_max_age", bytesUnit, "checkpoint age at which all writers wait (MariaDB)")),
		v(gauge("threads_running", count, "sessions that execute a statement")), v(gauge("threads_connected", count, "sessions")),
		v(cost("threads_created", count, "threads created for sessions")), v(cost("connections", count, "connection attempts")),
		v(cost("aborted_connects", count, "failed connection attempts")), v(cost("connection_errors_max_connections", count, "connections refused because of max_connections")),
		v(counter("questions", count, "statements")), v(counter("com_stmt_execute", count, "executions of prepared statements")),
		v(counter(busyTime, "s", "time of all commands in the server (MariaDB, with userstat=ON)")),
		v(counter("com_select", count, "SELECT")), v(counter("com_commit", count, "COMMIT")),
		v(counter("bytes_received", bytesUnit, "bytes from clients")), v(counter("bytes_sent", bytesUnit, "bytes to clients")),
		v(cost("created_tmp_disk_tables", count, "temporary tables on disk")), v(cost("sort_merge_passes", count, "merges of sorts that did not fit in memory")),
		v(cost("table_open_cache_misses", count, "misses of the table open cache")), v(cost("select_scan", count, "joins with a full scan of the first table")),
		v(cost("binlog_cache_disk_use", count, "transactions that exceeded the binary log cache")),
		v(cost("wsrep_flow_control_paused_ns", "ns", "time for which flow control paused this member (Galera)")),
		v(gauge("wsrep_local_recv_queue", count, "write sets in the receive queue (Galera)")),
	}
}

func statusQuery() string {
	var names []string
	for _, m := range statusMetrics() {
		names = append(names, "'"+strings.TrimPrefix(m.Name, "mysql.")+"'")
	}
	slices.Sort(names)
	return "SHOW GLOBAL STATUS WHERE Variable_name IN (" + strings.Join(names, ",") + ")"
}

func readStatus(ctx context.Context, db *sql.DB, query string, put func(string, float64)) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("read the server's status: %w", err)
	}
	defer rows.Close()
	got := map[string]float64{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return fmt.Errorf("read the server's status: %w", err)
		}
		if v, ok := number(value); ok && (v > 0 || !strings.EqualFold(name, busyTime)) {
			got[strings.ToLower(name)] = v
			put("mysql."+strings.ToLower(name), v)
		}
	}
	if age, ok := redoAge(got); ok {
		put(keys.MySQLRedoAge, age)
	}
	return rows.Err()
}

// redoAge is MySQL's from two positions in the log, or what MariaDB says it is.
func redoAge(status map[string]float64) (age float64, ok bool) {
	if checkpoint, known := status["innodb_redo_log_checkpoint_lsn"]; known {
		return status["innodb_redo_log_current_lsn"] - checkpoint, true
	}
	age, ok = status["innodb_checkpoint_age"]
	return age, ok
}
