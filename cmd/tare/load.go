package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/inpod"
	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/summary"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
)

// loadVerb is the load generator as a program of its own. Its options have
// sysbench's names, so that a command line for sysbench is one for it.
func loadVerb(t *terminal) *cobra.Command {
	o := newLoadOptions()
	c := &cobra.Command{
		Use:   "load [flags] [ADDRESS] WORKLOAD|FILE prepare|run|check|cleanup",
		Short: "Run a load against a MySQL server, with sysbench's option names",
		Long: "Run a load against a MySQL or MariaDB server and measure the latency of every statement.\n\n" +
			"Workloads and options have sysbench's names and meanings, and each can use data that the other prepared:\n" +
			"a command line of sysbench runs here. Options that change nothing here are named as ignored.\n" +
			"The server can be named by ADDRESS too: mysql://USER@HOST:PORT/SCHEMA, or the path of a socket.\n" +
			"Workload tpcc has the shape of TPC-C with --scale warehouses; check verifies its consistency conditions,\n" +
			"and run ends with the same check. In an open loop (--rate), latency is measured from the time at which\n" +
			"a transaction was due.\n\n" +
			"A workload file (docs/workloads.md) has tables and transactions of your own. check then has the server\n" +
			"prepare its statements. cleanup drops only tables that tare made.\n\n" +
			"The password is read from --mysql-password-file or the environment variable MYSQL_PWD.",
		Example: "  tare load --mysql-socket=/run/mysqld/mysqld.sock --tables=10 --table-size=1000000 --threads=10 oltp_read_only prepare\n" +
			"  tare load --mysql-host=db --threads=64 --time=60 --report-interval=1 oltp_read_write run\n" +
			"  tare load --mysql-host=db --threads=16 --time=60 --workload ./shop.yaml run",
		ValidArgsFunction: loadArguments(o),
		Args: args(func(c *cobra.Command, a []string) error {
			if len(a) > 0 && a[len(a)-1] == "help" { // as of sysbench
				return nil
			}
			_, _, err := o.arguments(a)
			return err
		}),
		RunE: func(c *cobra.Command, a []string) error {
			o.hidePassword()
			if len(a) > 0 && a[len(a)-1] == "help" {
				return c.Help()
			}
			name, command, err := o.arguments(a)
			if err != nil {
				return usage{err}
			}
			if err := o.resolve(); err != nil {
				return usage{err}
			}
			if len(o.ignored) > 0 {
				fmt.Fprintf(t.err, "ignored, because they change nothing here: %s\n", strings.Join(o.ignored, ", "))
			}
			return withLoadHint(o.do(c.Context(), t, name, command), o, name, command)
		},
	}
	o.flags(c.Flags())
	_ = c.MarkFlagFilename("workload", "yaml", "yml")
	c.AddCommand(loadMergeVerb(t), inpod.LoadPart())
	return c
}

// do carries out a command, run once for each number of threads.
func (o *loadOptions) do(ctx context.Context, t *terminal, name, command string) error {
	o.workload.Threads = slices.Max(o.threads)
	if err := o.possible(name, command); err != nil { // what is wrong whatever the server says
		return err
	}
	if err := o.answers(ctx); err != nil {
		return err
	}
	switch command {
	case "prepare":
		return loadPrepare(ctx, t, o, name)
	case "check":
		return loadCheck(ctx, t, o, name)
	case "cleanup":
		return loadCleanup(ctx, t, o, name)
	}
	for _, threads := range o.threads {
		if len(o.threads) > 1 {
			fmt.Fprintf(t.out, "Threads: %d\n", threads)
		}
		o.workload.Threads = threads
		if err := loadRun(ctx, t, o, name); err != nil {
			return err
		}
		if len(o.threads) > 1 {
			fmt.Fprintln(t.out)
		}
	}
	return nil
}

