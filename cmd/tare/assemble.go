package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tarebench/tare/internal/campaign"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/runner"
)

// assemble finds all parts of an experiment and checks them, as far as that can
// be done without starting anything. The error holds everything that is wrong,
// not the first of it.
func assemble(ctx context.Context, t *terminal, e *experiment.Experiment, log io.Writer) (runner.Job, error) {
	job, _, err := assembleWithData(ctx, t, e, log)
	return job, err
}

// assembleWithData is assemble with what the restoring of data.from takes, nil without it.
func assembleWithData(ctx context.Context, t *terminal, e *experiment.Experiment, log io.Writer) (runner.Job, *dataPlan, error) {
	state, err := t.state()
	if err != nil {
		return runner.Job{}, nil, err
	}
	job := runner.Job{Experiment: e, State: state, Version: versionString(), Observe: func(runner.Progress) {}}
	problems := checkEngine(ctx, &job)
	if anyLocal(e) && measuresHere() == nil { // else each arm says why not
		problems = append(problems, findServers(ctx, &job, log, t.offline)...)
	}
	problems = append(problems, unwritable(e)...)
	problems = append(problems, makeTargets(&job)...)
	problems = append(problems, makeFrom(&job)...)
	problems = append(problems, checkFiles(&job)...)
	if err := checkPermissions(t, &job); err != nil { // before anything asks a cluster
		return job, nil, errors.Join(err, problems.Err())
	}
	problems = append(problems, checkFrom(ctx, &job, t.offline)...)
	problems = append(problems, checkTargets(ctx, &job, t.offline)...)
	if err := ctx.Err(); err != nil { // what was asked since has no answer
		return job, nil, err
	}
	source := planData(ctx, &job, t.offline)
	if problems == nil && !t.offline { // what the servers and targets are is known, and the run is for this disk
		problems = checkRoom(&job)
	}
	problems = append(problems, choosePlan(&job, source)...)
	problems = append(problems, checkSource(&job, source)...)
	return job, source, problems.Err()
}

func checkEngine(ctx context.Context, job *runner.Job) experiment.Problems {
	e := job.Experiment
	engine, err := loadgen.New(e.Load.Engine, "")
	if err != nil {
		return experiment.Problems{e.Problem("load.engine", "%s", err)}
	}
	job.Engine = engine
	if problems := append(checkFind(job), checkLatency(job)...); problems != nil {
		return problems
	}
	unread := experiment.IsWorkloadFile(e.Load.Workload) && e.WorkloadFile == nil
	if len(e.Load.Threads) == 0 || unread { // which the file's own check has said
		return nil
	}
	var problems experiment.Problems
	for _, err := range engine.Check(ctx, job.Load(e.Load.Threads[0])) {
		var ofFile experiment.Problems
		if errors.As(err, &ofFile) { // the workload file's, with places of its own
			problems = append(problems, ofFile...)
			continue
		}
		field := "load"
		if errors.Is(err, loadgen.ErrOtherEngine) {
			field = "load.workload"
		}
		problems = append(problems, e.Problem(field, "%s", err))
	}
	return problems
}

