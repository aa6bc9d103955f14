// Go's benchmark format, for benchstat and what is built on it.

package export

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// benchfmtFile writes a line for each measured trial
// (https://go.dev/design/14313-benchmark-format). benchstat takes the trials of
// an arm for independent samples and does not know which belong to one round, so
// its intervals are wider than tare's. The baseline's trials are first: benchstat
// compares with the first column, and its columns are in the order of the file.
func benchfmtFile(w io.Writer, doc *report.Document, _ Options) error {
	if err := benchComments(w, doc); err != nil {
		return err
	}
	out, unit := benchfmt.NewWriter(w), benchUnit(doc)
	records := []benchfmt.Record{&benchfmt.UnitMetadata{
		UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: "higher",
	}}
	for _, t := range baselineFirst(doc) {
		if t.Throughput.Known() {
			records = append(records, benchResult(doc, t))
		}
	}
	for _, r := range records {
		if err := out.Write(r); err != nil {
			return fmt.Errorf("write benchfmt: %w", err)
		}
	}
	return nil
}

// baselineFirst is the trials of the baseline, then those of the other arms, each in the order of the run.
func baselineFirst(doc *report.Document) []report.Trial {
	base := doc.Baseline()
	trials := slices.Clone(doc.Trials)
	slices.SortStableFunc(trials, func(a, b report.Trial) int {
		switch {
		case a.Arm == base && b.Arm != base:
			return -1
		case a.Arm != base && b.Arm == base:
			return 1
		}
		return 0
	})
	return trials
}

// benchComments names the run and its plan in lines that benchfmt does not parse. As configuration, they would be
// part of what benchstat groups by (-table .config), so that two runs of an experiment were two tables with nothing
// to compare.
func benchComments(w io.Writer, doc *report.Document) error {
	for _, c := range [][2]string{{"run", doc.Run.Name}, {"plan", doc.Run.PlanHash}, {"tare", doc.Tare}} {
		if c[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "# %s: %s\n", c[0], oneLine(c[1])); err != nil {
			return fmt.Errorf("write benchfmt: %w", err)
		}
	}
	return nil
}

func benchResult(doc *report.Document, t report.Trial) *benchfmt.Result {
	workload := workloadOf(doc)
	r := &benchfmt.Result{
		Name:   benchfmt.Name(fmt.Sprintf("%s/arm=%s/threads=%d", language.Capital(benchName(workload)), benchName(t.Arm), t.Threads)),
		Iters:  1,
		Values: []benchfmt.Value{{Value: float64(t.Throughput), Unit: benchUnit(doc)}},
	}
	for _, c := range [][2]string{
		{"workload", workload}, {"engine", doc.Run.Engine},
	} {
		if c[1] != "" {
			r.Config = append(r.Config, benchfmt.Config{Key: c[0], Value: []byte(oneLine(c[1])), File: true})
		}
	}
	return r
}

// benchUnit is the unit of throughput as a word: a space would end it.
func benchUnit(doc *report.Document) string {
	if unit := doc.ThroughputUnit(); unit != report.Unit {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || !unicode.IsPrint(r) {
				return '-'
			}
			return r
		}, unit)
	}
	return "tx/s"
}

// benchName is text as a part of a benchmark's name: no space ends it and no
// slash divides it.
func benchName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '/' || r == '=' {
			return '_'
		}
		return r
	}, s)
}

// oneLine keeps a configuration value on its line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}
