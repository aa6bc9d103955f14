package main

// Whether the load engine can connect to a server whose address is known before a run.

import (
	"context"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
)

// checkConnection asks the engine about the arm's address: a sysbench may not have the
// TLS that the server asks for, which would show in the first trial only.
func checkConnection(ctx context.Context, job *runner.Job, arm experiment.Arm) experiment.Problems {
	at := job.Targets[arm.Name].Capabilities().Endpoint
	if at == nil || job.Engine == nil || len(job.Experiment.Load.Threads) == 0 {
		return nil
	}
	load := job.Load(job.Experiment.Load.Threads[0])
	var known []string // of every arm, which checkEngine has said
	for _, err := range job.Engine.Check(ctx, load) {
		known = append(known, err.Error())
	}
	load.Server, load.Dir = *at, job.State.Dir
	var problems experiment.Problems
	for _, err := range job.Engine.Check(ctx, load) {
		switch {
		case slices.Contains(known, err.Error()):
		case strings.HasPrefix(err.Error(), "tls "):
			problems = append(problems, arm.Problem("tls", "%s", err))
		default:
			problems = append(problems, arm.Problem("host", "%s", err))
		}
	}
	return problems
}
