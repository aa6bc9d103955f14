package node

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// stay keeps the threads of a frozen neighbour to the CPUs where they were frozen, until they have been
// woken there.
//
// A thread that never sleeps is woken with the load of a whole CPU. If the kernel wakes it on another CPU, a
// part of its cgroup's load remains counted on the first one (tg_load_avg in kernel/sched/fair.c), and the cgroup
// gets less than its weight for the whole turn. Thaw cannot be told where to wake, but sched_setaffinity(2) can.
type stay struct {
	mu sync.Mutex
	// held are the CPUs that each held thread may use otherwise, by its number.
	held map[int]unix.CPUSet
}

// hold keeps every thread of a process to the CPU that it ran on last. A thread that is held stays so, and a process
// that has ended has none.
func (s *stay) hold(pid int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	threads, err := procfs.AllThreads(pid)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list threads of neighbour %d: %w", pid, err)
	}
	if s.held == nil {
		s.held = map[int]unix.CPUSet{}
	}
	for _, thread := range threads {
		if _, held := s.held[thread.PID]; held {
			continue
		}
		if err := s.holdThread(thread); err != nil && !gone(err) {
			return fmt.Errorf("hold thread %d of neighbour %d: %w", thread.PID, pid, err)
		}
	}
	return nil
}

func (s *stay) holdThread(thread procfs.Proc) error {
	stat, err := thread.Stat()
	if err != nil {
		return err
	}
	var cpus, last unix.CPUSet
	if err := unix.SchedGetaffinity(thread.PID, &cpus); err != nil {
		return err
	}
	last.Set(int(stat.Processor))
	if err := unix.SchedSetaffinity(thread.PID, &last); err != nil {
		return err
	}
	s.held[thread.PID] = cpus
	return nil
}

// release gives the threads back the CPUs that they may use.
func (s *stay) release() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for tid, cpus := range s.held {
		if err := unix.SchedSetaffinity(tid, &cpus); err != nil && !gone(err) {
			errs = append(errs, fmt.Errorf("release thread %d: %w", tid, err))
		}
	}
	s.held = nil
	return errors.Join(errs...)
}

// gone says whether a process or thread had ended (proc(5), sched_setaffinity(2)).
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }
