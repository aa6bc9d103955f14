package target

import (
	"bytes"
	"io"
	"sync"
)

// Tail passes a server's output on and keeps the end of it, for the error that
// says why the server ended.
type Tail struct {
	To io.Writer // nil: keep only

	mu  sync.Mutex
	end []byte
}

// tailSize holds the dozen lines in which a server says why it ends.
const tailSize = 2048

// Write keeps b and passes it on.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	if extra := len(t.end) - tailSize; extra > 0 {
		t.end = append(t.end[:0], t.end[extra:]...)
	}
	if t.To == nil {
		return len(b), nil
	}
	return t.To.Write(b)
}

// Last is the end of the output, from the beginning of a line.
func (t *Tail) Last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := t.end
	if len(end) == tailSize {
		if _, rest, ok := bytes.Cut(end, []byte("\n")); ok {
			end = rest
		}
	}
	return string(bytes.TrimSpace(end))
}
