package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/workload"
)

// entry is one line of a catalogue.
type entry struct {
	Name string `json:"name"`
	Help string `json:"help"`
}

// listOptions are what `tare list` was asked for.
type listOptions struct {
	format string
	lang   string // of rules; "" for the locale's
}

// catalogue is one thing that can be listed.
type catalogue struct {
	name  string
	print func(ctx context.Context, t *terminal, o listOptions) error
}

// catalogues is the table of them.
func catalogues() []catalogue {
	return []catalogue{
		{"workloads", entries(listWorkloads)},
		{"targets", entries(listTargets)},
		{"engines", entries(listEngines)},
		{"rules", printRules},
		{"layers", printLayers},
	}
}

// entries prints a catalogue that is the same on every machine.
func entries(list func() []entry) func(context.Context, *terminal, listOptions) error {
	return func(_ context.Context, t *terminal, o listOptions) error {
		return printEntries(t, list(), o.format == "json")
	}
}

func listWorkloads() []entry {
	var all []entry
	for _, w := range workload.All() {
		all = append(all, entry{w.Name, w.Help})
	}
	return all
}

func listTargets() []entry {
	var all []entry
	for _, k := range targetKinds() {
		all = append(all, entry{k.name, k.help})
	}
	return all
}

func listEngines() []entry {
	var all []entry
	for _, e := range loadgen.Engines() {
		all = append(all, entry{e.Name, e.Help})
	}
	return all
}

func printRules(_ context.Context, t *terminal, o listOptions) error {
	lang, err := ruleLanguage(t, o.lang)
	if err != nil {
		return err
	}
	var all []entry
	for _, r := range diagnose.Rules() {
		all = append(all, entry{r.ID, r.In(lang).Title})
	}
	return printEntries(t, all, o.format == "json")
}

func listVerb(t *terminal) *cobra.Command {
	var names []string
	for _, c := range catalogues() {
		names = append(names, c.name)
	}
	var o listOptions
	c := &cobra.Command{
		Use:               "list " + strings.Join(names, "|"),
		Short:             "List workloads, targets, engines, rules or layers",
		Long:              "List what an experiment can name. Layers also show whether this machine supports them.",
		Example:           "  tare list workloads\n  tare list layers -o json",
		ValidArgs:         names,
		ValidArgsFunction: fixedWords(names),
		Args:              args(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
		RunE: func(c *cobra.Command, a []string) error {
			for _, known := range catalogues() {
				if known.name == a[0] {
					return known.print(c.Context(), t, o)
				}
			}
			return nil
		},
	}
	formatFlag(c, &o.format, "text", "json")
	c.Flags().StringVar(&o.lang, "lang", "", "rules: "+ruleLanguageHelp)
	completeFlag(c, "lang", diagnose.Languages)
	return c
}

func printEntries(t *terminal, all []entry, asJSON bool) error {
	if asJSON {
		return printJSON(t, all)
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, e := range all {
		fmt.Fprintf(w, "%s\t%s\n", e.Name, e.Help)
	}
	return w.Flush()
}

func printJSON(t *terminal, v any) error {
	e := json.NewEncoder(t.out)
	e.SetIndent("", " ")
	return e.Encode(v)
}
