package members

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/replication"
)

// mute is a member that never answers.
type mute struct{}

func (mute) Connect(ctx context.Context) (driver.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (mute) Driver() driver.Driver { return nil }

// A primary that does not answer fails from when it is watched, not from when the members were
// started: between the two is the preparation of the data, and a failover would be due at once.
func TestFailsFromWhenItIsWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		settings := replication.Settings{Mode: replication.SemiSync}
		hosts := []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"}
		database, err := replication.New(settings, mysqld.Distribution{}, hosts)
		if err != nil {
			t.Fatal(err)
		}
		var all []*sql.DB
		for range hosts {
			db := sql.OpenDB(mute{})
			defer db.Close()
			all = append(all, db)
		}
		w := newWatch(database, &mysqld.Routes{})
		time.Sleep(time.Minute)
		watched := time.Now()
		ctx, end := context.WithTimeout(t.Context(), 3*time.Second)
		defer end()
		w.run(ctx, all)
		if !w.failing.Equal(watched) {
			t.Errorf("the primary fails from %v after it is watched, want 0", w.failing.Sub(watched))
		}
	})
}
