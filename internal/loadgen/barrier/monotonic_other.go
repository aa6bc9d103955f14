//go:build !linux

package barrier

import "errors"

// monotonic is not read elsewhere: generators that share a kernel are on Linux.
func monotonic() (int64, error) { return 0, errors.ErrUnsupported }
