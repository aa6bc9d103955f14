package replication

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/tarebench/tare/internal/mysqld"
)

// TransactionBytes is the mean size of a transaction in the binary log of the first member,
// which is what replication sends for it, since the members joined. Nothing was committed
// since then is an error.
func (d *Database) TransactionBytes(ctx context.Context) (int, error) {
	all, err := d.open()
	defer closeAll(all)
	if err != nil {
		return 0, err
	}
	logs, err := table(ctx, all[0], "SHOW BINARY LOGS")
	if err != nil {
		return 0, fmt.Errorf("list binary logs: %w", err)
	}
	var size int64
	for _, l := range logs {
		n, err := strconv.ParseInt(l["File_size"], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("list binary logs: %w", err)
		}
		size += n
	}
	query, count := "SELECT @@GLOBAL.gtid_executed", gtidCount
	if d.server.Flavour == mysqld.MariaDB {
		query, count = "SELECT @@GLOBAL.gtid_binlog_pos", func(at string) int64 { return positionsBehind(at, "") }
	}
	var executed string
	if err := all[0].QueryRowContext(ctx, query).Scan(&executed); err != nil {
		return 0, fmt.Errorf("read executed transactions: %w", err)
	}
	n := count(executed)
	if n == 0 {
		return 0, errors.New("no transaction was committed")
	}
	return int(size / n), nil
}
