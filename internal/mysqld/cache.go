package mysqld

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/internal/lock"
	"github.com/tarebench/tare/internal/remove"
)

// once returns the directory called key below cache/roots, filled exactly once.
// fill gets a work directory and makes work/root; only when it has succeeded
// does that appear under its name, so a directory that is there is whole. A
// process that was killed in between leaves a work directory, which the next
// one throws away.
func once(ctx context.Context, cache, key string, log io.Writer, fill func(work string) error) (dir string, err error) {
	if os.Geteuid() != 0 {
		key += "-unowned" // without root, every file is ours
	}
	roots, err := filepath.Abs(filepath.Join(cache, "roots"))
	if err != nil {
		return "", err
	}
	// 0700: other people's images bring setuid programs. A server inside its
	// root needs no way through the directories above it.
	if err := os.MkdirAll(roots, 0o700); err != nil {
		return "", fmt.Errorf("make cache: %w", err)
	}
	unlock, err := alone(ctx, filepath.Join(roots, key+".lock"), log)
	if err != nil {
		return "", err
	}
	defer unlock()
	final, work := filepath.Join(roots, key), filepath.Join(roots, key+".work")
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	if err := remove.Tree(roots, work); err != nil {
		return "", fmt.Errorf("clean cache: %w", err)
	}
	defer func() { err = errors.Join(err, remove.Tree(roots, work)) }()
	if err := os.MkdirAll(filepath.Join(work, "root"), 0o755); err != nil {
		return "", fmt.Errorf("make cache: %w", err)
	}
	if err := fill(work); err != nil {
		return "", err
	}
	return final, commit(filepath.Join(work, "root"), final)
}

// commit gives a filled directory its name, after its files are on the disk: a
// rename can otherwise survive a power cut that the files do not.
func commit(root, final string) error {
	if err := os.Chmod(root, 0o755); err != nil {
		return fmt.Errorf("finish cache: %w", err)
	}
	if err := syncFileSystem(root); err != nil {
		return fmt.Errorf("sync cache: %w", err)
	}
	if err := os.Rename(root, final); err != nil {
		return fmt.Errorf("finish cache: %w", err)
	}
	return nil
}

// alone keeps other processes from the file's directory until unlock is called.
func alone(ctx context.Context, file string, log io.Writer) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock cache: %w", err)
	}
	err = lock.Wait(ctx, f, func() {
		fmt.Fprintln(log, "Another tare is unpacking the same files; waiting for it.")
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock cache: %w", err), f.Close())
	}
	return func() { f.Close() }, nil
}
