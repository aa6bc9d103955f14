package probe

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// innodb reads what SHOW GLOBAL STATUS does not have of InnoDB: of
// INFORMATION_SCHEMA.INNODB_METRICS those that are on by default. One that somebody
// has switched off stands at what it was, and is left out.
func innodb() Probe {
	return Probe{
		Name: "mysql.innodb", Help: "InnoDB counters that are not status variables (INNODB_METRICS)",
		Metrics: innodbMetrics(), Every: asked,
		Start: func(p Place) (Read, error) {
			if p.DB == nil {
				return nil, errNoSession
			}
			query := innodbQuery()
			return func(ctx context.Context, put func(string, float64)) error { return readInnoDB(ctx, p.DB, query, put) }, nil
		},
	}
}

const innodbPrefix = "mysql.innodb."

// innodbMetrics are named mysql.innodb.<name>.
func innodbMetrics() []record.Metric {
	v := func(m record.Metric) record.Metric { m.Name = innodbPrefix + m.Name; return m }
	return []record.Metric{
		v(gauge("trx_rseg_history_len", count, "history list length: undo logs that are not purged")),
		v(cost("lock_deadlocks", count, "deadlocks")),
		v(cost("lock_timeouts", count, "lock waits that timed out")),
		v(cost("innodb_rwlock_s_os_waits", count, "OS waits of shared rw-lock requests")),
		v(cost("innodb_rwlock_x_os_waits", count, "OS waits of exclusive rw-lock requests")),
		v(cost("innodb_rwlock_sx_os_waits", count, "OS waits of shared-exclusive rw-lock requests")),
	}
}

func innodbQuery() string {
	var names []string
	for _, m := range innodbMetrics() {
		names = append(names, "'"+strings.TrimPrefix(m.Name, innodbPrefix)+"'")
	}
	slices.Sort(names)
	return "SELECT NAME, COUNT FROM information_schema.INNODB_METRICS WHERE TIME_ENABLED IS NOT NULL AND TIME_DISABLED IS NULL AND NAME IN (" +
		strings.Join(names, ",") + ")"
}

func readInnoDB(ctx context.Context, db *sql.DB, query string, put func(string, float64)) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("read INNODB_METRICS: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var value float64
		if err := rows.Scan(&name, &value); err != nil {
			return fmt.Errorf("read INNODB_METRICS: %w", err)
		}
		put(innodbPrefix+strings.ToLower(name), value)
	}
	return rows.Err()
}
