package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func mDUR04() Rule {
	return Rule{
		ID: "M-DUR-04", Title: "The doublewrite buffer is off: a torn page cannot be repaired", Severity: Warning, Risk: true, Needs: []Need{needAny()},
		What: "A page has 16 KiB and most disks write 4 KiB at a time. Where the machine fails in between, the page is half old and half new, and the redo log cannot " +
			"repair it without the copy in the doublewrite buffer. DETECT_ONLY finds such a page and cannot repair it.",
		Impact:  "A corrupt table space after a failure of the node; about twice the page writes with the buffer, of which most are sequential.",
		Fix:     "Set innodb_doublewrite=ON, unless the file system or the device writes pages atomically. --fix never changes it.",
		Sources: []string{mysqlInnoDB},
		Check: func(c *Case) []Finding {
			s, why := c.setting("innodb_doublewrite")
			if !why.empty() {
				return list(unknown("%s", why))
			}
			if !s.Set || !manifest.IsOff(s.Value) && !strings.EqualFold(s.Value, "DETECT_ONLY") {
				return nil
			}
			return list(confirmed(s.At, "innodb_doublewrite=%s: a page that was half written when the node failed is lost", s.Value).fix("innodb_doublewrite=ON, unless the storage writes pages atomically"))
		},
	}
}
