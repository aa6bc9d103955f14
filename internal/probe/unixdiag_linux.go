package probe

// This file lists the Unix sockets of a network namespace with their other ends (sock_diag(7)).
// netlink.UnixSocketDiagInfo is not used: it takes the type of a socket for its family
// (v1.3.1), and ends its list at the first socket that is no stream, such as that of a log.

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Attributes of a Unix socket (linux/unix_diag.h); a bit of the request's show asks for each.
const (
	unixName = 0
	unixPeer = 2
)

// unixRequest is struct unix_diag_req for all sockets in all states, and unixMessage is the size of
// struct unix_diag_msg: family, type, state, padding, inode, two cookies.
type unixRequest struct{}

const unixMessage = 16

func (unixRequest) Len() int { return 24 }

func (r unixRequest) Serialize() []byte {
	b := make([]byte, r.Len())
	b[0] = unix.AF_UNIX
	binary.NativeEndian.PutUint32(b[4:], ^uint32(0))
	binary.NativeEndian.PutUint32(b[12:], 1<<unixName|1<<unixPeer)
	return b
}

// unixSocket is one that is connected; name is that of the socket it was accepted at, "" for none.
type unixSocket struct {
	kind        uint8 // unix.SOCK_STREAM and others
	inode, peer uint32
	name        string
}

// unixSockets are those of this thread's network namespace. A list that the kernel did not make in
// one go may lack some, as any list of sockets that come and go.
func unixSockets() (all []unixSocket, err error) {
	request := nl.NewNetlinkRequest(nl.SOCK_DIAG_BY_FAMILY, unix.NLM_F_DUMP)
	request.AddData(unixRequest{})
	messages, err := request.Execute(unix.NETLINK_SOCK_DIAG, nl.SOCK_DIAG_BY_FAMILY)
	if err != nil && !errors.Is(err, nl.ErrDumpInterrupted) {
		return nil, fmt.Errorf("read Unix sockets: %w", err)
	}
	for _, m := range messages {
		if len(m) < unixMessage {
			return nil, fmt.Errorf("read Unix sockets: a message of %d bytes", len(m))
		}
		s := unixSocket{kind: m[1], inode: binary.NativeEndian.Uint32(m[4:])}
		attributes, err := nl.ParseRouteAttr(m[unixMessage:])
		if err != nil {
			return nil, fmt.Errorf("read Unix socket %d: %w", s.inode, err)
		}
		for _, a := range attributes {
			switch {
			case a.Attr.Type == unixName:
				s.name = string(a.Value)
			case a.Attr.Type == unixPeer && len(a.Value) >= 4:
				s.peer = binary.NativeEndian.Uint32(a.Value)
			}
		}
		all = append(all, s)
	}
	return all, nil
}
