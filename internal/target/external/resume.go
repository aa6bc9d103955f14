package external

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
)

// leaseOver is more than the clocks of a server and of this machine drift apart in a lease.
const leaseOver = time.Second

// resume waits until the lease has ended that an earlier process of the run may have taken: of one
// in another pod it is not known whether it has ended. A holder that runs renews its lease meanwhile,
// and Check then says who it is. An error of the server is Check's to say, too.
func (e *external) resume(ctx context.Context, _ string, log io.Writer) error {
	_ = e.administer(ctx, func(db *sql.DB) error {
		var held *mysqld.HeldError
		err := inTime(ctx, func(ctx context.Context) (err error) {
			held, err = e.heldBy(ctx, db)
			return err
		})
		if err != nil || held == nil {
			return err
		}
		left := mysqld.LeaseTime - max(0, held.Silent) + leaseOver // a server's clock may have been set back
		fmt.Fprintf(log, "%v; waiting for at most %.0f s\n", held, left.Seconds())
		select {
		case <-ctx.Done():
		case <-time.After(left):
		}
		return nil
	})
	return context.Cause(ctx)
}
