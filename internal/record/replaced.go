package record

// This file sets aside what a run measured by a protocol that turned out not to hold.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/fault"
)

// ReplacedDir holds what was measured by each protocol that a run has left, in a directory of its
// own: 1 is that of the plan, 2 the one after it. None of it enters a verdict.
const ReplacedDir = "replaced"

// Replace saves a plan that has gone over to another protocol, and sets aside what was measured by
// the one before. [FinishReplace] ends what a crash leaves in the middle.
func Replace(dir string, p experiment.Plan) error {
	if err := SavePlan(dir, p); err != nil {
		return err
	}
	fault.At("record: the protocol is another")
	return FinishReplace(dir, p)
}

// FinishReplace sets aside what a run whose plan has changed its protocol measured before, unless
// that has been done. The trials are moved last, so that a place with trials is complete.
func FinishReplace(dir string, p experiment.Plan) error {
	if len(p.Changes) == 0 {
		return nil
	}
	place := filepath.Join(dir, ReplacedDir, strconv.Itoa(len(p.Changes)))
	if _, err := os.Lstat(filepath.Join(place, TrialsDir)); err == nil {
		return makeTrials(dir) // a crash can have come before it
	}
	if err := makeDirs(place); err != nil {
		return fmt.Errorf("set trials aside: %w", err)
	}
	for _, name := range []string{VoidsDir, TrialsDir} {
		err := os.Rename(filepath.Join(dir, name), filepath.Join(place, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("set trials aside: %w", err)
		}
		if err := errors.Join(syncDir(place), syncDir(dir)); err != nil {
			return fmt.Errorf("set trials aside: %w", err)
		}
		fault.At("record: " + name + " are set aside")
	}
	return makeTrials(dir)
}

func makeTrials(dir string) error {
	if err := makeDirs(filepath.Join(dir, TrialsDir)); err != nil {
		return fmt.Errorf("set trials aside: %w", err)
	}
	return nil
}
