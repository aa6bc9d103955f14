package diagnose

import "github.com/tarebench/tare/internal/option"

func mVER02() Rule {
	return Rule{
		ID: "M-VER-02", Title: "The release series gets no more fixes", Severity: Note, Risk: true, Needs: []Need{needVersion()},
		What: "The maintainers publish fixes of a series until an announced date. After it, errors that lose data or let somebody in are fixed in later series " +
			"only. Vendors may sell fixes for longer.",
		Impact:  "Known errors and security holes stay.",
		Fix:     "Plan an upgrade to a series with long-term support, and test it on a copy of the data.",
		Sources: []string{mariadbPolicy, oracleLifetime, "MySQL Releases: Innovation and LTS, MySQL 8.4 Reference Manual: https://dev.mysql.com/doc/refman/8.4/en/mysql-releases.html"},
		Check: func(c *Case) []Finding {
			product, in := c.release()
			end, short, ended := option.Ended(product, in)
			at := c.DB.Image.Spot()
			if at.Line == 0 {
				at = c.object()
			}
			switch {
			case !ended:
				return nil
			case short:
				return list(confirmed(at, "%s %s is a short-term series, and a later one has replaced it", string(c.DB.Product), c.DB.Version.Series()).fix("a series with long-term support"))
			}
			return list(confirmed(at, "%s %s has had no public fixes since %s", string(c.DB.Product), c.DB.Version.Series(), end).fix("a series with long-term support"))
		},
	}
}
