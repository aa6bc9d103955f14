package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/campaign"
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// runOptions are the flags of `tare run` and `tare demo`.
type runOptions struct {
	out     string
	format  string
	metrics string // address to serve live figures at, "" for none
	at      net.Listener
	failIf  []string
	strict  bool
	// unjudged is whether the run's end is somebody else's to judge: of a run in a pod of the cluster whoever fetches it, as an
	// error would have the Job start the pod again, and of a step of a tuning the tuning.
	unjudged bool
}

func runVerb(t *terminal) *cobra.Command {
	var o runOptions
	var resume string
	var cluster clusterOptions
	var change specChange
	c := &cobra.Command{
		Use:   "run SPEC | run --resume DIR",
		Short: "Run an experiment and compare its arms",
		Long: "Run every arm of an experiment in every round, in random order, and compare the arms with the baseline.\n" +
			"The plan, the results of every trial and the report are kept in the run directory.\n\n" +
			"Ctrl-C stops the run. A run that was stopped or killed continues with --resume; complete trials are not\n" +
			"repeated.\n\n" +
			"--fail-if 'throughput<-3%' exits with 1 if an arm is slower than the baseline by more than 3 % for certain,\n" +
			"'p99>20%' if its p99 latency is longer by more than 20 % for certain (or p95). Without a verdict (too few\n" +
			"rounds, a busy machine) a condition is open: the exit code is 0, with --strict 1.\n" +
			"The exit code is 3 too if an arm was not measured in any trial.\n" +
			"--rounds N runs another number of rounds than the file says.\n\n" +
			"--in-cluster runs the experiment in a pod of the cluster, with a volume for the run directory and the\n" +
			"permissions of docs/kubernetes-rbac.yaml. Its output is shown here and the run is fetched when it ends;\n" +
			"if the connection is lost or this machine sleeps, the run continues, and `tare fetch` gets it. Without\n" +
			"--image the pod starts from the image of the first arm, and this program is streamed into the volume.",
		Example: "  tare run experiment.yaml\n  tare run experiment.yaml --out runs/first -o json\n  tare run --resume runs/first\n" +
			"  tare run --in-cluster experiment.yaml --namespace tare",
		ValidArgsFunction: specFile,
		Args: args(func(c *cobra.Command, a []string) error {
			if resume != "" {
				return cobra.MaximumNArgs(1)(c, a)
			}
			return cobra.ExactArgs(1)(c, a)
		}),
		RunE: func(c *cobra.Command, a []string) error {
			if err := clusterOnly(c, cluster); err != nil {
				return err
			}
			if _, err := parseGates("run", o.failIf); err != nil {
				return err
			}
			if cluster.inside { // the flags say where the run is, and its arms are with it
				return startInCluster(c.Context(), t, a[0], specChange{rounds: change.rounds, others: change.others}, o, cluster)
			}
			change.at = cluster.at
			if resume != "" {
				if err := errors.Join(change.refuseResume(resume), resumable(resume, a)); err != nil {
					return err
				}
				return resumeRun(c.Context(), t, resume, o)
			}
			e, err := checkedSpec(c.Context(), t, a[0], change)
			if err != nil {
				return err
			}
			return startRun(c.Context(), t, e, o)
		},
	}
	runFlags(c, &o)
	roundsFlag(c.Flags(), &change.rounds, 0, "number of rounds, instead of the file's protocol.rounds")
	othersFlag(c.Flags(), &change.others)
	c.Flags().StringVar(&resume, "resume", "", "continue the run in this directory")
	allowFlag(c, t)
	filesFlag(c, "experiment file")
	group(c.Flags(), "Flags")
	cluster.runFlags(c)
	group(c.Flags(), "In a cluster")
	return c
}

// runFlags are those of `tare run` and `tare demo`.
func runFlags(c *cobra.Command, o *runOptions) {
	c.Flags().StringVar(&o.out, "out", "", "run directory to create (default runs/NAME-TIME)")
	formatFlag(c, &o.format, "text", "json")
	c.Flags().Lookup("format").Usage = "output format: text or json; json also writes progress to standard error as JSON lines"
	c.Flags().StringVar(&o.metrics, "metrics", "", "serve Prometheus metrics at this address during the run, for example 127.0.0.1:9411")
	c.Flags().StringArrayVar(&o.failIf, "fail-if", nil, "condition that fails the comparison with the baseline, for example 'throughput<-3%' or 'p99>20%'; can be repeated")
	c.Flags().BoolVar(&o.strict, "strict", false, "also fail if a condition is open: not excluded by the confidence interval, or without a verdict")
}

// startRun carries out a run: find everything, fix the plan, measure, compare its arms.
func startRun(ctx context.Context, t *terminal, e *experiment.Experiment, o runOptions) error {
	job, err := assemble(ctx, t, e, t.err)
	if err != nil {
		return err
	}
	// A run that another one keeps waiting leaves no directory behind. The runner takes the lock for good.
	unlock, err := job.State.Lock()
	if err != nil {
		return err
	}
	unlock()
	if o.at, err = listenMetrics(o.metrics); err != nil {
		return err
	}
	job.Dir = o.out
	if job.Dir == "" {
		job.Dir = filepath.Join("runs", e.Metadata.Name+"-"+time.Now().UTC().Format("20060102T150405Z"))
	}
	if err := record.Create(job.Dir, e, job.Plan); err != nil {
		return toResume(usage{err}, job.Dir)
	}
	return carryOut(ctx, t, job, o)
}

