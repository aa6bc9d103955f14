package loop

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
)

// TestRouteChangedWhileConnecting: a connection to a server that has ceased to take load before the
// loop has the connection is not used, and made again with the other server.
func TestRouteChangedWhileConnecting(t *testing.T) {
	l, c := mute(t, programOf(t, "oltp_update_index", 1))
	asked := make(chan int, 1)
	routes := mysqld.NewRoutes(make([]mysqld.Address, 2), 1)
	l.job.Routes = routes
	l.job.DialTo = func(_ context.Context, server int) (*wire.Session, error) {
		asked <- server
		return nil, errors.New("refused")
	}
	old := c.wire
	c.wire, c.state, l.busy = nil, gone, 1
	l.reconnected(redialed{c: c, wire: old})
	if server := <-asked; server != 1 || c.wire != nil {
		t.Errorf("connected with server %d", server)
	}
	if err := unix.SetNonblock(old.FD, true); err != unix.EBADF {
		t.Errorf("the connection to the old server is open: %v", err)
	}
}