// possible is what a command asks of its own values, before the server is asked anything.
func (o *loadOptions) possible(name, command string) error {
	p, _, err := loadParts(o, name)
	switch {
	case err != nil:
		return err
	case command == "check" && !workload.IsFile(name) && len(p.Conditions) == 0:
		return usage{fmt.Errorf("workload %s has no consistency conditions to check; tpcc has", name)}
	case command == "run":
		if _, err := o.job(p); err != nil {
			return usage{err}
		}
		return writable("--report-json", o.reportJSON)
	}
	return nil
}

// loadParts are a program and the network path to its server.
func loadParts(o *loadOptions, name string) (*workload.Program, *wire.Dialer, error) {
	d, err := wire.NewDialer(o.address)
	if err != nil {
		return nil, nil, usage{err}
	}
	p, err := o.program(name)
	if err != nil {
		return nil, nil, err
	}
	return p, d, nil
}

func loadPrepare(ctx context.Context, t *terminal, o *loadOptions, name string) error {
	p, d, err := loadParts(o, name)
	if err != nil {
		return err
	}
	d.LocalFiles = true
	begun, told := time.Now(), time.Time{}
	tables, rows := p.Tables(o.seed), int64(0)
	err = fill.Run(ctx, fill.Job{
		Tables: tables, Dial: d.Dial, Workers: o.workload.Threads, Verify: o.verify,
		Progress: func(p fill.Progress) {
			rows = p.Rows
			if p.Step != "" {
				fmt.Fprintf(t.out, "%s: %s\n", p.Table, stepWords[p.Step])
			} else if time.Since(told) > time.Second && isTerminal(t.err) {
				told = time.Now()
				fmt.Fprintf(t.err, "\r%d of %d rows, %s left   ", p.Rows, p.Of, p.Left.Round(time.Second))
			}
		},
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "prepared %s in %.2f s\n", extent(tables, rows), time.Since(begun).Seconds())
	return o.checkStatements(ctx, d, name)
}

// extent says how much data there is.
func extent(tables []workload.Table, rows int64) string {
	if len(tables) == 0 {
		return "nothing: the workload file has no tables,"
	}
	for _, t := range tables {
		if t.Units != tables[0].Units || t.UnitRows != tables[0].UnitRows {
			return fmt.Sprintf("%d tables of about %d rows together", len(tables), rows)
		}
	}
	return fmt.Sprintf("%d tables of %d rows", len(tables), tables[0].Units)
}

// unanswered says how many transactions had no answer when the load ended.
func unanswered(n int, drain time.Duration) string {
	if n == 1 {
		return fmt.Sprintf("1 transaction has had no answer within %s after the end", drain)
	}
	return fmt.Sprintf("%d transactions have had no answer within %s after the end", n, drain)
}

var stepWords = map[string]string{"rows": "all rows are in", "index": "secondary index made", "verified": "rows and checksum verified"}

func loadCleanup(ctx context.Context, _ *terminal, o *loadOptions, name string) error {
	p, d, err := loadParts(o, name)
	if err != nil {
		return err
	}
	if err := fill.Drop(ctx, d.Dial, p.Tables(0)); err != nil {
		return err
	}
	s, err := d.Dial(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return barrier.Drop(ctx, s)
}

// loadCheck checks what must hold for the data.
func loadCheck(ctx context.Context, t *terminal, o *loadOptions, name string) error {
	p, d, err := loadParts(o, name)
	if err != nil {
		return err
	}
	if workload.IsFile(name) {
		if err := o.checkStatements(ctx, d, name); err != nil {
			return err
		}
		_, err := fmt.Fprintln(t.out, "the server prepares all statements of the workload file")
		return err
	}
	return checkData(ctx, t.out, d.Dial, p)
}

func checkData(ctx context.Context, w io.Writer, dial func(context.Context) (*wire.Session, error), p *workload.Program) error {
	if err := fill.Check(ctx, dial, p.Conditions); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "consistent: all %d conditions hold\n", len(p.Conditions))
	return err
}

func loadRun(ctx context.Context, t *terminal, o *loadOptions, name string) error {
	p, d, err := loadParts(o, name)
	if err != nil {
		return err
	}
	j, err := o.job(p)
	if err != nil {
		return usage{err}
	}
	if err := o.bind(ctx, d, name, p); err != nil {
		return err
	}
	if o.generators > 1 {
		o.shareWork(ctx, j)
	}
	quiet := o.reportJSON == "-"
	show := func(i loop.Interval) {
		if !quiet && o.interval > 0 {
			summary.Line(t.out, i, o.workload.Threads, o.percentile, j.Arrivals != nil)
		}
	}
	machine := watchMachine(time.Millisecond)
	result, err := loop.Run(ctx, j, show)
	if err == nil {
		err = ctx.Err() // a load that a signal ended is not what was asked for
	}
	if o.generators > 1 {
		o.leave(ctx, t.err, j)
	}
	if result == nil {
		return err
	}
	if result.Unfinished > 0 {
		fmt.Fprintf(t.err, "tare: warning: %s\n", unanswered(result.Unfinished, j.Drain))
	}
	r := summary.From(p, j.Connections, result)
	if err := firstError(err, tell(t.out, o, r), worked(r)); err != nil {
		return err
	}
	if (r.Generator.Invalid != "" || r.Generator.Waited != "") && !quiet {
		// Why the generator was held up is an addition: what cannot be read is left out.
		if l, known, err := machine.end(ctx); err == nil && known {
			fmt.Fprintf(t.out, "%s (a server on this machine is among them)\n", loadLine(l))
		}
	}
	// One generator checks for all: in a snapshot it matters not who is still busy.
	if len(p.Conditions) == 0 || !o.verify || o.generator > 0 {
		return nil
	}
	out := t.out
	if quiet {
		out = io.Discard
	}
	return checkData(ctx, out, j.Dial, p)
}

// worked is an error if the server refused everything: the load has measured nothing then. A transaction that was
// answered after the window counts, as of a window that is shorter than one.
func worked(r *summary.Summary) error {
	if r.Counts.Transactions+r.Tail > 0 || len(r.ErrorCodes) == 0 {
		return nil
	}
	return errors.New("no transaction was committed: the server refused all of them (Errors by code); `tare load ... check` has the server prepare the statements of a workload file")
}

// tell prints a report in the forms that were asked for.
func tell(w io.Writer, o *loadOptions, r *summary.Summary) error {
	if o.reportJSON != "-" {
		if o.histogram {
			r.Histogram(w)
		}
		r.Text(w, o.percentile)
	}
	return writeReport(w, o.reportJSON, r)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// loadMergeVerb merges the reports of several generators.
func loadMergeVerb(t *terminal) *cobra.Command {
	o := newLoadOptions()
	c := &cobra.Command{
		Use:     "merge REPORT...",
		Short:   "Merge the JSON reports of load generators that ran at the same time",
		Example: "  tare load merge part-0.json part-1.json --report-json total.json",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, a []string) error {
			var parts []*summary.Summary
			for _, name := range a {
				b, err := os.ReadFile(name)
				if err != nil {
					return usage{err}
				}
				r, err := summary.Read(b)
				if err != nil {
					return usage{fmt.Errorf("%s: %w", name, err)}
				}
				parts = append(parts, r)
			}
			sum, err := summary.Merge(parts)
			if err != nil {
				return usage{err}
			}
			return tell(t.out, o, sum)
		},
	}
	c.Flags().StringVar(&o.reportJSON, "report-json", "", "write the report as JSON to this file; - writes only JSON to standard output")
	numberFlag(c.Flags(), &o.percentile, "percentile", 95, "latency percentile to print, 1 to 100, or 0 for none")
	boolFlag(c.Flags(), &o.histogram, "histogram", "print the latency histogram, on at most 30 lines")
	return c
}
