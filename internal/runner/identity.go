package runner

// How a server is told from another one, and from itself before a restart.

import (
	"context"
	"database/sql"
	"fmt"
)

// serverIdentity is what a server calls itself, and when it was started: between two seconds of
// its own clock, because questions take time.
//
// Uptime is the time of day less that of the start (show_starttime in MySQL's
// sql/mysqld.cc and MariaDB's): it jumps with a clock that is set. The start does not, if
// the time of day is the server's too. Ours, monotonic or not, would show a restart.
type serverIdentity struct {
	name             string
	earliest, latest int64 // Unix time of the start
	uptime           int64 // seconds; wrong after the clock was set
}

// identify asks the server on a connection.
func identify(ctx context.Context, conn *sql.Conn) (serverIdentity, error) {
	var i serverIdentity
	var before, after int64
	// Unsigned: a clock that was set to a time before the start makes the server print the
	// negative number so.
	var uptime uint64
	if err := conn.QueryRowContext(ctx, "SELECT CONCAT_WS(':', @@hostname, @@port, @@server_id), UNIX_TIMESTAMP()").Scan(&i.name, &before); err != nil {
		return serverIdentity{}, fmt.Errorf("ask for the server's name: %w", err)
	}
	if err := conn.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Uptime'").Scan(new(string), &uptime); err != nil {
		return serverIdentity{}, fmt.Errorf("ask for the server's uptime: %w", err)
	}
	if err := conn.QueryRowContext(ctx, "SELECT UNIX_TIMESTAMP()").Scan(&after); err != nil {
		return serverIdentity{}, fmt.Errorf("ask for the server's time: %w", err)
	}
	i.uptime = int64(uptime)
	i.earliest, i.latest = before-i.uptime, after-i.uptime
	return i, nil
}
