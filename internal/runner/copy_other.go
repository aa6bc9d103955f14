//go:build !linux

package runner

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Data are copied, and known by their identity, for the servers of this host, which need Linux.

type identity struct{}

func identityOf(path string) (identity, error) {
	return identity{}, fmt.Errorf("read %s: a server on this host needs Linux: %w", path, errors.ErrUnsupported)
}

func (identity) changed() time.Time { return time.Time{} }

func cloneTree(from, _ string) (map[string]bool, error) {
	return nil, fmt.Errorf("copy data of %s: a server on this host needs Linux: %w", from, errors.ErrUnsupported)
}

// urgent has nothing to do: no server of this host is frozen.
func urgent() (release func()) { return func() {} }

func sleepUntil(ctx context.Context, at time.Time) bool { return sleep(ctx, time.Until(at)) }
