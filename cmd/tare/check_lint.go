package main

// This file is what `tare lint` calls an error in the manifests of an experiment's arms: a server of them may not start, or
// not do what it was written for, which a run would show after its first trials.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/runner"
)

// brokenManifests are errors of rules in manifests, and the arms that have them.
type brokenManifests struct {
	findings []diagnose.Finding
	arms     []string
}

// lintedManifests are the errors that `tare lint` has of the manifests of arms. What the patches of an arm correct is none of it, and
// what they break is at its place in what `tare render` prints of the arm.
func lintedManifests(t *terminal, job *runner.Job) (all []brokenManifests) {
	rules, err := lintRules(nil)
	if err != nil { // it names no rule
		return nil
	}
	for _, arm := range job.Experiment.Arms {
		found := errorsOfArm(t, job, arm, rules)
		if len(found) == 0 {
			continue
		}
		i := slices.IndexFunc(all, func(b brokenManifests) bool { return slices.EqualFunc(b.findings, found, sameFinding) })
		if i < 0 {
			i, all = len(all), append(all, brokenManifests{findings: found})
		}
		all[i].arms = append(all[i].arms, arm.Name)
	}
	return all
}

// errorsOfArm are those of one arm: of its manifests, or of the options of the pod that tare makes, whose server says what
// it refuses only when it starts. What cannot be read or built is said by the check of the files.
func errorsOfArm(t *terminal, job *runner.Job, arm experiment.Arm, rules []diagnose.Rule) []diagnose.Finding {
	has := job.Targets[arm.Name].Capabilities()
	if has.Render == nil {
		return nil
	}
	text, err := has.Render(arm.Name, job.Experiment.Settings(arm))
	if err != nil {
		return nil
	}
	name := "tare render --arm " + arm.Name
	rendered, _ := manifest.Read([]manifest.Source{{Name: name, Text: []byte("# arm " + arm.Name + "\n" + text)}}, nil)
	if len(has.Manifests) == 0 {
		return errorFindings(rendered, slices.DeleteFunc(slices.Clone(rules), func(r diagnose.Rule) bool { return r.ID != "M-OPT-01" && r.ID != "M-VER-01" }))
	}
	written, _, broken := readManifests(t, has.Manifests)
	if len(broken) > 0 {
		return nil
	}
	inFiles := errorFindings(written, rules)
	var all []diagnose.Finding
	for _, f := range errorFindings(rendered, rules) {
		// At its place in the files, where a patch has not changed what it says.
		if i := slices.IndexFunc(inFiles, func(o diagnose.Finding) bool { return o.Rule == f.Rule && o.Says == f.Says }); i >= 0 {
			f = inFiles[i]
		}
		if !slices.ContainsFunc(all, func(k diagnose.Finding) bool { return sameFinding(k, f) }) {
			all = append(all, f)
		}
	}
	return all
}

func errorFindings(set *manifest.Set, rules []diagnose.Rule) (all []diagnose.Finding) {
	facts := diagnose.Facts{}
	for _, f := range diagnose.Settle(set, facts, rules, diagnose.Lint(set, facts, rules)).Findings {
		if f.Found() && f.Severity == diagnose.Error {
			all = append(all, f)
		}
	}
	return all
}

func sameFinding(a, b diagnose.Finding) bool {
	return a.Rule == b.Rule && a.Where == b.Where && a.Says == b.Says
}

// errorsIn is how many errors there are, and in which arms, for the first line of `tare check`; "" for none.
func errorsIn(all []brokenManifests) string {
	n := 0
	var arms []string
	for _, b := range all {
		n += len(b.findings)
		arms = append(arms, b.arms...)
	}
	if n == 0 {
		return ""
	}
	slices.Sort(arms)
	count, of := "an error", "arm "
	if n > 1 {
		count = fmt.Sprintf("%d errors", n)
	}
	if len(arms) > 1 {
		of = "arms "
	}
	return fmt.Sprintf("tare lint finds %s in %s%s", count, of, strings.Join(arms, ", "))
}

// printBroken prints the errors in the words of `tare lint`.
func printBroken(t *terminal, all []brokenManifests) {
	for _, b := range all {
		diagnose.Text(quoting{t.out}, diagnose.Result{Findings: b.findings}, "en")
	}
	if len(all) > 0 {
		fmt.Fprintln(t.out)
	}
}