// toResume says how to go on with the run that is in the directory of a new one.
func toResume(err error, dir string) error {
	if _, other := record.Open(dir); other != nil || !errors.Is(err, record.ErrNotEmpty) {
		return err
	}
	return hinted{err, "it holds a run: continue that with tare run --resume " + dir + ", or name another directory with --out"}
}

// resumeRun goes on where a run was cut off.
func resumeRun(ctx context.Context, t *terminal, dir string, o runOptions) error {
	before, err := record.Open(dir)
	if err != nil {
		return usage{err}
	}
	if before.Imported != nil {
		return usage{fmt.Errorf("resume: %s was imported and has no trials to run", dir)}
	}
	if err := removeEarlier(ctx, t, dir, before.Experiment); err != nil {
		return err
	}
	job, err := assemble(ctx, t, before.Experiment, t.err)
	if err != nil {
		return err
	}
	job.Dir, job.Plan = dir, before.Plan
	if o.at, err = listenMetrics(o.metrics); err != nil {
		return err
	}
	return carryOut(ctx, t, job, o)
}

func carryOut(ctx context.Context, t *terminal, job runner.Job, o runOptions) error {
	defer outlivePipes()()
	unlock, err := lockRun(job)
	if err != nil {
		return err
	}
	defer unlock()
	if t.runs != nil {
		t.runs.Store(&job)
	}
	// What cannot be removed now does not keep the user from measuring.
	if _, err := sweep(ctx, t, job.State, false); err != nil {
		fmt.Fprintf(t.err, "tare: warning: some leftovers of an earlier run could not be removed: %s\n", err)
	}
	if err := noteTargets(job); err != nil {
		return err
	}
	show := newProgress(t, job, o.format == "json")
	stop := serveMetrics(o.at, show)
	err = record.ResumeFailed(job.Dir)
	if err == nil {
		err = campaign.Run(kubernetes.WithSilence(ctx, func(s kubernetes.Silence) { show.Answers(s.Why == "", s.String()) }), job, show)
	}
	stop()
	show.Close()
	if err != nil {
		return stopped(ctx, job.Dir, begun{err})
	}
	if err := record.ClearFailure(job.Dir); err != nil {
		return err
	}
	rememberSpread(t, job)
	if err := conclude(t, job.Dir, o.format); err != nil {
		return err
	}
	return o.judge(t, job.Dir)
}

// judge fails where an arm of a finished run meets a condition of --fail-if, or has not been measured at all.
func (o runOptions) judge(t *terminal, dir string) error {
	gates, err := parseGates("run", o.failIf)
	if err != nil || o.unjudged {
		return err
	}
	run, err := record.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(o.gated(t, run, gates), unmeasured(run))
}

func (o runOptions) gated(t *terminal, run *record.Run, gates []compare.Gate) error {
	if len(gates) == 0 {
		return nil
	}
	var failed []string
	result := compare.Run(run)
	for _, c := range result.Contrasts {
		for _, g := range gates {
			if out := g.OfRun(result, c, o.strict); out.Failed {
				failed = append(failed, fmt.Sprintf("%s failed in %s: %s", out.Gate, out.Arm, language.English().Reason(out.Reasons[0])))
			} else if out.Open() {
				fmt.Fprintf(t.judged(), "%s is open in %s (exit code 0 if no other condition fails; --strict makes it 1): %s\n", out.Gate, out.Arm, language.English().Reason(out.Reasons[0]))
			}
		}
	}
	if failed != nil {
		return gate{errors.New(strings.Join(failed, "\n"))}
	}
	return nil
}

// rememberSpread keeps how much the rounds varied, for the precision that `tare check` expects. A run is not
// lost because it cannot be kept.
func rememberSpread(t *terminal, job runner.Job) {
	run, err := record.Open(job.Dir)
	if err == nil {
		err = campaign.Remember(job.State.Dir, run)
	}
	if err != nil {
		fmt.Fprintf(t.err, "tare: warning: how much the rounds varied is not remembered: %s\n", err)
	}
}

// lockRun keeps other processes off the run, whatever state directory they use, and makes
// sure that the plan is still the one that was read.
func lockRun(job runner.Job) (unlock func(), err error) {
	if unlock, err = record.Lock(job.Dir); err != nil {
		return nil, err
	}
	now, err := record.Open(job.Dir)
	if err == nil && now.Plan.Sum != job.Plan.Sum {
		err = fmt.Errorf("run %s: %w, and has changed its plan: start again", job.Dir, record.ErrInUse)
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// conclude compares the arms of a finished run, keeps verdict and page beside the record, and
// prints the answer.
func conclude(t *terminal, dir, format string) error {
	doc, err := buildReport(dir)
	if err != nil {
		return err
	}
	page, err := keepReport(dir, doc)
	if err != nil {
		return err
	}
	// The run is complete and its report is kept: a reader that has gone, as of `tare run SPEC | head`, does not decide how it ends.
	if err := render(t, t.out, doc, format); err != nil && !t.readerGone(err) {
		return err
	}
	tellLost(t, doc)
	if t.out != io.Discard { // in a pod of the cluster, whose paths are of no use to who follows it
		fmt.Fprintf(t.err, "report: %s\n", page)
	}
	return nil
}

// tellLost names the trials that lost their server: they are results, so the run has
// not failed, but the reader has to see them.
func tellLost(t *terminal, doc *report.Document) {
	for _, trial := range doc.Trials {
		if trial.Outcome == string(record.ServerLost) {
			fmt.Fprintf(t.err, "tare: trial %d of arm %s lost its server and is excluded from all means: %s\n", trial.Trial, trial.Arm, trial.Reason)
		}
	}
}
