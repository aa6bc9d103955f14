package network

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// held is a packet in the kernel's queue.
type held struct {
	id  uint32
	due int64 // CLOCK_MONOTONIC, nanoseconds
}

// holder lets packets go when they are due.
type holder struct {
	fd      int
	queue   uint16
	delay   time.Duration
	buffer  []byte
	waiting []held // in the order they came, which is that of their due times
}

// run returns when stdin ends.
func (h *holder) run(stdin int) error {
	for {
		if err := h.release(); err != nil {
			return fmt.Errorf("let packets go: %w", err)
		}
		fds := []unix.PollFd{{Fd: int32(h.fd), Events: unix.POLLIN}, {Fd: int32(stdin), Events: unix.POLLIN}}
		_, err := unix.Ppoll(fds, h.patience(), nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("wait for packets: %w", err)
		case fds[1].Revents != 0:
			return nil
		case fds[0].Revents != 0:
			if err := h.receive(); err != nil {
				return fmt.Errorf("receive packets: %w", err)
			}
		}
	}
}

// patience is the time until the first packet is due, nil for ever.
func (h *holder) patience() *unix.Timespec {
	if len(h.waiting) == 0 {
		return nil
	}
	t := unix.NsecToTimespec(max(0, h.waiting[0].due-now()))
	return &t
}

// release accepts all packets that are due with one message: a verdict holds for
// all packets up to its number.
func (h *holder) release() error {
	n, at := 0, now()
	for n < len(h.waiting) && h.waiting[n].due <= at {
		n++
	}
	if n == 0 {
		return nil
	}
	verdict := binary.BigEndian.AppendUint32(nil, accept)
	verdict = binary.BigEndian.AppendUint32(verdict, h.waiting[n-1].id)
	h.waiting = h.waiting[n:]
	err := unix.Sendto(h.fd, message(queueVerdict, 0, h.queue, attribute(verdictHeader, verdict)), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	if errors.Is(err, unix.ENOENT) { // they are gone, with their link
		return nil
	}
	return err
}

// receive notes the packets that have come.
func (h *holder) receive() error {
	for range 64 {
		n, _, err := unix.Recvfrom(h.fd, h.buffer, unix.MSG_DONTWAIT)
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
			return nil
		}
		if err != nil {
			return err
		}
		due := now() + int64(h.delay)
		for _, id := range packets(h.buffer[:n]) {
			h.waiting = append(h.waiting, held{id, due})
		}
	}
	return nil
}

// packets are the numbers of the packets that messages of the kernel tell of.
// Whatever else they hold is passed over.
func packets(b []byte) []uint32 {
	var ids []uint32
	ne := binary.NativeEndian
	for len(b) >= unix.NLMSG_HDRLEN+4 {
		size := int(ne.Uint32(b))
		if size < unix.NLMSG_HDRLEN+4 || size > len(b) {
			break
		}
		if ne.Uint16(b[4:]) == queuePacket {
			ids = append(ids, packetIDs(b[unix.NLMSG_HDRLEN+4:size])...)
		}
		b = b[min(len(b), (size+3)&^3):]
	}
	return ids
}

// packetIDs looks for the header among a packet's attributes.
func packetIDs(b []byte) []uint32 {
	var ids []uint32
	for len(b) >= 4 {
		size := int(binary.NativeEndian.Uint16(b))
		if size < 4 || size > len(b) {
			break
		}
		if binary.NativeEndian.Uint16(b[2:]) == packetHeader && size >= 8 {
			ids = append(ids, binary.BigEndian.Uint32(b[4:]))
		}
		b = b[min(len(b), (size+3)&^3):]
	}
	return ids
}

func now() int64 {
	var t unix.Timespec
	// The clock and the pointer are valid, so it cannot fail (clock_gettime(2)).
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}
