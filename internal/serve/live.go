// A run under way, read from its files.

package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// liveState is what a visitor is shown of a run that is not finished: the plan as
// a grid, and the current trial alone. No figure of an earlier trial is in it,
// because the result is sealed.
type liveState struct {
	Name          string    `json:"name"`
	Workload      string    `json:"workload"`
	PlanHash      string    `json:"plan_hash"`
	RoundsPlanned int       `json:"rounds_planned"`
	RoundsDone    int       `json:"rounds_done"`
	Planned       int       `json:"trials_planned"`
	Done          int       `json:"trials_done"`
	Voided        int       `json:"rounds_voided"`
	Grid          []gridRow `json:"grid"`
	// Now is the current trial, nil before the first.
	Now *liveTrial `json:"now"`
	// Changed is the last sign of life: when a file of the run was written.
	Changed time.Time `json:"changed"`
}

// Finished reports whether every trial of the plan is done.
func (l *liveState) Finished() bool { return l.Done == l.Planned }

// gridRow is an arm; its cells are the outcomes of its trials, "now" or "", a
// round each.
type gridRow struct {
	Label string   `json:"label"`
	Cells []string `json:"cells"`
}

// liveTrial is the current trial. Arm is "" where all arms of the round take turns; then there are no
// rates.
type liveTrial struct {
	Number  int    `json:"number"`
	Round   int    `json:"round"`
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	Phase   string `json:"phase"`
	// TPS are the trial's last seconds, transactions per second.
	TPS        []float64 `json:"tps"`
	LatencyMS  float64   `json:"latency_ms"` // at Percentile; 0 for none
	Percentile float64   `json:"percentile"`
	Errors     float64   `json:"errors_per_s"`
}

// follower reads what was added to a run since it last looked.
type follower struct {
	dir  string
	run  *record.Run
	done map[int]string // outcomes by trial
	plan time.Time      // when plan and voids were written
	// tails are the streams of trials that are not complete, by number: the arms of a round of slices
	// grow at once.
	tails map[int]*tail
}

// follow reads a run directory and what of it is complete.
func follow(dir string) (*follower, error) {
	f := &follower{dir: dir}
	return f, f.open()
}

func (f *follower) open() error {
	written := f.planned()
	run, err := record.Open(f.dir)
	if err != nil {
		return err
	}
	if run.Imported != nil {
		return refused{404, "fault.imported", nil}
	}
	f.run, f.plan, f.done, f.tails = run, written, map[int]string{}, map[int]*tail{}
	for _, t := range run.Trials {
		if t.Incomplete == "" {
			f.done[t.Header.Trial] = string(t.End.Outcome)
		}
	}
	return nil
}

// planned is when plan or set-aside rounds last changed.
func (f *follower) planned() time.Time {
	var last time.Time
	for _, name := range []string{record.PlanFile, record.VoidsDir} {
		if info, err := os.Stat(filepath.Join(f.dir, name)); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// next is the state of the run now. An error says that it is not there any more,
// or is not a run.
func (f *follower) next() (*liveState, error) {
	if f.planned() != f.plan {
		if err := f.open(); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(filepath.Join(f.dir, record.PlanFile))
	if err != nil {
		return nil, fmt.Errorf("follow run: %w", err)
	}
	p := f.run.Plan
	state := &liveState{
		Name: f.run.Experiment.Metadata.Name, Workload: f.run.Experiment.Load.Name(), PlanHash: p.Hash,
		RoundsPlanned: p.Rounds, Planned: len(p.Trials), Voided: len(f.run.Voids), Changed: info.ModTime(),
	}
	state.Now = f.current(&state.Changed)
	open := map[int]bool{}
	for _, t := range p.Trials {
		if f.done[t.Number] == "" {
			open[t.Round] = true
		}
	}
	state.Done, state.RoundsDone = len(f.done), p.Rounds-len(open)
	state.Grid = f.grid(state.Now)
	return state, nil
}

// current reads on in the trials that are not complete, and returns the one that
// was written to last. Of arms that take turns it is the round without the rates: those of one
// arm after another would show the effect.
func (f *follower) current(changed *time.Time) *liveTrial {
	var now *liveTrial
	var last time.Time
	for _, t := range f.run.Plan.Trials {
		if f.done[t.Number] != "" {
			continue
		}
		path := filepath.Join(record.TrialDir(f.dir, t), record.StreamFile)
		info, err := os.Stat(path)
		if err != nil || info.ModTime().Before(last) {
			continue
		}
		last = info.ModTime()
		stream := f.tails[t.Number]
		if stream == nil {
			stream = &tail{}
			f.tails[t.Number] = stream
		}
		stream.read(path)
		if stream.end != nil {
			f.done[t.Number] = string(stream.end.Outcome)
			delete(f.tails, t.Number)
			continue
		}
		now = &liveTrial{Number: t.Number, Round: t.Round, Arm: t.Arm, Threads: t.Threads}
		stream.fill(now)
	}
	if now != nil && f.run.Plan.Sliced() {
		now = &liveTrial{Number: now.Number, Round: now.Round, Phase: now.Phase, TPS: []float64{}}
	}
	if last.After(*changed) {
		*changed = last
	}
	return now
}

// grid is a row for each arm and level of load, in the order of the experiment.
func (f *follower) grid(now *liveTrial) []gridRow {
	type key struct {
		arm     string
		threads int
		again   bool
	}
	at := map[key]int{}
	var rows []gridRow
	for _, again := range []bool{false, true} {
		for _, arm := range f.run.Experiment.Arms.Names() {
			for _, threads := range f.run.Experiment.Load.Threads {
				if again && (!f.run.Plan.AA || arm != f.run.Experiment.Baseline) {
					continue
				}
				label := arm
				if len(f.run.Experiment.Load.Threads) > 1 {
					label = fmt.Sprintf("%s x%d", arm, threads)
				}
				if again {
					label += " (A/A)"
				}
				at[key{arm, threads, again}] = len(rows)
				rows = append(rows, gridRow{label, make([]string, f.run.Plan.Rounds)})
			}
		}
	}
	for _, t := range f.run.Plan.Trials {
		cell := f.done[t.Number]
		if cell == "" && now != nil && (now.Number == t.Number || f.run.Plan.Sliced() && now.Round == t.Round) {
			cell = "now"
		}
		rows[at[key{t.Arm, t.Threads, t.Again}]].Cells[t.Round-1] = cell
	}
	return rows
}
