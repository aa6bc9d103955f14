package wire

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// TCPInfo is that of the session's connection. A session over a Unix socket has none.
func (s *Session) TCPInfo() (TCPInfo, error) { return infoOf(s.lower.Conn) }

func infoOf(c net.Conn) (info TCPInfo, err error) {
	if _, tcp := c.(*net.TCPConn); !tcp {
		return info, errors.New("the connection is not TCP")
	}
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return info, fmt.Errorf("read TCP_INFO: %w", err)
	}
	var inner error
	err = raw.Control(func(fd uintptr) { info, inner = infoOfSocket(int(fd)) })
	if err = errors.Join(err, inner); err != nil {
		return info, fmt.Errorf("read TCP_INFO: %w", err)
	}
	return info, nil
}

func infoOfSocket(fd int) (TCPInfo, error) {
	i, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return TCPInfo{}, err
	}
	return TCPInfo{PathMTU: i.Pmtu, SegmentBytes: i.Snd_mss, RTT: i.Rtt, MinRTT: i.Min_rtt, Retransmitted: i.Total_retrans}, nil
}
