package record

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
)

// Reader reads the record of a run that is being measured. Each Read costs what has
// been written since the one before, not what the run has measured in all: trials
// that have a result are kept, and only the reader's own process changes them
// while a run is under way. The readings of probes are not kept: they are nine tenths
// of a record, and decisions between rounds look at outcomes, facts and throughput.
//
// It is for one goroutine at a time.
type Reader struct {
	dir        string
	experiment *experiment.Experiment
	trials     map[int]*Trial  // those with a result, by number
	voids      map[string]Void // by directory
	metrics    []Metric        // of the last trial kept: most trials have the same
	texts      map[string]string
}

// NewReader reads the run directory dir of an experiment.
func NewReader(dir string, e *experiment.Experiment) *Reader {
	return &Reader{dir: dir, experiment: e, trials: map[int]*Trial{}, voids: map[string]Void{}, texts: map[string]string{}}
}

// Read is the run as it is now, measured by the plan p, without Samples. The trials of rounds that
// were set aside are there as in [Open]: a verdict that ends the run has to be the report's.
func (r *Reader) Read(p experiment.Plan) (*Run, error) {
	run := &Run{Dir: r.dir, Experiment: r.experiment, Plan: p}
	for _, planned := range p.Trials {
		trial, err := r.trial(planned)
		if err != nil {
			return nil, err
		}
		if trial != nil {
			run.Trials = append(run.Trials, trial)
		}
	}
	var err error
	run.Voids, err = r.readVoids(p)
	return run, err
}

// trial is a planned trial; nil for one that has not begun.
func (r *Reader) trial(planned experiment.Trial) (*Trial, error) {
	if t := r.trials[planned.Number]; t != nil {
		return t, nil
	}
	t, err := OpenTrial(TrialDir(r.dir, planned))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = t.place(planned)
	}
	if err != nil {
		return nil, err
	}
	t.Samples = nil
	if t.HasResult() {
		r.keep(t)
		r.trials[planned.Number] = t
	}
	return t, nil
}

// keep lets a trial share what it has in common with the others: the descriptions of its
// metrics, and the texts of its facts. They are most of what a day of trials would hold.
func (r *Reader) keep(t *Trial) {
	if slices.Equal(t.Metrics, r.metrics) {
		t.Metrics = r.metrics
	}
	r.metrics = t.Metrics
	for i := range t.Facts {
		f := &t.Facts[i]
		for _, text := range []*string{&f.Key, &f.Value, &f.Source, &f.Unknown, &f.Phase} {
			if there, known := r.texts[*text]; known {
				*text = there
			} else {
				r.texts[*text] = *text
			}
		}
	}
}

// Forget drops a trial that is measured again, by number: what was read of it before is no
// longer what its files hold.
func (r *Reader) Forget(trial int) { delete(r.trials, trial) }

// SetAside is the function [SetAside] for this run.
func (r *Reader) SetAside(p experiment.Plan, v Void) error {
	for _, t := range p.Trials {
		if t.Round == v.Round {
			r.Forget(t.Number)
		}
	}
	return SetAside(r.dir, p, v)
}

func (r *Reader) readVoids(p experiment.Plan) ([]Void, error) {
	places, err := voidPlaces(r.dir)
	if err != nil {
		return nil, err
	}
	var all []Void
	for _, place := range places {
		v, known := r.voids[place]
		if !known {
			v, err = openVoid(filepath.Join(place, VoidFile), p.Trials)
			if errors.Is(err, fs.ErrNotExist) { // cut off before it was written
				continue
			}
			if err == nil {
				v.Trials, err = voidTrials(r.dir, place, v.Round, p.Trials)
			}
			if err != nil {
				return nil, err
			}
			for _, t := range v.Trials {
				t.Samples = nil
				r.keep(t)
			}
			r.voids[place] = v
		}
		all = append(all, v)
	}
	return all, nil
}
