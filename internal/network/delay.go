package network

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Messages and attributes of linux/netfilter/nfnetlink_queue.h.
const (
	queuePacket  = unix.NFNL_SUBSYS_QUEUE << 8
	queueConfig  = unix.NFNL_SUBSYS_QUEUE<<8 | 2
	queueVerdict = unix.NFNL_SUBSYS_QUEUE<<8 | 3 // of all packets up to a number

	configCommand = 1
	configParams  = 2
	configLength  = 3
	configMask    = 4
	configFlags   = 5

	packetHeader  = 1
	verdictHeader = 2

	commandBind  = 1
	copyMeta     = 1      // headers of the queue alone, never the packet
	flagGSO      = 1 << 2 // do not cut large packets
	flagFailOpen = 1 << 0 // let packets pass when the queue is full
	accept       = 1
)

// maxHeld packets wait in the queue.
const maxHeld = 200_000

// RunDelay is the helper "delay": it holds every packet of a queue for a time,
// then lets it go, until stdin ends. Only the numbers of packets come to it;
// payloads stay in the kernel. Packets keep their order.
func RunDelay(queue uint16, delay time.Duration, stdin int, stdout io.Writer) error {
	// Due times are as exact as the thread's timers (PR_SET_TIMERSLACK(2const)).
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("hold packets: %w", err)
	}
	fd, err := openQueue(queue)
	if err != nil {
		return fmt.Errorf("hold packets: open queue %d: %w", queue, err)
	}
	defer unix.Close(fd)
	if _, err := io.WriteString(stdout, ready); err != nil {
		return fmt.Errorf("hold packets: %w", err)
	}
	h := holder{fd: fd, queue: queue, delay: delay, buffer: make([]byte, 1<<16)}
	return h.run(stdin)
}

// openQueue binds a netlink socket to a queue of this network namespace.
func openQueue(queue uint16) (int, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_NETFILTER)
	if err != nil {
		return -1, err
	}
	be := binary.BigEndian
	params := append(be.AppendUint32(nil, 0), copyMeta)
	messages := [][]byte{
		attribute(configCommand, []byte{commandBind, 0, 0, 0}),
		append(attribute(configParams, params), attribute(configLength, be.AppendUint32(nil, maxHeld))...),
		append(attribute(configMask, be.AppendUint32(nil, flagGSO|flagFailOpen)), attribute(configFlags, be.AppendUint32(nil, flagGSO|flagFailOpen))...),
	}
	for _, m := range messages {
		if err := ask(fd, message(queueConfig, unix.NLM_F_ACK, queue, m)); err != nil {
			return -1, errors.Join(err, unix.Close(fd))
		}
	}
	// A burst must not be lost between the kernel and us: what is not seen is held
	// for ever. The size is refused to whoever lacks CAP_NET_ADMIN.
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_NO_ENOBUFS, 1)
}

// ask sends a message and waits for the kernel's acknowledgement.
func ask(fd int, m []byte) error {
	if err := unix.Sendto(fd, m, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	b := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, b, 0)
	if err != nil {
		return err
	}
	if n < unix.NLMSG_HDRLEN+4 {
		return fmt.Errorf("the kernel answered %d bytes", n)
	}
	if code := int32(binary.NativeEndian.Uint32(b[unix.NLMSG_HDRLEN:])); code != 0 {
		return unix.Errno(-code)
	}
	return nil
}

// message is a netlink message for a queue (netlink(7); struct nfgenmsg).
func message(kind, flags uint16, queue uint16, attributes []byte) []byte {
	ne := binary.NativeEndian
	b := ne.AppendUint32(nil, uint32(unix.NLMSG_HDRLEN+4+len(attributes)))
	b = ne.AppendUint16(b, kind)
	b = ne.AppendUint16(b, unix.NLM_F_REQUEST|flags)
	b = append(b, make([]byte, 8)...) // sequence and port: nothing depends on them
	b = append(b, unix.AF_UNSPEC, 0)
	b = binary.BigEndian.AppendUint16(b, queue)
	return append(b, attributes...)
}

// attribute is a netlink attribute, padded.
func attribute(kind uint16, value []byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(value)))
	b = binary.NativeEndian.AppendUint16(b, kind)
	b = append(b, value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}
