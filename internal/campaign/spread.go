package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Spread is how much the log-ratio of a round varies from round to round: a range of its standard
// deviation.
type Spread struct {
	Low, High float64
	// Runs is how many earlier runs of such a plan on this machine it is from; 0 for
	// those of other machines.
	Runs int
}

// elsewhere is the spread where this machine has not measured such a plan. It is that of the campaigns of
// equal arms in docs/results/calibration.md without other load on the machine: 30 by slices of 5 s a round
// have 0.9 to 3.8 %, five by windows of 20 s have 1.9 to 13.6 %.
func elsewhere(p experiment.Plan) Spread {
	if p.Sliced() {
		return Spread{Low: 0.009, High: 0.038}
	}
	return Spread{Low: 0.019, High: 0.136}
}

// values are those that the precision is shown for.
func (s Spread) values() []float64 { return []float64{s.Low, math.Sqrt(s.Low * s.High), s.High} }

// source says where the range is from.
func (s Spread) source(p experiment.Plan) string {
	if s.Runs > 0 {
		return fmt.Sprintf("rounds varied by %s in %s of this plan on this machine (80 %% intervals)", between(s.Low, s.High), plural(s.Runs, "run"))
	}
	kind := "windows"
	if p.Sliced() {
		kind = "slices"
	}
	return fmt.Sprintf("rounds vary by %s (%s, other machines; no run of this plan on this machine yet)", between(s.Low, s.High), kind)
}

const (
	// memory is the file in the state directory that holds the spreads of finished runs, the oldest first.
	memory     = "spreads.json"
	memoryMost = 500
	// leastRounds of a comparison that is remembered: the standard deviation of three says nothing.
	leastRounds = 4
	spreadAlpha = 0.2 // of the interval of one comparison's spread
)

// remembered is the spread of one run's comparisons.
type remembered struct {
	Plan    string    `json:"plan"` // what of the plan decides the spread
	Machine string    `json:"machine"`
	At      time.Time `json:"at"`
	SD      []float64 `json:"sd"`
	Rounds  []int     `json:"rounds"`
}

// planOf is what of a plan decides the spread of its rounds: how and how long each arm is measured, and
// with which load. The arms do not belong to it.
func planOf(e *experiment.Experiment, p experiment.Plan) string {
	kind := experiment.KindWindows
	if p.Sliced() {
		kind = experiment.KindSlices
	}
	return fmt.Sprintf("%s %s %s %s %d %v %v %v", kind, e.Protocol.Measure, e.Load.Engine, e.Load.Workload, e.Data.Rows, e.Load.Threads, e.Load.Rate, e.Load.Find != nil)
}

// Recall is the spread of such a plan: that of this machine's earlier runs, if there is any in the state
// directory. A file that cannot be read counts as none.
func Recall(state string, e *experiment.Experiment, p experiment.Plan) Spread {
	all, err := readMemory(state)
	machine, _ := os.Hostname()
	s := Spread{Low: math.Inf(1)}
	for _, r := range all {
		if err != nil || r.Plan != planOf(e, p) || r.Machine != machine || len(r.SD) != len(r.Rounds) {
			continue
		}
		s.Runs++
		for i, sd := range r.SD {
			lo, hi := stats.SDInterval(sd, r.Rounds[i], spreadAlpha)
			s.Low, s.High = math.Min(s.Low, lo), math.Max(s.High, hi)
		}
	}
	if s.Runs == 0 || !(s.Low > 0) || math.IsInf(s.High, 0) {
		return elsewhere(p)
	}
	return s
}

// Remember keeps the spread of a finished run in the state directory, for the plans that follow. A run
// without one leaves the file as it is.
func Remember(state string, run *record.Run) error {
	machine, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("remember spread: %w", err)
	}
	r := remembered{Plan: planOf(run.Experiment, run.Plan), Machine: machine, At: time.Now().UTC()}
	result := compare.Run(run)
	if result.Others.Busy() { // its rounds vary by what others did
		return nil
	}
	for _, c := range result.Contrasts {
		if sd := c.SD(); len(c.Pairs) >= leastRounds && sd > 0 {
			r.SD, r.Rounds = append(r.SD, sd), append(r.Rounds, len(c.Pairs))
		}
	}
	if len(r.SD) == 0 {
		return nil
	}
	all, err := readMemory(state)
	if err != nil {
		return err
	}
	all = append(all, r)
	content, err := json.MarshalIndent(all[max(0, len(all)-memoryMost):], "", " ")
	if err != nil {
		return fmt.Errorf("remember spread: %w", err)
	}
	return record.WriteFile(filepath.Join(state, memory), content)
}

func readMemory(state string) ([]remembered, error) {
	content, err := os.ReadFile(filepath.Join(state, memory))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []remembered
	if err == nil {
		err = json.Unmarshal(content, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("read spreads of earlier runs: %w", err)
	}
	return all, nil
}
