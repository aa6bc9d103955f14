package fill

import (
	"context"
	"fmt"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// Codes with which a cluster refuses locks of users: Percona XtraDB Cluster in its
// strict mode, and Galera in MariaDB.
const (
	codeForbidden       = 1105
	codeNotSupportedYet = 1235
)

// lock waits until no other generator makes the same share of the tables in this schema and
// keeps others waiting until the session is closed, also when this process is killed. The one
// that comes second then finds all portions there. The name is hashed because a
// schema's may be as long as a lock's, and not by SHA1, which MySQL 9 has lost.
//
// Where the server has no such locks there is no wait, and of two that insert the same
// portion one fails with a duplicate key.
func lock(ctx context.Context, dial func(context.Context) (*wire.Session, error), share string) (*wire.Session, error) {
	s, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	for {
		rows, err := s.Query(ctx, "SELECT GET_LOCK(CONCAT('tare.', SHA2(CONCAT(DATABASE(), '"+share+"'), 224)), 1)")
		switch {
		case hasCode(err, codeForbidden) || hasCode(err, codeNotSupportedYet):
			return s, nil
		case err != nil:
			s.Close()
			return nil, fmt.Errorf("wait for other generators: %w", err)
		case len(rows) == 1 && rows[0][0] == "1":
			return s, nil
		}
	}
}
