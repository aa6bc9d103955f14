//go:build !linux

package wire

import (
	"errors"
	"fmt"
)

// TCPInfo is not to be had here.
func (s *Session) TCPInfo() (TCPInfo, error) {
	return TCPInfo{}, fmt.Errorf("read TCP_INFO: this needs Linux: %w", errors.ErrUnsupported)
}
