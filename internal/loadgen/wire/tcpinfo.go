package wire

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// TCPInfo is what the kernel knows of the session's TCP connection (tcp(7), TCP_INFO): path
// MTU, round trip, segments sent again. A session over a Unix socket has none.
func (s *Session) TCPInfo() (*unix.TCPInfo, error) {
	if _, tcp := s.lower.Conn.(*net.TCPConn); !tcp {
		return nil, errors.New("the connection is not TCP")
	}
	raw, err := s.lower.Conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("read TCP_INFO: %w", err)
	}
	var info *unix.TCPInfo
	var inner error
	err = raw.Control(func(fd uintptr) { info, inner = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) })
	if err = errors.Join(err, inner); err != nil {
		return nil, fmt.Errorf("read TCP_INFO: %w", err)
	}
	return info, nil
}