// findServers finds the files that the local servers run from, and checks the
// options that they will be started with. offline: images are not downloaded, and nothing is known
// of a server in one.
func findServers(ctx context.Context, job *runner.Job, log io.Writer, offline bool) experiment.Problems {
	e := job.Experiment
	var problems experiment.Problems
	known := map[mysqld.Source]mysqld.Distribution{} // the server's program is run and hashed to find out what it is
	find := func(db experiment.Database, at func(field, format string, args ...any) experiment.Problem) mysqld.Distribution {
		source := mysqld.Source{Path: db.Path, Rootfs: db.Rootfs, OCI: db.OCI, Image: db.Image}
		if found, before := known[source]; before || offline && source.Image != "" {
			return found
		}
		found, err := mysqld.Resolve(ctx, source, job.State.Images(), log)
		if err != nil {
			problems = append(problems, at("database."+sourceField(source), "%s", err))
			return found
		}
		known[source] = found
		return found
	}
	job.Own = map[string]mysqld.Distribution{}
	shared := false
	for _, arm := range e.Arms {
		switch kind, _ := findTarget(arm.Target); {
		case !kind.local:
		case arm.Database != nil:
			job.Own[arm.Name] = find(*arm.Database, arm.Problem)
		default:
			shared = true
		}
	}
	if shared {
		job.Distribution = find(e.Database, e.Problem)
	}
	// A plain process makes the data: the arms have no part in that.
	preparer, err := newPreparer()
	if err != nil {
		problems = append(problems, e.Problem("database", "%s", err))
	}
	job.Preparer = preparer
	if problems != nil {
		return problems
	}
	return checkOptions(ctx, job, shared)
}

// checkGenerators refuses what cannot be spread over the pods of an arm's load.
func checkGenerators(job *runner.Job, arm experiment.Arm) experiment.Problems {
	has := job.Targets[arm.Name].Capabilities()
	if has.Reconnect > 0 && job.Experiment.Load.Engine != loadgen.BuiltIn("").Name() {
		return experiment.Problems{arm.Problem("reconnect", "reconnect requires the built-in engine; write load: {engine: tare}")}
	}
	if has.Generators == 0 {
		return nil
	}
	if job.Experiment.Load.Latency != nil {
		return experiment.Problems{arm.Problem(generatorField(arm), "load.latency requires a load from this host; leave this field out")}
	}
	if job.Experiment.Load.Find != nil {
		return experiment.Problems{arm.Problem(generatorField(arm), "a search for the capacity (load.find) sends its load from this host, and this sends it from elsewhere; leave it out, or write load.rate or load.threads in the place of load.find")}
	}
	var problems experiment.Problems
	if job.Experiment.Load.Engine != loadgen.BuiltIn("").Name() {
		problems = append(problems, arm.Problem("clients", "load pods require the built-in engine; write load: {engine: tare}"))
	}
	for _, threads := range job.Experiment.Load.Threads {
		if err := loadgen.EnoughThreads(threads, has.Generators); err != nil {
			problems = append(problems, arm.Problem("clients", "%s", err))
		}
	}
	return problems
}

func sourceField(s mysqld.Source) string {
	field, _, _ := strings.Cut(s.String(), ":")
	return field
}

// checkHugePages refuses an arm whose server would leave its huge pages unused: it
// takes them with an option, which has to be declared like any other that differs
// between arms, and goes without, with a warning in its log, where they are too few.
func checkHugePages(job *runner.Job, arm experiment.Arm) experiment.Problems {
	pages := job.Targets[arm.Name].Capabilities().HugePages
	if pages == 0 {
		return nil
	}
	config, pool := job.Experiment.Settings(arm), bufferPool(job, arm)
	if pages <= pool {
		return experiment.Problems{arm.Problem("hugepages-2Mi", "%d MiB of huge pages cannot hold the buffer pool of %d MiB; ask for that and 5 %% more, or lower innodb_buffer_pool_size",
			pages>>20, pool>>20)}
	}
	for option := range config {
		if strings.ReplaceAll(option, "-", "_") == "large_pages" {
			return nil
		}
	}
	return experiment.Problems{arm.Problem("hugepages-2Mi", "the server uses huge pages only with large_pages=ON; write config: {large_pages: ON} in the arm, or OFF to measure the cost of unused huge pages")}
}

