package main

// This file is what `tare lint` was told of servers whose files do not say it, and what it
// prints of the edits of --fix.

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/manifest"
)

// givenServer are the flags for what the files do not say.
type givenServer struct{ version, memory, cpu string }

func (g *givenServer) flags(c *cobra.Command) {
	c.Flags().StringVar(&g.version, "server-version", "", "server version where the files have none, such as 8.0, 8.4.3 or mariadb-10.11")
	c.Flags().StringVar(&g.memory, "memory", "", "memory limit of the container that reads an option file, or that a running server is to fit in, such as 4Gi")
	c.Flags().StringVar(&g.cpu, "cpu", "", "CPU limit of the container that reads an option file, or that a running server is to have, such as 2 or 500m")
}

func (g givenServer) read() (a manifest.Assumed, err error) {
	if g.version != "" {
		if a.Product, a.Version, err = manifest.ParseServer(g.version); err != nil {
			return a, usage{fmt.Errorf("--server-version: %w", err)}
		}
	}
	for _, q := range []struct {
		flag, resource, text string
		into                 *int64
	}{{"--memory", "memory", g.memory, &a.Memory}, {"--cpu", "cpu", g.cpu, &a.MilliCPU}} {
		if q.text == "" {
			continue
		}
		amount, ok := manifest.Quantity(q.resource, q.text)
		if !ok || amount <= 0 {
			return a, usage{fmt.Errorf("%s %s: not a valid quantity, expected for example 4Gi of memory or 500m of CPU", q.flag, q.text)}
		}
		*q.into = amount
	}
	return a, nil
}

// oneLine is a text of several lines of a file with commas between them.
func oneLine(text string) string {
	var all []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		all = append(all, strings.TrimSpace(line))
	}
	return strings.Join(all, ", ")
}

// printEdits is a line for each value: where, old -> new, the rule; and one for each that is not changed, with the
// reason.
func printEdits(w io.Writer, language string, set *manifest.Set, r diagnose.Result) {
	w = quoting{w}
	text := map[string][]byte{}
	for _, f := range set.Files {
		text[f.Name] = f.Text
	}
	seen := map[manifest.Spot]bool{}
	for _, f := range r.Findings {
		for _, e := range f.Edits {
			start, end := e.At.Span()
			if seen[e.At] || end > len(text[e.At.File]) {
				continue
			}
			seen[e.At] = true
			if e.Insert {
				fmt.Fprintf(w, "%s: %s [%s]\n", e.At, diagnose.Added(e.Text).In(language), f.Rule)
				continue
			}
			old := strings.TrimSpace(string(text[e.At.File][start:end]))
			if e.Text == "" {
				fmt.Fprintf(w, "%s: %s%s [%s]\n", e.At, diagnose.Removed(old).In(language), f.Follows.In(language), f.Rule)
				continue
			}
			fmt.Fprintf(w, "%s: %s -> %s%s [%s]\n", e.At, old, oneLine(e.Text), f.Follows.In(language), f.Rule)
		}
		if f.NotMade.String() != "" && f.Found() {
			fmt.Fprintf(w, "%s: %s [%s]\n", f.Where, diagnose.NotChanged(f).In(language), f.Rule)
		}
	}
}

// printDiff is what --fix would write, as a unified diff.
func printDiff(t *terminal, language string, set *manifest.Set, r diagnose.Result) error {
	after, err := set.Edited(r.Edits())
	if err != nil {
		return err
	}
	printEdits(t.err, language, set, r)
	if len(r.Edits()) == 0 && slices.ContainsFunc(r.Findings, diagnose.Finding.Found) {
		fmt.Fprintln(t.err, "tare: "+diagnose.NothingCertain().In(language))
	}
	for i, f := range set.Files {
		if _, err := t.out.Write(diff.Diff(f.Name, f.Text, f.Name, after[i].Text)); err != nil {
			return fmt.Errorf("print diff: %w", err)
		}
	}
	return nil
}
