package members

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/remove"
	"github.com/tarebench/tare/internal/target"
)

// Address is the first member's.
func (s *servers) Address() mysqld.Address { return s.all[0].Address() }

// Exec runs a command beside the first member, or where the load comes from.
func (s *servers) Exec(ctx context.Context, side target.Side, c target.Command) error {
	return s.all[0].Exec(ctx, side, c)
}

// Stop ends the proxy and all members, and removes what was made for them. The first comes
// last, because the network is its own.
func (s *servers) Stop(ctx context.Context) error {
	s.stop.Do(func() {
		proxied := s.proxy.stop()
		errs := make([]error, len(s.all))
		var ended sync.WaitGroup
		for i, server := range s.all[1:] {
			ended.Go(func() { errs[i+1] = server.Stop(ctx) })
		}
		ended.Wait()
		errs[0] = s.all[0].Stop(ctx)
		s.stopped = errors.Join(append(errs, proxied, s.removeDirs())...)
	})
	return s.stopped
}

// removeDirs takes the members' directories away, which their targets have emptied.
func (s *servers) removeDirs() error {
	var errs []error
	for i := len(s.dirs) - 1; i >= 0; i-- {
		errs = append(errs, remove.Tree(filepath.Dir(s.dirs[i]), s.dirs[i], s.request.Distribution.UID))
	}
	return errors.Join(errs...)
}

// named begins every line of a server's output with the member's name.
type named struct {
	to   io.Writer
	name string

	mu   sync.Mutex
	rest []byte
}

// Write passes whole lines on, each in one piece, so that those of two members do not mix.
func (n *named) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rest = append(n.rest, b...)
	for {
		line, rest, whole := bytes.Cut(n.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		if _, err := fmt.Fprintf(n.to, "%s%s\n", n.name, line); err != nil {
			return 0, err
		}
		n.rest = rest
	}
}
