package probe

// This file reads how busy the programs are that load a running server, as far as they run on
// the same machine: a client without CPU time sends less, and its server looks slow.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// clients reads the cgroups and the threads of the processes that have connections to the
// server. Their files say so to root only.
func clients() Probe {
	return Probe{
		Name: "clients", Help: "CPU time and throttling of the server's clients on the same machine",
		Metrics: []record.Metric{
			gauge(keys.ClientsConnections, "1", "connections of clients"),
			gauge(keys.ClientsHere, "1", "connections whose client is a process of this machine"),
			counter(keys.ClientsNrPeriods, "1", "CFS periods of the clients' cgroup with a quota that was throttled most"),
			cost(keys.ClientsNrThrottled, "1", "CFS periods in which the quota of that cgroup was used up"),
			counter(keys.ClientsBusiestRunNS, "ns", "time for which the busiest thread of the clients was on a CPU"),
			counter(keys.ClientsBusiestWaitNS, "ns", "time for which that thread waited for a CPU"),
		},
		GoesOn: true,
		Start: func(p Place) (Read, error) {
			found, err := p.clients()
			if err != nil {
				return nil, err
			}
			c := &clientLoad{place: p, clients: found, groups: p.clientGroups(found.pids), quotas: map[string]periods{}, threads: map[string]ran{}}
			return c.read, nil
		},
	}
}

// clientLoad is what the clients that were found have used since the first reading. A maximum is taken
// of sums over that time: that of each second would be of a thread or a cgroup that there is not, where
// several take turns.
type clientLoad struct {
	place   Place
	clients foundClients
	groups  []string
	quotas  map[string]periods // of the cgroups, when they were read first
	held    periods            // of the cgroup that has been throttled most
	threads map[string]ran     // of all clients, by their directories, when they were read first
	busiest ran                // the thread that has been on a CPU for longest
}

// periods are those of a quota, and how many of them were throttled.
type periods struct{ all, throttled float64 }

// ran is the time on a CPU and in a run queue, in ns.
type ran struct{ on, queued float64 }

// clientGroups are the cgroups of the clients and those above them, without those that the
// server is in too: a quota there is the server's.
func (p Place) clientGroups(pids []int) (dirs []string) {
	seen := map[string]bool{}
	if own, _, err := p.groups("cpu"); err == nil {
		for _, dir := range own {
			seen[dir] = true
		}
	}
	for _, pid := range pids {
		above, _, err := Place{Root: p.Root, PID: pid}.groups("cpu")
		if err != nil {
			continue // it has ended
		}
		for _, dir := range above {
			if !seen[dir] {
				seen[dir] = true
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

func (c *clientLoad) read(_ context.Context, put func(string, float64)) error {
	put(keys.ClientsConnections, float64(c.clients.connections))
	put(keys.ClientsHere, float64(c.clients.here))
	c.mostHeld()
	put(keys.ClientsNrPeriods, c.held.all)
	put(keys.ClientsNrThrottled, c.held.throttled)
	return c.longest(put)
}

// mostHeld reads the quotas. A pod and its container can both have one, and the processes of two
// containers are not throttled by each other's: the counts of several are not added.
func (c *clientLoad) mostHeld() {
	for _, dir := range c.groups {
		text, err := read(c.place.Root, path.Join(dir, "cpu.stat"))
		if err != nil {
			continue // it has gone
		}
		stat := keyed(text)
		now := periods{stat["nr_periods"], stat["nr_throttled"]}
		first, known := c.quotas[dir]
		if !known {
			c.quotas[dir], first = now, now
		}
		since := periods{now.all - first.all, now.throttled - first.throttled}
		if since.throttled > c.held.throttled || since.throttled == c.held.throttled && since.all > c.held.all {
			c.held = since
		}
	}
}

// mostThreads is how many threads of clients are read at most: beyond it a reading would take
// more than it tells.
const mostThreads = 512

// longest reads the threads.
func (c *clientLoad) longest(put func(string, float64)) error {
	all := 0
	for _, pid := range c.clients.pids {
		tasks := Place{PID: pid}.proc("task")
		entries, err := fs.ReadDir(c.place.Root, tasks)
		if err != nil {
			continue // it has ended
		}
		if all += len(entries); all > mostThreads {
			return fmt.Errorf("the clients have more than %d threads", mostThreads)
		}
		for _, e := range entries {
			dir := path.Join(tasks, e.Name())
			if text, err := read(c.place.Root, path.Join(dir, "schedstat")); err == nil {
				if on, queued, ok := two(text); ok {
					c.thread(dir, ran{on, queued})
				}
			}
		}
	}
	if len(c.threads) > 0 {
		put(keys.ClientsBusiestRunNS, c.busiest.on)
		put(keys.ClientsBusiestWaitNS, c.busiest.queued)
	}
	return nil
}

func (c *clientLoad) thread(dir string, now ran) {
	first, known := c.threads[dir]
	if !known || now.on < first.on { // another thread can get the number of one that has ended
		c.threads[dir], first = now, now
	}
	if since := (ran{now.on - first.on, now.queued - first.queued}); since.on > c.busiest.on {
		c.busiest = since
	}
}

// foundClients are the processes of this machine that have connections to the server.
type foundClients struct {
	connections, here int // how many there are, and how many of them are of a process here
	pids              []int
}

// clients looks for the other ends of the server's connections.
func (p Place) clients() (f foundClients, err error) {
	if p.PID == 0 {
		return f, p.elsewhere()
	}
	ends, connections, err := p.otherEnds()
	if err != nil {
		return f, fmt.Errorf("find the server's clients: %w", err)
	}
	f.connections = connections
	entries, err := fs.ReadDir(p.Root, "proc")
	if err != nil {
		return f, fmt.Errorf("find the server's clients: %w", err)
	}
	denied := false
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || len(ends) == 0 {
			continue
		}
		sockets, err := p.sockets(pid)
		denied = denied || errors.Is(err, fs.ErrPermission)
		has := false
		for inode := range sockets {
			if ends[inode] {
				delete(ends, inode)
				f.here++
				has = true
			}
		}
		if has {
			f.pids = append(f.pids, pid)
		}
	}
	if denied && f.here == 0 && f.connections > 0 {
		return f, fmt.Errorf("find the server's clients: %w", fs.ErrPermission)
	}
	return f, nil
}
