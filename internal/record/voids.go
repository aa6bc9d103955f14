package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
)

// VoidsDir holds the rounds that were set aside, each in a directory of its own
// with VoidFile beside its trials: nothing that was measured is thrown away.
const (
	VoidsDir = "voids"
	VoidFile = "void.json"
)

// Void is a round that was set aside and run again, because an external factor
// disturbed one of its trials.
type Void struct {
	Round  int     `json:"round"`
	Causes []Cause `json:"causes"`
	// Trials are those of the round as they were measured; they enter no verdict.
	Trials []*Trial `json:"-"`
}

// Cause is one trial that was disturbed.
type Cause struct {
	Trial   int    `json:"trial"`
	Round   int    `json:"round"`
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	// Gate is what noticed: client, steal, thermal, foreign or sentinel.
	Gate string `json:"gate"`
	Sign
}

// Sign is what a gate saw of a trial, beside the median of the run's trials: a share of
// the machine's CPU time (steal, foreign) or a count of events (thermal).
type Sign struct {
	Seen   float64 `json:"seen,omitempty"`
	Median float64 `json:"median,omitempty"`
	// Detail is the load engine's own message (client); runs before this field's
	// neighbours have a sentence here for every gate.
	Detail string `json:"detail,omitempty"`
}

// String is one line for a log: "steal 4.0 % (median of the run 0.1 %)".
func (c Cause) String() string {
	switch {
	case c.Detail != "":
		return c.Gate + ": " + c.Detail
	case c.Gate == "thermal":
		return fmt.Sprintf("%s: %.0f throttling events (median of the run %.0f)", c.Gate, c.Seen, c.Median)
	case c.Gate == "sentinel":
		return c.Gate + ": the machine was slower than before the other trials"
	}
	return fmt.Sprintf("%s: %.1f %% of the CPU time (median of the run %.1f %%)", c.Gate, 100*c.Seen, 100*c.Median)
}

// SetAside moves the trials of a round away, so that the plan lacks them and the
// runner does them again. [FinishSetAside] ends what a crash leaves in the middle.
func SetAside(dir string, p experiment.Plan, v Void) error {
	parent := filepath.Join(dir, VoidsDir)
	if err := makeDirs(parent); err != nil {
		return fmt.Errorf("set round aside: %w", err)
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return fmt.Errorf("set round aside: %w", err)
	}
	place := filepath.Join(parent, fmt.Sprintf("%03d-round-%d", len(entries)+1, v.Round))
	if err := os.Mkdir(place, 0o755); err != nil {
		return fmt.Errorf("set round aside: %w", err)
	}
	if err := writeJSON(filepath.Join(place, VoidFile), v); err != nil {
		return err
	}
	// Before a trial is moved: a power cut may otherwise keep its removal and not its new place.
	if err := syncDir(parent); err != nil {
		return fmt.Errorf("set round aside: %w", err)
	}
	return moveRound(dir, place, p, v.Round)
}

// FinishSetAside moves the trials that SetAside had not moved when it was cut off. Otherwise the
// round would have used up its place in the budget and not be repeated.
func FinishSetAside(dir string, p experiment.Plan) error {
	places, err := voidPlaces(dir)
	if err != nil {
		return err
	}
	for _, place := range places {
		v, err := openVoid(filepath.Join(place, VoidFile), p.Trials)
		if errors.Is(err, fs.ErrNotExist) { // cut off before it was written: nothing was moved
			continue
		}
		if err != nil {
			return err
		}
		if err := moveRound(dir, place, p, v.Round); err != nil {
			return err
		}
	}
	return nil
}

// moveRound moves the trials of a round to the place of what was set aside. One that is there
// already has been measured again since.
func moveRound(dir, place string, p experiment.Plan, round int) error {
	for _, t := range p.Trials {
		if t.Round != round {
			continue
		}
		from := TrialDir(dir, t)
		to := filepath.Join(place, filepath.Base(from))
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("set round aside: %w", err)
		}
	}
	return errors.Join(syncDir(place), syncDir(filepath.Join(dir, TrialsDir)))
}

// voidPlaces are the directories of the rounds that were set aside, in their order. The path
// of a run is the user's, so it must not be read as a pattern.
func voidPlaces(dir string) ([]string, error) {
	parent := filepath.Join(dir, VoidsDir)
	entries, err := os.ReadDir(parent)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open run: %w", err)
	}
	var places []string
	for _, e := range entries {
		if !e.Type().IsRegular() {
			places = append(places, filepath.Join(parent, e.Name()))
		}
	}
	return places, nil
}

func openVoids(dir string, planned []experiment.Trial) ([]Void, error) {
	places, err := voidPlaces(dir)
	if err != nil {
		return nil, err
	}
	var all []Void
	for _, place := range places {
		v, err := openVoid(filepath.Join(place, VoidFile), planned)
		if errors.Is(err, fs.ErrNotExist) { // cut off before it was written
			continue
		}
		if err != nil {
			return nil, err
		}
		if v.Trials, err = voidTrials(dir, place, v.Round, planned); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// voidTrials are the trials of a round that was set aside at a place.
func voidTrials(dir, place string, round int, planned []experiment.Trial) (all []*Trial, err error) {
	for _, t := range planned {
		if t.Round != round {
			continue
		}
		trial, err := OpenTrial(filepath.Join(place, filepath.Base(TrialDir(dir, t))))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if trial.Header.Trial == t.Number && trial.Header.Arm == t.Arm {
			all = append(all, trial)
		}
	}
	return all, nil
}

// openVoid reads what is said of a round that was set aside, without its trials.
func openVoid(file string, planned []experiment.Trial) (Void, error) {
	var v Void
	if err := readJSON(file, &v); err != nil {
		return v, err
	}
	if !slices.ContainsFunc(planned, func(t experiment.Trial) bool { return t.Round == v.Round }) {
		return v, fmt.Errorf("open run: %s is about round %d, which is not in the plan", file, v.Round)
	}
	return v, nil
}
