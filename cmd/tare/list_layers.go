package main

// What tare list layers prints: the only catalogue that depends on the machine.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/charmbracelet/x/ansi"
)

// layerEntry is one line of the catalogue of layers.
type layerEntry struct {
	Name    string `json:"name"`
	Setting string `json:"setting"`
	// Attribute is what to write in attribute: layers for it.
	Attribute string `json:"attribute,omitempty"`
	Help      string `json:"help"`
	Here      bool   `json:"here"`          // this machine can do it
	Why       string `json:"why,omitempty"` // why it cannot
}

func layerEntries(ctx context.Context) ([]layerEntry, error) {
	layers, err := allLayers()
	if err != nil {
		return nil, fmt.Errorf("list layers: %w", err)
	}
	here := containersHere(ctx)
	var all []layerEntry
	for _, l := range layers {
		e := layerEntry{Name: l.Name, Setting: l.Setting, Attribute: l.Attribute, Help: l.Help, Here: true}
		err := here
		switch {
		case l.Setting == "client: socket": // a process has it, too
			err = nil
		case err == nil && l.Probe != nil:
			err = l.Probe(ctx)
		}
		if err != nil {
			e.Here, e.Why = false, err.Error()
		}
		all = append(all, e)
	}
	return all, nil
}

func printLayers(ctx context.Context, t *terminal, o listOptions) error {
	all, err := layerEntries(ctx)
	if err != nil {
		return err
	}
	if o.format == "json" {
		return printJSON(t, all)
	}
	// What a layer is stands below its row, so that no line is wider than a terminal.
	var rows strings.Builder
	w := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "LAYER\tSETTING OF AN ARM\tATTRIBUTE\tHERE\n")
	for _, e := range all {
		here := "yes"
		if !e.Here {
			here = "no"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Name, e.Setting, cmp.Or(e.Attribute, "-"), here)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("list layers: %w", err)
	}
	lines := slices.Collect(strings.Lines(rows.String()))
	for i, line := range lines {
		fmt.Fprint(t.out, line)
		if i == 0 {
			continue
		}
		what := all[i-1].Help
		if e := all[i-1]; !e.Here {
			what += "; not here: " + strings.ReplaceAll(e.Why, "\n", "; ")
		}
		for _, l := range strings.Split(ansi.Wordwrap(what, layerWidth, ""), "\n") {
			fmt.Fprintf(t.out, "    %s\n", l)
		}
	}
	return nil
}

// layerWidth is the columns of what a layer is, behind four blanks.
const layerWidth = 84
