package main

// This file is `tare explain --live`: a server that another program loads is watched, and
// the rules are applied to what was seen. Nothing is sent to it but queries of its counters.

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/observe"
	"github.com/tarebench/tare/internal/report"
)

// liveReport is what a running server showed.
type liveReport struct {
	Server  string  `json:"server"`
	Version string  `json:"version"`
	Seconds float64 `json:"seconds"`
	// Unit is what Rate counts and Budget divides: a transaction, or a statement where the
	// server does not time transactions.
	Unit   string         `json:"unit"`
	Rate   report.Number  `json:"per_second"`
	Budget []report.Spent `json:"budget"`
	Causes []liveCause    `json:"causes"`
	// Settings are the findings of lint for the server's variables and limits.
	Settings []liveCause `json:"settings"`
	// ProbesCPU is the CPU time that watching took here, as a share of one CPU.
	ProbesCPU report.Number `json:"probes_cpu"`
}

// liveCause is what one rule says. State is "confirmed", "ruled-out" or "unknown".
type liveCause struct {
	Rule     string `json:"rule"`
	Title    string `json:"title"`
	State    string `json:"state"`
	Evidence string `json:"evidence"`
	Fix      string `json:"fix,omitempty"`
}

// explainLive watches a server and prints what was found; the exit code is 1 if a cause is
// confirmed. With watch it goes on until it is interrupted.
func explainLive(ctx context.Context, t *terminal, o liveOptions, length time.Duration, format string, watch bool) error {
	if length < 2*time.Second {
		return usage{fmt.Errorf("--for %s: use at least 2s", length)}
	}
	a, err := o.server()
	if err != nil {
		return usage{err}
	}
	db, err := mysqld.Open(a)
	if err != nil {
		return usage{fmt.Errorf("explain --live: %w", err)}
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if o.pid == 0 && a.Socket != "" {
		o.pid = listener(a.Socket)
	}
	for {
		r, err := o.watch(ctx, observe.Server{DB: db, PID: o.pid, Root: os.DirFS("/")}, length)
		if err != nil {
			return withTLSHint(fmt.Errorf("explain --live %s: %w", o.address, err), "--ca FILE", "--tls off")
		}
		if err := r.print(t.out, format); err != nil {
			return err
		}
		if watch && ctx.Err() == nil {
			continue
		}
		if confirmedIn(r.Causes) > 0 {
			return gate{fmt.Errorf("confirmed causes: %d; `tare explain RULE` describes each", confirmedIn(r.Causes))}
		}
		return nil
	}
}

const confirmedState = "confirmed"

// watch makes the report of one span.
func (o liveOptions) watch(ctx context.Context, s observe.Server, length time.Duration) (*liveReport, error) {
	run, err := observe.Watch(ctx, s, length)
	if err != nil {
		return nil, err
	}
	res := compare.Run(run)
	window := run.Trials[0].Window
	r := &liveReport{Server: o.address, Seconds: math.Round(10*window.Seconds) / 10, Unit: observe.Unit(run), Rate: report.Number(window.Throughput()), Budget: []report.Spent{}, Causes: []liveCause{}}
	version, _, err := mysqld.Version(context.WithoutCancel(ctx), s.DB)
	if err != nil {
		return nil, err
	}
	r.Version = version
	for _, e := range report.Explain(run, res) {
		r.Budget = e.Budget
		for _, f := range e.Findings {
			r.Causes = append(r.Causes, liveCause{f.Rule, f.Title, stateOf(diagnose.Verdict(f.Verdict)), f.Says, f.Fix})
		}
	}
	if c, ok := res.Arms[0].Counter("probe.cpu_ns"); ok {
		r.ProbesCPU = report.Number(c.PerSecond / 1e9)
	}
	r.Settings, err = o.settings(context.WithoutCancel(ctx))
	return r, err
}

// settings are lint's findings for the variables of the server and the limits of its cgroup.
func (o liveOptions) settings(ctx context.Context) ([]liveCause, error) {
	rules, err := lintRules(nil)
	if err != nil {
		return nil, err
	}
	found, err := o.lint(ctx, rules)
	if err != nil {
		return nil, err
	}
	all := []liveCause{}
	for _, f := range found.Findings {
		// What the counters show of this span is among the causes.
		if r, ok := diagnose.Find(f.Rule); ok && r.Run == nil && (f.Verdict == diagnose.Confirmed || f.Verdict == diagnose.Hint) {
			all = append(all, liveCause{f.Rule, f.Title, stateOf(f.Verdict), f.Says, f.Fix})
		}
	}
	return all, nil
}

func stateOf(v diagnose.Verdict) string {
	if v == diagnose.RuledOut {
		return "ruled-out"
	}
	return string(v)
}

func (r *liveReport) print(w io.Writer, format string) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(r)
	}
	fmt.Fprintf(w, "%s, %s, watched for %.1f s: %.1f %ss/s\n", r.Server, r.Version, r.Seconds, float64(r.Rate), r.Unit)
	fmt.Fprintf(w, "watching took %.2f %% of one CPU on this machine\n\n", 100*float64(r.ProbesCPU))
	if len(r.Budget) > 0 {
		fmt.Fprintf(w, "time budget of an average %s\n", r.Unit)
		columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, p := range r.Budget {
			fmt.Fprintf(columns, "  %s\t%.3f ms\t\n", p.Name, float64(p.Milliseconds))
		}
		if err := columns.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, state := range []string{confirmedState, "hint", "ruled-out", "unknown"} {
		for _, c := range append(slices.Clone(r.Causes), r.Settings...) {
			if c.State != state {
				continue
			}
			fmt.Fprintf(w, "%s: %s: %s\n  %s\n", c.State, c.Rule, c.Title, c.Evidence)
			if c.Fix != "" {
				fmt.Fprintf(w, "  Fix: %s\n", c.Fix)
			}
		}
	}
	return nil
}

func confirmedIn(all []liveCause) (n int) {
	for _, c := range all {
		if c.State == confirmedState {
			n++
		}
	}
	return n
}
