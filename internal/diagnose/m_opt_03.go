package diagnose

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

func mOPT03() Rule {
	return Rule{
		ID: "M-OPT-03", Title: "An option set twice, in a group of clients, or left from a recovery", Severity: Note, Needs: []Need{needAny()},
		What: "Of an option that a group has twice the last value counts. The server does not read the groups of clients, such as [client] and [mysql]. " +
			"innodb_force_recovery is for reading data out of a damaged server: with 1 and more InnoDB ignores damaged pages, with 2 and more it does not purge, and with 4 and more MySQL is read-only.",
		Impact: "The server runs with another value than the one that is read first, without the option, or without a part of its work.",
		Fix:    "Keep one line of each option, write the server's options below [mysqld], and remove innodb_force_recovery once the data is recovered.",
		Sources: []string{"MySQL 8.4 Reference Manual, Using Option Files: https://dev.mysql.com/doc/refman/8.4/en/option-files.html",
			"MySQL 8.4 Reference Manual, Forcing InnoDB Recovery: https://dev.mysql.com/doc/refman/8.4/en/forcing-innodb-recovery.html"},
		Check: checkPlaces,
	}
}

// repeatable are beginnings of options of which every line counts.
var repeatable = []string{"replicate_", "binlog_do_db", "binlog_ignore_db", "plugin_load", "early_plugin_load", "performance_schema_instrument", "performance_schema_consumer", "wsrep_provider_options", "debug"}

func checkPlaces(c *Case) []Finding {
	var all []Finding
	for i, o := range c.DB.Config.Options {
		if !o.Written() || manifest.Unresolved(o.Name) != "" {
			continue
		}
		if f, misplaced := c.ofClients(o); misplaced {
			all = append(all, f)
		}
		if !c.reads(o.Group) {
			continue
		}
		if later, twice := c.setAgain(o, c.DB.Config.Options[i+1:]); twice {
			all = append(all, confirmed(o.Spot, "%s=%s is not used: %s=%s in line %d of the same group counts", o.Shown(), o.Value, later.Shown(), later.Value, later.Spot.Line).
				costs(term("The server runs with the later value.")).fix("one line of %s", o.Name))
		}
		if n, sized := option.Bytes(o.Value); o.Name == "innodb_force_recovery" && sized && n > 0 {
			all = append(all, confirmed(o.Spot, "innodb_force_recovery=%s: the server is in recovery mode", o.Value).as(Warning).
				costs(term("InnoDB ignores damaged pages. With 2 and more it does not purge, with 4 and more MySQL is read-only.")).
				fix("remove innodb_force_recovery once the data is recovered"))
		}
	}
	if len(all) == 0 {
		return c.elsewhere()
	}
	return all
}

// setAgain is a later line of the same group of the same file that sets the option to another value.
func (c *Case) setAgain(o manifest.Option, later []manifest.Option) (manifest.Option, bool) {
	if slices.ContainsFunc(repeatable, func(begin string) bool { return strings.HasPrefix(o.Name, begin) }) {
		return manifest.Option{}, false
	}
	i := slices.IndexFunc(later, func(l manifest.Option) bool {
		return l.Name == o.Name && l.Group == o.Group && l.From == o.From && l.Spot.File == o.Spot.File && l.Spot.Line > o.Spot.Line && !option.Same(l.Value, o.Value)
	})
	if i < 0 {
		return manifest.Option{}, false
	}
	return later[i], true
}

// clientGroups are groups that clients read and servers do not.
var clientGroups = []string{"client", "mysql", "client-mariadb", "mariadb-client", "mysqldump", "mariadb-dump", "mysqladmin", "mariadb-admin"}

// serversAlone are options that no client has, beside those of InnoDB.
var serversAlone = []string{"max_connections", "log_bin", "server_id", "slow_query_log", "sync_binlog", "table_open_cache", "thread_cache_size", "query_cache_size", "binlog_format"}

// ofClients is the finding for an option of the server in a group that only clients read.
func (c *Case) ofClients(o manifest.Option) (Finding, bool) {
	_, known := option.KindOf(o.Name)
	if o.Loose || !known || !slices.Contains(clientGroups, o.Group) || !strings.HasPrefix(o.Name, "innodb_") && !slices.Contains(serversAlone, o.Name) {
		return Finding{}, false
	}
	return confirmed(o.Spot, "%s is an option of the server, and [%s] is read by clients", o.Shown(), o.Group).
		costs(term("The server runs without the option, and a client that reads the group ends with an error.")).fix("%s below [mysqld]", o.Shown()), true
}
