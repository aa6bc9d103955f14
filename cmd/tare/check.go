package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/workload/file"
)

func checkVerb(t *terminal) *cobra.Command {
	var watch time.Duration
	var change specChange
	c := &cobra.Command{
		Use:   "check SPEC",
		Short: "Validate an experiment file without running it",
		Long: "Read an experiment file strictly and check it against this machine: missing programs, more CPUs than it\n" +
			"has, server options that mysqld refuses, clusters and servers that do not answer. All mistakes are\n" +
			"shown at once, each with file:line:column. No server is started and no load is applied.\n\n" +
			"For a valid file it prints the number of trials, how long the run takes, and what precision to expect. It\n" +
			"watches the machine for 2 seconds and says what other processes use, and whether a run beside them has a verdict.\n\n" +
			"--offline checks the files only, as in CI: no cluster, no running server and no registry is contacted, and the\n" +
			"machine is not watched. It shows every mistake in the experiment, its manifests and patches, and prints the\n" +
			"protocol and the time.\n\n" +
			"What `tare lint` calls an error in the manifests of an arm is printed too, and the experiment is then not ready to\n" +
			"run, though it can be: the error can be what it measures.",
		Example:           "  tare check experiment.yaml\n  tare check --offline experiment.yaml\n  tare check -f experiment.yaml",
		Args:              args(cobra.ExactArgs(1)),
		ValidArgsFunction: specFile,
		RunE: func(c *cobra.Command, a []string) error {
			if t.offline {
				watch = 0
			}
			machine := watchMachine(watch)
			e, err := checkedSpec(c.Context(), t, a[0], change)
			if err != nil {
				return err
			}
			job, source, err := assembleWithData(c.Context(), t, e, t.err)
			if err != nil {
				return err
			}
			broken := lintedManifests(t, &job)
			fmt.Fprintf(t.out, "%s\n", readiness(a[0], shortOfMemory(&job), broken, len(misspelt(e)), uncheckedOf(&job)))
			printBroken(t, broken)
			fmt.Fprint(t.out, outline(job, source))
			if t.offline {
				for _, line := range unasked(job) {
					fmt.Fprintf(t.out, "  %s\n", line)
				}
				return nil
			}
			lines, err := machineLines(c.Context(), machine, job)
			for _, line := range lines {
				fmt.Fprintf(t.out, "  %s\n", line)
			}
			return err
		},
	}
	spanFlag(c.Flags(), &watch, "for", 2*time.Second, "how long to watch the machine; 0 does not watch it")
	c.Flags().BoolVar(&t.offline, "offline", false, "check the files only; contact no cluster, no running server and no registry")
	allowFlag(c, t)
	filesFlag(c, "experiment file")
	change.flags(c)
	roundsFlag(c.Flags(), &change.rounds, 0, "number of rounds, instead of the file's protocol.rounds")
	othersFlag(c.Flags(), &change.others)
	return c
}

// readSpec reads an experiment file, and changes it as the command line asks.
func readSpec(path string, change specChange) (*experiment.Experiment, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hinted{usage{fmt.Errorf("read experiment: %w", err)}, "write one with: tare init " + path}
	}
	if err != nil {
		return nil, usage{fmt.Errorf("read experiment: %w", err)}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, experiment.MaxSize+1))
	if err != nil {
		return nil, usage{fmt.Errorf("read experiment: %w", err)}
	}
	e, err := parseSpec(path, text)
	if e == nil {
		return nil, err
	}
	return change.of(path, e, err)
}

// parseSpec reads the text of an experiment file, and the files that its load names.
func parseSpec(path string, text []byte) (*experiment.Experiment, error) {
	e, err := experiment.ParseIn(filepath.Dir(path), path, text)
	switch {
	case e == nil:
		return e, err
	case experiment.IsWorkloadFile(e.Load.Workload):
		return e, withWorkload(path, e, err)
	case experiment.IsScript(e.Load.Workload):
		return e, withScript(e, err)
	}
	return e, err
}

// withScript gives an experiment the text of its Lua script.
func withScript(e *experiment.Experiment, err error) error {
	e.Script, err = namedText(e, e.Load.Workload, err)
	return err
}

// withWorkload gives an experiment the text of its workload file, which is named relative
// to it. The error has the mistakes of both files.
func withWorkload(path string, e *experiment.Experiment, err error) error {
	name := e.Load.Workload
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(path), name)
	}
	text, err := namedText(e, name, err)
	if text == nil {
		return err
	}
	e.WorkloadFile = text
	var problems, wrong experiment.Problems
	errors.As(err, &problems)
	_, err = file.Parse(name, text.Text)
	errors.As(err, &wrong)
	return append(problems, wrong...).Err()
}

// namedText reads the file that load.workload names. The error has the mistakes of the experiment,
// and that there is no such file.
func namedText(e *experiment.Experiment, name string, err error) (*experiment.Text, error) {
	text, missing := file.ReadText(name)
	if missing == nil {
		return &experiment.Text{Name: name, Text: text}, err
	}
	var problems experiment.Problems
	errors.As(err, &problems) // Parse returns nothing else
	return nil, append(problems, e.Problem("load.workload", "%s", missing)).Err()
}

// checkedSpec reads an experiment file that is to be run here. Where the file alone
// shows mistakes, the machine is asked about the rest of it too: all mistakes are shown
// at once.
func checkedSpec(ctx context.Context, t *terminal, path string, change specChange) (*experiment.Experiment, error) {
	e, err := readSpec(path, change)
	var problems experiment.Problems
	if e == nil || !errors.As(err, &problems) {
		return e, err
	}
	return nil, append(problems, machineProblems(ctx, t, e, problems)...).Err()
}

// machineProblems are the mistakes of a file with mistakes that only this machine can
// see, without those at places that have been complained of. Nothing is downloaded for
// a file that is wrong anyway.
func machineProblems(ctx context.Context, t *terminal, e *experiment.Experiment, known experiment.Problems) experiment.Problems {
	if !t.offline && (e.Database.Image != "" || slices.ContainsFunc(e.Arms, func(a experiment.Arm) bool { return e.Server(a).Image != "" })) {
		return nil
	}
	_, err := assemble(ctx, t, e, io.Discard)
	var found experiment.Problems
	if !errors.As(err, &found) {
		return nil
	}
	return slices.DeleteFunc(found, func(p experiment.Problem) bool {
		return slices.ContainsFunc(known, func(k experiment.Problem) bool {
			return k.Line == p.Line && k.Column == p.Column || p.Field == k.Field || saysAgain(p, k)
		})
	})
}

// saysAgain: an engine knows no fields and begins what is wrong with the load with the name
// of the value, which the file's reader has complained of.
func saysAgain(p, known experiment.Problem) bool {
	name, _, _ := strings.Cut(p.Message, " ")
	field, _, _ := strings.Cut(known.Field, "[")
	return field == p.Field+"."+name
}
