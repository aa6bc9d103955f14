package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

// smallCapacity is the capacity in bytes below which a redo log is small.
const smallCapacity = 512 << 20

func mREDO01() Rule {
	return Rule{
		ID: "M-REDO-01", Title: "Redo log capacity is small", Severity: Warning, CountedBy: "C-IO-04", Needs: []Need{needVersion()},
		What: "At 77.5 % of the redo log capacity (MariaDB: 70 %) InnoDB flushes pages at full speed; at 83 % (MariaDB: 80 %) it blocks all writes. With a small redo log the same pages are " +
			"written again and again. The default of 100 MiB (96 MiB before 8.0.30 and in MariaDB) holds seconds of writes on a busy server.",
		Impact: "With 2 GiB instead of 100 MiB: four to five times fewer page writes per transaction, and 9 % and 22 % more transactions in two pairs of " +
			"runs, write-heavy sysbench (measured on a noisy machine). Read-only workloads are not affected.",
		Fix: "Set innodb_redo_log_capacity=2G, or the redo written in an hour of peak load, up to 16G. Before 8.0.30 and in MariaDB the option is " +
			"innodb_log_file_size, of each of the files. From 8.0.30 to 9.6 it still counts if innodb_redo_log_capacity is not set. The volume needs that much space.",
		Sources: []string{measured, kubeblocks2023, mysqlRedo, mysqlInnoDB, mariadbInnoDB},
		Check: func(c *Case) []Finding {
			if c.DB.Product == manifest.MariaDB || !c.DB.Version.AtLeast(8, 0, 30) && c.DB.Version.Patch > 0 || !c.DB.Version.AtLeast(8, 0, 0) {
				return c.smallLogFiles()
			}
			for _, old := range []string{"innodb_log_file_size", "innodb_log_files_in_group"} {
				if o, ok := c.DB.Option(old); ok && o.Written() {
					return c.deprecatedLogFiles(old)
				} else if ok { // a running server has it among its options only then
					return list(unknown("whether innodb_redo_log_capacity or innodb_log_file_size is in effect was not read"))
				}
			}
			if o, ok := c.DB.Option("innodb_dedicated_server"); ok && manifest.IsOn(o.Value) {
				return nil
			}
			size, s, why := c.bytes("innodb_redo_log_capacity")
			if !why.empty() {
				return list(unknown("%s", why))
			}
			if size >= smallCapacity {
				return nil
			}
			if limit, ok := c.DB.MemoryLimit(); ok && limit < 1<<30 && !s.Set {
				return nil // as small as the rest of the server
			}
			f := hint(s.At, "redo log capacity %s (%s)", manifest.Size(size), s.From)
			var ways []way
			if capacity := c.largerRedo(size); capacity != "" {
				ways = append(ways, options(phrase("innodb_redo_log_capacity=%s in %s", capacity, c.configIn()), true, "innodb_redo_log_capacity", capacity))
			}
			return list(f.oneOf(c.noRedo(), ways...))
		},
	}
}

// deprecatedLogFiles is the finding for a server that has innodb_redo_log_capacity and is told the size or the number
// of log files instead: where the capacity is not set, it is their product (innodb_redo_log_capacity_init of
// storage/innobase/handler/ha_innodb.cc, 8.0.30 to 9.6).
func (c *Case) deprecatedLogFiles(old string) []Finding {
	dedicated, set := c.DB.Option("innodb_dedicated_server")
	if c.written("innodb_redo_log_capacity") || c.lacks(old) || set && manifest.IsOn(dedicated.Value) {
		return nil // M-REDO-03, M-VER-01
	}
	all := c.smallLogFiles()
	for i, f := range all {
		if f.Found() {
			all[i] = c.capacityInstead(f.and("; it counts because innodb_redo_log_capacity is not set, and is deprecated since MySQL 8.0.30"))
		}
	}
	return all
}

// capacityInstead is the finding of small log files with the option that replaces them.
func (c *Case) capacityInstead(f Finding) Finding {
	var old []string
	for _, name := range []string{"innodb_log_file_size", "innodb_log_files_in_group"} {
		if c.written(name) {
			old = append(old, name)
		}
	}
	size, _, _ := c.bytes("innodb_log_file_size")
	files, _ := logFiles(c)
	capacity := c.largerRedo(size * files)
	if capacity == "" {
		return f.oneOf(c.noRedo())
	}
	says := phrase("innodb_redo_log_capacity=%s instead of %s in %s", capacity, strings.Join(old, ", "), c.configIn())
	return f.oneOf(c.noRedo(), options(says, true, "innodb_redo_log_capacity", capacity).inPlaceOf(old...))
}

// largerRedo is a capacity above a small one, which the volume of the data has room for; "" without one.
func (c *Case) largerRedo(size int64) string {
	for _, capacity := range []string{"2G", "1G", "512M"} {
		if n, ok := option.Bytes(capacity); ok && n > size && c.holds(4*n) {
			return capacity
		}
	}
	return ""
}

// smallLogFiles is the finding for a server whose redo log has the size of its files: MySQL before 8.0.30 and MariaDB.
func (c *Case) smallLogFiles() []Finding {
	size, s, why := c.bytes("innodb_log_file_size")
	if !why.empty() {
		return list(unknown("%s", why))
	}
	files, why := logFiles(c)
	if !why.empty() {
		return list(unknown("%s", why))
	}
	if limit, ok := c.DB.MemoryLimit(); size*files >= smallCapacity || ok && limit < 1<<30 && !s.Set {
		return nil
	}
	f := hint(s.At, "redo log of %s: innodb_log_file_size is %s (%s), in %d files", manifest.Size(size*files), manifest.Size(size), s.From, files)
	if files == 1 {
		f = hint(s.At, "redo log of %s (innodb_log_file_size, %s)", manifest.Size(size), s.From)
	}
	for _, total := range []int64{2 << 30, 1 << 30, 512 << 20} {
		if each := manifest.MySize(total / files); total > size*files && c.holds(4*total) {
			return list(f.oneOf(c.noRedo(), options(phrase("innodb_log_file_size=%s in %s", each, c.configIn()), true, "innodb_log_file_size", each)))
		}
	}
	return list(f.oneOf(c.noRedo()))
}

// noRedo is said where no size passes.
func (c *Case) noRedo() Phrase {
	if c.holds(4 * (512 << 20)) {
		return term("a redo log of 2G, together with the fixes of the other findings")
	}
	return term("together: a larger volume, and a redo log of 2G; the volume has no room for a larger redo log")
}

// holds is whether the volume of the data has so many bytes, or is not known.
func (c *Case) holds(bytes int64) bool {
	claim, ok := c.DB.DataClaim()
	return !ok || !claim.Size.Set || claim.Size.Value >= bytes
}
