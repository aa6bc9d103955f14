// Package runner executes the trials of a plan one after another and records what
// happens.
package runner

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// Job is an experiment whose parts have all been found and checked.
type Job struct {
	// Dir is the run directory; experiment.yaml and plan.json stand in it.
	Dir        string
	Experiment *experiment.Experiment
	Plan       experiment.Plan
	// Targets has one target for each arm.
	Targets map[string]target.Target
	// Second is the target of the baseline's second measurement by slices, where Targets' has one server at a time;
	// nil: that one has both.
	Second target.Target
	// Preparer starts the server that the data is prepared with, once, before
	// the first trial: a plain process.
	Preparer target.Target
	// From loads the servers of all arms; nil: each arm says where its load comes from.
	From   *target.Load
	Engine loadgen.Engine
	// Distribution are the files of the experiment's server; Own are those of arms with a server of
	// their own, by arm. [Job.Of] has the one of an arm.
	Distribution mysqld.Distribution
	Own          map[string]mysqld.Distribution
	State        State
	// Record reads what the run has measured so far; nil opens the record again.
	Record *record.Reader
	// Version of tare, for the record.
	Version string
	// Enough ends the run after a round, or after a trial that has no turns, though there are
	// more; nil: none is the last but the last.
	Enough func() (bool, error)
	// Replanned gets the plan when the run has changed it: the rate of load.latency is fixed and
	// saved; nil: there is no other copy of the plan.
	Replanned func(experiment.Plan)
	// Observe is told what happens, for the terminal. It must not block.
	Observe func(Progress)

	contents *contents  // of the files that trials start from
	rate     *fixedRate // of load.latency
	beside   *beside    // of the servers that have started
}

// Of is the job as an arm sees it: Distribution is that of the arm's server.
func (j Job) Of(arm string) Job {
	if own, ok := j.Own[arm]; ok {
		j.Distribution = own
	}
	return j
}

// place is the target of a trial, and what tells it from others: the arm, and Again for the Second.
func (j Job) place(t experiment.Trial) (target.Target, experiment.Trial) {
	if t.Again && j.Second != nil && j.Plan.Protocol != nil && j.Plan.Protocol.Slices != nil {
		return j.Second, experiment.Trial{Arm: t.Arm, Again: true}
	}
	return j.Targets[t.Arm], experiment.Trial{Arm: t.Arm}
}

// Progress is one thing that happened in a run.
type Progress struct {
	Kind  ProgressKind
	Trial experiment.Trial // zero while the data is prepared
	// Phase is what is being done now, for Phase; Outcome and Reason how a trial
	// ended, for Ended; Reason what is waited for, for Waiting.
	Phase    string
	Outcome  record.Outcome
	Reason   string
	Interval *record.Interval
	Window   *record.Window
	// Hopeless: the run ends with this trial, and says Reason as its own, for Ended.
	Hopeless bool
	// Others is the share of the machine's CPU time that other processes and other virtual machines used, for Ended;
	// NaN where it is unknown.
	Others float64
	// Complete are the trials that need not be run, by number, for Began.
	Complete map[int]record.Outcome
}

// ProgressKind says which fields of a Progress are set.
type ProgressKind int

const (
	Began ProgressKind = iota
	Phase
	Second
	Ended
	// Waiting: a server's start waits for what Reason says. The start goes on.
	Waiting
	// Slow: a write or a sync of the trial's record takes more than a second. It can be told
	// while another thing is.
	Slow
)

// maxFailures in a row end a run: what fails three times will fail a fourth.
// Outcomes of an arm (not ready, starved) are no failures.
const maxFailures = 3

// maxSame in a row of one arm, for the same reason, end a run too: beside arms that work, an arm that cannot start, as a pod
// that fits on no node, would have each round wait for the end of `ready`.
const maxSame = 2

