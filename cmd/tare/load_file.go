package main

// Workload files of `tare load`.

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
	"github.com/tarebench/tare/internal/workload/file"
)

// program makes the program of a built-in workload or of a workload file.
func (o *loadOptions) program(name string) (*workload.Program, error) {
	if !workload.IsFile(name) {
		p, err := workload.Build(name, o.shared())
		if err != nil {
			return nil, usage{err}
		}
		return p, nil
	}
	given, builtIn := o.workload, workload.Defaults()
	builtIn.Threads, builtIn.TextProtocol, builtIn.Reconnect = given.Threads, given.TextProtocol, given.Reconnect
	if given != builtIn {
		return nil, usage{errors.New("a workload file defines the load; of the options of the built-in workloads, only --reconnect can be used with it")}
	}
	w, err := file.Read(name)
	if err != nil {
		return nil, usage{err}
	}
	p, err := workload.FromFile(w, o.shared())
	if err != nil {
		return nil, usage{err}
	}
	return p, nil
}

// checkStatements has the server prepare the statements of a workload file.
func (o *loadOptions) checkStatements(ctx context.Context, d *wire.Dialer, name string) error {
	if !workload.IsFile(name) {
		return nil
	}
	w, err := file.Read(name)
	if err != nil {
		return usage{err}
	}
	return loadgen.CheckStatements(ctx, d.Dial, w)
}

// bind does what a workload file needs before its load: its statements are checked, and its
// queries run.
func (o *loadOptions) bind(ctx context.Context, d *wire.Dialer, name string, p *workload.Program) error {
	if err := o.checkStatements(ctx, d, name); err != nil {
		return err
	}
	return loadgen.Bind(ctx, d.Dial, p)
}

// loadArguments completes a workload by name or file, then a command.
func loadArguments(o *loadOptions) completions {
	return func(c *cobra.Command, a []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(a) == 0 && o.file == "" {
			return workloadNames(), cobra.ShellCompDirectiveDefault
		}
		if o.file == "" {
			a = a[1:]
		}
		return fixedWords(loadCommands())(c, a, begun)
	}
}
