package main

// This file reads the results that are judged.

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/internal/report"
)

// ofResult is a verdict on one result, of which argument names the file.
func ofResult(judge func(io.Writer, *report.Document) (bool, error)) verdict {
	return func(out io.Writer, args []string) (bool, error) {
		doc, err := read[report.Document](args[0])
		if err != nil {
			return false, err
		}
		return judge(out, doc)
	}
}

// ofDirectory is a verdict on the results in a directory.
func ofDirectory(judge func(io.Writer, string) (bool, error)) verdict {
	return func(out io.Writer, args []string) (bool, error) { return judge(out, args[0]) }
}

func read[T any](path string) (*T, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	into := new(T)
	if err := json.Unmarshal(b, into); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return into, nil
}

// results are those of the files that a pattern matches, by name.
func results(dir, pattern string) ([]*report.Document, error) {
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var all []*report.Document
	for _, path := range paths {
		doc, err := read[report.Document](path)
		if err != nil {
			return nil, err
		}
		all = append(all, doc)
	}
	return all, nil
}

// logRatios are ln(arm/baseline) of the rounds of a contrast.
func logRatios(c report.Contrast) []float64 {
	var all []float64
	for _, p := range c.Pairs {
		all = append(all, math.Log(float64(p.Arm/p.Baseline)))
	}
	return all
}

// only is the contrast of a result that must have one.
func only(doc *report.Document) (*report.Contrast, error) {
	if len(doc.Contrasts) != 1 {
		return nil, fmt.Errorf("%d contrasts, not one", len(doc.Contrasts))
	}
	return &doc.Contrasts[0], nil
}

// baseline is the arm that the others are compared with.
func baseline(doc *report.Document) (*report.Arm, error) {
	for i := range doc.Arms {
		if doc.Arms[i].Baseline {
			return &doc.Arms[i], nil
		}
	}
	return nil, fmt.Errorf("no baseline")
}
