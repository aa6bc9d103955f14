package observe

// This file counts the statements of tare's own connection, which are not counted as load of the server.

import (
	"context"
	"database/sql"
	"strconv"
)

// ownWork is what one connection has done since it began.
type ownWork struct {
	connection int64
	counts     map[string]float64 // by unit; empty where performance_schema counts nothing
	questions  float64
	known      bool
}

// readOwn asks for the work of this connection. It is part of readWork, so that as many statements of it lie between the
// two readings of the connection as between those of the server.
func readOwn(ctx context.Context, db *sql.DB) (w ownWork) {
	var name, questions string
	if err := db.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&w.connection); err != nil {
		return ownWork{}
	}
	if err := db.QueryRowContext(ctx, "SHOW SESSION STATUS LIKE 'Questions'").Scan(&name, &questions); err != nil {
		return ownWork{}
	}
	n, err := strconv.ParseFloat(questions, 64)
	w.questions, w.known, w.counts = n, err == nil, map[string]float64{}
	const mine = " AND THREAD_ID = (SELECT THREAD_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = CONNECTION_ID())"
	for _, of := range [][2]string{
		{Transactions, "events_transactions_summary_by_thread_by_event_name WHERE EVENT_NAME = 'transaction'"},
		{Statements, "events_statements_summary_by_thread_by_event_name WHERE (" + clientStatements + ")"},
	} {
		var n sql.NullFloat64
		if err := db.QueryRowContext(ctx, "SELECT SUM(COUNT_STAR) FROM performance_schema."+of[1]+mine).Scan(&n); err == nil && n.Valid {
			w.counts[of[0]] = n.Float64
		}
	}
	return w
}

// since is what the connection has done since an earlier reading, as a count of the unit; 0 where that is not known, as of a
// connection that was lost meanwhile.
func (w ownWork) since(before ownWork, unit string) float64 {
	if !w.same(before) {
		return 0
	}
	now, ok := w.counts[unit]
	then, ok2 := before.counts[unit]
	if !ok || !ok2 {
		if unit == Transactions {
			return 0
		}
		return w.asked(before)
	}
	return now - then
}

// asked is how many statements the connection has sent since an earlier reading, as Questions counts them.
func (w ownWork) asked(before ownWork) float64 {
	if !w.same(before) {
		return 0
	}
	return w.questions - before.questions
}

func (w ownWork) same(before ownWork) bool {
	return w.known && before.known && w.connection == before.connection
}
