package main

// This file looks at the place of a result before the measurement whose result it is: one that cannot be written is said
// at once, and not after the hour that it took.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// writable is an error if a file cannot be written. It leaves no file, and an existing one as it is; "" and "-" are
// standard output.
func writable(flag, path string) error {
	if path == "" || path == "-" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(path))
	} else if errors.Is(err, fs.ErrExist) {
		if f, err = os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			err = f.Close()
		}
	}
	if err != nil {
		var of *fs.PathError
		if errors.As(err, &of) { // it names the path once more
			err = of.Err
		}
		return usage{fmt.Errorf("%s %s: %w", flag, path, err)}
	}
	return nil
}
