package main

// What shells complete beyond flags' names: files and directories by kind, arms, rule
// ids, workloads, formats.

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/workload"
)

// completions are words for an argument, and what the shell does besides.
type completions = func(c *cobra.Command, a []string, begun string) ([]string, cobra.ShellCompDirective)

// specFile completes one experiment file.
func specFile(_ *cobra.Command, a []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(a) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// directories completes up to so many directories.
func directories(most int) completions {
	return func(_ *cobra.Command, a []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(a) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
}

// wordThen completes the first argument with words and the rest as then does.
func wordThen(words func() []string, then completions) completions {
	return func(c *cobra.Command, a []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(a) == 0 {
			return words(), cobra.ShellCompDirectiveNoFileComp
		}
		return then(c, a[1:], begun)
	}
}

// ruleOrRun completes the id of a rule, and directories.
func ruleOrRun(_ *cobra.Command, a []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(a) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return ruleIDs(), cobra.ShellCompDirectiveDefault
}

func ruleIDs() []string {
	var ids []string
	for _, r := range diagnose.Rules() {
		ids = append(ids, r.ID+"\t"+r.Title)
	}
	return ids
}

func workloadNames() []string {
	var names []string
	for _, w := range workload.All() {
		names = append(names, w.Name+"\t"+w.Help)
	}
	return names
}

// loadCommands are what `tare load WORKLOAD` is followed by.
func loadCommands() []string { return []string{"prepare", "run", "check", "cleanup"} }

func fixedWords(words []string) completions {
	return func(_ *cobra.Command, a []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(a) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeArm offers the arms of the experiment or run that the arguments or the flag
// -f name.
func completeArm(c *cobra.Command) {
	_ = c.RegisterFlagCompletionFunc("arm", func(c *cobra.Command, a []string, _ string) ([]string, cobra.ShellCompDirective) {
		named, _ := c.Flags().GetStringArray("filename")
		var arms []string
		for _, path := range slices.Concat(named, a) {
			for _, file := range []string{path, filepath.Join(path, record.ExperimentFile)} {
				if e, err := readSpec(file, specChange{}); err == nil {
					arms = append(arms, e.Arms.Names()...)
				}
			}
		}
		return arms, cobra.ShellCompDirectiveNoFileComp
	})
}
