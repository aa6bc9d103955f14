package main

// This file compares runs that differ in how turns are taken (research/slices.sh).

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/report"
)

// comparison is one run that others are compared with, and which of them must agree with it.
type comparison struct {
	name, reference string
	others, agree   []string
}

func lengths(out io.Writer, dir string) (bool, error) {
	others := []string{"100ms", "500ms", "1s"}
	return comparison{"lengths", "200ms", others, others}.judge(out, dir)
}

func freezing(out io.Writer, dir string) (bool, error) {
	return comparison{"freezing", "slices", []string{"idle", "windows"}, []string{"windows"}}.judge(out, dir)
}

func (c comparison) judge(out io.Writer, dir string) (bool, error) {
	runs := map[string]*report.Document{}
	for _, name := range append([]string{c.reference}, c.others...) {
		doc, err := read[report.Document](filepath.Join(dir, c.name+"-"+name+".json"))
		if err != nil {
			return false, err
		}
		runs[name] = doc
	}
	shown := true
	reference := runs[c.reference]
	together := len(reference.Contrasts) * len(c.agree) // differences whose intervals hold together
	for i, of := range reference.Contrasts {
		logs := logRatios(of)
		fmt.Fprintf(out, "%s: %s %s, %d rounds\n", of.Arm, c.reference, estimate(logs), len(logs))
		for _, name := range c.others {
			if len(runs[name].Contrasts) != len(reference.Contrasts) {
				return false, fmt.Errorf("%s-%s has %d contrasts, %s-%s %d", c.name, name, len(runs[name].Contrasts), c.name, c.reference, len(reference.Contrasts))
			}
			shown = c.compare(out, name, logRatios(runs[name].Contrasts[i]), logs, together) && shown
		}
	}
	var levels []string
	for _, name := range append([]string{c.reference}, c.others...) {
		levels = append(levels, fmt.Sprintf("%s %.0f", name, level(runs[name])))
	}
	fmt.Fprintf(out, "transactions/s of the baseline, geometric mean: %s\n", strings.Join(levels, ", "))
	return shown, nil
}

// compare prints one arm of another run, and says whether it agrees where it must.
func (c comparison) compare(out io.Writer, name string, logs, reference []float64, together int) bool {
	must := slices.Contains(c.agree, name)
	if !must {
		together = 1
	}
	d := welch(logs, reference, together)
	said := ""
	switch {
	case !must:
	case d.agrees():
		said = ", agrees within 10 %"
	case !d.contains(0):
		said = ", DISAGREES"
	default:
		said = ", NOT SHOWN TO AGREE within 10 %"
	}
	fmt.Fprintf(out, "  %s %s; compared with %s %s%s\n", name, estimate(logs), c.reference, d, said)
	return !must || d.agrees()
}

// level is the geometric mean of the baseline's throughput over the rounds.
func level(doc *report.Document) float64 {
	sum, n := 0.0, 0
	for _, p := range doc.Contrasts[0].Pairs {
		sum, n = sum+math.Log(float64(p.Baseline)), n+1
	}
	return math.Exp(sum / float64(n))
}
