package main

// Where the load of an experiment comes from: load.from for all arms, or each arm's own.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// makeFrom makes the load of all arms where the experiment has one from pods.
func makeFrom(job *runner.Job) experiment.Problems {
	from := job.Experiment.Load.From
	if !from.Pods() {
		return nil
	}
	l, err := kubernetes.NewLoad(from.Decode)
	if err != nil {
		return problemsAt(from.Problem, err)
	}
	job.From = l
	return nil
}

// checkFrom asks the cluster of load.from what can be known before a run, and refuses what
// its pods cannot do. offline: the cluster is not asked.
func checkFrom(ctx context.Context, job *runner.Job, offline bool) experiment.Problems {
	if job.From == nil {
		return nil
	}
	var problems experiment.Problems
	if !offline {
		for _, err := range job.From.Check(ctx) {
			problems = append(problems, problemsAt(job.Experiment.Load.From.Problem, err)...)
		}
	}
	if job.Experiment.Load.Engine != loadgen.BuiltIn("").Name() {
		problems = append(problems, job.Experiment.Problem("load.from", "load pods require the built-in engine; write load: {engine: tare}"))
	}
	for _, threads := range job.Experiment.Load.Threads {
		if err := loadgen.EnoughThreads(threads, job.From.Generators); err != nil {
			problems = append(problems, job.Experiment.Load.From.Problem("clients", "%s", err))
		}
	}
	return problems
}

// checkArmLoad refuses an arm that has a load of its own beside load.from, or whose server
// the pods of load.from cannot connect to.
func checkArmLoad(job *runner.Job, arm experiment.Arm) experiment.Problems {
	if job.Experiment.Load.From == nil {
		return nil
	}
	has := job.Targets[arm.Name].Capabilities()
	switch {
	case has.LoadField != "":
		return experiment.Problems{arm.Problem(has.LoadField, "load.from says where the load of all arms comes from; leave %s out, or leave load.from out", has.LoadField)}
	case job.From == nil:
		return nil
	case has.ReachedFrom == nil:
		return experiment.Problems{arm.Problem("target", "the load comes from pods of cluster %s, which cannot connect to a server of target %s; use target kubernetes or external, or write load: {from: host}", job.From.Cluster, arm.Target)}
	}
	return asProblems(arm, has.ReachedFrom(job.From.Cluster))
}

// loadPlaces says where the load comes from where that is for load.from to say, and warns
// where arms are loaded from different places: what is compared then includes the network
// path from each.
func loadPlaces(job runner.Job) []string {
	if f := job.From; f != nil {
		generators := "generators"
		if f.Generators == 1 {
			generators = "generator"
		}
		return []string{fmt.Sprintf("load: from %s, %d %s", f.Place, f.Generators, generators)}
	}
	var places []string
	arms := map[string][]string{}
	for _, arm := range job.Experiment.Arms {
		place := job.Targets[arm.Name].Capabilities().LoadPlace
		if place == "" {
			place = target.ThisHost
		}
		if !slices.Contains(places, place) {
			places = append(places, place)
		}
		arms[place] = append(arms[place], arm.Name)
	}
	if len(places) < 2 {
		return nil
	}
	var each []string
	for _, place := range places {
		each = append(each, strings.Join(arms[place], ", ")+" from "+place)
	}
	return []string{"warning: the arms are loaded from different places: " + strings.Join(each, "; ") +
		"; the comparison includes the network path from each; load.from loads all arms from one place"}
}
