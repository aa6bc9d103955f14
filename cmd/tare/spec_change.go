package main

// This file changes an experiment as the flags ask that stand for fields of its file: the cluster of its arms,
// the number of rounds, and how busy the machine may be. The changed text is the one that is checked, carried out and kept with the run.

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// specChange is what flags set instead of the fields of an experiment file.
type specChange struct {
	at     kubernetes.Where
	rounds int                // 0: those of the file
	others experiment.Percent // 0: protocol.othersCPU of the file
}

// flags are those that say in which cluster the arms are.
func (s *specChange) flags(c *cobra.Command) {
	whereFlags(c, &s.at)
	insteadOfFile(c)
}

// insteadOfFile says in the help of the flags of a cluster what they replace.
func insteadOfFile(c *cobra.Command) {
	c.Flags().Lookup("kubeconfig").Usage = "kubeconfig file of the cluster, instead of the experiment's (default as kubectl)"
	c.Flags().Lookup("context").Usage = "context of the kubeconfig, instead of the experiment's"
	c.Flags().Lookup("namespace").Usage = "namespace in the cluster, instead of the experiment's (default the context's, else tare)"
}

// given are the flags of a cluster that are set, by the names of their settings.
func (s specChange) given() (all []experiment.Setting) {
	for _, f := range []experiment.Setting{{Name: "kubeconfig", Value: s.at.Kubeconfig}, {Name: "context", Value: s.at.Context}, {Name: "namespace", Value: s.at.Namespace}} {
		if f.Value != "" {
			all = append(all, f)
		}
	}
	return all
}

// of is the experiment of a file as the command line changes it. err is what is wrong with the file.
func (s specChange) of(path string, e *experiment.Experiment, err error) (*experiment.Experiment, error) {
	if s.rounds > 0 {
		if e, err = e.WithRounds(s.rounds); e == nil {
			return nil, err
		}
	}
	if s.others > 0 {
		if e, err = e.WithOthers(s.others); e == nil {
			return nil, err
		}
	}
	given := s.given()
	if len(given) == 0 {
		return e, err
	}
	if s.at.Kubeconfig != "" { // as kubectl has it; the run is resumed from any directory
		absolute, err := filepath.Abs(s.at.Kubeconfig)
		if err != nil {
			return nil, usage{fmt.Errorf("--kubeconfig: %w", err)}
		}
		given[0].Value = absolute
	}
	if err := oneCluster(path, e, given); err != nil {
		return nil, err
	}
	if e, err = e.WithSettings(inCluster, given); e == nil {
		return nil, err
	}
	if err := oneCluster(path, e, given); err != nil { // a layer or a remedy has the setting, too
		return nil, err
	}
	return e, err
}

// refuseResume: a run goes on as it was planned, and where.
func (s specChange) refuseResume(dir string) error {
	if given := s.given(); len(given) > 0 {
		return usage{fmt.Errorf("run: --%s and --resume exclude each other: a run continues in the cluster in which it was started; leave out --%s", given[0].Name, given[0].Name)}
	}
	if s.others > 0 {
		return usage{errors.New("run: --others-cpu and --resume exclude each other: the limit is part of the plan, which is fixed before the first trial; leave out --others-cpu, or start a new run")}
	}
	if s.rounds == 0 {
		return nil
	}
	return hinted{usage{errors.New("run: --rounds and --resume exclude each other: the number of rounds is part of the plan, which is fixed before the first trial; one that is chosen during a run makes the interval too narrow")},
		fmt.Sprintf("continue the run as planned: tare run --resume %s; or start a new one with --rounds %d and --out", dir, s.rounds)}
}

// inCluster tells whether an arm is in a cluster.
func inCluster(arm experiment.Arm) bool { return arm.Target == "kubernetes" }

// clusterPlace is an arm, or load.from, with its settings as the file has them.
type clusterPlace struct {
	name    string
	setting func(field string) (text string, given bool)
}

// clusterPlaces are what is in a cluster.
func clusterPlaces(e *experiment.Experiment) (all []clusterPlace) {
	for _, arm := range e.Arms {
		if inCluster(arm) {
			all = append(all, clusterPlace{"arm " + arm.Name, arm.Setting})
		}
	}
	if e.Load.From.Pods() {
		all = append(all, clusterPlace{"load.from", e.Load.From.Setting})
	}
	return all
}

// oneCluster refuses flags that would have no effect, and those that would make equal what the file has different.
func oneCluster(path string, e *experiment.Experiment, given []experiment.Setting) error {
	places := clusterPlaces(e)
	flag := given[0].Name
	if len(places) == 0 {
		return usage{fmt.Errorf("--%s: no arm of %s is in a cluster (target: kubernetes); leave out --%s", flag, path, flag)}
	}
	for _, field := range []string{"kubeconfig", "context", "namespace"} {
		if field == "namespace" && given[len(given)-1].Name != field {
			continue
		}
		for _, p := range places[1:] {
			one, other := settingOf(places[0], field), settingOf(p, field)
			if one != other {
				return usage{fmt.Errorf("--%s is ambiguous: %s has %s and %s has %s in %s; change the file, or leave out --%s", flag, places[0].name, one, p.name, other, path, flag)}
			}
		}
	}
	return nil
}

// settingOf is a setting of a place in words.
func settingOf(p clusterPlace, field string) string {
	if text, given := p.setting(field); given {
		return field + ": " + text
	}
	return "no " + field
}