// Run carries out what is not complete yet of a plan, and nothing else. Trials
// that failed count as not complete: they hold no result. It returns an error
// when it was cancelled or a trial failed; what was measured is on disk.
func Run(ctx context.Context, j Job) error {
	run, err := j.measured()
	if err != nil {
		return err
	}
	todo, complete := j.remaining(run)
	j.Observe(Progress{Kind: Began, Complete: complete})
	if len(todo) == 0 {
		return nil
	}
	if err := j.sameScript(); err != nil {
		return err
	}
	unlock, err := j.State.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if j.State, err = j.State.At(j.Experiment.Data.Directory); err != nil {
		return err
	}
	j.contents, j.rate, j.beside = newContents(), &fixedRate{j.Plan.LatencyRate}, nodeOf(j, run)
	source, err := prepare(ctx, j, todo)
	if err != nil {
		err = record.PrepareData.Wrap(err)
	} else {
		err = runTrials(ctx, j, todo, source)
	}
	return errors.Join(err, release(j, todo))
}

// measured is what is on record of the run.
func (j Job) measured() (*record.Run, error) {
	if j.Record == nil {
		j.Record = record.NewReader(j.Dir, j.Experiment)
	}
	return j.Record.Read(j.Plan)
}

// remaining are the trials without a complete result, and the others' outcomes.
func (j Job) remaining(run *record.Run) (todo []experiment.Trial, complete map[int]record.Outcome) {
	complete = map[int]record.Outcome{}
	for _, t := range run.Trials {
		if t.HasResult() {
			complete[t.Header.Trial] = t.End.Outcome
		}
	}
	for _, t := range j.Plan.Trials {
		if complete[t.Number] == "" && j.wholeRounds(t.Arm) {
			forget(complete, j.Plan, t.Round)
		}
	}
	for _, t := range j.Plan.Trials {
		if complete[t.Number] == "" {
			todo = append(todo, t)
		}
	}
	return todo, complete
}

// wholeRounds says that the trials of a round are comparable only if one process has carried them
// all out: the round is what was measured together, or the data of an arm wear from trial to
// trial, and are made once for each process.
func (j Job) wholeRounds(arm string) bool {
	return j.Plan.Sliced() || j.Experiment.Data.Each == experiment.EachKeep && j.Each(arm) == experiment.EachKeep
}

// forget takes the trials of a round out of those that are complete.
func forget(complete map[int]record.Outcome, p experiment.Plan, round int) {
	for _, t := range p.Trials {
		if t.Round == round {
			delete(complete, t.Number)
		}
	}
}

// together are the trials that are run at once: those of a round that take turns, each
// by itself otherwise.
func together(p experiment.Plan, todo []experiment.Trial) (groups [][]experiment.Trial) {
	for _, t := range todo {
		last := len(groups) - 1
		if p.Sliced() && last >= 0 && groups[last][0].Round == t.Round {
			groups[last] = append(groups[last], t)
			continue
		}
		groups = append(groups, []experiment.Trial{t})
	}
	return groups
}

// runGroup runs trials that belong together.
func runGroup(ctx context.Context, j Job, group []experiment.Trial, source data) ([]record.End, error) {
	if j.Plan.Sliced() {
		ends, err := runRound(ctx, j, group, source)
		if err != nil {
			return nil, record.OfRound.Wrap(err, strconv.Itoa(group[0].Round))
		}
		return ends, nil
	}
	if err := j.rateOfRecord(); err != nil {
		return nil, err
	}
	end, err := runTrial(ctx, j, group[0], source)
	if err != nil {
		return nil, record.OfTrial.Wrap(err, strconv.Itoa(group[0].Number), group[0].Arm)
	}
	return []record.End{end}, nil
}

func runTrials(ctx context.Context, j Job, todo []experiment.Trial, source data) error {
	var failed failures
	for _, group := range together(j.Plan, todo) {
		if err := ctx.Err(); err != nil {
			return err
		}
		ends, err := runGroup(ctx, j, group, source)
		if err != nil {
			return err
		}
		if err := failed.count(group, ends); err != nil {
			return err
		}
		if j.Enough != nil {
			if enough, err := j.Enough(); err != nil || enough {
				return err
			}
		}
	}
	if failed.all > 0 {
		return errors.New(record.SomeFailed.Say(strconv.Itoa(failed.all), strconv.Itoa(len(todo))))
	}
	return nil
}

