package main

// This file is `tare tune`: diagnose, propose, measure, keep or refuse, until
// nothing confirmed is left or the budget is spent.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// tunedFile is the experiment that `tare tune` ends with, in its directory.
const tunedFile = "tuned.yaml"

type tuneOptions struct {
	arm, out string
	budget   time.Duration
}

func tuneVerb(t *terminal) *cobra.Command {
	var o tuneOptions
	c := &cobra.Command{
		Use:   "tune SPEC",
		Short: "Find and measure fixes for an arm until none is left",
		Long: "Run the experiment, find the causes that the counters of one arm confirm, measure the fixes against that\n" +
			"arm in the same rounds, keep the one with the largest certain gain, and repeat until no confirmed cause is\n" +
			"left to measure or the budget is spent. Finally, the original and the tuned arm are measured together.\n\n" +
			"The runs and tuned.yaml are in the output directory. SPEC is not changed.",
		Example:           "  tare tune experiment.yaml --arm besteffort --budget 3h",
		ValidArgsFunction: specFile,
		Args:              args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			e, err := checkedSpec(c.Context(), t, a[0])
			if err != nil {
				return err
			}
			return tune(c.Context(), t, e, o)
		},
	}
	c.Flags().StringVar(&o.arm, "arm", "", "arm to tune (default the one that is not the baseline, if there are two)")
	c.Flags().DurationVar(&o.budget, "budget", 2*time.Hour, "start no run that would end after this time")
	c.Flags().StringVar(&o.out, "out", "", "directory to create (default runs/NAME-tune-TIME)")
	completeArm(c)
	filesFlag(c, "experiment file")
	return c
}

func tune(ctx context.Context, t *terminal, e *experiment.Experiment, o tuneOptions) error {
	arm, err := armToTune(e, o.arm)
	if err != nil {
		return err
	}
	if o.out == "" {
		o.out = filepath.Join("runs", e.Metadata.Name+"-tune-"+time.Now().UTC().Format("20060102T150405Z"))
	}
	tu := &tuner{like: e, dir: o.out, say: t.out, tried: map[string]bool{}, budget: o.budget, began: time.Now(),
		measure: func(e *experiment.Experiment, dir string) (*record.Run, error) {
			quiet := *t // each step's report is in its directory
			quiet.out = io.Discard
			if err := startRun(ctx, &quiet, e, runOptions{out: dir, format: "text"}); err != nil {
				return nil, err
			}
			return record.Open(dir)
		}}
	return tu.run(arm)
}

// armToTune is the arm named, or the only one beside the baseline.
func armToTune(e *experiment.Experiment, name string) (experiment.Arm, error) {
	var others []string
	for _, a := range e.Arms {
		if a.Name == name {
			return a, nil
		}
		if a.Name != e.Baseline {
			others = append(others, a.Name)
		}
	}
	if name == "" && len(others) == 1 {
		arm, _ := e.Arm(others[0])
		return arm, nil
	}
	if name == "" {
		return experiment.Arm{}, usage{fmt.Errorf("tune: choose an arm with --arm: %s", strings.Join(others, ", "))}
	}
	return experiment.Arm{}, usage{e.Problem("arms", "unknown arm %q; the arms are %s", name, strings.Join(e.Arms.Names(), ", "))}
}

// tuner is a tuning in progress.
type tuner struct {
	like    *experiment.Experiment
	dir     string
	say     io.Writer
	measure func(e *experiment.Experiment, dir string) (*record.Run, error)
	// tried are the arms that have been measured, by their settings.
	tried  map[string]bool
	budget time.Duration
	began  time.Time
	steps  int
}

// errBudget says that the next run would not end within the budget.
var errBudget = errors.New("the budget is spent")

// run is the story of a tuning.
func (tu *tuner) run(arm experiment.Arm) error {
	before := arm
	last, err := tu.step(tu.like, "as-written")
	if err != nil {
		return err
	}
	tu.tried[arm.Settings()] = true
	why := "nothing confirmed is left that has not been measured"
	for {
		next, again, err := tu.improve(last, arm)
		if errors.Is(err, errBudget) {
			why = fmt.Sprintf("%s: %s", errBudget, tu.budget)
			break
		}
		if err != nil {
			return err
		}
		if again == nil {
			break
		}
		last, arm = again, next
	}
	fmt.Fprintf(tu.say, "stopped: %s\n", why)
	return tu.conclude(before, arm)
}

