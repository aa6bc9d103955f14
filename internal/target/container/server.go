package container

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/remove"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
)

// server is a server in its container. What Start has not made yet is nil.
type server struct {
	request      target.Request
	log          *target.Tail
	options      mysqld.Options
	requirements node.Requirements
	enforced     node.Enforced
	volume       volume
	security     security
	io           IO
	shape        []record.Fact
	tmpfsSize    node.Bytes // of a tmpfs without a size of its own
	capacity     node.Resources
	layers       layers
	tree         *node.Tree
	pod          *node.Pod
	neighbour    *node.RunningNeighbour
	runtime      runtime
	running      *running
	pid          int                   // of the server, as the host sees it
	network      *network.Network      // made and removed with this server; nil: none was
	namespace    string                // the network namespace that it runs in, "" for the host's
	database     *replication.Database // that it is the first member of; nil: it is alone
	first        *server               // of the database that this is a further member of; nil for all others
	account      mysqld.Address        // of a client over the network
	resolver     string                // the file that says who answers DNS; "": the image's own
	reconnect    int
	client       *node.Pod // of the load; nil: it is tare's own
	generator    []string
	oomWanted    int
	oomGiven     int

	changing sync.Mutex // of running, pid and expected: an event can have another container start
	expected bool       // that the server ends: an event starts it again

	stop    sync.Mutex
	stopped bool
}

// container is the runtime's process, nil before it has started.
func (s *server) container() *running {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.running
}

// expect says whether the end of the server is an event's.
func (s *server) expect(end bool) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.expected = end
}

// Address is the socket, which the server has in its run directory on the host
// and in the container alike.
func (s *server) Address() mysqld.Address {
	return mysqld.Address{Socket: filepath.Join(s.request.RunDir, target.SocketFile), User: "root"}
}

// PID is the server as the host sees it; 0 once it has ended.
func (s *server) PID() int {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.running.hasEnded() {
		return 0
	}
	return s.pid
}

// Alive tells how the server ended, and whether the kernel has killed for
// memory.
func (s *server) Alive() error {
	s.changing.Lock()
	running, expected := s.running, s.expected
	s.changing.Unlock()
	if expected || !running.hasEnded() {
		return nil
	}
	how := "exit status 0"
	if running.err != nil {
		how = running.err.Error()
	}
	if kills := s.pod.OOMKills(); kills != "" && kills != "0" {
		return s.killedForMemory(how)
	}
	return errors.New(record.InContainerLog.Say(how, s.log.Last()))
}

// killedForMemory says that the kernel has killed the server for memory, and at which limit.
func (s *server) killedForMemory(how string) error {
	limit := s.requirements.Limit.Memory
	if s.enforced.Memory != nil {
		limit = *s.enforced.Memory
	}
	if limit == 0 {
		return record.KilledNoLimit.Error(target.ErrKilled, how)
	}
	return record.WithAdvice.Error(target.ErrKilled, record.KilledForMemory.Say(fmt.Sprint(int64(limit)>>20), how), record.AdviseMemory.Say())
}

// removeWithin bounds what the runtime and the kernel may take to remove a container.
const removeWithin = 2 * time.Minute

// Stop kills the server, ends the neighbour and removes what Start made.
func (s *server) Stop(ctx context.Context) error {
	s.stop.Lock()
	defer s.stop.Unlock()
	if s.stopped {
		return nil
	}
	if err := s.unthrottle(); err != nil { // it would die as slowly as its disk is
		fmt.Fprintln(s.log, "tare:", err)
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeWithin)
	defer cancel()
	if err := s.remove(within); err != nil {
		return fmt.Errorf("stop container: %w", err)
	}
	s.stopped = true
	return nil
}

// remove takes down whatever is there, in this order: processes hold mounts and
// cgroups, and no file may be removed through a mount. It can be repeated.
func (s *server) remove(ctx context.Context) error {
	err := s.Thaw() // what is frozen does not die
	if s.neighbour != nil {
		s.neighbour.Stop()
	}
	err = errors.Join(err, s.removeContainer(ctx), s.removeTree(ctx), s.network.Remove())
	if e := unmount(s.layers.merged); e != nil {
		return errors.Join(err, e)
	}
	if e := s.volume.remove(ctx); e != nil {
		return errors.Join(err, e)
	}
	return errors.Join(err, s.removeFiles())
}

// removeContainer kills what runs in the container and lets the runtime forget
// it. A runtime that was interrupted while it made the container has nothing to
// forget yet, so it is ended and asked again.
func (s *server) removeContainer(ctx context.Context) error {
	running := s.container()
	if running == nil {
		return nil
	}
	_, err := s.runtime.do(ctx, "delete", "--force", s.request.Name)
	select {
	case <-running.ended:
		return err
	case <-time.After(2 * time.Second):
	}
	if err := syscall.Kill(-running.cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill container runtime: %w", err)
	}
	select {
	case <-running.ended:
	case <-ctx.Done():
		return fmt.Errorf("kill container runtime: process %d does not end: %w", running.cmd.Process.Pid, ctx.Err())
	}
	_, err = s.runtime.do(ctx, "delete", "--force", s.request.Name)
	return err
}

// removeTree ends what is left in the pods, which nothing should be, and removes
// their cgroups.
func (s *server) removeTree(ctx context.Context) error {
	if s.tree == nil || s.first != nil { // a further member's pod goes with the tree of the first
		return nil
	}
	pids, err := s.tree.Processes()
	if err != nil {
		return err
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill process %d: %w", pid, err)
		}
	}
	return s.tree.Remove(ctx)
}

// removeFiles takes away what is not the caller's. A killed server leaves its
// socket, lock and pid files.
func (s *server) removeFiles() error {
	errs := []error{remove.Tree(s.request.Dir, s.runtime.dir), remove.Tree(s.request.Dir, s.request.TmpDir(), s.request.Distribution.UID)}
	for _, name := range []string{
		target.SocketFile, target.SocketFile + ".lock", target.PIDFile, target.DefaultsFile, target.AccountsFile,
	} {
		if err := os.Remove(filepath.Join(s.request.RunDir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
