package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kDNS01() Rule {
	return Rule{
		ID: "K-DNS-01", Title: "Reverse DNS lookup for every new client address (skip_name_resolve=OFF)", Severity: Note, Needs: []Need{needAny()},
		What: "The server does a reverse DNS lookup for each new client address. The cluster's DNS has no names for most pods, and pod addresses change, so " +
			"the host cache misses.",
		Impact:  "Milliseconds per connection, and seconds when DNS responds slowly. Pooled connections are not affected.",
		Fix:     "Set skip_name_resolve=ON, if no account is granted by host name.",
		Sources: []string{mysqlDNS, measured},
		Check:   checkNameResolve,
	}
}

// checkNameResolve knows that the official images of MySQL and MariaDB, those of Percona Server (its
// docker.cnf), Bitnami's and mariadb-operator switch the look-ups off, and that Oracle's operator and
// Percona's of XtraDB Cluster do not. Of other images the file says nothing.
func checkNameResolve(c *Case) []Finding {
	o, set := c.DB.Option("skip_name_resolve")
	operator := c.DB.Operator == "MySQL Operator" || c.DB.Operator == "Percona XtraDB Cluster Operator"
	advice := phrase("skip_name_resolve=ON in %s, if no account is granted by host name", c.configIn())
	switch {
	case set && manifest.IsOn(o.Value), !set && !operator && (c.DB.Operator != "" || c.DB.Pod == nil):
		return nil
	case set && manifest.Unresolved(o.Value) != "":
		return list(unknown("%s=%s: the value is filled in later", "skip_name_resolve", o.Value))
	case set:
		return list(hint(o.Spot, "skip_name_resolve=%s: reverse DNS lookup for every new client address", o.Value).fix("%s", advice))
	case len(c.DB.Config.Missing) > 0:
		return c.elsewhere()
	case operator:
		return list(hint(c.configPlace(), "skip_name_resolve is off (%s does not set it): reverse DNS lookup for every new client address", c.DB.Operator).fix("%s", advice))
	case c.resolvesNothing():
		return nil
	}
	return list(unknown("the files do not show whether image %s sets skip_name_resolve", c.DB.Server.Value.Get("image").Text()))
}

// resolvesNothing is whether the image's own files have skip-name-resolve.
func (c *Case) resolvesNothing() bool {
	name, _ := manifest.SplitImage(c.DB.Server.Value.Get("image").Text())
	name = strings.TrimPrefix(strings.TrimPrefix(name, "docker.io/"), "library/")
	return name == "mysql" || name == "mariadb" || name == "percona/percona-server" || strings.HasPrefix(name, "bitnami")
}
