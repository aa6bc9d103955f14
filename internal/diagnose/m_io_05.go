package diagnose

import (
	"strings"
)

func mIO05() Rule {
	return Rule{
		ID: "M-IO-05", Title: "InnoDB writes neighbours of pages as if the disk had to seek", Severity: Note, Needs: []Need{needAny()},
		What:    "innodb_flush_neighbors, on by default in MariaDB and 5.7, writes pages that need no writing because they lie beside one that does. Solid-state and cloud volumes do not seek.",
		Fix:     "innodb_flush_neighbors=0.",
		Sources: []string{measured, mysqlInnoDB},
		Check: func(c *Case) []Finding {
			s, why := c.setting("innodb_flush_neighbors")
			if why != "" {
				return list(unknown("%s", why))
			}
			if !s.Set || s.Value == "0" || strings.EqualFold(s.Value, "off") {
				return nil
			}
			return list(hint(s.At, "innodb_flush_neighbors=%s writes pages that need no writing", s.Value).fix("innodb_flush_neighbors=0").option(c, "innodb_flush_neighbors", "0"))
		},
	}
}