// outline says what a run will do and how long it will take, as far as that is
// known before it.
func outline(job runner.Job, source *dataPlan) string {
	e, plan := job.Experiment, job.Plan
	var b strings.Builder
	spread := campaign.Recall(job.State.Dir, e, plan)
	fmt.Fprintf(&b, "  %s\n", campaign.Summary(e, plan, spread))
	if line := longer(e, plan); line != "" {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	count := language.English().Count
	fmt.Fprintf(&b, "  %s: %s of %s (%s)", count(len(plan.Trials), "trial"), count(plan.Rounds, "round"), count(len(e.Arms), "arm"), strings.Join(e.Arms.Names(), ", "))
	if plan.AA {
		fmt.Fprintf(&b, ", %s twice", e.Baseline)
	}
	if n := len(e.Load.Threads); n > 1 {
		fmt.Fprintf(&b, " at %d levels of load", n)
	}
	b.WriteByte('\n')
	if p := plan.Protocol; p != nil {
		fmt.Fprintf(&b, "  how: %s\n", protocolLine(*p))
	}
	if e.NoProtocol() {
		fmt.Fprintf(&b, "  %s\n", protocolDefaults(e.Protocol))
	}
	if f := e.Load.Find; f != nil {
		fmt.Fprintf(&b, "  %s\n", findOutline(*f, e.Protocol.Measure))
	}
	if e.Load.Latency != nil {
		fmt.Fprintf(&b, "  %s\n", latencyOutline(e, plan))
	}
	if few := fewArrivals(float64(e.Load.Rate) * e.Protocol.Measure.Std().Seconds()); e.Load.Rate > 0 && few != "" {
		fmt.Fprintf(&b, "  latency: at %s%s\n", e.Load.Rate, few)
	}
	if job.Distribution.Server != "" {
		fmt.Fprintf(&b, "  server: %s\n", serverText(job.Distribution))
	}
	for _, arm := range e.Arms {
		if own, ok := job.Own[arm.Name]; ok {
			fmt.Fprintf(&b, "  server of %s: %s\n", arm.Name, serverText(own))
		}
	}
	for _, short := range shortOfMemory(&job) {
		fmt.Fprintf(&b, "  %s\n", short.line())
	}
	for _, line := range armNotes(&job) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	for _, arm := range e.Arms {
		if warning := misnamed(arm.Name, job.Targets[arm.Name].Capabilities().Class); warning != "" {
			fmt.Fprintf(&b, "  %s\n", warning)
		}
	}
	for _, line := range append(misspelt(e), loadPlaces(job)...) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	for _, line := range dataLines(job, source) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	fmt.Fprintf(&b, "  order: random, drawn with seed %d (plan %.12s)\n", e.Protocol.Seed, plan.Hash)
	for _, line := range campaign.Expected(e, plan, spread) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	return b.String()
}

// longer says how long a run takes whose servers, which run on without load between their turns, do not keep these; "" of one
// that cannot go over to windows.
func longer(e *experiment.Experiment, plan experiment.Plan) string {
	if !plan.Sliced() || !plan.Protocol.Slices.Idle || e.Protocol.Kind != "" {
		return ""
	}
	return fmt.Sprintf("up to %s, and the time that pods take to start, where servers do not keep their turns, as beside a neighbour or under a CPU limit: such a round is measured again by windows, one server after the other", campaign.ByWindows(e, plan))
}

// protocolDefaults are the lengths of a run whose file has no protocol: its author may have forgotten it.
func protocolDefaults(p experiment.Protocol) string {
	return fmt.Sprintf("the file has no protocol: the defaults are used (%s, each arm with %s of warm-up and %s of measurement in each)",
		language.English().Count(p.Rounds.Max, "round"), shortSpan(p.Warmup.Std()), shortSpan(p.Measure.Std()))
}

// serverText is a server's product and version, and where its files come from: for one of this host, the path of its program.
func serverText(d mysqld.Distribution) string {
	product := mysqld.Product(d.Flavour)
	version, _, _ := strings.Cut(d.Version, " for ") // of the build's platform
	place := d.Source
	if d.Root == "/" {
		place = d.Server
	}
	return fmt.Sprintf("%s %s (%s)", product, version, place)
}
