package main

// The permissions that an experiment needs in its clusters, for `tare render --rbac`.

import (
	"errors"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// renderRBAC are the Roles for all arms, or for the one that is named, and inside for the start of a run in a pod.
func renderRBAC(e *experiment.Experiment, only string, inside bool) (string, error) {
	if err := knownArm(e, only); err != nil {
		return "", err
	}
	job := runner.Job{Experiment: e}
	problems := makeTargets(&job)
	var grants []kubernetes.Grant
	if from := e.Load.From; from.Pods() {
		needs, err := kubernetes.LoadGrants(from.Decode)
		problems = append(problems, problemsAt(from.Problem, err)...)
		grants = append(grants, needs...)
	}
	for _, arm := range e.Arms {
		if arm.Target != "kubernetes" || job.Targets[arm.Name] == nil || only != "" && arm.Name != only {
			continue
		}
		needs, err := kubernetes.ArmGrants(arm.Decode)
		problems = append(problems, asProblems(arm, err)...)
		grants = append(grants, needs...)
	}
	if err := problems.Err(); err != nil {
		return "", err
	}
	if inside {
		grants = append(grants, kubernetes.InClusterGrants(grants)...)
	}
	if len(grants) == 0 {
		return "", usage{errors.New("render: no arm is in a cluster (target: kubernetes), so no permissions are needed; leave out --rbac")}
	}
	return kubernetes.RBAC("tare-"+e.Metadata.Name, grants), nil
}
