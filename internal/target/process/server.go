package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/remove"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
)

type server struct {
	request   target.Request
	view      view
	options   mysqld.Options
	log       *target.Tail
	mysqld    *running
	neighbour *neighbour
	network   *network.Network      // made and removed with this server; nil: none was
	namespace string                // the network namespace that it runs in, "" for the host's
	database  *replication.Database // that it is the first member of; nil: it is alone
	account   mysqld.Address        // of a client over the network

	// freezer is made when the server is frozen for the first time; nil: signals stop it.
	freezer      *node.Freezer
	frozenBefore bool
	freezing     sync.Mutex // a run that ends thaws while it may just freeze

	stop    sync.Once
	stopped error
}

// Address is the socket: the same for a server in a container, so that no arm
// has a network that was not declared.
func (s *server) Address() mysqld.Address {
	return mysqld.Address{Socket: filepath.Join(s.request.RunDir, target.SocketFile), User: "root"}
}

// PID is the server's process; 0 once it has ended, when the number can be
// another's.
func (s *server) PID() int {
	if s.Alive() != nil {
		return 0
	}
	return s.mysqld.cmd.Process.Pid
}

// Alive tells how the server ended, with the last lines of its log.
func (s *server) Alive() error {
	select {
	case <-s.mysqld.ended:
	default:
		return nil
	}
	how := "exit status 0"
	if s.mysqld.err != nil {
		how = s.mysqld.err.Error()
	}
	return errors.New(record.ExitedWithLog.Say(how, s.log.Last()))
}

// Stop kills the server, ends the neighbour and removes what Start made.
func (s *server) Stop(context.Context) error {
	s.stop.Do(func() {
		s.stopped = errors.Join(s.Thaw(), s.mysqld.kill(), s.freezer.Remove(), s.neighbour.stop(), s.network.Remove(), s.removeFiles())
	})
	return s.stopped
}

// removeFiles takes away what is not the caller's. A killed server leaves its
// socket, lock and pid files.
func (s *server) removeFiles() error {
	errs := []error{remove.Tree(s.request.Dir, s.request.TmpDir(), s.request.Distribution.UID), removeEmpty(scratch(s.request))}
	for _, name := range []string{
		target.SocketFile, target.SocketFile + ".lock", target.PIDFile, target.DefaultsFile, target.AccountsFile,
	} {
		if err := os.Remove(filepath.Join(s.request.RunDir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// removeEmpty is not RemoveAll: should anything be mounted there, it is not to
// be emptied.
func removeEmpty(dir string) error {
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
