package diagnose

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
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
	if !set {
		return c.fixedFiles()
	}
	if !ok || c.DB.Pod == nil {
		return nil
	}
	size *= files
	claim, found := c.DB.DataClaim()
	if !found || !claim.Size.Set {
		if found || c.claimElsewhere() {
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

// claimElsewhere is whether the data is, or may be, on a claim that is not in the files.
func (c *Case) claimElsewhere() bool {
	for _, dir := range manifest.DataDirs() {
		if mount, volume := c.DB.Pod.Mount(c.DB.Server, dir); mount.Exists() {
			return volume.Get("persistentVolumeClaim").Exists()
		}
	}
	return slices.ContainsFunc(c.DB.Pod.Spec.Get("volumes").Items(), func(v manifest.Value) bool { return v.Get("persistentVolumeClaim").Exists() })
}

// fixedFiles compares the volume with the files that every server has at once: the redo log of its release's default,
// and the write-set cache of a Galera member. From a fifth of the volume on little is left for data and binary logs.
func (c *Case) fixedFiles() []Finding {
	claim, found := c.DB.DataClaim()
	if !found || !claim.Size.Positive() {
		return nil
	}
	redo, _, why := c.bytes("innodb_redo_log_capacity")
	if !why.empty() || redo == 0 {
		var files int64
		if redo, _, why = c.bytes("innodb_log_file_size"); !why.empty() {
			return list(unknown("%s", why))
		}
		if files, why = logFiles(c); !why.empty() {
			return list(unknown("%s", why))
		}
		redo *= files
	}
	cache := int64(0)
	if c.DB.Replication == "galera" {
		cache = c.writeSetCache()
	}
	share := (redo + cache) * 100 / claim.Size.Value
	switch {
	case share < 20:
		return nil
	case cache > 0:
		return list(hint(claim.Size.At.Spot(), "a volume of %s: the redo log (%s) and Galera's write-set cache (%s) alone take %d %% of it", claim.Size.At.Text(), manifest.Size(redo), manifest.Size(cache), share).
			fix("a volume of at least %s, or a smaller gcache.size", manifest.Size((redo+cache)*5>>30<<30+1<<30)))
	}
	return list(hint(claim.Size.At.Spot(), "a volume of %s: the redo log (%s) alone takes %d %% of it", claim.Size.At.Text(), manifest.Size(redo), share).
		fix("a volume of at least %s", manifest.Size(redo*5>>30<<30+1<<30)))
}

var gcacheSize = regexp.MustCompile(`gcache\.size\s*=\s*(\d+[KMGT]?)`)

// writeSetCache is gcache.size in bytes, 128 MiB where nothing sets it (Galera documentation, Galera Parameters).
func (c *Case) writeSetCache() int64 {
	if o, ok := c.DB.Option("wsrep_provider_options"); ok {
		if m := gcacheSize.FindStringSubmatch(o.Value); m != nil {
			if n, ok := option.Bytes(m[1]); ok {
				return n
			}
		}
	}
	return 128 << 20
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
