package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// permissions are what tare does to machines and clusters only when it is told that it
// may, by the word for --allow.
var permissions = []struct{ word, help string }{
	{kubernetes.NodeAccess, "a privileged pod that enters its node (target kubernetes, bare: true)"},
	{target.AllowCommands, "programs that the experiment names (events: [{command: [...]}])"},
}

// allowFlag gives a verb the flag --allow. It is not part of the experiment: who
// wrote the file need not be who runs it.
func allowFlag(c *cobra.Command, t *terminal) {
	var help []string
	for _, l := range permissions {
		help = append(help, l.word+": "+l.help)
	}
	c.Flags().StringSliceVar(&t.allow, "allow", nil, "allow what tare does not do by default: "+strings.Join(help, "; "))
}

func allowed() (words []string) {
	for _, l := range permissions {
		words = append(words, l.word)
	}
	return words
}

// checkPermissions refuses arms that do what has not been allowed.
func checkPermissions(t *terminal, job *runner.Job) error {
	for _, word := range t.allow {
		if !slices.Contains(allowed(), word) {
			return usage{fmt.Errorf("--allow %s is unknown; use --allow %s", word, strings.Join(allowed(), " or --allow "))}
		}
	}
	var problems experiment.Problems
	for _, arm := range job.Experiment.Arms {
		place, made := job.Targets[arm.Name]
		if !made { // its settings are wrong, which has been said
			continue
		}
		if p := place.Capabilities().Permission; p != nil && !slices.Contains(t.allow, p.Allow) {
			problems = append(problems, arm.Problem(p.Field, "%s; add --allow %s if it may", p.Why, p.Allow))
		}
	}
	return problems.Err()
}
