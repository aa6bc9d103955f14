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

// checkOptions holds the options of the file against the servers that were found: tare's
// own rules first, then the server is asked. Shared says that an arm runs the experiment's server.
func checkOptions(ctx context.Context, job *runner.Job, shared bool) experiment.Problems {
	e := job.Experiment
	var problems experiment.Problems
	ask := func(server mysqld.Distribution, options, all map[string]string, say func(option, what string) experiment.Problem) {
		known := map[string]bool{}
		for _, err := range optionErrors(mysqld.Validate(server, options)) {
			known[err.Name] = true
			problems = append(problems, say(err.Name, err.Error()))
		}
		askable := maps.Clone(all)
		maps.DeleteFunc(askable, func(name, _ string) bool { return known[name] })
		for _, r := range mysqld.AskOptions(ctx, server, askable) {
			if _, own := options[r.Name]; own {
				problems = append(problems, say(r.Name, "the server refuses this option: "+r.Reason))
			}
		}
	}
	if shared {
		ask(job.Distribution, e.Database.Config, e.Database.Config, func(option, what string) experiment.Problem {
			return e.Problem("database.config."+option, "%s", what)
		})
	}
	for _, arm := range e.Arms {
		own := func(option, what string) experiment.Problem {
			if _, set := arm.Config[option]; set {
				return arm.Problem("config."+option, "%s", what)
			}
			return e.Problem("database.config."+option, "%s, for the server of arm %s; write the option in the config of the other arms", what, arm.Name)
		}
		kind, _ := findTarget(arm.Target)
		switch server, has := job.Own[arm.Name]; {
		case has:
			ask(server, e.Settings(arm), e.Settings(arm), own)
		case len(arm.Config) > 0 && kind.local: // other arms' servers are not this one
			ask(job.Distribution, arm.Config, e.Settings(arm), own)
		}
	}
	return problems
}

// unwritable are options of pods that no options file can hold, whatever the server: that of an image is asked when its pod starts.
func unwritable(e *experiment.Experiment) (problems experiment.Problems) {
	each := func(config map[string]string, at func(field, format string, args ...any) experiment.Problem, field string) {
		for _, err := range optionErrors(mysqld.Validate(mysqld.Distribution{}, config)) {
			problems = append(problems, at(field+"."+err.Name, "%s", err))
		}
	}
	if !anyLocal(e) {
		each(e.Database.Config, e.Problem, "database.config")
	}
	for _, arm := range e.Arms {
		if kind, _ := findTarget(arm.Target); !kind.local {
			each(arm.Config, arm.Problem, "config")
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
