package probe

// This file reads the times of all processes as those of one moment. A process that ends leaves its time with the one that
// waits for it. Where that happens between the two being read, all that the process ever used is counted twice or not at
// all: minutes of CPU time of a compiler, in a window of seconds.

import (
	"fmt"
	"io/fs"
	"maps"
	"strconv"
)

// mostLooks is how often the processes are listed until none has ended while they were read. Each list takes a
// millisecond.
const mostLooks = 20

// processes are those that there are, without threads of the kernel.
func (o *Others) processes(whole bool) (map[int]process, error) {
	listed, err := o.list()
	if err != nil {
		return nil, err
	}
	all := map[int]process{}
	for pid := range listed {
		o.readInto(all, pid, whole)
	}
	for range mostLooks {
		now, err := o.list()
		if err != nil {
			return nil, err
		}
		again := o.waiters(all, listed, now)
		if len(again) == 0 {
			return all, nil
		}
		for pid := range again {
			o.readInto(all, pid, whole)
		}
	}
	return all, nil
}

// waiters forgets the processes that have ended since they were listed, and returns those that may have waited for them:
// what runs of their ancestors. Of a process that was never read they are not known, so that all are.
func (o *Others) waiters(all map[int]process, listed, now map[int]bool) map[int]bool {
	again := map[int]bool{}
	for pid := range listed {
		if now[pid] || o.threads[pid] {
			continue
		}
		p, read := all[pid]
		if !read {
			p, read = o.before[pid]
		}
		if !read && o.before == nil {
			maps.Copy(again, now)
		}
		for range len(all) + len(o.before) { // a bound, as processes end while they are listed
			parent, known := all[p.parent]
			if !known {
				if parent, known = o.before[p.parent]; !known {
					break
				}
			}
			if now[p.parent] {
				again[p.parent] = true
			}
			p = parent
		}
		again[pid] = true // it is read again as nothing
	}
	for pid := range listed {
		if !now[pid] {
			delete(listed, pid)
			delete(all, pid)
		}
	}
	return again
}

// list are the numbers of the processes, and of threads of the kernel that are not known yet.
func (o *Others) list() (map[int]bool, error) {
	entries, err := fs.ReadDir(o.Root, "proc")
	if err != nil {
		return nil, fmt.Errorf("read processes: %w", err)
	}
	pids := map[int]bool{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && !o.threads[pid] {
			pids[pid] = true
		}
	}
	return pids, nil
}

// readInto reads a process, if it is there and no thread of the kernel.
func (o *Others) readInto(all map[int]process, pid int, whole bool) {
	p, err := o.stat(pid)
	if err != nil { // it has just ended
		delete(all, pid)
		return
	}
	if whole && (pid == kernelThreads || p.parent == kernelThreads) {
		o.threads[pid] = true
		return
	}
	all[pid] = p
}
