package process

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/node"
)

// Freeze stops the server and its neighbour's tree. A process of bare metal is in no cgroup
// of tare's: it would then be compared as what it is not. A freezer of its own changes nothing
// else. Where there is none, the server's process group is stopped (SIGSTOP; signal(7)).
//
// Signals are the worse way: the members of a replicated database that were stopped by them lost a
// fifth of their throughput in the turns after, and by the freezer nothing (docs/slices.md).
func (s *server) Freeze() error {
	err := s.freeze()
	if n := s.neighbour; n != nil && n.tree != nil {
		err = errors.Join(err, n.tree.Freeze())
	}
	return err
}

// Thaw lets them go on.
func (s *server) Thaw() (err error) {
	s.freezing.Lock()
	defer s.freezing.Unlock()
	if s.freezer != nil {
		err = s.freezer.Thaw()
	} else {
		err = s.signal(unix.SIGCONT)
	}
	if n := s.neighbour; n != nil && n.tree != nil {
		err = errors.Join(err, n.tree.Thaw())
	}
	return err
}

// freeze makes the freezer the first time.
func (s *server) freeze() (err error) {
	if s.process() == nil {
		return nil
	}
	s.freezing.Lock()
	defer s.freezing.Unlock()
	if !s.frozenBefore && s.PID() != 0 {
		s.frozenBefore = true
		if s.freezer, err = node.NewFreezer(s.request.Name, s.PID()); err != nil {
			return err
		}
	}
	if s.freezer == nil || s.PID() == 0 {
		return s.signal(unix.SIGSTOP)
	}
	return s.freezer.Freeze()
}

// signal reaches the whole group; one that has ended needs none.
func (s *server) signal(sig unix.Signal) error {
	r := s.process()
	// While the process is not waited for, its number cannot be another's.
	if r == nil || r.hasEnded() {
		return nil
	}
	if err := unix.Kill(-r.cmd.Process.Pid, sig); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("signal mysqld: %w", err)
	}
	return nil
}
