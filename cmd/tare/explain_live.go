package main

// This file is `tare explain --live`: a server that another program loads is watched, and
// the rules are applied to what was seen. Nothing is sent to it but queries of its counters.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/observe"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/live"
)

// watchOptions say how to watch a running server, and what to print and write.
type watchOptions struct {
	server   liveOptions
	pod      podOptions // the server in a pod, where its name is not ""
	length   time.Duration
	format   string
	again    bool
	trial    string // the experiment file to write; "" for none
	spec     string // data, load and protocol of that experiment; "" for those of `tare init`
	database string // its server, where spec is ""
	language *language.Language
}

// explainLive watches a server and prints what was found; the exit code is 1 if a cause is
// present. With again it continues until the server ends, where the code is 1 if a cause
// was present in any span, or until a signal, which has a code of its own.
func explainLive(ctx context.Context, t *terminal, o watchOptions) (err error) {
	if o.length < 2*time.Second {
		return usage{fmt.Errorf("--for %s: use at least 2s", o.length)}
	}
	if o.again && o.format == "html" {
		return usage{errors.New("explain --live: --format html writes one page; leave out --watch")}
	}
	if err := writable("--experiment", o.trial); err != nil {
		return err
	}
	like, err := o.like(ctx)
	if err != nil {
		return err
	}
	s, done, err := o.open(ctx, t)
	if err != nil {
		return err
	}
	defer func() {
		if left := done(); left != nil {
			err = errors.Join(err, left)
		}
	}()
	defer outlivePipes()()  // a probe pod is deleted also if nobody reads the report to its end
	var before *live.Report // with again
	ever := 0
	for {
		r, findings, err := o.watch(ctx, s)
		if err != nil {
			return s.unanswered(ctx, err)
		}
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
		err = o.propose(after, t, s.DB, r, findings, like)
		if cancel(); err != nil {
			return err
		}
		if before != nil && o.format == "text" {
			err = r.WriteChange(t.out, before, time.Now(), o.language)
		} else {
			err = r.Write(t.out, o.format, o.language)
		}
		if err != nil {
			return err
		}
		ever = max(ever, r.Present())
		if before = r; o.again && ctx.Err() == nil && r.Ended == 0 {
			continue
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case ever > 0:
			return gate{errors.New(diagnose.CausesPresent(ever).In(o.language.Tag))}
		case r.Ended > 0:
			return fmt.Errorf("explain %s: the server ended or stopped answering while it was watched, and the counters show no cause", s.name)
		}
		return nil
	}
}

// watchedServer is a server to watch, and what the report says of it.
type watchedServer struct {
	observe.Server
	name   string
	node   string // on which the probes read, "" for this machine
	bounds string // names its cgroups
	writes string // the command that writes an experiment with the changes
	// down says why the server of a pod does not answer, if its container does not run; nil of another server.
	down func(context.Context) error
	lint []diagnose.Finding
}

// unanswered says why a server was not watched. Of a pod whose container is not running, that is said and not what the
// forwarded port answered; a host that has no address may be a pod.
func (s watchedServer) unanswered(ctx context.Context, err error) error {
	if s.down != nil && ctx.Err() == nil {
		if why := s.down(ctx); why != nil {
			return fmt.Errorf("explain: %w", why)
		}
	}
	err = fmt.Errorf("explain %s: %w", s.name, err)
	if pod := podOf(s.name, err); s.down == nil && pod != "" {
		return hinted{err, "a server in a pod is watched by the name of the pod: " + asCalled("tare explain -n NAMESPACE ") + pod}
	}
	return withServerHint(err)
}

// podOf is the pod that a host may have been meant as whose name DNS does not resolve, "" where it is another error. A name
// with dots is that of a host, or that of a Service.
func podOf(address string, err error) string {
	var unresolved *net.DNSError
	if !errors.As(err, &unresolved) {
		return ""
	}
	if name := strings.TrimPrefix(address, "pod/"); !strings.ContainsAny(name, "./:@") {
		return name
	}
	return "POD"
}

