package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// FailureFile says in a run directory that the run stopped by itself before its end. A
// run that was interrupted or killed has none.
const FailureFile = "failure.json"

// Failure is why a run stopped.
type Failure struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
	// Complete is how many trials were complete then, and Times how often the run has
	// stopped since there were that many.
	Complete int `json:"complete"`
	Times    int `json:"times"`
	// Resumed says that the run was started again; it may be under way.
	Resumed bool `json:"resumed"`
}

// Final reports whether trying again has been tried: the run stopped twice, and no
// trial was completed between.
func (f *Failure) Final() bool { return f != nil && f.Times >= 2 }

// maxFailure is more than any reason needs.
const maxFailure = 1 << 20

// ReadFailure is the failure of a run, nil where it has none.
func ReadFailure(dir string) (*Failure, error) {
	f, err := OpenFile(filepath.Join(dir, FailureFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read failure: %w", err)
	}
	defer f.Close()
	var failure Failure
	if err := json.NewDecoder(io.LimitReader(f, maxFailure)).Decode(&failure); err != nil {
		return nil, fmt.Errorf("read failure: %w", err)
	}
	return &failure, nil
}

// AddFailure writes down that a run stopped, with so many trials complete.
func AddFailure(dir, reason string, complete int) (*Failure, error) {
	before, err := ReadFailure(dir)
	if err != nil {
		before = nil // what cannot be read is replaced
	}
	now := &Failure{At: time.Now().UTC(), Reason: reason, Complete: complete, Times: 1}
	if before != nil && before.Complete == complete {
		now.Times = before.Times + 1
	}
	return now, now.save(dir)
}

// ResumeFailed notes that a run which had stopped is started again.
func ResumeFailed(dir string) error {
	f, err := ReadFailure(dir)
	if f == nil || err != nil {
		return err
	}
	f.Resumed = true
	return f.save(dir)
}

// ClearFailure is for a run that has reached its end.
func ClearFailure(dir string) error {
	if err := os.Remove(filepath.Join(dir, FailureFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove failure: %w", err)
	}
	return nil
}

func (f *Failure) save(dir string) error {
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return fmt.Errorf("encode failure: %w", err)
	}
	return WriteFile(filepath.Join(dir, FailureFile), append(text, '\n'))
}
