package diagnose

// This file is what --fix makes of options that a release does not have, where the user has named the release: the
// option is to change then, and not the release.

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

// withoutOption adds to a finding the fix that replaces the option by its successor, or removes it, and the edit that
// does the same.
func (c *Case) withoutOption(f Finding, o manifest.Option) Finding {
	text, certain := c.successor(o)
	life, _ := option.Of(o.Name)
	switch {
	case text != "":
		f = f.fix("write %s instead of %s, or write loose_%s", strings.ReplaceAll(text, "\n", ", "), o.Shown(), o.Shown())
	case !certain && life.Instead != "":
		f = f.fix("write %s instead of %s, or write loose_%s", life.Instead, o.Shown(), o.Shown())
	default:
		f = f.fix("remove %s, or write loose_%s", o.Shown(), o.Shown())
	}
	if !certain && c.Named {
		return f.leave(phrase("the value of %s that does the same as %s=%s is not known", life.Instead, o.Shown(), o.Value))
	}
	if f = c.lineInstead(f, o, text); o.Name == "default_authentication_plugin" {
		f.Follows = c.ofAccounts(o.Value)
	}
	return f
}

// lineInstead is the finding with the edit that replaces the line of the option, where the user has named the release.
func (c *Case) lineInstead(f Finding, o manifest.Option, text string) Finding {
	if !c.Named {
		return f
	}
	if e, ok := c.Set.Line(o, text); ok {
		f.Edits = append(f.Edits, e)
		return f
	}
	return f.leave(notMade(manifest.Spot{}))
}

// ofAccounts is what the removal of default_authentication_plugin means for accounts. MySQL 8.4 has the plugin
// mysql_native_password and does not load it by default, 9.0 has removed it.
func (c *Case) ofAccounts(plugin string) Phrase {
	switch {
	case !strings.EqualFold(plugin, "mysql_native_password") || c.DB.Product != manifest.MySQL:
		return Phrase{}
	case c.DB.Version.AtLeast(9, 0, 0):
		return term(" (accounts with mysql_native_password cannot log in: MySQL 9.0 has removed the plugin; ALTER USER ... IDENTIFIED WITH caching_sha2_password changes them before the upgrade)")
	}
	return term(" (accounts with mysql_native_password cannot log in: MySQL 8.4 does not load the plugin by default; mysql_native_password=ON does)")
}

// successor is the line that says the same to the release, "" where the release has none, or where another line says it
// already. certain is false where the value of such a line is not known.
func (c *Case) successor(o manifest.Option) (line string, certain bool) {
	life, known := option.Of(o.Name)
	switch {
	case o.Name == "log_slow_queries":
		return c.slowLog(o)
	case o.Name == "tx_isolation" || o.Name == "tx_read_only": // of MariaDB as well
	case c.DB.Product != manifest.MySQL:
		return "", true
	}
	if !known || life.Instead == "" || c.written(life.Instead) {
		return "", true
	}
	switch o.Name {
	case "expire_logs_days":
		days, err := strconv.Atoi(o.Value)
		if err != nil || days < 0 {
			return "", false
		}
		return fmt.Sprintf("%s=%d", life.Instead, days*24*60*60), true
	case "table_cache", "myisam_recover":
		return life.Instead + "=" + o.Value, o.Value != "" && o.Value != "ON" // ON is an option without a value
	case "tx_isolation", "tx_read_only":
		return life.Instead + "=" + o.Value, o.Value != ""
	case "innodb_log_file_size":
		return c.redoCapacity(life.Instead)
	case "innodb_log_files_in_group":
		if c.written("innodb_log_file_size") { // whose line gets the product
			return "", true
		}
		return c.redoCapacity(life.Instead)
	}
	return "", false
}

// redoCapacity is the size of the redo log's files times their number, or a size that is not small, as the line of the
// option that replaces both.
func (c *Case) redoCapacity(name string) (line string, certain bool) {
	size, files := option.OldRedoSize, option.OldRedoFiles
	if written, set := c.DB.Option("innodb_log_file_size"); set {
		size = written.Value
	}
	if written, set := c.DB.Option("innodb_log_files_in_group"); set {
		files = written.Value
	}
	bytes, sized := option.Bytes(size)
	n, err := strconv.ParseInt(files, 10, 64)
	if !sized || err != nil || bytes <= 0 || n < 2 || n > 100 {
		return "", false
	}
	if larger := c.largerRedo(bytes * n); bytes*n < smallCapacity && larger != "" { // M-REDO-01 would ask for it
		return name + "=" + larger, true
	}
	return name + "=" + manifest.MySize(bytes*n), true
}

// slowLog are the lines that switch the slow query log on and name its file, as log_slow_queries did: it took the name of
// the file, or nothing. A word of a switch was the name of a file as well, and is hardly meant to be one.
func (c *Case) slowLog(o manifest.Option) (lines string, certain bool) {
	on := "slow_query_log=ON"
	if s, written := c.DB.Option("slow_query_log"); written {
		if !manifest.IsOn(s.Value) {
			return "", false
		}
		on = ""
	}
	switch {
	case c.written("slow_query_log_file") || !o.Spot.CanEdit():
		return on, true
	case manifest.IsOn(o.Value) || manifest.IsOff(o.Value) || strings.ContainsAny(o.Value, "#'\"\\"):
		return "", false
	}
	return strings.Trim(on+"\nslow_query_log_file="+o.Value, "\n"), true
}
