package probe

import (
	"context"
	"fmt"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// replication reads how far a replica is behind, by the workers' clocks
// (performance_schema.replication_applier_status_by_worker, MySQL 8.0 and later).
func replication() Probe {
	return Probe{
		Name: "mysql.replication", Help: "replication lag of the server", Every: asked,
		Metrics: []record.Metric{gauge(keys.MySQLReplicationLagNS, "ns", "age of the oldest transaction that a worker applies; absent on a source")},
		Start: func(p Place) (Read, error) {
			if p.DB == nil {
				return nil, errNoSession
			}
			const query = "SELECT COUNT(*), COALESCE(MAX(IF(APPLYING_TRANSACTION = '', 0," +
				" TIMESTAMPDIFF(MICROSECOND, APPLYING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP, NOW(6)))), 0)" +
				" FROM performance_schema.replication_applier_status_by_worker"
			return func(ctx context.Context, put func(string, float64)) error {
				var workers, lag float64
				if err := p.DB.QueryRowContext(ctx, query).Scan(&workers, &lag); err != nil {
					return fmt.Errorf("read replication workers: %w", err)
				}
				if workers > 0 {
					put(keys.MySQLReplicationLagNS, lag*1e3)
				}
				return nil
			}, nil
		},
	}
}
