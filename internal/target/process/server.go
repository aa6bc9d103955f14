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
	mysqld    *running // an event can have another one start
	neighbour *neighbour
	network   *network.Network      // made and removed with this server; nil: none was
	namespace string                // the network namespace that it runs in, "" for the host's
	database  *replication.Database // that it is the first member of; nil: it is alone
	account   mysqld.Address        // of a client over the network

	// freezer is made when the server is frozen for the first time; nil: signals stop it.
	freezer      *node.Freezer
	frozenBefore bool
	freezing     sync.Mutex // a run that ends thaws while it may just freeze

	running  sync.Mutex // of mysqld and expected
	expected bool       // that it ends: an event starts it again

	stop    sync.Once
	stopped error
}

// process is the server's process, nil before it has started.
func (s *server) process() *running {
	s.running.Lock()
	defer s.running.Unlock()
	return s.mysqld
}

// expect says whether the end of the process is an event's.
func (s *server) expect(end bool) {
	s.running.Lock()
	defer s.running.Unlock()
	s.expected = end
}

// Address is the socket: the same for a server in a container, so that no arm
// has a network that was not declared.
func (s *server) Address() mysqld.Address {
	return mysqld.Address{Socket: filepath.Join(s.request.RunDir, target.SocketFile), User: "root"}
}

// PID is the server's process; 0 once it has ended, when the number can be
// another's.
func (s *server) PID() int {
	r := s.process()
	if r.hasEnded() {
		return 0
	}
	return r.cmd.Process.Pid
}

// Alive tells how the server ended, with the last lines of its log.
func (s *server) Alive() error {
	s.running.Lock()
	r, expected := s.mysqld, s.expected
	s.running.Unlock()
	if expected || !r.hasEnded() {
		return nil
	}
	how := "exit status 0"
	if r.err != nil {
		how = r.err.Error()
	}
	return errors.New(record.ExitedWithLog.Say(how, s.log.Last()))
}

// Stop kills the server, ends the neighbour and removes what Start made.
func (s *server) Stop(context.Context) error {
	s.stop.Do(func() {
		s.stopped = errors.Join(s.Thaw(), s.process().kill(), s.freezer.Remove(), s.neighbour.stop(), s.network.Remove(), s.removeFiles())
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
