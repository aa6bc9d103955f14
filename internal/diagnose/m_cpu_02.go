package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func mCPU02() Rule {
	return Rule{
		ID: "M-CPU-02", Title: "Log writer threads spin on few CPUs", Severity: Note, Needs: []Need{needMySQL(needVersion()), needMemory()},
		Why: "innodb_log_writer_threads gives the redo log four threads of its own that wake for every commit. On few CPUs they take turns with the " +
			"sessions they serve. It is on by default in 8.0 and 8.4, also on two CPUs; newer versions switch it off below 32.",
		Remedy:  "innodb_log_writer_threads=OFF up to about 8 CPUs; measure both.",
		Sources: []string{logWriter, measured},
		Check: func(c *Case) []Finding {
			limit, limited := c.DB.CPULimit()
			if !limited || limit.Value > 4000 || !c.DB.Version.AtLeast(8, 0, 22) && c.DB.Version.Patch > 0 || !c.DB.Version.AtLeast(8, 0, 0) || c.DB.Version.Major >= 9 {
				return nil
			}
			s, why := c.setting("innodb_log_writer_threads")
			if why != "" {
				return list(unknown("%s", why))
			}
			if !manifest.IsOn(s.Value) {
				return nil
			}
			return list(hint(s.At, "innodb_log_writer_threads is on (%s) with a CPU limit of %s", s.From, manifest.CPUs(limit.Value)).write("innodb_log_writer_threads=OFF in %s, and measure", c.configIn()).option(c, "innodb_log_writer_threads", "OFF"))
		},
	}
}
