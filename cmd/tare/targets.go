package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/external"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// targetKind is one line of the table of targets.
type targetKind struct {
	name, help string
	// local: the server's files are tare's to find (database: in the spec). Of another target, server says
	// what names its server.
	local  bool
	server string
	make   func(decode func(any) error, job *runner.Job) (target.Target, error)
}

// targetKinds is the only place that knows all targets.
func targetKinds() []targetKind {
	return []targetKind{
		{"process", "mysqld on this host: bare metal", true, "", newProcess},
		{"container", "a pod without Kubernetes: the cgroup values a kubelet writes, run by runc or crun", true, "", newContainer},
		{"kubernetes", "a pod of a cluster: a StatefulSet of tare's own, shaped by the arm", false, "the field image names the server of a pod; leave out database", func(decode func(any) error, _ *runner.Job) (target.Target, error) {
			return kubernetes.New(decode)
		}},
		{"external", "a server that someone else runs: address and credentials by reference", false, "an external server runs already; leave out database", func(decode func(any) error, job *runner.Job) (target.Target, error) {
			return external.New(decode, external.Env{Ledger: job.State.Ledger()})
		}},
	}
}

// makeTargets makes the target of every arm and says all that their settings
// have wrong.
func makeTargets(job *runner.Job) experiment.Problems {
	job.Targets = map[string]target.Target{}
	var problems experiment.Problems
arms:
	for _, arm := range job.Experiment.Arms {
		if arm.Target == "" { // which the file's own check has said
			continue
		}
		kind, ok := findTarget(arm.Target)
		if !ok {
			problems = append(problems, arm.Problem("target", "unknown target %q; `tare list targets` shows them", arm.Target))
			continue
		}
		if arm.Database != nil && !kind.local {
			problems = append(problems, arm.Problem("database", "%s", kind.server))
			continue
		}
		for _, field := range []string{"events", "faults"} {
			if arm.Target == "external" && arm.Has(field) {
				problems = append(problems, arm.Problem(field, "target %s cannot carry out events: tare ends and starts no server that it has not started; leave %s out", arm.Target, field))
				continue arms
			}
		}
		own := job.Of(arm.Name)
		place, err := kind.make(arm.Decode, &own)
		if err != nil {
			problems = append(problems, asProblems(arm, err)...)
			continue
		}
		job.Targets[arm.Name] = place
	}
	return problems
}

// anyLocal tells whether an arm runs a server of tare's own.
func anyLocal(e *experiment.Experiment) bool {
	for _, arm := range e.Arms {
		if kind, ok := findTarget(arm.Target); ok && kind.local {
			return true
		}
	}
	return false
}

func findTarget(name string) (targetKind, bool) {
	for _, k := range targetKinds() {
		if k.name == name {
			return k, true
		}
	}
	return targetKind{}, false
}

// asProblems gives an error of a target its place in the file: the field it
// names, or the arm.
func asProblems(arm experiment.Arm, err error) experiment.Problems {
	return problemsAt(arm.Problem, err)
}

// problemsAt gives an error the places that at finds for the fields that it names.
func problemsAt(at func(field, format string, args ...any) experiment.Problem, err error) experiment.Problems {
	if err == nil {
		return nil
	}
	var problems experiment.Problems
	if errors.As(err, &problems) {
		return problems
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			problems = append(problems, problemsAt(at, e)...)
		}
		return problems
	}
	var field target.FieldError
	problem := at("", "%s", err)
	if errors.As(err, &field) {
		problem = at(field.Field, "%s", field.Err)
	}
	problem.Unavailable = errors.As(err, &target.Unavailable{})
	return experiment.Problems{problem}
}

// checkFiles says what the files have wrong that the arms name. No server is asked.
func checkFiles(job *runner.Job) experiment.Problems {
	var problems experiment.Problems
	for _, arm := range job.Experiment.Arms {
		place, ok := job.Targets[arm.Name]
		if !ok { // it could not be made, and why has been said
			continue
		}
		if check := place.Capabilities().CheckFiles; check != nil {
			for _, err := range check() {
				problems = append(problems, asProblems(arm, err)...)
			}
		}
	}
	return problems
}

// checkTargets asks every target what can be known before a start. A cluster that does not
// answer is asked once, and what is said of all arms of a cluster is said once. offline: only
// targets on this machine are asked.
func checkTargets(ctx context.Context, job *runner.Job, offline bool) experiment.Problems {
	var problems experiment.Problems
	away, said := map[string]bool{}, map[string]bool{}
	for _, arm := range job.Experiment.Arms {
		place, ok := job.Targets[arm.Name]
		if !ok {
			continue
		}
		cluster := place.Capabilities().Cluster
		if away[cluster] || offline && place.Data() != target.Files {
			problems = append(problems, checkArm(ctx, job, arm, offline)...)
			continue
		}
		for _, err := range place.Check(ctx) {
			away[cluster] = away[cluster] || cluster != "" && errors.As(err, &target.Unavailable{})
			once := err.Error()
			if at := place.Capabilities().Endpoint; at != nil { // two arms can be one server
				once += fmt.Sprintf(" %+v", *at)
			}
			if (cluster != "" || place.Capabilities().Endpoint != nil) && said[once] {
				continue
			}
			said[once] = true
			problems = append(problems, asProblems(arm, err)...)
		}
		problems = append(problems, checkArm(ctx, job, arm, offline)...)
	}
	return problems
}

// checkArm holds an arm against the rest of the experiment.
func checkArm(ctx context.Context, job *runner.Job, arm experiment.Arm, offline bool) experiment.Problems {
	var problems experiment.Problems
	has := job.Targets[arm.Name].Capabilities()
	if check := has.CheckDisk; check != nil {
		for _, err := range check(cmp.Or(job.Experiment.Data.Directory, job.State.Dir)) {
			problems = append(problems, asProblems(arm, err)...)
		}
	}
	if check := has.CheckConfig; check != nil {
		problems = append(problems, asProblems(arm, check(job.Experiment.Settings(arm)))...)
	}
	if has.Endpoint != nil && len(arm.Config) > 0 {
		problems = append(problems, arm.Problem("config", "tare changes no setting of a server that ran before; change it on the server, and leave config out, or write config: null where defaults has one (tare versus ADDRESS, before and after, and tare compare show what it does)"))
	}
	problems = append(problems, checkEach(job, arm)...)
	problems = append(problems, checkMemory(job, arm)...)
	problems = append(problems, checkHugePages(job, arm)...)
	problems = append(problems, checkGenerators(job, arm)...)
	problems = append(problems, checkArmLoad(job, arm)...)
	problems = append(problems, checkMembers(job, arm)...)
	if !offline {
		problems = append(problems, checkConnection(ctx, job, arm)...)
	}
	return problems
}

// checkEach refuses copies where tare cannot make any.
func checkEach(job *runner.Job, arm experiment.Arm) experiment.Problems {
	if job.Experiment.Data.Each != experiment.EachCopy || job.Each(arm.Name) == experiment.EachCopy {
		return nil
	}
	return experiment.Problems{job.Experiment.Problem("data.each", "tare cannot copy the data of arm %s; write each: refill, or each: keep", arm.Name)}
}
