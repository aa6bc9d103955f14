package members

// Who is a member and who is the primary while the load runs: the load follows, and where the
// database elects no primary itself, another member is promoted.

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/replication"
)

const (
	// askEvery is the time between two questions to a member, askWithin bounds one.
	askEvery  = 100 * time.Millisecond
	askWithin = time.Second
	// fresh is how old the last answer of a member may be that counts as healthy.
	fresh = 2 * time.Second
	// overdueAfter is how long after its time a failover that has not begun is noted. A group
	// expels a member 10 s after its last answer by default (group_replication_member_expel_timeout).
	overdueAfter = 20 * time.Second
)

// watch is what is known of the members.
type watch struct {
	database *replication.Database
	routes   *mysqld.Routes
	note     func(name, detail string) // of the trial; nil before the load
	failed   func(old int, why string) // called when a failover from the primary old has failed

	mu      sync.Mutex
	changed func(old, primary int) // called when there is another primary
	// detected is called before another member is promoted: the primary old has failed for long enough.
	detected func(old int)
	primary  int
	members  []seen
	// failing is since when the primary is failing, zero while it answers.
	failing time.Time
	// told is why the failover from this primary has failed, which is noted once.
	told string
}

// seen is what is known of one member.
type seen struct {
	standing replication.Standing
	at       time.Time // of its last answer, or of when it was watched first
	// dead: it was killed. cut: it is cut off from the others. left: why it no longer belongs to the
	// database, though it may answer.
	dead, cut bool
	left      string
	lost      time.Time // when it was killed or cut off; zero while it is neither
}

func newWatch(d *replication.Database, routes *mysqld.Routes) *watch {
	w := &watch{database: d, routes: routes, primary: 1, note: func(string, string) {}, changed: func(int, int) {}, failed: func(int, string) {}, detected: func(int) {}}
	for range d.Hosts() {
		w.members = append(w.members, seen{standing: replication.Standing{Member: true}})
	}
	return w
}

// run watches until ctx ends.
func (w *watch) run(ctx context.Context, all []*sql.DB) {
	// Not from when they joined, which says nothing of the primary now: another would be promoted
	// where its first answer takes longer than askEvery.
	for number := range all {
		w.mark(number+1, func(m *seen) { m.at = time.Now() })
	}
	var group sync.WaitGroup
	for number := range all {
		group.Go(func() { w.ask(ctx, all, number+1) })
	}
	for every(ctx, askEvery) {
		w.decide(ctx, all)
	}
	group.Wait()
	w.overdue(0, record.LoadEnded.Say())
}

// every waits; false says that ctx has ended.
func every(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// ask asks one member again and again.
func (w *watch) ask(ctx context.Context, all []*sql.DB, number int) {
	for ok := true; ok; ok = every(ctx, askEvery) {
		bounded, cancel := context.WithTimeout(ctx, askWithin)
		s, err := w.database.Standing(bounded, all, number)
		cancel()
		if err != nil { // its last answer gets older
			continue
		}
		w.mu.Lock()
		w.members[number-1].standing, w.members[number-1].at = s, time.Now()
		w.mu.Unlock()
	}
}

// healthy says whether load can be sent to a member. Called with the lock.
func (w *watch) healthy(m seen, now time.Time) bool {
	return !m.dead && !m.cut && m.left == "" && m.standing.Member && now.Sub(m.at) < fresh
}

// decide finds the primary and the members that load can be sent to.
func (w *watch) decide(ctx context.Context, all []*sql.DB) {
	w.mu.Lock()
	now := time.Now()
	var healthy []int
	var standings []replication.Standing
	for i, m := range w.members {
		if !w.healthy(m, now) {
			continue
		}
		healthy, standings = append(healthy, i+1), append(standings, m.standing)
	}
	primary, promote := w.primary, false
	w.fails(now)
	detected := w.detected
	settings := w.database.Settings()
	switch {
	case w.database.Promoted():
		promote = !w.failing.IsZero() && now.Sub(w.failing) >= settings.Failover.Std() && len(without(healthy, primary)) > 0
	case w.elects():
		primary = cmp.Or(replication.Elected(standings), primary)
	}
	w.mu.Unlock()
	if promote {
		detected(primary)
		w.promote(ctx, all, without(healthy, primary))
	} else if primary != w.current() {
		w.follow(primary)
	} else {
		w.overdue(overdueAfter, record.TimePassed.Say(overdueAfter.String()))
	}
	w.route(healthy)
}

// fails notes since when the primary is failing: since its last answer, or since it is known
// to be no member or out of reach. Called with the lock.
func (w *watch) fails(now time.Time) {
	m := w.members[w.primary-1]
	switch out := m.out(); {
	case m.answers(now):
		w.failing, w.told = time.Time{}, ""
	case !w.failing.IsZero():
	case out && !m.lost.IsZero():
		w.failing = m.lost
	case out:
		w.failing = now
	default:
		w.failing = m.at
	}
}

// out says that a member is known to be no member, or out of reach.
func (m seen) out() bool { return m.dead || m.cut || !m.standing.Member }

// answers says that a member does not fail as a primary.
func (m seen) answers(now time.Time) bool { return !m.out() && now.Sub(m.at) < askWithin }

// answers says whether a member is one and answers now.
func (w *watch) answers(number int) bool { return w.of(number).answers(time.Now()) }

// elects says whether the members elect the one that takes writes.
func (w *watch) elects() bool {
	settings := w.database.Settings()
	return settings.Mode == replication.Group && settings.Writers == replication.OneWriter
}

func without(numbers []int, one int) []int {
	return slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return n == one })
}

