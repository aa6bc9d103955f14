package diagnose

// This file is what M-OPT-01 says of character sets and collations that the server does not have, or that do not belong
// to each other.

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

// collationsOfServers is where package option has the names from, and what servers did with others.
const collationsOfServers = "information_schema of MySQL 9.7.4 and of MariaDB 10.11.19 and 11.8.9, which were started with other names as well"

// strangeCollation is the finding for a name of a character set or a collation with which the server does not start.
func (c *Case) strangeCollation(o manifest.Option) (Finding, bool) {
	if !o.Written() || o.Loose || !c.reads(o.Group) || manifest.Unresolved(o.Value) != "" || c.DB.Product == "" || !c.DB.Version.Known() || c.written("character_sets_dir") {
		return Finding{}, false
	}
	product, in := c.release()
	name, series := string(c.DB.Product), c.DB.Version.Series()
	switch {
	case (o.Name == "character_set_server" || o.Name == "character_set_filesystem") && option.LacksCharacterSet(product, in, o.Value):
		return confirmed(o.Spot, "%s %s does not have the character set %s: the server does not start", name, series, o.Value).
			fix("another value of %s: `SHOW CHARACTER SET` lists them", o.Name), true
	case o.Name == "collation_server" && option.LacksCollation(product, in, o.Value):
		f := confirmed(o.Spot, "%s %s does not have the collation %s: the server does not start", name, series, o.Value)
		if product == option.MariaDB && strings.Contains(o.Value, "_0900_") {
			f = f.and("; MariaDB has those with 0900 from 11.4.5 on")
		}
		return f.fix("another value of %s: `SHOW COLLATION` lists them", o.Name), true
	case o.Name == "collation_server":
		set, written := c.DB.Option("character_set_server")
		if last, _ := c.DB.Option(o.Name); written && last.Spot == o.Spot && manifest.Unresolved(set.Value) == "" && option.CharacterSetOf(set.Value) != option.CharacterSetOf(o.Value) && !option.LacksCharacterSet(product, in, set.Value) {
			return confirmed(o.Spot, "the collation %s does not belong to the character set %s (character_set_server): the server does not start", o.Value, set.Value).
				fix("collation_server and character_set_server of the same character set"), true
		}
	}
	return Finding{}, false
}
