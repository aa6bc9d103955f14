//go:build linux && !portable

package loop

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// event is a connection on which something has happened, by its number in the loop.
type event = unix.EpollEvent

const writable = unix.EPOLLOUT

// poller waits for the connections of a loop, and for calls from others.
type poller struct{ epoll, wake int }

func (p *poller) open() (err error) {
	if p.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return fmt.Errorf("create epoll set: %w", err)
	}
	if p.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return fmt.Errorf("create event descriptor: %w", err)
	}
	return p.add(p.wake, wakeUp, unix.EPOLLIN)
}

// watch adds a connection.
func (p *poller) watch(c *wire.Conn, number int32) error {
	return p.add(c.FD, number, unix.EPOLLIN|unix.EPOLLOUT|unix.EPOLLRDHUP)
}

// add adds a descriptor. Edges only: an answer is read to its end when it
// comes, and a level that stays high would be reported, and looked at by the
// kernel, once more for nothing.
func (p *poller) add(fd int, number int32, events uint32) error {
	e := unix.EpollEvent{Events: events | unix.EPOLLET, Fd: number}
	if err := unix.EpollCtl(p.epoll, unix.EPOLL_CTL_ADD, fd, &e); err != nil {
		return fmt.Errorf("watch socket: %w", err)
	}
	return nil
}

// call ends a wait from another thread.
func (p *poller) call() {
	one := [8]byte{1}
	_, _ = unix.Write(p.wake, one[:]) // EAGAIN: it is awake already
}

// awake takes the call.
func (p *poller) awake() {
	var buf [8]byte
	_, _ = unix.Read(p.wake, buf[:])
}

// closeCall is called when no other thread calls any more.
func (p *poller) closeCall() { _ = unix.Close(p.wake) }

func (p *poller) close() { _ = unix.Close(p.epoll) }

// wait waits for events until the next time at which there is something to do.
//
// The scheduler is not told, although the call blocks: a processor (P) in a system
// call keeps the runtime's monitor thread awake, which took 13 % of the client's
// CPU. A P that stays with the loop costs a signal every 10 ms, and the same
// signal interrupts the call when the garbage collector wants the world to stop
// (runtime/preempt.go), so the timeout is never waited for. Run sees to it that
// there are more Ps than loops. A loop that is off gives its P to one that is on.
func (l *Loop) wait() (int, error) {
	if l.awaitAnswer() {
		return 1, nil
	}
	timeout := unix.NsecToTimespec(max(l.patience(), 0))
	call := unix.RawSyscall6
	if l.resting() {
		call = unix.Syscall6
	}
	l.own.made.Waits++
	n, _, err := call(unix.SYS_EPOLL_PWAIT2, uintptr(l.epoll), uintptr(unsafe.Pointer(&l.events[0])),
		eventsSize, uintptr(unsafe.Pointer(&timeout)), 0, 0)
	switch err {
	case 0:
		return int(n), nil
	case unix.EINTR:
		return 0, nil
	}
	return 0, fmt.Errorf("wait for events: %w", err)
}

// sleepUntil waits as a loop does.
func sleepUntil(base time.Time, due time.Duration) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return
	}
	defer unix.Close(epoll)
	var e [1]unix.EpollEvent
	for left := due - time.Since(base); left > 0; left = due - time.Since(base) {
		timeout := unix.NsecToTimespec(int64(left))
		_, _, _ = unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(epoll), uintptr(unsafe.Pointer(&e[0])), 1, uintptr(unsafe.Pointer(&timeout)), 0, 0)
	}
}
