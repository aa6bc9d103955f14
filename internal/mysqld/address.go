package mysqld

// How a server is reached by an address that a user gave: TLS and the password.

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// TLS modes of an [Address], with the mysql client's names (--ssl-mode). TLSOff is
// what a user writes; an Address has "" for it.
const (
	TLSOff      = "off"
	TLSIdentity = "verify-identity"
)

// TLSModes are the modes that a user can write.
var TLSModes = []string{TLSIdentity, "verify-ca", "required", TLSOff}

// OnThisMachine tells whether the connection to the server does not leave this
// machine. The name localhost counts (RFC 6761, 6.3); no other name is looked up
// for it.
func (a Address) OnThisMachine() bool {
	ip := net.ParseIP(a.Host)
	return a.Socket != "" || a.Host == "localhost" || (ip != nil && ip.IsLoopback())
}

// WithTLS is the address with the TLS mode that a user wrote. Without one, the
// server's certificate and name are verified unless the server is on this machine.
func (a Address) WithTLS(mode string) (Address, error) {
	if mode != "" && !slices.Contains(TLSModes, mode) {
		return a, fmt.Errorf("%.40q is not a TLS mode; write one of %s", mode, strings.Join(TLSModes, ", "))
	}
	switch {
	case mode == TLSOff, mode == "" && a.OnThisMachine():
		a.TLS = ""
	case mode == "":
		a.TLS = TLSIdentity
	default:
		a.TLS = mode
	}
	return a, nil
}

// ReadPassword reads the first line of a file that not everyone on this machine
// may read. No error holds any of its content.
func ReadPassword(file string) (string, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", fmt.Errorf("read password: %w", err)
	case !info.Mode().IsRegular() || info.Size() > 4096:
		return "", fmt.Errorf("read password: %s is not a file with a password", file)
	case info.Mode().Perm()&0o007 != 0:
		return "", fmt.Errorf("read password: everyone on this machine may read or change %s; run chmod o= %s", file, file)
	}
	b, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	line = strings.TrimSuffix(line, "\r")
	if line == "" {
		return "", errors.New("read password: the first line of the file is empty")
	}
	return line, nil
}
