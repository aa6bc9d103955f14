package event

// What is wrong with the events of an arm, said before anything is started.

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/target"
)

// earliest is how long a load runs undisturbed before an event: what it costs is compared with
// that.
const earliest = time.Second

// database is whose events they are: it has so many members, 0 for one server that is alone, which
// can be in a pod of a cluster.
type database struct {
	members int
	inPod   bool
}

// Wrong is what is wrong with the events of an arm whose database has so many members; 0 for one
// server that is alone.
func (p Planned) Wrong(members int) []error { return p.wrong(database{members: members}) }

// WrongInPod is Wrong of one server that is in a pod of a cluster.
func (p Planned) WrongInPod() []error { return p.wrong(database{inPod: true}) }

func (p Planned) wrong(of database) (errs []error) {
	if p.both {
		return []error{target.Wrong("faults", "faults is the older name of events; write all of them in events")}
	}
	for i, e := range p.All {
		add := func(field, format string, args ...any) {
			errs = append(errs, target.Wrong(strings.TrimSuffix(p.at(i)+"."+field, "."), format, args...))
		}
		e.wrong(of, add)
		if i > 0 && e.At.Std() < p.All[i-1].until() {
			add("at", "%v is before the end of the event before it, at %v; write events one after the other", e.At, experiment.Duration(p.All[i-1].until()))
		}
	}
	return errs
}

func (e Event) wrong(of database, add func(field, format string, args ...any)) {
	kinds, named := e.kinds()
	switch len(kinds) {
	case 0:
		add("", "expected one of kill, restart, pause, delete, cutOff, slowDisk or slowLink with whom it happens to, such as kill: server, or command")
		return
	case 1:
	default:
		add("", "an event has one kind, not %s; write one item for each", strings.Join(kinds, " and "))
		return
	}
	kind := kinds[0]
	e.wrongName(kind, named[0], of, add)
	if e.At.Std() < earliest {
		add("at", "%v is too early: what an event costs is compared with the time before it; write %v or later, from the beginning of the measured window", e.At, earliest)
	}
	e.wrongLength(kind, of.members, add)
	if (kind == SlowDisk) != (e.ReadIOPS > 0 || e.WriteIOPS > 0) {
		add(kind, "readIOPS and writeIOPS are those of slowDisk, which requires one of them, such as writeIOPS: 50")
	}
	if (kind == SlowLink) != (e.Rate > 0) {
		add(kind, "rate is that of slowLink, which requires it, such as rate: 10Mbit")
	}
}

// wrongName is about whom the event happens to.
func (e Event) wrongName(kind, named string, of database, add func(field, format string, args ...any)) {
	members := of.members
	switch {
	case kind == Command:
		if slices.Contains(e.Command[:1], "") {
			add(kind, "the first item is the program; write its path or its name")
		}
		return
	case of.inPod:
		wrongInPod(kind, named, add)
		return
	case kind == Delete:
		add(kind, "the pod of a server that target kubernetes makes can be deleted; write kill, or another event")
		return
	case members == 0 && !slices.Contains([]string{Kill, Restart, Pause}, kind):
		add(kind, "a database of one server has kill, restart, pause and command; write replication: {mode: group}, or another event")
		return
	case members == 0 && named != TheServer:
		add(kind, "%.40q is not known: the database has one server; write %s: server", named, kind)
		return
	case members == 0:
		return
	case kind == Restart:
		add(kind, "a member that is started again does not join the others by itself; write kill or pause")
		return
	}
	if n, err := strconv.Atoi(named); named != ThePrimary && named != TheSecondary && (err != nil || n < 1 || n > members) {
		add(kind, "%.40q is not a member; write primary, secondary, or a number from 1 to %d", named, members)
	}
}

// wrongInPod is about a server in a pod of a cluster.
func wrongInPod(kind, named string, add func(field, format string, args ...any)) {
	want := TheServer
	if kind == Delete {
		want = ThePod
	}
	switch {
	case !slices.Contains([]string{Kill, Restart, Pause, Delete}, kind):
		add(kind, "a server in a pod of a cluster has kill, restart, pause, delete and command; write another event")
	case named != want:
		add(kind, "%.40q is not known: the database has one server in one pod; write %s: %s", named, kind, want)
	}
}

// wrongLength is about how long the event lasts.
func (e Event) wrongLength(kind string, members int, add func(field, format string, args ...any)) {
	ends := slices.Contains([]string{Kill, Restart, Delete, Command}, kind)
	switch {
	case kind == Kill && e.For != 0 && members > 0:
		add("for", "a member that is killed stays dead until the trial ends; leave it out, or write pause")
	case ends && e.For != 0:
		add("for", "how long %s lasts is what is measured; leave it out", kind)
	case !ends && e.For <= 0:
		add("for", "write how long it lasts, such as for: 10s")
	}
	switch {
	case kind == Command && e.Timeout <= 0:
		add("timeout", "write when a command that has not ended is killed, such as timeout: 30s")
	case kind != Command && e.Timeout != 0:
		add("timeout", "timeout is that of command; leave it out")
	}
}