// failures are the trials that have failed: all, those in a row, and by arm those in a row for one reason.
type failures struct {
	all, inRow int
	of         map[experiment.Trial]sameFailure // by arm, repeat and level
}

type sameFailure struct {
	reason string
	times  int
}

// count adds those of trials that were run at once. Levels of the load share a server, whose
// failure counts once.
func (f *failures) count(group []experiment.Trial, ends []record.End) error {
	if err := hopeless(group, ends); err != nil {
		return err
	}
	servers := map[experiment.Trial]bool{}
	for i, end := range ends {
		if end.Outcome != record.Failed {
			f.inRow = 0
			delete(f.of, serverOf(group[i]))
			continue
		}
		f.all++
		server := experiment.Trial{Arm: group[i].Arm, Again: group[i].Again}
		if servers[server] {
			continue
		}
		servers[server] = true
		if f.inRow++; f.inRow == maxFailures {
			return errors.New(record.FailedInARow.Say(strconv.Itoa(f.inRow), strconv.Itoa(group[i].Number), group[i].Arm, end.Reason))
		}
		if n := f.again(serverOf(group[i]), end.Reason); n == maxSame {
			return errors.New(record.FailedAlike.Say(strconv.Itoa(n), strconv.Itoa(group[i].Number), group[i].Arm, end.Reason))
		}
	}
	return nil
}

// hopeless is the [HopelessError] of trials that were run at once, nil where none is hopeless. A reason that several arms have is
// said of the first.
func hopeless(group []experiment.Trial, ends []record.End) error {
	said := map[string]bool{}
	var all []string
	for i, end := range ends {
		if !end.Hopeless {
			continue
		}
		if reason := ownName.ReplaceAllString(end.Reason, ""); !said[reason] {
			said[reason] = true
			all = append(all, record.FailedAlways.Say(strconv.Itoa(group[i].Number), group[i].Arm, end.Reason))
		}
	}
	if all == nil {
		return nil
	}
	return HopelessError{strings.Join(all, "\n")}
}

// ownName is the part of objects' names by which those of one arm in a cluster differ from those of another.
var ownName = regexp.MustCompile(`\btare-[0-9a-f]{8}\b`)

// HopelessError ends a run with the first trials whose servers do not start by their settings: another attempt does not help.
type HopelessError struct{ why string }

func (e HopelessError) Error() string { return e.why }

// serverOf is whose failures are counted together: those of a repeat and of a level of the load are their own.
func serverOf(t experiment.Trial) experiment.Trial {
	return experiment.Trial{Arm: t.Arm, Again: t.Again, Threads: t.Threads}
}

// again is how often in a row a server of an arm has failed for this reason.
func (f *failures) again(server experiment.Trial, reason string) int {
	if f.of == nil {
		f.of = map[experiment.Trial]sameFailure{}
	}
	last := f.of[server]
	if last.reason != reason {
		last = sameFailure{reason: reason}
	}
	last.times++
	f.of[server] = last
	return last.times
}

// release gives back what targets hold for the whole run: the schema on
// somebody else's server, the objects in a cluster.
func release(j Job, todo []experiment.Trial) (all error) {
	if j.From != nil {
		all = releaseInTime(j.From.Release)
	}
	seen := map[experiment.Trial]bool{}
	for _, t := range todo {
		place, key := j.place(t)
		if release := place.Capabilities().Release; release != nil && !seen[key] {
			all = errors.Join(all, releaseInTime(release))
		}
		seen[key] = true
	}
	return all
}

// releaseWithin bounds one target: an operator takes minutes to end a database of several members,
// and what cannot be given back must not take the others' time.
const releaseWithin = 5 * time.Minute

// releaseInTime has a context of its own: the run's may be cancelled, and giving back must still happen.
func releaseInTime(release func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), releaseWithin, fmt.Errorf("not done within %s", releaseWithin))
	defer cancel()
	return release(ctx)
}
