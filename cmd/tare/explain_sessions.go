package main

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/report/live"
)

// sessionsOf counts the sessions of a server's clients by their state, the most frequent first. Those of tare itself,
// which asks and may renew the lease of another run, and threads of the server are no clients.
func sessionsOf(ctx context.Context, db *sql.DB) (all []live.State, unknown string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	rows, err := db.QueryContext(ctx, "SELECT CASE WHEN COMMAND = 'Sleep' THEN '' ELSE COALESCE(STATE, '') END AS doing, COUNT(*) AS n FROM information_schema.PROCESSLIST"+
		" WHERE COMMAND NOT IN ('Daemon', 'Binlog Dump', 'Binlog Dump GTID') AND USER NOT IN ('system user', 'event_scheduler') AND ID <> CONNECTION_ID()"+
		" AND COALESCE(INFO, '') NOT LIKE ? GROUP BY 1 ORDER BY 2 DESC, 1", "%"+mysqld.LeaseTable+"%")
	if err != nil {
		return nil, fmt.Sprintf("list sessions: %s", err)
	}
	defer rows.Close()
	for rows.Next() {
		var s live.State
		if err := rows.Scan(&s.State, &s.Sessions); err != nil {
			return nil, fmt.Sprintf("list sessions: %s", err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Sprintf("list sessions: %s", err)
	}
	return all, ""
}
