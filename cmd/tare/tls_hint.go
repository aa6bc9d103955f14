package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// withTLSHint adds what to do when a server's certificate could not be verified,
// or the server has no TLS: both are new to who had no TLS before it was the
// default. The options are named as the verb has them.
func withTLSHint(err error, ca, off string) error {
	const requiresTLS = 3159 // ER_SECURE_TRANSPORT_REQUIRED
	var refused *mysql.MySQLError
	var ours *wire.ServerError
	if errors.As(err, &refused) && refused.Number == requiresTLS || errors.As(err, &ours) && ours.Code == requiresTLS {
		return hinted{err, "the server accepts connections with TLS only: add " + strings.TrimSuffix(off, "off") + "required"}
	}
	var untrusted *tls.CertificateVerificationError
	// The two client libraries have no common error for a server without TLS.
	if err == nil || !errors.As(err, &untrusted) && !strings.Contains(err.Error(), "not support TLS") {
		return err
	}
	return hinted{err, fmt.Sprintf("name the server's CA with %s; or, where nobody can listen on the network path, write %s", ca, off)}
}
