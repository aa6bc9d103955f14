package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/internal/record"
)

// resumable refuses `tare run SPEC --resume DIR` where SPEC is another experiment than
// the one that DIR holds: a run is finished as it was planned.
func resumable(dir string, spec []string) error {
	if len(spec) == 0 {
		return nil
	}
	given, err := os.ReadFile(spec[0])
	if err != nil {
		return usage{fmt.Errorf("read experiment: %w", err)}
	}
	planned, err := os.ReadFile(filepath.Join(dir, record.ExperimentFile))
	if err != nil {
		return usage{fmt.Errorf("resume: %w", err)}
	}
	if !bytes.Equal(given, planned) {
		return hinted{usage{fmt.Errorf("resume: %s differs from the experiment that %s was started with", spec[0], dir)},
			fmt.Sprintf("continue the run as planned: tare run --resume %s; or start a new one: tare run %s", dir, spec[0])}
	}
	return nil
}
