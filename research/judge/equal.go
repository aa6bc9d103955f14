package main

// This file writes the equal trials of finished A/A runs as one small table, for the calibration tests that are run on
// real series (internal/stats/testdata/equal-trials.csv).

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// equalTrials writes a line for each trial of the runs, in the order in which they were measured. A run has two arms
// that are the same (research/campaigns.sh).
func equalTrials(out io.Writer, dirs []string) (bool, error) {
	type row struct {
		at   time.Time
		text string
	}
	var rows []row
	var first *record.Trial
	for i, dir := range dirs {
		r, err := record.Open(dir)
		if err != nil {
			return false, err
		}
		for _, t := range r.Trials {
			if t.End == nil || t.End.Outcome != record.Measured {
				return false, fmt.Errorf("%s: trial %d was not measured", dir, t.Header.Trial)
			}
			if first == nil {
				first = t
			}
			rows = append(rows, row{t.Header.Started, trialLine(i+1, t)})
		}
	}
	if first == nil {
		return false, fmt.Errorf("no trials")
	}
	slices.SortFunc(rows, func(a, b row) int { return a.at.Compare(b.at) })
	fmt.Fprintf(out, "# Equal trials of a real MySQL %s on %s, %s CPUs, %s with %d threads:\n", fact(first, keys.MySQLVariablePrefix+"version"), fact(first, keys.HostCPUModel),
		fact(first, keys.HostCPUCount), first.Header.Engine, first.Header.Threads)
	fmt.Fprintf(out, "# %d trials of %d campaigns of research/campaigns.sh, by research/judge equal-trials. tps and seconds are transactions/s.\n", len(rows), len(dirs))
	fmt.Fprintln(out, "campaign,trial,round,arm,started,tps,seconds")
	for _, r := range rows {
		fmt.Fprintln(out, r.text)
	}
	return true, nil
}

func trialLine(campaign int, t *record.Trial) string {
	var seconds []string
	for _, i := range t.Intervals {
		if !i.Warmup {
			seconds = append(seconds, strconv.FormatFloat(i.Transactions, 'g', -1, 64))
		}
	}
	h := t.Header
	return fmt.Sprintf("%d,%d,%d,%s,%s,%.2f,%s", campaign, h.Trial, h.Round, h.Arm, h.Started.Format(time.RFC3339Nano), t.Throughput(), strings.Join(seconds, " "))
}

func fact(t *record.Trial, key string) string {
	for _, f := range t.Facts {
		if f.Key == key {
			return f.Value
		}
	}
	return "unknown"
}
