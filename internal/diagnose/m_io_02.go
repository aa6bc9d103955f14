package diagnose

import (
	"strings"
)

func mIO02() Rule {
	return Rule{
		ID: "M-IO-02", Title: "Double buffering: innodb_flush_method=fsync", Severity: Warning, Needs: []Need{needAny()},
		What: "With innodb_flush_method=fsync, the default of MySQL 5.7 and 8.0 and of MariaDB before 10.6, every page is in the page cache and in the buffer pool. Both count against the " +
			"container's memory limit. Writes come in bursts when the kernel flushes, and reclaim at the limit stalls the allocating thread.",
		Impact:  "Less memory for the buffer pool, write bursts, and stalls at the memory limit.",
		Fix:     "Set innodb_flush_method=O_DIRECT, the default from MySQL 8.4 and MariaDB 10.6 on.",
		Sources: []string{measured, mysqlDefaults, mariadbInnoDB},
		Check: func(c *Case) []Finding {
			s, why := c.setting("innodb_flush_method")
			if why.empty() && !s.Set && c.dedicatedFlushes() {
				return nil
			}
			if !why.empty() {
				return list(unknown("%s", why))
			}
			if !strings.EqualFold(s.Value, "fsync") || c.DB.Pod == nil && !s.Set {
				return nil
			}
			f := confirmed(s.At, "innodb_flush_method is fsync (%s): pages are cached by the kernel and by InnoDB", s.From).fix("innodb_flush_method=O_DIRECT in %s", c.configIn())
			return list(f.option(c, "innodb_flush_method", "O_DIRECT"))
		},
	}
}
