package kubernetes

// Whether the API servers answer that this process asks. All requests of a cluster pass here, and requests are repeated for
// a while where there is no answer, so that nobody else knows at once that an API server is lost.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// Silence is an API server that does not answer any more, or that answers again.
type Silence struct {
	Server string    // its address
	Since  time.Time // when the first request was sent that had no answer; of one that answers, when it did
	Why    string    // there is no answer; "": it answers again
}

// String says it in a sentence.
func (s Silence) String() string {
	if s.Why == "" {
		return fmt.Sprintf("the Kubernetes API server %s answers again since %s", s.Server, s.Since.Format(time.TimeOnly))
	}
	return fmt.Sprintf("the Kubernetes API server %s has not answered since %s: %s", s.Server, s.Since.Format(time.TimeOnly), s.Why)
}

// silences are the API servers without an answer, by their addresses: arms of one cluster have a connection each, and what one
// of them finds holds for all.
type silences struct {
	mu     sync.Mutex
	silent map[string]bool
	tell   func(Silence)
}

// silenceKey is that of a context's silences.
type silenceKey struct{}

// WithSilence has tell called once when an API server does not answer the requests of this context, and once when it answers
// again. It is to the clients of a cluster what [net/http/httptrace.WithClientTrace] is to those of net/http. tell must not ask a cluster.
func WithSilence(ctx context.Context, tell func(Silence)) context.Context {
	return context.WithValue(ctx, silenceKey{}, &silences{silent: map[string]bool{}, tell: tell})
}

// note is told of each request whether it was answered. The lock is held while tell is called: one sentence must not overtake another.
func (a *silences) note(s Silence) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.silent[s.Server] == (s.Why != "") {
		return
	}
	a.silent[s.Server] = s.Why != ""
	a.tell(s)
}

// listener notes of each request whether the API server answered.
type listener struct {
	server string
	next   http.RoundTripper
}

// listen has every request of a configuration pass through a listener.
func listen(config *rest.Config) {
	server := config.Host
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return listener{server, next} })
}

// RoundTrip is that of [http.RoundTripper].
func (l listener) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := time.Now()
	answer, err := l.next.RoundTrip(r)
	all, heard := r.Context().Value(silenceKey{}).(*silences)
	why := err
	if err != nil && err.Error() == canceledByClient && !errors.Is(r.Context().Err(), context.Canceled) {
		why = context.DeadlineExceeded
	}
	switch {
	case !heard:
	case err == nil && !byGateway(answer.StatusCode):
		all.note(Silence{Server: l.server, Since: time.Now()})
	case err != nil && noAnswer(why, time.Since(sent)):
		all.note(Silence{Server: l.server, Since: sent, Why: whyNoAnswer(why)})
	}
	return answer, err
}

// canceledByClient is the error of a request that the timeout of a http.Client ended: that closes Request.Cancel for a RoundTripper which
// it does not know, at the deadline of the request's context (net/http, setRequestCancel).
const canceledByClient = "net/http: request canceled"

// WrappedRoundTripper lets client-go find the connections below.
func (l listener) WrappedRoundTripper() http.RoundTripper { return l.next }

// byGateway tells answers that can be those of a proxy before an API server that is lost, and those of an API server for a
// kubelet that is.
func byGateway(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}

// patience is how long a request without an answer lasts at least for that to be the API server's fault: some are given up sooner.
const patience = 10 * time.Second

// noAnswer tells a request without an answer, after so long, from one that was given up, and from an answer that net/http
// makes an error.
func noAnswer(err error, after time.Duration) bool {
	switch {
	case errors.Is(err, context.Canceled):
		return false
	case timedOut(err):
		return after >= patience
	case isA[net.Error](err), utilnet.IsProbableEOF(err), utilnet.IsHTTP2ConnectionLost(err):
		return true
	}
	return errors.Is(err, io.ErrUnexpectedEOF)
}
