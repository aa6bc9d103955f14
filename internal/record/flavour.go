package record

// This file is which product a server is: the one place where MariaDB is told from MySQL by what a server says of
// itself.

import (
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
