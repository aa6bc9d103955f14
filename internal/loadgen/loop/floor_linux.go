//go:build linux && !portable

package loop

import (
	"context"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/latency"
	"github.com/tarebench/tare/internal/loadgen/wire"
)

// Floor sends bytes recorded before and counts bytes until as many came back as
// the recording says: what a client of this protocol cannot do without, and
// nothing else. One loop; the transactions per connection repeat.
type Floor struct {
	// Timed has it measure how long each transaction takes, as exactly as a [Loop]: the clock is read when one begins,
	// and the kernel says when an answer has arrived. A generator that reports latencies cannot do without that either.
	Timed bool
	// Calls are the system calls of Run, Latency what the transactions took.
	Calls   Calls
	Latency *latency.Histogram

	job   *Job
	tapes []*tape
	epoll int
	in    *wire.Receiver
	base  time.Time
	// wall is the wall clock less the time since base, wallAt when it was compared last.
	wall, wallAt int64
}

// Run plays the tapes for a time, or until it is stopped, and returns the number of transactions.
func (f *Floor) Run(ctx context.Context, length time.Duration) (transactions int64, err error) {
	defer Reserve(1)()
	runtime.LockOSThread() // the thread has settings of its own
	defer runtime.UnlockOSThread()
	prepareThread(closedShare(len(f.tapes)))
	if err := f.begin(); err != nil {
		return 0, err
	}
	defer unix.Close(f.epoll)
	var stopped atomic.Bool
	stop := context.AfterFunc(ctx, func() { stopped.Store(true) })
	defer stop()
	var events [eventsSize]unix.EpollEvent
	timeout := unix.NsecToTimespec(int64(100 * time.Millisecond))
	_, _, before := threadUsage()
	for time.Since(f.base) < length && !stopped.Load() {
		f.Calls.Waits++
		n, _, e := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(f.epoll), uintptr(unsafe.Pointer(&events[0])),
			eventsSize, uintptr(unsafe.Pointer(&timeout)), 0, 0)
		if e != 0 && e != unix.EINTR {
			return 0, e
		}
		f.compareClocks()
		for i := range int(int32(n)) {
			ended, e := f.receive(f.tapes[events[i].Fd])
			if e != 0 {
				return 0, e
			}
			if ended {
				transactions++
			}
		}
	}
	_, _, after := threadUsage()
	f.Calls.Sleeps = after - before
	return transactions, nil
}

// begin sends the first statements.
func (f *Floor) begin() (err error) {
	if f.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return err
	}
	f.base = time.Now()
	for i, t := range f.tapes {
		if f.Timed {
			t.wire.Stamp()
		}
		e := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: int32(i)}
		if err := unix.EpollCtl(f.epoll, unix.EPOLL_CTL_ADD, t.wire.FD, &e); err != nil {
			unix.Close(f.epoll)
			return err
		}
		if err := f.send(t); err != 0 {
			unix.Close(f.epoll)
			return err
		}
	}
	return nil
}

// compareClocks is [Loop.compareClocks].
func (f *Floor) compareClocks() {
	if now := int64(time.Since(f.base)); f.Timed && (f.wall == 0 || now-f.wallAt >= int64(20*time.Millisecond)) {
		t := time.Now()
		f.wall, f.wallAt = t.UnixNano()-int64(t.Sub(f.base)), now
	}
}

func (f *Floor) send(t *tape) syscall.Errno {
	f.Calls.Sends++
	if f.Timed && (t.at == 0 || t.ends[t.at-1]) {
		t.begun = int64(time.Since(f.base))
	}
	t.missed = t.answers[t.at]
	b := t.requests[t.at]
	_, _, e := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(t.wire.FD), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, 0, 0)
	return e
}

// receive takes what has arrived, and sends the next statement where that is all.
func (f *Floor) receive(t *tape) (ended bool, err syscall.Errno) {
	f.Calls.Receives++
	n, stamp, e := t.wire.ReceiveStamped(f.in)
	switch {
	case e == unix.EAGAIN:
		return false, 0
	case e != 0:
		return false, e
	}
	if t.missed -= n; t.missed > 0 {
		return false, 0
	}
	if ended = t.ends[t.at]; ended && f.Timed {
		f.Latency.Record(max(0, stamp-f.wall-t.begun))
	}
	if t.at++; t.at == len(t.requests) {
		t.at = 0
	}
	return ended, f.send(t)
}
