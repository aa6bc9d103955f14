package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// mostBehind is how much may wait for a device, in bytes: hours of a trial's lines.
const mostBehind = 64 << 20

// Behind writes to a file beside the caller, in the order given: a device that needs seconds
// for a write, or takes none for a while, does not hold up a load or a probe.
type Behind struct {
	to io.Writer

	mu    sync.Mutex
	idle  *sync.Cond // told when nothing is being written
	queue []byte
	busy  bool
	since time.Time // when the write that is under way began
	err   error     // of the first write that failed
}

// NewBehind writes to a file.
func NewBehind(to io.Writer) *Behind {
	b := &Behind{to: to}
	b.idle = sync.NewCond(&b.mu)
	return b
}

// Write takes a copy of p and returns at once. The error is that of an earlier write, or
// says that too much waits.
func (b *Behind) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil && len(b.queue)+len(p) > mostBehind {
		b.err = fmt.Errorf("the device accepts no more data: %d MiB wait to be written", len(b.queue)>>20)
	}
	if b.err != nil {
		return 0, b.err
	}
	b.queue = append(b.queue, p...)
	if !b.busy {
		b.busy, b.since = true, time.Now()
		go b.drain()
	}
	return len(p), nil
}

// drain writes what waits, and ends when nothing does.
func (b *Behind) drain() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) > 0 && b.err == nil {
		next := b.queue
		b.queue, b.since = nil, time.Now()
		b.mu.Unlock()
		_, err := b.to.Write(next)
		b.mu.Lock()
		if b.err == nil {
			b.err = err
		}
	}
	b.busy = false
	b.idle.Broadcast()
}

// Flush waits until the file has everything that was written, and returns the error of the
// first write that failed.
func (b *Behind) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.busy {
		b.idle.Wait()
	}
	return b.err
}

// Held is for how long the device has not returned from a write, 0 while it has none.
func (b *Behind) Held() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.busy {
		return 0
	}
	return time.Since(b.since)
}

// Log is a trial's log, which its server and its engine print to.
type Log struct {
	*Behind
	file *os.File
}

// CreateLog makes the log in the directory of a trial.
func CreateLog(dir string) (*Log, error) {
	f, err := os.Create(filepath.Join(dir, LogFile))
	if err != nil {
		return nil, fmt.Errorf("create log: %w", err)
	}
	return &Log{NewBehind(f), f}, nil
}

// Close waits until the file has everything.
func (l *Log) Close() error { return errors.Join(l.Flush(), l.file.Close()) }
