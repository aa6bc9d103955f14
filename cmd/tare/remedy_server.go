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

// serverOf is the server of the experiment, and whether it can be asked: one that would have to be downloaded first
// cannot, and is asked by `tare check`.
func serverOf(ctx context.Context, t *terminal, like *experiment.Experiment) (d mysqld.Distribution, known bool, err error) {
	db := like.Database
	if db.Image != "" {
		return d, false, nil
	}
	state, err := t.state()
	if err != nil {
		return d, false, err
	}
	d, err = mysqld.Resolve(ctx, mysqld.Source{Path: db.Path, Rootfs: db.Rootfs, OCI: db.OCI}, state.Images(), t.err)
	if err != nil {
		fmt.Fprintf(t.err, "not checked: which options the server of the experiment accepts: %s\n", err)
		return d, false, nil
	}
	return d, true, nil
}

// fitted leaves out of a proposal what the server of the experiment refuses, where it can be asked.
func fitted(ctx context.Context, p diagnose.Proposal, d mysqld.Distribution, known bool) diagnose.Proposal {
	if !known || len(p.Options()) == 0 {
		return p
	}
	return p.ForServer(serverName(d), refusedOptions(ctx, d, p.Options()))
}

// differs says first where the files are for a server of another product or release series than the one that measures:
// the findings are about the one, and what a change gains is of the other.
func differs(t *terminal, all []diagnose.Proposal, d mysqld.Distribution, known bool, like *experiment.Experiment) {
	product, version, named := releaseOf(like, d, known)
	if !named {
		return
	}
	for _, p := range all {
		if p.Product == "" || !p.Version.Known() || p.Product == product && p.Version.Series() == version.Series() {
			continue
		}
		fmt.Fprintf(t.err, "%s is of %s %s, and the server of the experiment is %s %s: what is measured is how the changes act on that one\n",
			p.Subject, p.Product, p.Version.Series(), product, version.Series())
	}
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
