package record

// This file is which product a server is: the one place where MariaDB is told from MySQL by what a server says of
// itself.

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/keys"
)

// The products, as experiments, facts and records name them. Percona Server is MySQL here.
const (
	MySQL   = "mysql"
	MariaDB = "mariadb"
)

// FlavourOf is the product of a server by its version (10.11.19-MariaDB-0+deb12u1) and its comment (version_comment),
// which some providers leave as the only one of the two that has the name.
func FlavourOf(version, comment string) string {
	if strings.Contains(version+comment, "MariaDB") {
		return MariaDB
	}
	return MySQL
}

// Server is the product and the release of the trial's server, such as MariaDB 10.11.19: as it answered, or of the files
// that it was started from; "" where neither is recorded.
func (t *Trial) Server() string {
	said := map[string]string{}
	for _, f := range t.Facts {
		said[f.Key] = cmp.Or(f.Value, said[f.Key])
	}
	release := release.FindString(cmp.Or(said[keys.MySQLVariablePrefix+"version"], said[keys.ServerVersion]))
	switch {
	case release == "":
		return ""
	case t.Flavour() == MariaDB:
		return "MariaDB " + release
	case strings.Contains(said[keys.MySQLVariablePrefix+"version_comment"], "Percona"):
		return "Percona Server " + release
	}
	return "MySQL " + release
}

// release is the number that a version begins with.
var release = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*`)

// Flavour is the product of the trial's server: as it answered, or of the files that it was started from; "" where
// neither is recorded.
func (t *Trial) Flavour() string {
	const version, comment = keys.MySQLVariablePrefix + "version", keys.MySQLVariablePrefix + "version_comment"
	said := map[string]string{}
	for _, f := range t.Facts {
		switch f.Key {
		case keys.ServerFlavour, version, comment:
			said[f.Key] = f.Value
		}
	}
	if v, answered := said[version]; answered {
		return FlavourOf(v, said[comment])
	}
	return said[keys.ServerFlavour]
}
