package diagnose

import (
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
)

// fewCPUs are those on which the log's threads and the sessions are in each other's way.
const fewCPUs = 4

func mCPU02() Rule {
	return Rule{
		ID: "M-CPU-02", Title: "innodb_log_writer_threads is on with few CPUs", Severity: Note, Needs: []Need{needMySQL(needVersion()), needCPU()},
		What: "innodb_log_writer_threads adds dedicated redo log threads that wake up for every commit. With few CPUs they compete with the sessions they " +
			"serve. It is on by default in 8.0 and 8.4, even with two CPUs. The default of 9.x depends on the CPUs of the node.",
		Impact:   "Measured: 8 connections that update, CPU limit 1: OFF gave +26 % [15, 37] throughput, 7 rounds.",
		Fix:      "Set innodb_log_writer_threads=OFF on a server with few CPUs, and measure both settings.",
		Sources:  []string{logWriter, measured},
		Counters: []string{keys.MySQLInnoDBOSLogWritten},
		Run:      logWriters,
		Check: func(c *Case) []Finding {
			limit, limited := c.DB.CPULimit()
			if !limited || limit.Value > 1000*fewCPUs || !c.DB.Version.AtLeast(8, 0, 22) && c.DB.Version.Patch > 0 || !c.DB.Version.AtLeast(8, 0, 0) {
				return nil
			}
			if _, set := c.DB.Option("innodb_log_writer_threads"); !set && c.DB.Version.Major >= 9 {
				return nil // on from 32 logical CPUs of the node (MySQL 9.4 Reference Manual), which no file shows
			}
			s, why := c.setting("innodb_log_writer_threads")
			if !why.empty() {
				return list(unknown("%s", why))
			}
			if !manifest.IsOn(s.Value) {
				return nil
			}
			return list(hint(s.At, "innodb_log_writer_threads is on (%s) with a CPU limit of %s", s.From, manifest.CPUs(limit.Value)).fix("innodb_log_writer_threads=OFF in %s, and measure the effect", c.configIn()).option(c, "innodb_log_writer_threads", "OFF"))
		},
	}
}

// logWriters asks the server that ran. What its threads cost no counter of its own
// tells: they count as the server's CPU time, which is why the change is measured.
func logWriters(o *Observed) []Finding {
	limit, limited, read := cpuLimit(o.Arm)
	on, known := fact(o.Arm, keys.MySQLVariablePrefix+"innodb_log_writer_threads")
	written, ok := each(o.Arm, keys.MySQLInnoDBOSLogWritten)
	switch {
	case !read:
		return unread("the CPU limit of its cgroup")
	case !limited || limit > fewCPUs:
		return list(ruledOut("no CPU limit of %d or less", fewCPUs))
	case !known || !ok:
		return unread("innodb_log_writer_threads or Innodb_os_log_written")
	case !manifest.IsOn(on):
		return list(ruledOut("innodb_log_writer_threads is %s", on))
	case written < 1:
		return list(ruledOut("innodb_log_writer_threads is %s, but nothing is written to the redo log", on))
	}
	return list(seen("innodb_log_writer_threads is %s with a CPU limit of %.3g; %.0f bytes of redo per transaction", on, limit, written).
		fix("innodb_log_writer_threads=OFF").change("{config: {innodb_log_writer_threads: OFF}}"))
}
