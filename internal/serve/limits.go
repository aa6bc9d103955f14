// How long a client may take.

package serve

import (
	"cmp"
	"net/http"
	"time"
)

// Limits are how long a client may take: one that is slow, or says nothing, would
// otherwise hold a connection and what is to be sent on it for ever. 0 is the default.
type Limits struct {
	// Read is for a whole request, Write for a whole answer and, in a stream, for each
	// event, Idle for the next request of a connection.
	Read, Write, Idle time.Duration
}

func (l Limits) defaulted() Limits {
	return Limits{cmp.Or(l.Read, 10*time.Second), cmp.Or(l.Write, 2*time.Minute), cmp.Or(l.Idle, 2*time.Minute)}
}

// Server is an HTTP server of these limits.
func (l Limits) Server(h http.Handler) *http.Server {
	l = l.defaulted()
	return &http.Server{
		Handler: h, ReadHeaderTimeout: l.Read, ReadTimeout: l.Read, WriteTimeout: l.Write, IdleTimeout: l.Idle,
		MaxHeaderBytes: 1 << 16,
	}
}

// extend gives the client the time for another event.
func (l Limits) extend(out *http.ResponseController) {
	// A test's recorder has no deadlines.
	_ = out.SetWriteDeadline(time.Now().Add(l.defaulted().Write))
}
