package main

// This file says which faults tare explain --live named, and what it named falsely (research/live-faults.sh).

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/report/live"
)

// ofMachine are the rules of what the machine adds by itself, by the kernel's own count: CPU steal.
const ofMachine = "C-CPU-06"

// watched is what the spans showed.
type watched struct {
	out    io.Writer
	shares []float64 // of the time, that the server worked on tare's queries
	failed int
}

// liveFaults: every fault NAME.want is named in NAME.json, and nothing is named falsely, in servers without a fault
// either.
func liveFaults(out io.Writer, dir string) (bool, error) {
	w := watched{out: out}
	fmt.Fprintln(out, "| fault | rule | named | other causes present | evidence |")
	fmt.Fprintln(out, "|---|---|---|---|---|")
	wants, err := filepath.Glob(filepath.Join(dir, "*.want"))
	if err != nil {
		return false, err
	}
	slices.Sort(wants)
	for _, want := range wants {
		if err := w.fault(dir, want); err != nil {
			return false, err
		}
	}
	if err := w.healthy(dir); err != nil {
		return false, err
	}
	if len(w.shares) > 0 {
		fmt.Fprintf(out, "The server worked on tare's queries for %.2f to %.2f %% of the time.\n", slices.Min(w.shares), slices.Max(w.shares))
	}
	return w.failed == 0, nil
}

// span reads one and counts its share.
func (w *watched) span(path string) (*live.Report, error) {
	r, err := read[live.Report](path)
	if err == nil && r.ServerTime.Known() {
		w.shares = append(w.shares, 100*float64(r.ServerTime))
	}
	return r, err
}

func (w *watched) fault(dir, want string) error {
	text, err := os.ReadFile(want)
	if err != nil {
		return fmt.Errorf("read fault: %w", err)
	}
	name, rule, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	r, err := w.span(filepath.Join(dir, name+".json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.failed++
		fmt.Fprintf(w.out, "| %s | %s | not measured | | |\n", name, rule)
		return nil
	case err != nil:
		return err
	}
	state, evidence, falsely := "not judged", "", false
	var others []string
	for _, c := range r.Causes {
		switch {
		case c.Rule == rule:
			state, evidence = c.State, c.Evidence
		case c.State == "present":
			others, falsely = append(others, c.Rule), falsely || c.Rule != ofMachine
		}
	}
	named := state == "present"
	if !named || falsely {
		w.failed++
	}
	fmt.Fprintf(w.out, "| %s | %s | %s | %s | %s |\n", name, rule, either(named, "yes", "no ("+state+")"), strings.Join(others, ", "), evidence)
	return nil
}

// healthy reads the spans of servers without a fault.
func (w *watched) healthy(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "well-*.json"))
	if err != nil {
		return err
	}
	var wrong []string
	for _, path := range paths {
		r, err := w.span(path)
		if err != nil {
			return err
		}
		for _, c := range r.Causes {
			if c.State == "present" && c.Rule != ofMachine {
				wrong = append(wrong, c.Rule+": "+c.Evidence)
			}
		}
	}
	w.failed += len(wrong)
	fmt.Fprintf(w.out, "\nServers without a fault: %d spans, %d causes named falsely.\n", len(paths), len(wrong))
	for _, s := range wrong {
		fmt.Fprintln(w.out, "-", s)
	}
	return nil
}
