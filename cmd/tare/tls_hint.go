package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
)

// withTLSHint adds what to do when a server's certificate could not be verified,
// or the server has no TLS: both are new to who had no TLS before it was the
// default. The options are named as the verb has them.
func withTLSHint(err error, ca, off string) error {
	var untrusted *tls.CertificateVerificationError
	// The two client libraries have no common error for a server without TLS.
	if err == nil || !errors.As(err, &untrusted) && !strings.Contains(err.Error(), "not support TLS") {
		return err
	}
	return hinted{err, fmt.Sprintf("name the server's CA with %s; or, where nobody can listen on the network path, write %s", ca, off)}
}
