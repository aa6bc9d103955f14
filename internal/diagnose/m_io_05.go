package diagnose

import (
	"strings"
)

func mIO05() Rule {
	return Rule{
		ID: "M-IO-05", Title: "innodb_flush_neighbors is enabled, which only hard disks need", Severity: Note, Needs: []Need{needAny()},
		What: "innodb_flush_neighbors, on by default in MariaDB and MySQL 5.7, also writes dirty pages next to the page that is flushed. This saves seeks " +
			"on hard disks. Solid-state and cloud volumes have no seeks.",
		Impact:  "Additional page writes that use the volume's IOPS.",
		Fix:     "Set innodb_flush_neighbors=0.",
		Sources: []string{measured, mysqlInnoDB},
		Check: func(c *Case) []Finding {
			s, why := c.setting("innodb_flush_neighbors")
			if !why.empty() {
				return list(unknown("%s", why))
			}
			if !s.Set || s.Value == "0" || strings.EqualFold(s.Value, "off") {
				return nil
			}
			return list(hint(s.At, "innodb_flush_neighbors=%s also writes neighbouring dirty pages", s.Value).fix("innodb_flush_neighbors=0").option(c, "innodb_flush_neighbors", "0"))
		},
	}
}
