package probe

import (
	"context"
	"io/fs"
	"path"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// serverThreads reads how long threads ran and how long they stood in a run
// queue (Documentation/scheduler/sched-stats.rst), those that serve a client
// apart from the server's own: only the former are in a transaction's way.
func serverThreads() Probe {
	return Probe{
		Name: "server.threads", Help: "CPU time and run-queue wait of the server's threads",
		Metrics: []record.Metric{
			counter("server.session.run_ns", "ns", "CPU time of threads that serve clients"),
			cost("server.session.wait_ns", "ns", "run-queue wait of threads that serve clients"),
			counter("server.background.run_ns", "ns", "CPU time of the server's other threads"),
			cost("server.background.wait_ns", "ns", "run-queue wait of the server's other threads"),
			gauge("server.session.threads", "1", "threads that serve clients, including idle ones"),
		},
		Start: func(p Place) (Read, error) {
			if p.PID == 0 {
				return nil, errElsewhere
			}
			t := threads{place: p, tasks: map[string]*task{}}
			_, err := fs.ReadDir(p.Root, p.proc("task"))
			return t.read, err
		},
	}
}

// task is a thread as it was seen last: what it had run and waited stays in the
// sums when it has ended.
type task struct {
	session   bool
	run, wait float64
}

type threads struct {
	place Place
	tasks map[string]*task
	ended [2]task // of background, of sessions
}

func (t *threads) read(_ context.Context, put func(string, float64)) error {
	entries, err := fs.ReadDir(t.place.Root, t.place.proc("task"))
	if err != nil {
		return err
	}
	alive := make(map[string]*task, len(entries))
	for _, e := range entries {
		dir := t.place.proc(path.Join("task", e.Name()))
		text, err := read(t.place.Root, path.Join(dir, "schedstat"))
		if err != nil {
			continue // it has ended since
		}
		run, wait, ok := two(text)
		if !ok {
			continue
		}
		k := t.known(e.Name(), dir, run)
		k.run, k.wait = run, wait
		alive[e.Name()] = k
	}
	t.bury(alive)
	t.put(put)
	return nil
}

// known is the thread of a number; one that has run less than before is another
// that was given the same number.
func (t *threads) known(id, dir string, run float64) *task {
	k, ok := t.tasks[id]
	if ok && run >= k.run {
		return k
	}
	name, _ := read(t.place.Root, path.Join(dir, "comm"))
	k = &task{session: isSession(strings.TrimSpace(name))}
	return k
}

// isSession tells the threads that serve clients by their names: MySQL has
// called them "connection" since 8.0.27; MariaDB's have its own.
func isSession(name string) bool {
	return name == "connection" || name == "one_connection" || strings.HasPrefix(name, "tp_")
}

// bury keeps what ended threads had come to.
func (t *threads) bury(alive map[string]*task) {
	for id, k := range t.tasks {
		if alive[id] != k {
			e := &t.ended[sessionIndex(k.session)]
			e.run, e.wait = e.run+k.run, e.wait+k.wait
		}
	}
	t.tasks = alive
}

func sessionIndex(session bool) int {
	if session {
		return 1
	}
	return 0
}

func (t *threads) put(put func(string, float64)) {
	sums, n := t.ended, 0.0
	for _, k := range t.tasks {
		s := &sums[sessionIndex(k.session)]
		s.run, s.wait = s.run+k.run, s.wait+k.wait
		if k.session {
			n++
		}
	}
	put("server.background.run_ns", sums[0].run)
	put("server.background.wait_ns", sums[0].wait)
	put("server.session.run_ns", sums[1].run)
	put("server.session.wait_ns", sums[1].wait)
	put("server.session.threads", n)
}
