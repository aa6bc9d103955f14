//go:build !linux

package node

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// RunNeighbour is the work of a neighbour's process, which is a process of a Linux machine.
func RunNeighbour(context.Context, io.Reader, io.Writer) error {
	return fmt.Errorf("run neighbour: this needs Linux: %w", errors.ErrUnsupported)
}

// FileSystem names the file system that a path is on. Nothing that is measured lies on it.
func FileSystem(path string) (string, error) {
	return "", fmt.Errorf("read file system of %s: this needs Linux: %w", path, errors.ErrUnsupported)
}
