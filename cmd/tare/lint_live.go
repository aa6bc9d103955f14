package main

// This file is `tare lint --live`: a server that runs is asked, and its cgroup read.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/probe"
)

func lintLive(ctx context.Context, t *terminal, o lintOptions) error {
	if o.fix || o.format != "text" && o.format != "json" {
		return usage{errors.New("--live reads no files: use --format text or json, without --fix")}
	}
	rules, err := lintRules(o.ignore)
	if err != nil {
		return err
	}
	given, err := o.given.read()
	if err != nil {
		return err
	}
	if o.given.version != "" {
		return usage{errors.New("--server-version is for files: a running server tells its version")}
	}
	result, err := o.live.lint(ctx, given, rules)
	if err != nil {
		return withServerHint(err)
	}
	if err := o.print(t.out, result, rules); err != nil {
		return err
	}
	return lintVerdict(result, o.failOn, o.lang)
}

// liveWithin is how long a server may take to answer all that is asked.
const liveWithin = 30 * time.Second

// lint applies the rules to the server's variables and the limits of its cgroup, or to those that are given instead.
func (o liveOptions) lint(ctx context.Context, given manifest.Assumed, rules []diagnose.Rule) (diagnose.Result, error) {
	r, counters, err := o.ask(ctx)
	if err != nil {
		return diagnose.Result{}, err
	}
	return lintRunning(limited(r, given), counters, rules)
}

// limited is a server with the limits that the command line gives: whether it would fit in a container that has them.
func limited(r manifest.Running, given manifest.Assumed) manifest.Running {
	if given.Memory > 0 {
		r.Bounds, r.Memory = "--memory", given.Memory
	}
	if given.MilliCPU > 0 {
		r.Bounds, r.MilliCPU = "--cpu", given.MilliCPU
	}
	return r
}

// lintRunning applies the rules to what is known of a running server; counters are those
// of its cgroup.
func lintRunning(r manifest.Running, counters map[string]float64, rules []diagnose.Rule) (diagnose.Result, error) {
	host, err := node.Capacity()
	if err != nil {
		return diagnose.Result{}, err
	}
	return diagnose.Live(r, int64(host.Memory), counters, rules), nil
}

// ask reads the server's variables and what bounds it. Nothing is written there.
func (o liveOptions) ask(ctx context.Context) (r manifest.Running, counters map[string]float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, liveWithin)
	defer cancel()
	a, err := o.server()
	if err != nil {
		return r, nil, usage{err}
	}
	db, err := mysqld.Open(a)
	if err != nil {
		return r, nil, usage{fmt.Errorf("lint --live: %w", err)}
	}
	defer db.Close()
	r.Name = o.address
	var flavour string
	if r.Version, flavour, err = mysqld.Version(ctx, db); err != nil {
		return r, nil, fmt.Errorf("lint --live %s: %w", o.address, err)
	}
	r.MariaDB = flavour == "mariadb"
	if r.Variables, err = mysqld.Variables(ctx, db); err != nil {
		return r, nil, fmt.Errorf("lint --live %s: %w", o.address, err)
	}
	status, err := mysqld.Status(ctx, db)
	if err != nil {
		return r, nil, fmt.Errorf("lint --live %s: %w", o.address, err)
	}
	r.RedoLog, _ = strconv.ParseInt(status["Innodb_redo_log_capacity_resized"], 10, 64) // 0 where the server has none
	switch {
	case o.pid != 0:
	case a.Socket != "":
		o.pid = listener(a.Socket)
	default:
		o.pid = listenerTCP(a.Host, a.Port)
	}
	if o.pid == 0 {
		return r, nil, nil
	}
	if counters, err = cgroupOf(ctx, o.pid); err != nil {
		return r, nil, fmt.Errorf("lint --live: read the cgroups of process %d: %w", o.pid, err)
	}
	return bounded(r, boundsOf(o.pid), counters), counters, nil
}

// bounded is a server with the limits of its cgroups, which are called name.
func bounded(r manifest.Running, name string, counters map[string]float64) manifest.Running {
	r.Bounds = name
	r.MilliCPU, r.Memory = int64(1000*counters[keys.CgroupCPULimit]), int64(counters[keys.CgroupMemoryLimitBytes])
	return r
}

// boundsOf names the cgroups of a process of this machine.
func boundsOf(pid int) string { return fmt.Sprintf("cgroups of process %d", pid) }

// cgroupOf reads the probes of a process's cgroup once.
func cgroupOf(ctx context.Context, pid int) (map[string]float64, error) {
	values := map[string]float64{}
	for _, p := range probe.All() {
		if p.Name != "cgroup.cpu" && p.Name != "cgroup.memory" {
			continue
		}
		read, err := p.Start(probe.Place{Root: os.DirFS("/"), PID: pid, TakesPID: true})
		if err != nil {
			return nil, err
		}
		if err := read(ctx, func(metric string, v float64) { values[metric] = v }); err != nil {
			return nil, err
		}
	}
	return values, nil
}
