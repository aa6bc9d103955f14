// Command tare measures what Kubernetes costs a MySQL database, shows which
// layer the cost comes from, and takes it off.
//
// Standard output is the product, standard error the conversation. Exit codes:
// 0 done, 1 a verdict failed a gate, 2 wrong usage or invalid input, 3 the run
// could not be done.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
)

// version is set by the release build; a plain build says its revision.
var version = ""

const (
	exitDone    = 0
	exitGate    = 1
	exitInvalid = 2
	exitFailed  = 3
)

// terminal is what a verb talks to, and the flags that every verb has.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	stateDir string
	color    string
	ascii    bool
	allow    []string // what the user lets tare do to machines (see allowFlag)
}

// verbs is the table of everything tare can do, in the order of --help.
func verbs(t *terminal) []*cobra.Command {
	return []*cobra.Command{
		demoVerb(t), checkVerb(t), runVerb(t), reportVerb(t), compareVerb(t), exportVerb(t), serveVerb(t), importVerb(t),
		lintVerb(t), remedyVerb(t), tuneVerb(t), loadVerb(t), probeVerb(t), calibrateVerb(t), listVerb(t), explainVerb(t), cleanVerb(t), neighbourVerb(t), packetsVerb(t),
	}
}

func main() {
	os.Exit(run(os.Args[1:], &terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// run is main without the process: it returns the exit code.
func run(args []string, t *terminal) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := &cobra.Command{
		Use:   "tare",
		Short: "Measure what Kubernetes costs a MySQL database",
		Long: "tare measures what Kubernetes costs a MySQL database: it runs the same server bare and\n" +
			"in pods, drives the same load at each, and compares them with intervals that hold.\n\n" +
			"Start with `tare demo`; then `tare run SPEC` with an experiment of your own.",
		Version:       versionString(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	// kubectl runs whatever is called kubectl-NAME as `kubectl NAME`.
	if filepath.Base(os.Args[0]) == "kubectl-tare" {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl tare"}
	}
	root.SetArgs(args)
	root.SetIn(t.in)
	root.SetOut(t.out)
	root.SetErr(t.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usage{err} })
	root.PersistentFlags().StringVar(&t.stateDir, "state", os.Getenv("TARE_STATE"),
		"directory for prepared data and instances (default /var/lib/tare for root; environment TARE_STATE)")
	root.PersistentFlags().StringVar(&t.color, "color", "auto", "auto, always or never")
	root.PersistentFlags().BoolVar(&t.ascii, "ascii", false, "draw with ASCII characters only")
	root.AddCommand(verbs(t)...)
	err := root.ExecuteContext(ctx)
	if err != nil {
		explain(t.err, err)
	}
	return exitCode(err)
}

// usage is an error of the command line or of an input file: nothing was started.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// gate is a verdict that did not pass what was asked of it.
type gate struct{ error }

func exitCode(err error) int {
	var problems experiment.Problems
	var problem experiment.Problem
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &gate{}):
		return exitGate
	case errors.As(err, &usage{}), errors.As(err, &problems), errors.As(err, &problem):
		return exitInvalid
	}
	return exitFailed
}

// explain prints an error with what to do next. Hints live here and nowhere
// else: a library does not know how it was called.
func explain(w io.Writer, err error) {
	fmt.Fprintf(w, "tare: %s\n", err)
	var h hinted
	if errors.As(err, &h) {
		fmt.Fprintf(w, "  %s\n", h.hint)
	}
}

// hinted is an error with the hint of what to do next.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// args turns cobra's complaint about arguments into a usage error.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, a []string) error {
		if err := check(c, a); err != nil {
			return hinted{usage{err}, "usage: " + c.UseLine()}
		}
		return nil
	}
}

func (t *terminal) state() (runner.State, error) { return runner.DefaultState(t.stateDir) }

func versionString() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "0-" + s.Value[:12]
		}
	}
	return "0-dev"
}
