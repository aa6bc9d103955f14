// Package mysqld handles the MySQL server: its files, configuration, readiness and
// variables.
package mysqld

import "github.com/tarebench/tare/internal/record"

// The flavours of server that tare knows. Percona Server is MySQL here: it
// takes MySQL's options and initialises as MySQL does.
const (
	MySQL   = record.MySQL
	MariaDB = record.MariaDB
)

// Unknown is the Version of a server that could not be run to ask it.
const Unknown = "unknown"

// Address is where a server answers. Socket, when set, is preferred to Host.
type Address struct {
	Socket   string
	Host     string
	Port     int
	User     string
	Password string // never recorded, logged or put on a command line
	Schema   string
	// TLS is "", "required", "verify-ca" or "verify-identity".
	TLS string
	CA  string // file with the certificates that are trusted, "" for the system's
	// Certificates are those of the file CA in PEM form; see [Address.Portable].
	Certificates string
}

// Distribution is the set of files a server runs from. One and the same set
// serves every arm, so that no arm differs by its binary.
type Distribution struct {
	// Root is the root file system that holds the server, "/" for this host's.
	Root string
	// Server is the path of the server binary inside Root.
	Server string
	// Flavour is "mysql" or "mariadb".
	Flavour string
	// Version is what the binary prints of itself, without its path and name:
	// "9.7.4-2 for Linux on x86_64 ((Debian))"; Unknown where it could not be run.
	Version string
	// SHA256 is the checksum of the binary.
	SHA256 string
	// Source is how the user named it: "path", "rootfs:/x", "oci:/x", "image:ref".
	Source string
	// UID and GID are whom the server runs as: mysql of Root's etc/passwd, 999
	// where there is no such user, and ourselves where we are not root.
	UID, GID int
	// Paths are the server's own files, as seen inside Root.
	Paths Paths
}
