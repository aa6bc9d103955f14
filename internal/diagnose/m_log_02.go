package diagnose

import (
	"strconv"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

func mLOG02() Rule {
	return Rule{
		ID: "M-LOG-02", Title: "Binary logs are kept longer than a small volume can hold", Severity: Warning, Risk: true, Needs: []Need{needAny()},
		What: "MySQL 8.0 and later write a binary log by default and keep it for 30 days, MariaDB keeps it until it is purged. Every write is also in the binary " +
			"log, so on a small volume the logs take the space of the data. A full volume stops the server.",
		Impact:  "The server stops when the volume is full.",
		Fix:     "Set binlog_expire_logs_seconds to what replicas and backups need, such as 259200 (3 days). Without replicas and point-in-time recovery: skip_log_bin.",
		Sources: []string{mysqlBinlog, mariadbBinlog},
		Check:   checkRetention,
	}
}

const (
	smallVolume   = 32 << 30 // below it, a month of binary logs of a server with few writes is a large part of the volume
	longRetention = 14 * 24 * 3600
)

func checkRetention(c *Case) []Finding {
	claim, ok := c.DB.DataClaim()
	if !ok || !claim.Size.Set || claim.Size.Value >= smallVolume {
		return nil
	}
	log, why := c.setting("log_bin")
	switch {
	case !why.empty():
		return list(unknown("%s", why))
	case manifest.IsOff(log.Value) || log.Value == "":
		return nil
	}
	for _, bound := range []string{"binlog_space_limit", "max_binlog_total_size"} {
		if o, set := c.DB.Option(bound); set && o.Value != "0" {
			return nil
		}
	}
	days, set := c.DB.Option("expire_logs_days")
	seconds, s, why := c.number("binlog_expire_logs_seconds")
	_, inSeconds := c.DB.Option("binlog_expire_logs_seconds")
	inDays := c.onlyDays()
	switch {
	case inDays && !set:
		return list(hint(c.configPlace(), "binary logs are never purged (expire_logs_days=0, the default) on a volume of %s", manifest.Size(claim.Size.Value)).fix("%s", c.purgeSooner()))
	case set && !inSeconds && !keepsLong(days.Value):
		return nil
	case set && !inSeconds:
		s = setting{Value: days.Value, Set: true, At: days.Spot, From: origin(days.From)}
		return list(hint(s.At, "binary logs are kept for expire_logs_days=%s on a volume of %s", s.Value, manifest.Size(claim.Size.Value)).fix("%s", c.purgeSooner()))
	case !why.empty():
		return list(unknown("%s", why))
	case seconds == 0 && !s.Set && c.keptByDays(): // 8.0.2 to 8.0.10
		_, s, _ = c.number("expire_logs_days")
		return list(hint(s.At, "binary logs are kept for 30 days (expire_logs_days, %s) on a volume of %s", s.From, manifest.Size(claim.Size.Value)).fix("%s", c.purgeSooner()))
	case seconds == 0:
		return list(hint(s.At, "binary logs are never purged (binlog_expire_logs_seconds=0, %s) on a volume of %s", s.From, manifest.Size(claim.Size.Value)).fix("%s", c.purgeSooner()))
	case seconds >= longRetention:
		return list(hint(s.At, "binary logs are kept for %d days (binlog_expire_logs_seconds, %s) on a volume of %s", seconds/86400, s.From, manifest.Size(claim.Size.Value)).fix("%s", c.purgeSooner()))
	}
	return nil
}

// onlyDays is whether the release has expire_logs_days and no binlog_expire_logs_seconds: MySQL 5.7, MariaDB before
// 10.6.
func (c *Case) onlyDays() bool {
	product, in := c.release()
	d, ok := option.DefaultIn(option.Span{Product: product, From: in, To: in}, "binlog_expire_logs_seconds")
	return c.DB.Version.Known() && ok && d.Absent
}

// purgeSooner is the fix, with the option that the release has.
func (c *Case) purgeSooner() Phrase {
	if c.onlyDays() {
		return phrase("expire_logs_days=3 in %s, or a larger volume", c.configIn())
	}
	return phrase("binlog_expire_logs_seconds=259200 in %s, or a larger volume", c.configIn())
}

// keptByDays is whether the default of expire_logs_days removes binary logs.
func (c *Case) keptByDays() bool {
	days, _, why := c.number("expire_logs_days")
	return why.empty() && days > 0
}

// keepsLong is whether expire_logs_days keeps logs for ever (0) or for two weeks or longer.
func keepsLong(days string) bool {
	n, err := strconv.Atoi(days)
	return err == nil && (n == 0 || n*24*3600 >= longRetention)
}
