package campaign

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
)

// TunedFile is the experiment that a tuning ends with, in its directory.
const TunedFile = "tuned.yaml"

// Tuning improves one arm of an experiment: it diagnoses, measures the remedies, keeps
// what helps, and starts again, until no cause that the counters show is left that has not been
// measured, or the budget is spent.
type Tuning struct {
	Like *experiment.Experiment
	// Dir gets a run directory for each run, and TunedFile.
	Dir string
	// Say receives what was found and decided, a line each.
	Say io.Writer
	// Budget is the time after which no run may end.
	Budget time.Duration
	// Measure runs an experiment in a new run directory.
	Measure func(e *experiment.Experiment, dir string) (*record.Run, error)

	tried map[string]bool // the arms that have been measured, by their settings
	began time.Time
	steps int
}

// BudgetError says that the first run of a tuning would not end within the budget.
type BudgetError struct{ Takes, Budget time.Duration }

func (e BudgetError) Error() string {
	return fmt.Sprintf("tune: the first run takes about %s and the budget is %s; raise --budget, or lower protocol.rounds", e.Takes, e.Budget)
}

// errBudget says that the next run would not end within the budget.
var errBudget = errors.New("the budget is spent")

// Run tunes an arm of the experiment. The error is a [BudgetError] where the budget
// does not hold the first run.
func (tu *Tuning) Run(arm experiment.Arm) error {
	tu.tried, tu.began = map[string]bool{}, time.Now()
	before := arm
	last, err := tu.step(tu.Like, "as-written")
	if err != nil {
		return err
	}
	tu.tried[arm.Settings()] = true
	var why string
	for {
		next, again, err := tu.improve(last, arm)
		if errors.Is(err, errBudget) {
			why = fmt.Sprintf("%s: %s", errBudget, tu.Budget)
			break
		}
		if err != nil {
			return err
		}
		if again == nil {
			why = tu.nothingLeft(last, arm)
			break
		}
		last, arm = again, next
	}
	fmt.Fprintf(tu.Say, "stopped: %s\n", why)
	return tu.conclude(before, arm)
}

// improve measures what the counters of an arm ask for. It returns the arm that is
// the better one now with the run that measured it, or no run where nothing is
// left to measure.
func (tu *Tuning) improve(run *record.Run, arm experiment.Arm) (experiment.Arm, *record.Run, error) {
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
		fmt.Fprintf(tu.Say, "found: %s: %s; measuring %s\n", c.Finding.Rule, c.Finding.Says, c.Patch)
	}
	text, err := p.Experiment(tu.Like, "before", "Written by `tare tune`.")
	if err != nil {
		return arm, nil, err
	}
	e, err := experiment.Parse(TunedFile, text)
	if err != nil {
		return arm, nil, err
	}
	e.WorkloadFile, e.Script = tu.Like.WorkloadFile, tu.Like.Script
	measured, err := tu.step(e, "remedies")
	if err != nil {
		return arm, nil, err
	}
	return tu.keep(measured, e)
}

// nothingLeft is why no change is left to measure, with the rules that had no counters.
func (tu *Tuning) nothingLeft(run *record.Run, arm experiment.Arm) string {
	why := "the changes for all causes that the counters show have been measured"
	if tu.steps == 1 {
		why = "the counters show no cause that a change is known for, so nothing was measured but the arm as it is"
	}
	unknown := slices.DeleteFunc(diagnose.Run(run, compare.Run(run), diagnose.Rules()), func(f diagnose.Finding) bool {
		return f.Verdict != diagnose.Unknown || f.Subject != arm.Name
	})
	var all []string
	for _, u := range diagnose.ByReason(unknown) {
		all = append(all, fmt.Sprintf("%s (%s)", strings.Join(u.Rules, ", "), u.Why))
	}
	if len(all) == 0 {
		return why
	}
	return why + "; unknown, because counters are missing: " + strings.Join(all, "; ")
}

// keep is the arm that goes on: with the largest certain gain, or the one before.
func (tu *Tuning) keep(run *record.Run, e *experiment.Experiment) (experiment.Arm, *record.Run, error) {
	for _, m := range compare.Run(run).Remedies {
		fmt.Fprintf(tu.Say, "%s: %s %s: %s\n", m.Decision, m.Rule, m.Change, gains(m))
	}
	name := e.Baseline
	if best, err := compare.Run(run).KeptRemedy(""); err == nil {
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
			all = append(all, "no interval: "+language.Reasons(c.Reasons))
			continue
		}
		all = append(all, fmt.Sprintf("throughput %+.1f %% [%+.1f, %+.1f], %d rounds", c.Effect, c.Interval95.Lo, c.Interval95.Hi, c.Rounds))
	}
	return strings.Join(all, "; ")
}

// step is one run, within the budget.
func (tu *Tuning) step(e *experiment.Experiment, name string) (*record.Run, error) {
	plan := experiment.NewPlan(e)
	takes := time.Duration(plan.MaxRounds) * RoundTime(e, plan) // it may need all of them
	if time.Since(tu.began)+takes > tu.Budget {
		if tu.steps == 0 {
			return nil, BudgetError{Takes: takes.Round(time.Second), Budget: tu.Budget}
		}
		return nil, errBudget
	}
	dir := filepath.Join(tu.Dir, fmt.Sprintf("%d-%s", tu.steps, name))
	tu.steps++
	return tu.Measure(e, dir)
}

// conclude writes what came out, and measures it against what was there before.
func (tu *Tuning) conclude(before, after experiment.Arm) error {
	if before.Settings() == after.Settings() {
		fmt.Fprintln(tu.Say, "kept: nothing; the arm stays as it is")
		return nil
	}
	text, err := tu.Like.Derive(experiment.Derived{Name: tu.Like.Metadata.Name, Rounds: compare.EnoughRounds(len(tu.Like.Load.Threads)), Opening: []string{"Result of `tare tune`: the original arm and the tuned arm."},
		Arms: []experiment.DerivedArm{{Name: before.Name, Settings: before.Settings()}, {Name: "tuned", Settings: after.Settings()}}})
	if err != nil {
		return err
	}
	path := filepath.Join(tu.Dir, TunedFile)
	if err := record.WriteFile(path, text); err != nil {
		return err
	}
	fmt.Fprintf(tu.Say, "tuned: %s\nwritten: %s\n", after.Settings(), path)
	e, err := experiment.Parse(path, text)
	if err != nil {
		return err
	}
	e.Script = tu.Like.Script
	if e.WorkloadFile = tu.Like.WorkloadFile; e.WorkloadFile != nil && filepath.IsLocal(e.Load.Workload) {
		beside := filepath.Join(tu.Dir, e.Load.Workload)
		if err := errors.Join(os.MkdirAll(filepath.Dir(beside), 0o755), record.WriteFile(beside, e.WorkloadFile.Text)); err != nil {
			return fmt.Errorf("keep the workload file: %w", err)
		}
	}
	run, err := tu.step(e, "before-and-after")
	if errors.Is(err, errBudget) {
		fmt.Fprintf(tu.Say, "the original and the tuned arm were not compared: %s; to compare them: tare run %s\n", errBudget, path)
		return nil
	}
	if err != nil {
		return err
	}
	res := compare.Run(run)
	fmt.Fprintf(tu.Say, "in all: %s\n", gains(compare.Remedy{Contrasts: res.Contrasts}))
	return nil
}
