package kubernetes

// An answer that stops coming: a connection whose other end is gone says nothing of it.

import (
	"context"
	"errors"
	"io"
	"time"
)

// stallAfter is how long a transfer may pass nothing on: a volume may be slow.
const stallAfter = time.Minute

// errStalled is the cause of the end of a transfer that passed nothing on.
var errStalled = errors.New("the pod has stopped sending")

// stalled is that in words where it has ended ctx, else "".
func stalled(ctx context.Context) string {
	if err := context.Cause(ctx); errors.Is(err, errStalled) {
		return err.Error()
	}
	return ""
}

// watchedReader ends a context when a read takes too long.
type watchedReader struct {
	from   io.Reader
	within time.Duration
	end    context.CancelCauseFunc // of the context of what is read
}

func (w *watchedReader) Read(p []byte) (int, error) {
	late := time.AfterFunc(w.within, func() { w.end(errStalled) })
	defer late.Stop()
	return w.from.Read(p)
}