// open opens the server. done ends what was opened.
func (o watchOptions) open(ctx context.Context, t *terminal) (s watchedServer, done func() error, err error) {
	if o.pod.name != "" {
		return o.watchPod(ctx, &t.verb)
	}
	db, pid, err := o.server.open()
	if err != nil {
		return s, nil, usage{fmt.Errorf("explain --live: %w", err)}
	}
	return watchedServer{
		Server: observe.Server{DB: db, PID: pid, Root: os.DirFS("/")}, name: o.server.address,
		bounds: boundsOf(pid), writes: strings.Join(append([]string{asCalled("tare explain") + " --live", o.server.address}, o.server.login()...), " ") + " --experiment try.yaml",
	}, db.Close, nil
}

// open is one connection to the server, and its process if that is known.
func (o liveOptions) open() (*sql.DB, int, error) {
	a, err := o.server()
	if err != nil {
		return nil, 0, err
	}
	db, err := mysqld.Open(a)
	if err != nil {
		return nil, 0, err
	}
	db.SetMaxOpenConns(1) // what the watching takes from the server is counted by connection
	switch {
	case o.pid != 0:
	case a.Socket != "":
		o.pid = listener(a.Socket)
	default:
		o.pid = listenerTCP(a.Host, a.Port)
	}
	return db, o.pid, nil
}

// seenLive are the findings of one span, and the server that they are about.
type seenLive struct {
	running  manifest.Running
	findings []diagnose.Finding
}

// answerWithin bounds what is asked of the server after a span.
const answerWithin = 30 * time.Second

// watch makes the report of one span.
func (o watchOptions) watch(ctx context.Context, s watchedServer) (*live.Report, seenLive, error) {
	version, flavour, err := mysqld.Version(ctx, s.DB) // it may not answer any more after the span
	if err != nil {
		return nil, seenLive{}, err
	}
	busiest := s.othersHere()
	run, err := observe.Watch(ctx, s.Server, o.length)
	if err != nil {
		return nil, seenLive{}, err
	}
	res := compare.Run(run)
	window := run.Trials[0].Window
	r := &live.Report{
		Server: s.name, Writes: s.writes, ProbesOn: s.node, Version: version, Seconds: math.Round(10*window.Seconds) / 10, Unit: observe.Unit(run), Rate: report.Number(window.Throughput()),
		Budget: []report.Spent{}, Causes: []live.Cause{}, Settings: []live.Cause{},
		ProbesCPU: report.Unknown(), ServerTime: report.Number(observe.ServerShare(run)),
	}
	r.Ended, _ = observe.Ended(run)
	r.LockWaits, r.LockSessions = perSecond(&res.Arms[0], keys.MySQLInnoDBRowLockWaits, 1), perSecond(&res.Arms[0], keys.MySQLInnoDBRowLockTime, 1e3) // ms
	// The server adds a wait to its time when the wait ends: one that began before the span has more than the span.
	if most := report.Number(run.Trials[0].Header.Threads); most > 0 && r.LockSessions > most {
		r.LockSessions = most
	}
	r.PerConnection = report.Number(1e3 * float64(run.Trials[0].Header.Threads) / window.Throughput())
	if c, ok := res.Arms[0].Counter(keys.ProbeCPUNS); ok {
		r.ProbesCPU = report.Number(c.PerSecond / 1e9)
	}
	if others, cpus, full := diagnose.FullMachine(&res.Arms[0]); full {
		r.OthersCPUs, r.CPUs, r.OthersBusiest = math.Round(100*others)/100, cpus, busiest(cpus)
	}
	for _, e := range report.Explain(run, res) {
		r.SetBudget(e.Budget)
	}
	if len(r.Budget) == 0 {
		r.NoBudget(observe.Untimed(run))
	}
	if n := window.Counts.Transactions; n < diagnose.FewestEnded && (window.Latency != nil || n == 0) { // of a server that times nothing, none is known too
		r.TooFew(n)
	}
	r.MachineUnread = s.PID == 0 && s.down == nil // of a pod, the rules say what was read
	switch r.OwnOnly = observe.OwnOnly(run); {
	case r.OwnOnly:
		r.SessionsUnknown = "the account lacks the privilege PROCESS"
	case r.Ended == 0:
		r.Sessions, r.SessionsUnknown = sessionsOf(ctx, s.DB)
	}
	seen := seenLive{running: s.running(run, version, flavour), findings: diagnose.Run(run, res, diagnose.Rules())}
	for _, f := range seen.findings {
		r.Causes = append(r.Causes, live.CauseOf(f))
	}
	settings, err := liveSettings(run, seen.running)
	settings = unlessCounted(withOthers(settings, s.lint), seen.findings)
	for _, f := range settings {
		r.Settings = append(r.Settings, live.CauseOf(f))
	}
	seen.findings = append(seen.findings, settings...)
	return r, seen, err
}

