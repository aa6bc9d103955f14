package probe

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// serverThreads reads how long threads ran and how long they stood in a run
// queue (Documentation/scheduler/sched-stats.rst), those that serve a client
// apart from the server's own: only the former are in a transaction's way.
func serverThreads() Probe {
	return Probe{
		Name: "server.threads", Help: "CPU time and run-queue wait of the server's threads",
		Metrics: []record.Metric{
			counter(keys.ServerSessionRunNS, "ns", "CPU time of threads that serve clients"),
			cost(keys.ServerSessionWaitNS, "ns", "run-queue wait of threads that serve clients"),
			counter(keys.ServerBackgroundRunNS, "ns", "CPU time of the server's other threads"),
			cost(keys.ServerBackgroundWaitNS, "ns", "run-queue wait of the server's other threads"),
			gauge(keys.ServerSessionThreads, "1", "threads that serve clients, including idle ones"),
		},
		Start: func(p Place) (Read, error) {
			if p.PID == 0 {
				return nil, p.elsewhere()
			}
			t := threads{place: p, tasks: map[string]*task{}}
			if p.DB != nil {
				t.ask = func(ctx context.Context) (map[string]bool, error) { return clientThreads(ctx, p.DB) }
			}
			// Once before the load: what the server refuses is then a reason that the record has.
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			return t.read, t.read(ctx, func(string, float64) {})
		},
	}
}

// task is a thread as it was seen last: what it had run and waited stays in the
// sums when it has ended.
type task struct {
	session, named bool // named: by its name
	run, wait      float64
	read           bool // an earlier reading counted it
	// The reading at which it began to serve clients, where it did something else before.
	ranBefore, waitedBefore float64
}

type threads struct {
	place Place
	tasks map[string]*task
	ended [2]task // of background, of sessions
	// ask asks the server which threads serve clients, where their names do not say so; nil: it cannot be asked.
	ask func(ctx context.Context) (map[string]bool, error)
	due time.Time // of the next question
}

func (t *threads) read(ctx context.Context, put func(string, float64)) error {
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
		k.run, k.wait = run-k.ranBefore, wait-k.waitedBefore
		alive[e.Name()] = k
	}
	fresh := t.bury(alive)
	if err := t.identify(ctx, fresh); err != nil {
		return err
	}
	t.put(put)
	return nil
}

// known is the thread of a number; one that has run less than before is another
// that was given the same number.
func (t *threads) known(id, dir string, run float64) *task {
	k, ok := t.tasks[id]
	if ok && run >= k.run+k.ranBefore {
		return k
	}
	name, _ := read(t.place.Root, path.Join(dir, "comm"))
	session := isSession(strings.TrimSpace(name))
	return &task{session: session, named: session}
}

// isSession tells the threads that serve clients by their names: MySQL has
// called them "connection" since 8.0.27; MariaDB's have its own.
func isSession(name string) bool {
	return name == "connection" || name == "one_connection" || strings.HasPrefix(name, "tp_")
}

// askEvery is how often a server whose threads have no names is asked about threads that are known: a thread of
// its cache can get a client.
const askEvery = 5 * time.Second

// identify finds the threads that serve clients on a server that does not name them: all of MariaDB's before 11, and of
// MySQL's before 8.0.27, have the program's name. Without it their time would count as the server's own, and a
// transaction would have no time on a CPU.
func (t *threads) identify(ctx context.Context, fresh bool) error {
	for _, k := range t.tasks {
		if k.named {
			return nil
		}
	}
	if t.ask == nil || !fresh && time.Now().Before(t.due) {
		return nil
	}
	serving, err := t.ask(ctx)
	if err != nil {
		return fmt.Errorf("find the threads that serve clients: %w", err)
	}
	t.due = time.Now().Add(askEvery)
	for id, k := range t.tasks {
		if k.session || !serving[t.inServer(id)] {
			continue
		}
		k.session = true
		if !k.read {
			continue // nothing of it has been counted yet
		}
		// What it did before was the server's own.
		e := &t.ended[sessionIndex(false)]
		e.run, e.wait = e.run+k.run, e.wait+k.wait
		k.ranBefore, k.waitedBefore = k.ranBefore+k.run, k.waitedBefore+k.wait
		k.run, k.wait = 0, 0
	}
	return nil
}

// inServer is a thread's number as the server's own PID namespace has it (proc(5), NSpid).
func (t *threads) inServer(id string) string {
	text, err := read(t.place.Root, t.place.proc(path.Join("task", id, "status")))
	if err != nil {
		return id
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "NSpid:"); ok {
			if all := strings.Fields(rest); len(all) > 0 {
				return all[len(all)-1]
			}
		}
	}
	return id
}

// clientThreads are the operating system's numbers of the threads that serve clients: MariaDB's process list has them
// (TID), and MySQL's performance_schema (THREAD_OS_ID). In a thread pool no thread belongs to a client.
func clientThreads(ctx context.Context, db *sql.DB) (map[string]bool, error) {
	var handling string
	if err := db.QueryRowContext(ctx, "SELECT @@GLOBAL.thread_handling").Scan(&handling); err != nil {
		return nil, err
	}
	if handling != "one-thread-per-connection" {
		return nil, fmt.Errorf("thread_handling is %s, so no thread belongs to one client", handling)
	}
	all, err := numbersOf(ctx, db, "SELECT tid FROM information_schema.processlist WHERE command <> 'Daemon' AND user NOT IN ('system user', 'event_scheduler')")
	if err != nil {
		all, err = numbersOf(ctx, db, "SELECT thread_os_id FROM performance_schema.threads WHERE type = 'FOREGROUND' AND processlist_user IS NOT NULL AND thread_os_id IS NOT NULL")
	}
	if err != nil {
		return nil, err
	}
	var name string
	var connected int
	if err := db.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Threads_connected'").Scan(&name, &connected); err != nil {
		return nil, err
	}
	// An account without the privilege sees only its own. Clients come and go between the two answers, so that a few
	// may be missing.
	if len(all) == 0 { // not even this one
		return nil, errors.New("performance_schema is off, so the server does not say which threads serve clients")
	}
	if connected > 1 && 2*len(all) <= connected {
		return nil, fmt.Errorf("the account sees %d of %d connections; grant it PROCESS", len(all), connected)
	}
	return all, nil
}

func numbersOf(ctx context.Context, db *sql.DB, query string) (map[string]bool, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		all[id] = true
	}
	return all, rows.Err()
}

// bury keeps what ended threads had come to, and says whether there are threads that were not there before.
func (t *threads) bury(alive map[string]*task) (fresh bool) {
	for id, k := range t.tasks {
		if alive[id] != k {
			e := &t.ended[sessionIndex(k.session)]
			e.run, e.wait = e.run+k.run, e.wait+k.wait
		}
	}
	for id, k := range alive {
		fresh = fresh || t.tasks[id] != k
	}
	t.tasks = alive
	return fresh
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
		s.run, s.wait, k.read = s.run+k.run, s.wait+k.wait, true
		if k.session {
			n++
		}
	}
	put(keys.ServerBackgroundRunNS, sums[0].run)
	put(keys.ServerBackgroundWaitNS, sums[0].wait)
	put(keys.ServerSessionRunNS, sums[1].run)
	put(keys.ServerSessionWaitNS, sums[1].wait)
	put(keys.ServerSessionThreads, n)
}
