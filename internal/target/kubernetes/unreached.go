package kubernetes

// What is said of an API server that gives no answer, or whose answer is not trusted.

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"

	appsv1 "k8s.io/api/apps/v1"
	authv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// Unreached is a request that no trusted API server answered. Its text names the server and the reason. That of
// client-go is the path of the request and the system call that failed, and a person who runs tare knows neither.
type Unreached struct {
	text string
	err  error // of client-go
}

func (e Unreached) Error() string { return e.text }

// Unwrap is the error of client-go.
func (e Unreached) Unwrap() error { return e.err }

// Unauthorized is whether an API server did not take the credentials that it was asked with (401).
func Unauthorized(err error) bool { return apierrors.IsUnauthorized(err) }

// reasons are why a connection fails, the more particular before the more general.
var reasons = []struct {
	is  func(error) bool
	why string
}{
	{func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }, "nothing listens there (connection refused)"},
	{isA[*net.DNSError], "its host name cannot be resolved"},
	{func(err error) bool {
		return errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
	}, "there is no route to it from this machine"},
	{func(err error) bool { return errors.Is(err, syscall.ECONNRESET) }, "the connection was closed (connection reset)"},
	{utilnet.IsHTTP2ConnectionLost, "the connection was lost"}, // a ping had no answer
	{isA[tls.RecordHeaderError], "it does not speak TLS"},
	{func(err error) bool { return strings.Contains(err.Error(), "HTTP response to HTTPS client") }, "it does not speak TLS"}, // net/http has no type for it
	{func(err error) bool {
		return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || timedOut(err)
	}, "no answer in time; a VPN or a firewall may be between"},
}

func isA[T error](err error) bool {
	var e T
	return errors.As(err, &e)
}

func timedOut(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// unreached says in words why the API server gave no answer, where that is what the error tells.
func (c *cluster) unreached(err error) (Unreached, bool) {
	var sent *url.Error
	if !errors.As(err, &sent) || sent.Op == "parse" || errors.Is(err, context.Canceled) {
		return Unreached{}, false
	}
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) { // it answered
		return Unreached{text: fmt.Sprintf("the certificate of %s is not trusted: %v; certificate-authority in the kubeconfig names the authority that signed it", strings.TrimSuffix(c.server(), ","), untrusted.Err), err: err}, true
	}
	return Unreached{text: fmt.Sprintf("%s does not answer: %s", c.server(), whyNoAnswer(sent.Err)), err: err}, true
}

// whyNoAnswer is a reason in words where one is known, and the error's own text elsewhere.
func whyNoAnswer(err error) string {
	for _, r := range reasons {
		if r.is(err) {
			return r.why
		}
	}
	return err.Error()
}

// notAPI tells the answer of something that is no API server: it does not know a kind that each API server
// has. client-go marks an answer that is not a Status of Kubernetes (apimachinery, NewGenericServerResponse).
func notAPI(err error) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) || !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) {
		return false
	}
	details := status.Status().Details
	return details != nil && slices.Contains([]string{"", appsv1.GroupName, batchv1.GroupName, authv1.GroupName}, details.Group)
}

// server names the API server for a person.
func (c *cluster) server() string {
	if c.context == "" {
		return "the API server " + c.config.Host
	}
	return fmt.Sprintf("the API server of context %s, %s,", c.context, c.config.Host)
}

// asked is an error of the first question to a cluster: it names the server.
func (c *cluster) asked(err error) error {
	if err = c.explain(err); isA[Unreached](err) {
		return err
	}
	return fmt.Errorf("ask cluster %s: %w", c.config.Host, err)
}
