// Package observe records a server under another program's load as a run of one trial.
package observe

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
)

// Arm is the name of the only arm of an observed run.
const Arm = "server"

// Server is what to watch.
type Server struct {
	DB *sql.DB
	// PID is the server's process on this machine; 0 if it runs elsewhere. Then nothing
	// of the kernel is read.
	PID int
	// Root is "/" of this machine.
	Root fs.FS
	// Dial connects to probes on the machine of a server that runs elsewhere; nil: nothing
	// is read there.
	Dial probe.Dial
	// Readings are counters that another program has read of such a server, such as its
	// node's kubelet. It is asked before the span and after it; nil: there are none.
	Readings func(ctx context.Context) ([]probe.Reading, error)
	// Known are facts of a server in a container elsewhere; nil for any other server.
	Known []record.Fact
	// Why says why the kernel's files are not read there; nil where they are.
	Why error
}

// Watch reads the server's and the kernel's counters for a time, at least two samples, and
// changes nothing. When ctx ends earlier, the run is as long as it came. What could not be
// read is a fact with the reason, as in every record.
//
// A transaction is what performance_schema counts as one, and its latency is the time from
// its first to its last statement, so the client's time between them is part of it
// (events_transactions_summary_global_by_event_name, MySQL Reference Manual). Where it
// counts none, a statement is the unit, with its time in the server. The event of a
// transaction that is one statement with autocommit begins after the statement and ends
// before it: where the statements took longer than the transactions, their time is taken.
func Watch(ctx context.Context, s Server, length time.Duration) (*record.Run, error) {
	place := probe.Place{Root: s.Root, PID: s.PID, TakesPID: true, DB: s.DB}
	if err := s.DB.QueryRowContext(ctx, "SELECT @@datadir").Scan(&place.DataDir); err != nil {
		return nil, fmt.Errorf("watch server: %w", err)
	}
	facts, err := s.facts(ctx, place)
	if err != nil {
		return nil, err
	}
	kind := s.kind(place) // as long as the process can be asked
	others := s.others(ctx)
	watcher, beside, err := s.watcher(ctx, place, others.err)
	if err != nil {
		return nil, err
	}
	if beside != nil {
		defer beside.Close()
	}
	own, ownKnown := OwnTime(ctx, s.DB)
	before, err := readWork(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	t := &record.Trial{Header: record.Header{Trial: 1, Round: 1, Slot: 1, Arm: Arm, Threads: max(1, before.sessions), Started: time.Now()}, Facts: facts}
	for _, l := range watcher.Lines() {
		keep(t, l)
	}
	life, during, cancel := s.live(ctx, place)
	defer cancel()
	if err := watcher.Run(during, probe.Window{Began: t.Header.Started, Measure: length}, func(l record.Line) error { keep(t, l); return nil }); err != nil {
		return nil, fmt.Errorf("watch server: %w", err)
	}
	// The last reading belongs to the run also where ctx has ended it.
	last, enough := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer enough()
	after, err := readWork(last, s.DB)
	if err != nil || before.restarted(after) {
		after = before.seen(t, during.Err() != nil && ctx.Err() == nil)
		life.end(last, t, after.at.Sub(before.at))
	}
	// A connection that was lost meanwhile has another thread, which has worked less.
	if now, ok := OwnTime(last, s.DB); ok && ownKnown && now >= own {
		after.own = float64(now - own)
		t.Facts = append(t.Facts, record.Fact{Key: keys.WatchedOwnNS, Value: strconv.FormatInt(int64(now-own), 10), Source: "performance_schema"})
	}
	if err == nil {
		t.Facts = append(t.Facts, locks(last, s.DB, t)...)
	}
	window, unit, of := before.until(after)
	if after.denied {
		t.Facts = append(t.Facts, record.Fact{Key: keys.WatchedDenied, Value: "true", Source: "performance_schema"})
	}
	if beside != nil {
		t.Facts = append(t.Facts, beside.Missed())
	}
	t.Facts = append(append(t.Facts, slices.Concat(s.endFacts(), probe.Interfaces(place, "end"))...), record.Fact{Key: keys.WatchedUnit, Value: unit, Source: "performance_schema"}, record.Fact{Key: keys.WatchedTimed, Value: of, Source: "performance_schema"})
	t.Window = window
	others.until(ctx, t, during.Err() == nil)
	t.End = &record.End{Outcome: record.Measured, Duration: time.Since(t.Header.Started)}
	return asRun(t, kind), nil
}

// answerWithin bounds every statement of this package.
const answerWithin = 10 * time.Second

// keep adds a line to the trial.
func keep(t *record.Trial, l record.Line) {
	switch {
	case l.Metric != nil:
		t.Metrics = append(t.Metrics, *l.Metric)
	case l.Sample != nil:
		t.Samples = append(t.Samples, *l.Sample)
	case l.Fact != nil:
		t.Facts = append(t.Facts, *l.Fact)
	}
}

// kind is the target that the server is like.
func (s Server) kind(place probe.Place) string {
	switch {
	case s.PID != 0 && place.Grouped() || s.Known != nil:
		return "container"
	case s.PID != 0:
		return "process"
	}
	return "external"
}

// asRun is a run of one arm and one trial, as if an experiment had asked for it.
func asRun(t *record.Trial, kind string) *record.Run {
	e := &experiment.Experiment{
		Metadata: experiment.Metadata{Name: Arm}, Baseline: Arm, Arms: experiment.Arms{{Name: Arm, Target: kind}},
		Load: experiment.Load{Threads: experiment.Counts{t.Header.Threads}}, Protocol: experiment.Protocol{Margin: 0.01},
	}
	return &record.Run{Experiment: e, Trials: []*record.Trial{t}, Plan: experiment.Plan{
		Version: experiment.PlanVersion, Rounds: 1, MaxRounds: 1,
		Trials: []experiment.Trial{{Round: 1, Slot: 1, Arm: Arm, Threads: t.Header.Threads}},
	}}
}

// work is how much the server has done since it started.
type work struct {
	at        time.Time
	sessions  int
	uptime    float64 // of the server, in seconds
	questions float64
	timed     map[string]timed // by unit; empty where the server times nothing
	denied    bool             // the account may not read performance_schema
	own       float64          // ns of the watcher's own statements since the first reading
	did       ownWork          // by the watcher's connection
}

// restarted says that the server has begun again since: it has run for less than the time that has
// passed. Its uptime is in whole seconds, and its clock can be corrected.
func (w work) restarted(after work) bool {
	passed := after.at.Sub(w.at).Seconds()
	return after.uptime < w.uptime+passed-2-passed/100
}

// timed is a number of transactions or statements and their time.
type timed struct{ count, ns float64 }

// Units of a window's counts.
const (
	Transactions = "transaction"
	Statements   = "statement"
)

func readWork(ctx context.Context, db *sql.DB) (work, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	did := readOwn(ctx, db)
	status, err := mysqld.Status(ctx, db)
	if err != nil {
		return work{}, fmt.Errorf("watch server: %w", err)
	}
	number := func(name string) float64 { v, _ := strconv.ParseFloat(status[name], 64); return v }
	w := work{at: time.Now(), sessions: int(number("Threads_connected")) - 1, uptime: number("Uptime"), questions: number("Questions"), timed: map[string]timed{}, did: did}
	for _, of := range [][2]string{
		{Transactions, "events_transactions_summary_global_by_event_name WHERE EVENT_NAME = 'transaction'"},
		{Statements, "events_statements_summary_global_by_event_name WHERE " + clientStatements},
	} {
		unit, from := of[0], of[1]
		var n, ns sql.NullFloat64
		err := db.QueryRowContext(ctx, "SELECT SUM(COUNT_STAR), SUM(SUM_TIMER_WAIT)/1000 FROM performance_schema."+from).Scan(&n, &ns)
		w.denied = w.denied || refused(err, tableDenied)
		if err == nil && n.Valid { // else MariaDB's schema is switched off, or an older server has not the table
			w.timed[unit] = timed{n.Float64, ns.Float64}
		}
	}
	if _, ok := w.timed[Statements]; !ok && status["Busy_time"] != "" { // MariaDB's userstat; it stands still while that is off
		w.timed[Statements] = timed{w.questions, number("Busy_time") * 1e9}
	}
	return w, nil
}

// clientStatements are the events of statements that clients send: executions of prepared statements are events of the
// protocol's command.
const clientStatements = "EVENT_NAME LIKE 'statement/sql/%' OR EVENT_NAME = 'statement/com/Execute'"

// tableDenied is the server's code for a table that the account may not read (ER_TABLEACCESS_DENIED_ERROR).
const tableDenied = 1142

// refused says that the server answered a statement with the error of that number.
func refused(err error, number uint16) bool {
	var answer *mysql.MySQLError
	return errors.As(err, &answer) && answer.Number == number
}

// until is the window between two readings, what it counts without the watcher's own statements, and the unit whose time
// its latency is; the latency is nil where nothing is timed.
func (w work) until(after work) (window *record.Window, unit, of string) {
	window = &record.Window{Seconds: after.at.Sub(w.at).Seconds(), Counts: record.Counts{Transactions: int64(max(0, after.questions-w.questions-after.did.asked(w.did)))}}
	for _, unit := range []string{Transactions, Statements} {
		n, ms := after.timed[unit].count-w.timed[unit].count-after.did.since(w.did, unit), (after.timed[unit].ns-w.timed[unit].ns)/1e6
		if unit == Statements {
			ms -= after.own / 1e6
		}
		if n > 0 && ms > 0 {
			of = unit
			if longer := (after.timed[Statements].ns - w.timed[Statements].ns - after.own) / 1e6; longer > ms {
				ms, of = longer, Statements
			}
			window.Counts.Transactions = int64(n)
			window.Latency = &record.Latency{Mean: ms / n, Sum: ms}
			return window, unit, of
		}
	}
	return window, Statements, Statements
}

// OwnTime is how long the server has worked on the statements of this connection; ok is false where neither
// performance_schema nor MariaDB's userstat counts them. The handle must have one connection
// only (sql.DB.SetMaxOpenConns). The time is an upper limit of the CPU time: the summary has
// CPU time only where the consumer events_statements_cpu is on, which is not the default.
func OwnTime(ctx context.Context, db *sql.DB) (took time.Duration, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	var ns sql.NullFloat64
	err := db.QueryRowContext(ctx, "SELECT SUM(SUM_TIMER_WAIT)/1000 FROM performance_schema.events_statements_summary_by_thread_by_event_name"+
		" WHERE THREAD_ID = (SELECT THREAD_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = CONNECTION_ID())").Scan(&ns)
	if err == nil && ns.Valid {
		return time.Duration(ns.Float64), true
	}
	var name string
	var seconds float64 // 0 while userstat is off; MySQL has no such variable
	err = db.QueryRowContext(ctx, "SHOW SESSION STATUS LIKE 'Busy_time'").Scan(&name, &seconds)
	return time.Duration(seconds * 1e9), err == nil && seconds > 0
}

// ServerShare is the time that the server worked on the statements of the watcher, as a
// share of the watched time: at most the share of one CPU. It is NaN where that is not known.
func ServerShare(r *record.Run) float64 {
	for _, f := range r.Trials[0].Facts {
		if f.Key == keys.WatchedOwnNS {
			ns, err := strconv.ParseFloat(f.Value, 64)
			if seconds := r.Trials[0].Window.Seconds; err == nil && seconds > 0 {
				return ns / 1e9 / seconds
			}
		}
	}
	return math.NaN()
}

// Untimed says why an observed run has no time budget: "schema-off" (performance_schema is off), "userstat-off"
// (MariaDB's other timer of statements is off as well), "denied" (the account may not read performance_schema), "none"
// (the server has timed no statement), "threads" or "clients" (the CPU time of the server's threads, or of those that
// serve clients, was not read). why is the probe's reason, "" where it gave none.
func Untimed(r *record.Run) (code, why string) {
	t := r.Trials[0]
	if t.Window.Latency == nil {
		variables := Variables(r)
		off := func(name string) bool { return variables[name] == "OFF" || variables[name] == "0" }
		switch {
		case t.Flavour() == record.MariaDB && off("userstat") && off("performance_schema"):
			return "userstat-off", ""
		case t.Flavour() != record.MariaDB && off("performance_schema"):
			return "schema-off", ""
		case slices.ContainsFunc(t.Facts, func(f record.Fact) bool { return f.Key == keys.WatchedDenied }):
			return "denied", ""
		}
		return "none", ""
	}
	for _, f := range t.Facts {
		if (f.Key == "probe.server.threads" || f.Key == keys.ProbeMissed) && f.Unknown != "" {
			return "threads", f.Unknown
		}
	}
	return "clients", ""
}

// Variables are the server's global variables at the start of an observed run.
func Variables(r *record.Run) map[string]string {
	all := map[string]string{}
	for _, f := range r.Trials[0].Facts {
		if name, ok := strings.CutPrefix(f.Key, keys.MySQLVariablePrefix); ok && f.Unknown == "" {
			all[name] = f.Value
		}
	}
	return all
}

// Last are the last readings of the metrics whose names have a prefix.
func Last(r *record.Run, prefix string) map[string]float64 {
	last := map[string]float64{}
	for _, s := range r.Trials[0].Samples {
		for name, v := range s.Values.All() {
			if strings.HasPrefix(name, prefix) {
				last[name] = v
			}
		}
	}
	return last
}

// Unit is what the window of an observed run counts.
func Unit(r *record.Run) string {
	for _, f := range r.Trials[0].Facts {
		if f.Key == keys.WatchedUnit {
			return f.Value
		}
	}
	return Statements
}
