package external

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

type server struct {
	name     string
	address  mysqld.Address
	settings Settings
	lease    *lease
	db       *sql.DB

	mu    sync.Mutex
	asked time.Time // when the server last answered
}

func (s *server) Address() mysqld.Address { return s.address }

// Exec runs commands on the client's side only.
func (s *server) Exec(ctx context.Context, side target.Side, c target.Command) error {
	if side == target.ServerSide {
		return fmt.Errorf("run %s beside the server: %s is an external server, on which tare runs nothing", c.Path, s.settings.where())
	}
	return target.RunHere(ctx, c.Here(ctx, s.name))
}

// aliveFor is how long an answer counts: a question is a load of its own.
const aliveFor = time.Second

// Alive asks the server, which is all that can be known of its process. A schema that
// another tare took over meanwhile is lost, too.
func (s *server) Alive() error {
	if err := s.lease.lostBy(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.asked) < aliveFor {
		return nil
	}
	ctx, cancel := limit(context.Background(), reachWithin)
	defer cancel()
	err := s.db.PingContext(ctx)
	if errors.Is(err, mysql.ErrInvalidConn) {
		// The connection ended after the ping was sent, and database/sql repeats only what was not sent
		// (driver.ErrBadConn). A new connection shows whether the server can be reached, and if not, why.
		err = s.db.PingContext(ctx)
	}
	if err != nil {
		return s.silent(err)
	}
	s.asked = time.Now()
	return nil
}

// silent says what a failed question means. Every connection is made in the schema.
func (s *server) silent(err error) error {
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && refused.Number == errUnknownSchema {
		return record.NoSchema.Wrap(err, s.settings.where(), s.settings.Schema)
	}
	if unreached := s.settings.unreached(err); unreached != nil {
		return unreached
	}
	return record.Silent.Wrap(err, s.settings.where())
}

// unreached is the error of a connection that DNS or TLS prevents, nil for other errors.
func (s Settings) unreached(err error) error {
	why := mysqld.Unreachable(err)
	if why == "" {
		return nil
	}
	return errors.New(record.NoConnection.Say(s.where(), why))
}

// Stop leaves the server as it is and the schema to Release.
func (s *server) Stop(context.Context) error {
	if err := s.db.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
		return fmt.Errorf("leave server: %w", err)
	}
	return nil
}

// where is the server's place, in words.
func (s Settings) where() string {
	if s.Socket != "" {
		return "socket " + s.Socket
	}
	return net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
}
