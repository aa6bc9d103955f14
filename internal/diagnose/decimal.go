package diagnose

// This file judges numbers with a fraction, such as long_query_time: they take no letter and no unit.

import (
	"regexp"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

// decimal is what MySQL 9.7.4 and MariaDB 10.11.19 and 11.8.9 read as such a number.
var decimal = regexp.MustCompile(`^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

// unreadableDecimal is the finding for a number with a fraction that the server does not read. It is a hint for MariaDB
// before 10.6, which reads other numbers otherwise and was not asked. An option that the release does not have is M-VER-01's.
func (c *Case) unreadableDecimal(o manifest.Option) (Finding, bool) {
	if !o.Written() || o.Loose || !c.reads(o.Group) || !c.isDecimal(o.Name) || decimal.MatchString(o.Value) || c.lacks(o.Name) {
		return Finding{}, false
	}
	if o.Value == "" || o.Value == "ON" || o.Value == "OFF" || manifest.Unresolved(o.Value) != "" {
		return Finding{}, false // an option without a value
	}
	says := confirmed
	if c.DB.Product == manifest.MariaDB && c.DB.Version.Known() && !c.DB.Version.AtLeast(10, 6, 0) {
		says = hint
	}
	return says(o.Spot, "%s=%s is not a number that the server reads: it does not start", o.Name, o.Value).
		fix("a number with a point and without a unit, such as 0.5"), true
}

// isDecimal is whether an option is a number with a fraction. expire_logs_days is one of MariaDB from 10.6 on, and a
// whole number in MySQL.
func (c *Case) isDecimal(name string) bool {
	kind, ok := option.KindOf(name)
	if !ok || kind != option.Decimal {
		return false
	}
	return name != "expire_logs_days" || c.DB.Product == manifest.MariaDB && c.DB.Version.Known() && c.DB.Version.AtLeast(10, 6, 0)
}
