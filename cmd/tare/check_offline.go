package main

// What `tare check` says without asking a cluster.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/option"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// unasked says what `check --offline` has not asked, one line each.
func unasked(job runner.Job) []string {
	var clusters, servers, images []string
	for _, arm := range job.Experiment.Arms {
		place, made := job.Targets[arm.Name]
		if !made {
			continue
		}
		switch {
		case place.Capabilities().Cluster != "":
			clusters = append(clusters, arm.Name)
		case place.Data() != target.Files:
			servers = append(servers, arm.Name)
		case job.Experiment.Server(arm).Image != "":
			images = append(images, arm.Name)
		}
	}
	var lines []string
	if len(clusters) > 0 || job.From != nil {
		lines = append(lines, "the cluster was not asked: --offline")
	}
	if len(servers) > 0 {
		lines = append(lines, "running servers were not asked: --offline (arms "+strings.Join(servers, ", ")+")")
	}
	if len(images) > 0 {
		lines = append(lines, "images were not downloaded, and server options were not checked: --offline (arms "+strings.Join(images, ", ")+")")
	}
	return lines
}

// misnamed warns of an arm whose name has a QoS class that its pod does not have.
func misnamed(arm string, class func() (node.QoS, string)) string {
	if class == nil {
		return ""
	}
	got, why := class()
	words := strings.FieldsFunc(strings.ToLower(arm), func(r rune) bool { return r < 'a' || r > 'z' })
	for _, want := range []node.QoS{node.Guaranteed, node.Burstable, node.BestEffort} {
		if got != "" && got != want && slices.Contains(words, strings.ToLower(string(want))) {
			return fmt.Sprintf("warning: arm %s: its name says %s, and its pod is %s: %s", arm, want, got, why)
		}
	}
	return ""
}

// misspelt warns of an option that no release of MySQL or MariaDB has and whose name is near to one that they have.
// A server that is asked says it as an error; a pod's says it when it does not start. A plugin may have such an option.
func misspelt(e *experiment.Experiment) []string {
	var lines []string
	warn := func(path string, config map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(config)) {
			if near := option.Near("", option.VariableName(name)); near != "" {
				lines = append(lines, fmt.Sprintf("warning: %s.%s: no option of MySQL or MariaDB has this name; %s is meant, or a plugin has it", path, name, near))
			}
		}
	}
	warn("database.config", e.Database.Config)
	for _, arm := range e.Arms {
		warn("arms."+arm.Name+".config", arm.Config)
	}
	return lines
}