// improve measures what the counters of an arm ask for. It returns the arm that is
// the better one now with the run that measured it, or no run where nothing is
// left to measure.
func (tu *tuner) improve(run *record.Run, arm experiment.Arm) (experiment.Arm, *record.Run, error) {
	findings := diagnose.Run(run, compare.Run(run), diagnose.Rules())
	p := diagnose.ProposeRun(findings, arm)
	p.Changes = slices.DeleteFunc(p.Changes, func(c diagnose.Change) bool {
		laid, err := arm.Laid(c.Patch)
		return err != nil || tu.tried[laid]
	})
	if len(p.Changes) == 0 {
		return arm, nil, nil
	}
	for _, c := range p.Changes {
		laid, err := arm.Laid(c.Patch)
		if err != nil {
			return arm, nil, err
		}
		tu.tried[laid] = true
		fmt.Fprintf(tu.say, "found: %s: %s; measuring %s\n", c.Finding.Rule, c.Finding.Says, c.Patch)
	}
	text, err := p.Experiment(tu.like, "before", "Written by `tare tune`.")
	if err != nil {
		return arm, nil, err
	}
	e, err := experiment.Parse(tunedFile, text)
	if err != nil {
		return arm, nil, err
	}
	measured, err := tu.step(e, "remedies")
	if err != nil {
		return arm, nil, err
	}
	return tu.keep(measured, e)
}

// keep is the arm that goes on: with the largest certain gain, or the one before.
func (tu *tuner) keep(run *record.Run, e *experiment.Experiment) (experiment.Arm, *record.Run, error) {
	for _, m := range compare.Run(run).Remedies {
		fmt.Fprintf(tu.say, "%s: %s %s: %s\n", m.Decision, m.Rule, m.Change, gains(m))
	}
	name := e.Baseline
	if best, err := keptRemedy(run, ""); err == nil {
		name = best.Arm
	}
	arm, _ := e.Arm(name)
	return arm, run, nil
}

// gains are the changes of throughput that were measured, with their intervals.
func gains(m compare.Remedy) string {
	var all []string
	for _, c := range m.Contrasts {
		if c.Interval95 == nil {
			all = append(all, "no interval: "+report.Reasons(c.Reasons))
			continue
		}
		all = append(all, fmt.Sprintf("throughput %+.1f %% [%+.1f, %+.1f], %d rounds", c.Effect, c.Interval95.Lo, c.Interval95.Hi, c.Rounds))
	}
	return strings.Join(all, "; ")
}

// step is one run, within the budget.
func (tu *tuner) step(e *experiment.Experiment, name string) (*record.Run, error) {
	takes := time.Duration(len(experiment.NewPlan(e).Trials)) * trialTime(e)
	if time.Since(tu.began)+takes > tu.budget {
		if tu.steps == 0 {
			return nil, usage{fmt.Errorf("tune: the first run takes about %s and the budget is %s; raise --budget, or lower protocol.rounds", takes.Round(time.Second), tu.budget)}
		}
		return nil, errBudget
	}
	dir := filepath.Join(tu.dir, fmt.Sprintf("%d-%s", tu.steps, name))
	tu.steps++
	return tu.measure(e, dir)
}

// conclude writes what came out, and measures it against what was there before.
func (tu *tuner) conclude(before, after experiment.Arm) error {
	if before.Settings() == after.Settings() {
		fmt.Fprintln(tu.say, "kept: nothing; the arm stays as it is")
		return nil
	}
	text, err := tu.like.Derive(experiment.Derived{Name: tu.like.Metadata.Name, Rounds: compare.EnoughRounds(len(tu.like.Load.Threads)), Opening: []string{"What `tare tune` came to: the arm as it was, and as it is now."},
		Arms: []experiment.DerivedArm{{Name: before.Name, Settings: before.Settings()}, {Name: "tuned", Settings: after.Settings()}}})
	if err != nil {
		return err
	}
	path := filepath.Join(tu.dir, tunedFile)
	if err := record.WriteFile(path, text); err != nil {
		return err
	}
	fmt.Fprintf(tu.say, "tuned: %s\nwritten: %s\n", after.Settings(), path)
	e, err := experiment.Parse(path, text)
	if err != nil {
		return err
	}
	run, err := tu.step(e, "before-and-after")
	if errors.Is(err, errBudget) {
		fmt.Fprintf(tu.say, "not measured as a whole: %s; tare run %s does\n", errBudget, path)
		return nil
	}
	if err != nil {
		return err
	}
	res := compare.Run(run)
	fmt.Fprintf(tu.say, "in all: %s\n", gains(compare.Remedy{Contrasts: res.Contrasts}))
	return nil
}
