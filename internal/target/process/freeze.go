package process

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Freeze stops the server's process group (SIGSTOP; signal(7)) and its neighbour's
// tree. A process of bare metal is in no cgroup of tare's, and gets none for this: it
// would then be compared as what it is not.
func (s *server) Freeze() error {
	err := s.signal(unix.SIGSTOP)
	if n := s.neighbour; n != nil && n.tree != nil {
		err = errors.Join(err, n.tree.Freeze())
	}
	return err
}

// Thaw lets them go on.
func (s *server) Thaw() error {
	err := s.signal(unix.SIGCONT)
	if n := s.neighbour; n != nil && n.tree != nil {
		err = errors.Join(err, n.tree.Thaw())
	}
	return err
}

// signal reaches the whole group; one that has ended needs none.
func (s *server) signal(sig unix.Signal) error {
	if s.mysqld == nil {
		return nil
	}
	// While the process is not waited for, its number cannot be another's.
	select {
	case <-s.mysqld.ended:
		return nil
	default:
	}
	if err := unix.Kill(-s.mysqld.cmd.Process.Pid, sig); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("signal mysqld: %w", err)
	}
	return nil
}