// promote makes one of these members the primary. A failover that the end of the load interrupts
// has failed too: the load had no primary until then. One that is given up because the old primary
// answers again has not: the load went on with that one.
func (w *watch) promote(ctx context.Context, all []*sql.DB, healthy []int) {
	old := w.current()
	primary, err := w.database.Promote(ctx, all, healthy, func() bool { return w.answers(old) })
	if err != nil && ctx.Err() != nil {
		err = record.LoadEndedWhile.Wrap(err)
	}
	if err != nil {
		w.tell(err.Error())
	}
	if primary == 0 {
		return
	}
	if w.database.Settings().Mode != replication.Galera {
		w.mark(old, func(m *seen) { m.left = record.LeftOldPrimary.Say() })
	}
	w.follow(primary)
}

// overdue notes a failover that is due for so long and has not begun: no other member can be
// promoted, or the members elect none.
func (w *watch) overdue(after time.Duration, why string) {
	settings := w.database.Settings()
	w.mu.Lock()
	old, known := w.primary, w.told != ""
	late := !w.failing.IsZero() && time.Since(w.failing) >= settings.Failover.Std()+after
	w.mu.Unlock()
	elected := w.elects()
	if !late || known || !elected && !w.database.Promoted() {
		return
	}
	what := record.NonePromotable
	if elected {
		what = record.NoneElected
	}
	w.tell(what.Say(strconv.Itoa(old), why))
}

// tell notes why a failover has failed, once for each reason.
func (w *watch) tell(why string) {
	w.mu.Lock()
	old, known := w.primary, w.told == why
	w.told = why
	w.mu.Unlock()
	if !known {
		w.note("failover-failed", why)
		w.failed(old, why)
	}
}

// follow has another member be the primary.
func (w *watch) follow(primary int) {
	w.mu.Lock()
	old := w.primary
	w.primary, w.failing, w.told = primary, time.Time{}, ""
	changed := w.changed
	w.mu.Unlock()
	w.note("primary-changed", fmt.Sprintf("from member %d to member %d", old, primary))
	changed(old, primary)
}

// onChange has f called whenever there is another primary from now on.
func (w *watch) onChange(f func(old, primary int)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed = f
}

// onFailure has f called whenever the primary has failed for long enough from now on.
func (w *watch) onFailure(f func(old int)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.detected = f
}

// route sends the load to the members that take it.
func (w *watch) route(healthy []int) {
	settings := w.database.Settings()
	to := []int{w.current() - 1}
	if settings.Writers == replication.AllWriters || settings.Readers == replication.AllReaders {
		to = nil
		for _, number := range healthy {
			to = append(to, number-1)
		}
	}
	w.routes.Set(to...)
}

func (w *watch) current() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.primary
}

// mark changes what is known of a member.
func (w *watch) mark(number int, change func(*seen)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := &w.members[number-1]
	change(m)
	switch gone := m.dead || m.cut; {
	case !gone:
		m.lost = time.Time{}
	case m.lost.IsZero():
		m.lost = time.Now()
	}
}

// of is what is known of a member.
func (w *watch) of(number int) seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.members[number-1]
}

// secondary is the first member of the database that is not the primary and was not killed; 0 for
// none. A primary that another member has replaced is a server for itself.
func (w *watch) secondary() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, m := range w.members {
		if i+1 != w.primary && !m.dead && m.left == "" && m.standing.Member {
			return i + 1
		}
	}
	return 0
}
