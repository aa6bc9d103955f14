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
	"time"

	"github.com/tarebench/tare/internal/record"
)

// Metrics of the clients of a running server.
const (
	ClientConnections = "clients.connections"
	ClientsHere       = "clients.here"
	ClientPeriods     = "clients.nr_periods"
	ClientThrottled   = "clients.nr_throttled"
	ClientBusiest     = "clients.busiest_run"
	ClientWaiting     = "clients.busiest_wait"
)

// clients reads the cgroups and the threads of the processes that have connections to the
// server. Their files say so to root only.
func clients() Probe {
	return Probe{
		Name: "clients", Help: "CPU time and throttling of the server's clients on the same machine",
		Metrics: []record.Metric{
			gauge(ClientConnections, "1", "connections of clients"),
			gauge(ClientsHere, "1", "connections whose client is a process of this machine"),
			counter(ClientPeriods, "1", "CFS periods of the clients' cgroups with a quota"),
			cost(ClientThrottled, "1", "CFS periods in which a quota of the clients was used up"),
			gauge(ClientBusiest, "1", "share of the time for which the busiest thread of the clients was on a CPU"),
			gauge(ClientWaiting, "1", "share of the time for which the busiest thread of the clients waited for a CPU"),
		},
		GoesOn: true,
		Start: func(p Place) (Read, error) {
			found, err := p.clients()
			if err != nil {
				return nil, err
			}
			c := &clientLoad{place: p, clients: found, groups: p.clientGroups(found.pids), threads: map[string]ran{}}
			return c.read, nil
		},
	}
}

// clientLoad is what the clients that were found have used.
type clientLoad struct {
	place   Place
	clients foundClients
	groups  []string
	threads map[string]ran // of all clients, by their directories
	at      time.Time
}

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
	put(ClientConnections, float64(c.clients.connections))
	put(ClientsHere, float64(c.clients.here))
	periods, throttled := 0.0, 0.0
	for _, dir := range c.groups {
		if text, err := read(c.place.Root, path.Join(dir, "cpu.stat")); err == nil { // else it has gone
			stat := keyed(text)
			periods, throttled = periods+stat["nr_periods"], throttled+stat["nr_throttled"]
		}
	}
	put(ClientPeriods, periods)
	put(ClientThrottled, throttled)
	return c.busiest(put)
}

// mostThreads is how many threads of clients are read at most: beyond it a reading would take
// more than it tells.
const mostThreads = 512

// busiest reads the thread that has been on a CPU for longest since the last reading.
func (c *clientLoad) busiest(put func(string, float64)) error {
	now, all := time.Now(), map[string]ran{}
	for _, pid := range c.clients.pids {
		tasks := Place{PID: pid}.proc("task")
		entries, err := fs.ReadDir(c.place.Root, tasks)
		if err != nil {
			continue // it has ended
		}
		if len(all)+len(entries) > mostThreads {
			return fmt.Errorf("the clients have more than %d threads", mostThreads)
		}
		for _, e := range entries {
			dir := path.Join(tasks, e.Name())
			if text, err := read(c.place.Root, path.Join(dir, "schedstat")); err == nil {
				if on, queued, ok := two(text); ok {
					all[dir] = ran{on, queued}
				}
			}
		}
	}
	var most ran
	for dir, r := range all {
		if before, ok := c.threads[dir]; ok && r.on-before.on > most.on {
			most = ran{r.on - before.on, r.queued - before.queued}
		}
	}
	if past := float64(now.Sub(c.at)); !c.at.IsZero() && past > 0 && len(all) > 0 {
		put(ClientBusiest, most.on/past)
		put(ClientWaiting, most.queued/past)
	}
	c.threads, c.at = all, now
	return nil
}

// foundClients are the processes of this machine that have connections to the server.
type foundClients struct {
	connections, here int // how many there are, and how many of them are of a process here
	pids              []int
}

// clients looks for the other ends of the server's connections.
func (p Place) clients() (f foundClients, err error) {
	if p.PID == 0 {
		return f, errElsewhere
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
