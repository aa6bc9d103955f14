package diagnose

// This file is what --fix makes of options that a release does not have, where the user has named the release: the
// option is to change then, and not the release.

import (
	"fmt"
	"strconv"

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
		f = f.fix("write %s instead of %s, or write loose_%s", text, o.Name, o.Name)
	case !certain && life.Instead != "":
		f = f.fix("write %s instead of %s, or write loose_%s", life.Instead, o.Name, o.Name)
	default:
		f = f.fix("remove %s, or write loose_%s", o.Name, o.Name)
	}
	if c.Named && certain {
		if e, ok := c.Set.Line(o, text); ok {
			f.Edits = append(f.Edits, e)
		}
	}
	return f
}

// successor is the line that says the same to the release, "" where the release has none, or where another line says it
// already. certain is false where the value of such a line is not known.
func (c *Case) successor(o manifest.Option) (line string, certain bool) {
	life, known := option.Of(o.Name)
	if c.DB.Product != manifest.MySQL || !known || life.Instead == "" || c.written(life.Instead) {
		return "", true
	}
	switch o.Name {
	case "expire_logs_days":
		days, err := strconv.Atoi(o.Value)
		if err != nil || days < 0 {
			return "", false
		}
		return fmt.Sprintf("%s=%d", life.Instead, days*24*60*60), true
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
