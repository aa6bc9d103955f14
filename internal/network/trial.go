package network

// What a check makes, and how the next one knows whether it is still in use.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/internal/lock"
	"github.com/tarebench/tare/internal/remove"
)

// trialsDir has a directory for every check. Only root can write there, so no other user can
// put something into it, as everyone can into /tmp.
const trialsDir = "/run/tare-try"

// trialPrefix begins the names of the directories, and of a check's network namespaces. The
// number of the process follows, for people.
const trialPrefix = "tare-try-"

// trialAttempts are more than are needed: another check removes a directory only in the
// moment between its creation and its lock.
const trialAttempts = 20

// beginTrial makes the directory of a check and locks it (flock(2)). The kernel drops the
// lock when the process ends, however it ends. The number of the process would not do: it
// means something else in another PID namespace.
func beginTrial() (dir string, held *os.File, err error) {
	for range trialAttempts {
		if err = os.MkdirAll(trialsDir, 0o700); err != nil {
			return "", nil, err
		}
		if dir, err = os.MkdirTemp(trialsDir, fmt.Sprintf("%s%d-", trialPrefix, os.Getpid())); err != nil {
			continue
		}
		if held, err = os.Open(dir); err != nil {
			continue
		}
		if err = lockWithin(held, lockPatience); err == nil && sameDirectory(held, dir) {
			return dir, held, nil
		}
		held.Close()
	}
	return "", nil, fmt.Errorf("make a directory in %s: %w", trialsDir, errors.Join(err, errors.New("other processes remove it")))
}

// endTrial gives up the lock once everything of the check has been removed.
func endTrial(held *os.File) {
	held.Close()
	_ = os.Remove(trialsDir) // it holds the directories of other checks, or is not needed any more
}

// sameDirectory says whether a path still leads to what was opened.
func sameDirectory(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, there)
}

// RemoveTrials removes what checks left that were killed. It can be repeated. Only root
// makes checks, so there is nothing to do for others.
func RemoveTrials() error {
	if os.Geteuid() != 0 {
		return nil
	}
	// Those without a directory are of a check whose directory is gone. A check makes the
	// directory first and removes it last, so the namespaces are listed before it.
	namespaces, err := filepath.Glob(filepath.Join(namespaceDir, trialPrefix+"*"))
	errs := []error{err}
	dirs, err := filepath.Glob(filepath.Join(trialsDir, trialPrefix+"*"))
	errs = append(errs, err)
	for _, dir := range dirs {
		errs = append(errs, removeTrial(dir))
	}
	for _, path := range namespaces {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		if _, err := os.Lstat(filepath.Join(trialsDir, name)); errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, removeNamespace(path))
		}
	}
	_ = os.Remove(trialsDir) // a check that runs has a directory in it
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove what a killed check left: %w", err)
	}
	return nil
}

// removeTrial removes the namespaces of a check and its directory, unless the check runs.
func removeTrial(dir string) error {
	held, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer held.Close()
	err = lock.Try(held)
	if errors.Is(err, lock.ErrHeld) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	namespaces, err := filepath.Glob(filepath.Join(namespaceDir, filepath.Base(dir)+".*"))
	errs := []error{err}
	for _, path := range namespaces {
		errs = append(errs, removeNamespace(path))
	}
	if err := errors.Join(errs...); err != nil {
		return err // the directory stays as long as one of them does
	}
	return remove.Tree(trialsDir, dir)
}
