package main

// What is wrong with the options that the servers will be started with.

import (
	"context"
	"errors"
	"maps"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/runner"
)

// checkOptions holds the options of the file against the server that was found: tare's
// own rules first, then the server is asked.
func checkOptions(ctx context.Context, job *runner.Job) experiment.Problems {
	e := job.Experiment
	var problems experiment.Problems
	ask := func(options, all map[string]string, at func(field, format string, args ...any) experiment.Problem) {
		known := map[string]bool{}
		for _, err := range optionErrors(mysqld.Validate(job.Distribution, options)) {
			known[err.Name] = true
			problems = append(problems, at("config."+err.Name, "%s", err))
		}
		askable := maps.Clone(all)
		maps.DeleteFunc(askable, func(name, _ string) bool { return known[name] })
		for _, r := range mysqld.AskOptions(ctx, job.Distribution, askable) {
			if _, own := options[r.Name]; own {
				problems = append(problems, at("config."+r.Name, "the server refuses this option: %s", r.Reason))
			}
		}
	}
	database := func(field, format string, args ...any) experiment.Problem {
		return e.Problem("database."+field, format, args...)
	}
	ask(e.Database.Config, e.Database.Config, database)
	for _, arm := range e.Arms {
		kind, _ := findTarget(arm.Target)
		if len(arm.Config) > 0 && kind.local { // other arms' servers are not this one
			ask(arm.Config, e.Settings(arm), arm.Problem)
		}
	}
	return problems
}

// optionErrors takes the errors of options apart, so that each gets its place.
func optionErrors(err error) []mysqld.OptionError {
	var all []mysqld.OptionError
	var one mysqld.OptionError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, optionErrors(e)...)
		}
	} else if errors.As(err, &one) {
		all = append(all, one)
	}
	return all
}
