package observe

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// watchProcess calls ended when a process has ended, unless ctx ends before.
func watchProcess(ctx context.Context, pid int, ended func()) {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil { // before Linux 5.3: the span takes its full time
		return
	}
	go func() {
		defer unix.Close(process)
		defer ended()
		for ctx.Err() == nil {
			fds := []unix.PollFd{{Fd: int32(process), Events: unix.POLLIN}}
			n, err := unix.Poll(fds, int(lifeEvery.Milliseconds()))
			if n > 0 || err != nil && !errors.Is(err, unix.EINTR) {
				return
			}
		}
	}()
}

// lifeEvery is how often the end of the span is looked for while the process lives.
const lifeEvery = 200 * time.Millisecond
