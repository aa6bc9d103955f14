package main

// This file asks the server of --spec which of the files' options it has.

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
)

// forServer leaves out of a proposal what the server of the experiment refuses. A server
// that would have to be downloaded first is not asked: `tare check` does.
func forServer(ctx context.Context, t *terminal, p diagnose.Proposal, like *experiment.Experiment) (diagnose.Proposal, error) {
	db := like.Database
	if db.Image != "" || len(p.Options()) == 0 {
		return p, nil
	}
	state, err := t.state()
	if err != nil {
		return p, err
	}
	d, err := mysqld.Resolve(ctx, mysqld.Source{Path: db.Path, Rootfs: db.Rootfs, OCI: db.OCI}, state.Images(), t.err)
	if err != nil {
		fmt.Fprintf(t.err, "not checked: which options the server of the experiment accepts: %s\n", err)
		return p, nil
	}
	return p.ForServer(serverName(d), refusedOptions(ctx, d, p.Options())), nil
}

// serverName is a server's product and release, without its build.
func serverName(d mysqld.Distribution) string {
	number, _, _ := strings.Cut(d.Version, "-")
	return cmp.Or(map[string]string{mysqld.MySQL: "MySQL", mysqld.MariaDB: "MariaDB"}[d.Flavour], d.Flavour) + " " + number
}

// refusedOptions are those that a server does not start with, each with its reason.
func refusedOptions(ctx context.Context, d mysqld.Distribution, options map[string]string) map[string]string {
	refused := map[string]string{}
	ask := map[string]string{}
	for name, value := range options {
		if err := mysqld.Validate(d, map[string]string{name: value}); err != nil {
			for _, one := range optionErrors(err) {
				refused[name] = strings.TrimPrefix(one.Error(), "set option "+name+": ")
			}
			continue
		}
		ask[name] = value
	}
	for _, r := range mysqld.AskOptions(ctx, d, ask) {
		refused[r.Name] = r.Reason
	}
	return refused
}
