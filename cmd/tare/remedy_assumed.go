package main

// This file is what `tare remedy --spec` takes for what the files do not say: what the flags say, else the server of the
// experiment, the limits of its baseline, and this machine.

import (
	"context"
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
)

// assumption is that with where each part of it comes from, in words.
type assumption struct {
	manifest.Assumed
	from []string
}

// assumed is that of an experiment whose server is d, if known.
func (o remedyOptions) assumed(like *experiment.Experiment, d mysqld.Distribution, known bool) (a assumption, err error) {
	if a.Assumed, err = o.given.read(); err != nil {
		return a, err
	}
	if product, version, named := releaseOf(like, d, known); named && !a.Version.Known() {
		a.Product, a.Version = product, version
		a.from = append(a.from, fmt.Sprintf("%s %s, the server of the experiment (--server-version)", product, version.Series()))
	}
	base := baselineOf(like)
	var memory, cpu int64
	if a.Memory == 0 || a.MilliCPU == 0 { // a machine that cannot be read is no error where the flags say both
		if memory, cpu, err = machineOf(base); err != nil {
			return a, hinted{err, "name what the server has: --memory 8Gi --cpu 4"}
		}
	}
	for _, r := range []struct {
		name    string
		into    *int64
		machine int64
		write   func(int64) string
	}{{"memory", &a.Memory, memory, manifest.Size}, {"cpu", &a.MilliCPU, cpu, manifest.CPUs}} {
		text, set := base.Setting(r.name)
		amount, valid := manifest.Quantity(r.name, strings.Trim(text, `"'`))
		switch {
		case *r.into > 0:
		case set && valid && amount > 0:
			*r.into = amount
			a.from = append(a.from, fmt.Sprintf("%s %s, of arm %s (--%s)", r.name, r.write(amount), base.Name, r.name))
		case r.machine > 0:
			*r.into = r.machine
			a.from = append(a.from, fmt.Sprintf("%s %s, of this machine (--%s)", r.name, r.write(r.machine), r.name))
		}
	}
	return a, nil
}

// baselineOf is the arm that the others are compared with, or the only one.
func baselineOf(e *experiment.Experiment) experiment.Arm {
	if arm, ok := e.Arm(e.Baseline); ok || len(e.Arms) == 0 {
		return arm
	}
	return e.Arms[0]
}

// machineOf is what this machine has, in bytes and in thousandths of a CPU; 0 for an arm that runs elsewhere.
func machineOf(arm experiment.Arm) (memory, milliCPU int64, err error) {
	if arm.Target == "external" || arm.Target == "kubernetes" {
		return 0, 0, nil
	}
	host, err := node.Capacity()
	return int64(host.Memory) >> 20 << 20, int64(host.CPU), err
}

// releaseOf is the product and the release of an experiment's server, by the server itself or by the tag of its image.
func releaseOf(like *experiment.Experiment, d mysqld.Distribution, known bool) (manifest.Product, manifest.Version, bool) {
	if !known {
		product, version, named := manifest.ServerOfImage(like.Database.Image)
		return product, version, named && version.Known()
	}
	number, _, _ := strings.Cut(d.Version, "-")
	if d.Flavour == mysqld.MariaDB {
		number = "mariadb-" + number
	}
	product, version, err := manifest.ParseServer(number)
	return product, version, err == nil && version.Known()
}

// sayAssumed says what was assumed, if a file leaves something open.
func sayAssumed(t *terminal, set *manifest.Set, a assumption) {
	for _, db := range set.Databases() {
		if db.Pod != nil && db.Version.Known() {
			continue
		}
		for _, from := range a.from {
			fmt.Fprintf(t.err, "assumed where the files have none: %s\n", from)
		}
		return
	}
}

// assumedOf asks the server of an experiment what it is, and completes that.
func (o remedyOptions) assumedOf(ctx context.Context, t *terminal, like *experiment.Experiment) (a assumption, d mysqld.Distribution, known bool, err error) {
	if d, known, err = serverOf(ctx, t, like); err != nil {
		return a, d, known, err
	}
	a, err = o.assumed(like, d, known)
	return a, d, known, err
}