// othersHere begins to watch what other processes of this machine use. The answer is of the time until it is asked for;
// nil where the server runs elsewhere or the processes cannot be read: the counters of the machine say how much it was.
func (s watchedServer) othersHere() (busiest func(cpus float64) []live.Busy) {
	none := func(float64) []live.Busy { return nil }
	if s.PID == 0 {
		return none
	}
	others := &probe.Others{Root: s.Root, Own: []int{os.Getpid(), s.PID}}
	before, err := probe.ReadMachine(others)
	if err != nil {
		return none
	}
	return func(cpus float64) (all []live.Busy) {
		after, err := probe.ReadMachine(others)
		if err != nil {
			return nil
		}
		for _, b := range after.Since(before).Busiest {
			if used := math.Round(10*b.Of*cpus) / 10; used > 0 {
				all = append(all, live.Busy{Name: b.Name, CPUs: used})
			}
		}
		return all
	}
}

// perSecond is a counter's growth a second, in so large units.
func perSecond(a *compare.Arm, name string, unit float64) report.Number {
	if c, ok := a.Counter(name); ok {
		return report.Number(c.PerSecond / unit)
	}
	return report.Unknown()
}

// withOthers are findings of a server's variables and limits, and those of the resource of its pod by rules that have not
// found anything there: some rules find the same in both.
func withOthers(settings, ofPod []diagnose.Finding) []diagnose.Finding {
	all := slices.Clone(settings)
	for _, f := range ofPod {
		if !slices.ContainsFunc(settings, func(s diagnose.Finding) bool { return s.Rule == f.Rule }) {
			all = append(all, f)
		}
	}
	return all
}

// unlessCounted are the findings for settings without hints that the counters of the span rule out.
func unlessCounted(settings, causes []diagnose.Finding) []diagnose.Finding {
	return slices.DeleteFunc(settings, func(f diagnose.Finding) bool {
		rule, _ := diagnose.Find(f.Rule)
		return f.Verdict == diagnose.Hint && slices.ContainsFunc(causes, func(c diagnose.Finding) bool {
			return c.Rule == rule.CountedBy && c.Verdict == diagnose.RuledOut
		})
	})
}

// running is the watched server as lint sees one: what the watching has read, so that
// nothing is asked twice.
func (s watchedServer) running(run *record.Run, version, flavour string) manifest.Running {
	r := manifest.Running{Name: s.name, Version: version, MariaDB: flavour == mysqld.MariaDB, Variables: observe.Variables(run)}
	const redo = keys.MySQLInnoDBRedoLogCapacityResized
	r.RedoLog = int64(observe.Last(run, redo)[redo])
	if counters := observe.Last(run, "cgroup."); len(counters) > 0 {
		r = bounded(r, s.bounds, counters)
	}
	return r
}

// liveSettings are lint's findings for the variables of the server and the limits of its
// cgroup. What the counters show of this span is among the causes.
func liveSettings(run *record.Run, r manifest.Running) ([]diagnose.Finding, error) {
	rules, err := lintRules(nil)
	if err != nil {
		return nil, err
	}
	found, err := lintRunning(r, observe.Last(run, "cgroup."), rules)
	if err != nil {
		return nil, err
	}
	var all []diagnose.Finding
	for _, f := range found.Findings {
		if rule, ok := diagnose.Find(f.Rule); ok && (rule.Run == nil || rule.Written) && f.Found() {
			all = append(all, f)
		}
	}
	return all, nil
}
