package diagnose

import (
	"strconv"

	"github.com/tarebench/tare/internal/manifest"
)

func mREDO02() Rule {
	return Rule{
		ID: "M-REDO-02", Title: "The redo log takes more than a quarter of the volume", Severity: Warning, Needs: []Need{needAny()},
		What:    "The redo log can grow to its full capacity, and crash recovery reads up to that much. A full volume stops the server.",
		Impact:  "The server stops when the volume is full.",
		Fix:     "Use a larger volume, or a redo log capacity of at most a quarter of it.",
		Sources: []string{mysqlRedo},
		Check:   redoOnVolume,
	}
}

func redoOnVolume(c *Case) []Finding {
	o, set := c.DB.Option("innodb_redo_log_capacity")
	files := int64(1)
	if !set {
		o, set = c.DB.Option("innodb_log_file_size")
		var why Phrase
		if files, why = logFiles(c); set && !why.empty() {
			return list(unknown("%s", why))
		}
	}
	size, ok := c.DB.Size(o)
	if !set || !ok || c.DB.Pod == nil {
		return nil
	}
	size *= files
	claim, found := c.DB.DataClaim()
	if !found || !claim.Size.Set {
		if len(c.DB.Pod.Spec.Get("volumes").Items()) > 0 {
			return list(unknown("the PersistentVolumeClaim of the data is not in the files"))
		}
		return nil
	}
	if size*4 <= claim.Size.Value {
		return nil
	}
	f := confirmed(o.Spot, "%s=%s", o.Name, o.Value)
	if files > 1 {
		f = f.and(" in %d files", files)
	}
	f = f.and(" on a volume of %s", manifest.Size(claim.Size.Value))
	less := manifest.MySize(claim.Size.Value / 4 / files)
	larger := phrase("a volume of at least %s", manifest.Size(size*4))
	return list(f.oneOf(larger, options(phrase("%s=%s, or %s", o.Name, less, larger), false, o.Name, less)))
}

// logFiles is how many files innodb_log_file_size is the size of: two in MySQL unless it is set, and
// one in MariaDB from 10.5 on (MySQL and MariaDB manuals, innodb_log_files_in_group).
func logFiles(c *Case) (files int64, why Phrase) {
	o, set := c.DB.Option("innodb_log_files_in_group")
	switch {
	case c.DB.Product == manifest.MariaDB && (c.DB.Version.AtLeast(10, 5, 0) || c.DB.Version == manifest.Version{}):
		return 1, Phrase{}
	case !set:
		return 2, Phrase{}
	}
	files, err := strconv.ParseInt(o.Value, 10, 64)
	if err != nil || files < 1 || files > 100 {
		return 0, phrase("%s is not a number from 1 to 100: %q", o.Name, o.Value)
	}
	return files, Phrase{}
}
