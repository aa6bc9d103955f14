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

	"github.com/tarebench/tare/internal/experiment"
)

// layerEntry is one line of the catalogue of layers.
type layerEntry struct {
	Name    string `json:"name"`
	Setting string `json:"setting"`
	// Attribute is what to write in attribute: layers for it.
	Attribute string `json:"attribute,omitempty"`
	// Targets are those of the arms that the layer can be laid over, of one that has an Attribute.
	Targets []string `json:"targets,omitempty"`
	Help    string   `json:"help"`
	Here    bool     `json:"here"`          // this machine can do it
	Why     string   `json:"why,omitempty"` // why it cannot
}

func layerEntries(ctx context.Context) ([]layerEntry, error) {
	layers, err := allLayers()
	if err != nil {
		return nil, fmt.Errorf("list layers: %w", err)
	}
	here := containersHere(ctx)
	var all []layerEntry
	for _, l := range layers {
		e := layerEntry{Name: l.Name, Setting: l.Setting, Attribute: l.Attribute, Targets: layerTargets(l.Attribute), Help: l.Help, Here: true}
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

// cluster says whether the layer can be attributed in a cluster by its name.
func (e layerEntry) cluster() string {
	switch {
	case e.Attribute == "":
		return "-"
	case slices.Contains(e.Targets, "kubernetes"):
		return "yes"
	}
	return "no"
}

// layerTargets are those of a known layer.
func layerTargets(name string) []string {
	for _, k := range experiment.KnownLayers() {
		if k.Name == name {
			return k.Targets
		}
	}
	return nil
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
	fmt.Fprint(w, "LAYER\tSETTING OF AN ARM\tATTRIBUTE\tK8S\tHERE\n")
	for _, e := range all {
		here := "yes"
		if !e.Here {
			here = "no"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Name, e.Setting, cmp.Or(e.Attribute, "-"), e.cluster(), here)
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
		if e := all[i-1]; len(e.Targets) > 0 {
			what += "; in attribute: for target " + strings.Join(e.Targets, ", ")
		}
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
