package mysqld

// Why no connection can be made, where the reason is neither the server nor its load.

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// Unreachable says why an attempt to connect failed before the server could answer: DNS
// does not resolve its name, or TLS cannot be agreed on. It is "" for every other error.
func Unreachable(err error) string {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &name):
		return fmt.Sprintf("DNS does not resolve its name: %v", name)
	case errors.As(err, &certificate):
		return fmt.Sprintf("TLS: its certificate is not trusted: %v", certificate)
	case errors.Is(err, mysql.ErrNoTLS):
		return "TLS: it offers none"
	}
	// The other errors of crypto/tls have no common type; each begins with the package's name.
	if _, why, found := strings.Cut(err.Error(), "tls: "); found {
		return "TLS: " + why
	}
	return ""
}
