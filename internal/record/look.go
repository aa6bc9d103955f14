package record

// This file is the seal of a run that is not finished, and who broke it.

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"
)

// LooksFile lists the looks at the results of a run before its end. A run without one
// was never unsealed.
const LooksFile = "looks.json"

// Look is one look at the results of a run before its end.
type Look struct {
	At     time.Time `json:"at"`
	Trials int       `json:"trials"` // done at that time
}

// Unseal shows the results of a run that is not finished, and writes the look into the
// run's directory, so that every later report says so: a reader must know that somebody
// could have stopped at a convenient moment. A finished run has no seal, and nothing is
// written.
func (r *Run) Unseal(now time.Time) error {
	done := 0
	for _, t := range r.Trials {
		if t.Incomplete == "" && t.End != nil {
			done++
		}
	}
	if r.Imported != nil || done == len(r.Plan.Trials) {
		return nil
	}
	r.Unsealed = true
	r.Looks = append(r.Looks, Look{At: now.UTC().Truncate(time.Second), Trials: done})
	return writeJSON(filepath.Join(r.Dir, LooksFile), r.Looks)
}

func openLooks(dir string) (looks []Look, err error) {
	if err = readJSON(filepath.Join(dir, LooksFile), &looks); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return looks, err
}
