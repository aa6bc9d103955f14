package diagnose

import (
	"slices"

	"github.com/tarebench/tare/internal/manifest"
)

func mVER01() Rule {
	return Rule{
		ID: "M-VER-01", Title: "Unknown option: the server does not start", Severity: Error, Needs: []Need{needMySQL(needVersion())},
		What: "mysqld refuses to start with an option it does not know. Options were removed in 8.0, 8.4 and 9.x. An option that a ConfigMap has contained " +
			"for years stops the pod after an upgrade.",
		Impact:  "The pod is in CrashLoopBackOff after an upgrade.",
		Fix:     "Remove the option, or prefix it with loose_ where one file serves several versions.",
		Sources: []string{"Measured for tare with mysqld --validate-config: MySQL 8.0.46, 8.4.13, 9.7.4", mysqlDefaults},
		Check: func(c *Case) []Finding {
			var all []Finding
			for _, o := range c.DB.Config.Options {
				if why, refused := refusal(o.Name, c.DB.Version); refused && !o.Loose && inServerGroup(o.Group) {
					all = append(all, confirmed(o.Spot, "MySQL %s does not know %s and does not start%s", c.DB.Version.Series(), o.Name, why).fix("remove %s, or write loose_%s", o.Name, o.Name))
				}
			}
			if len(all) == 0 {
				return c.elsewhere()
			}
			return all
		},
	}
}

func inServerGroup(g string) bool {
	return g == "mysqld" || g == "server"
}

// gone says since which version an option is refused, and until which it was.
type gone struct {
	names   []string
	since   [2]int
	instead string
	before  bool // refused before since, not after
}

func refusal(name string, v manifest.Version) (instead string, refused bool) {
	for _, g := range []gone{
		{names: []string{"query_cache_size", "query_cache_type", "query_cache_limit", "innodb_support_xa", "innodb_file_format", "innodb_large_prefix", "sync_frm", "log_warnings", "secure_auth"}, since: [2]int{8, 0}},
		{names: []string{"binlog_transaction_dependency_tracking", "transaction_write_set_extraction", "master_info_repository", "relay_log_info_repository", "default_authentication_plugin", "skip_host_cache"}, since: [2]int{8, 4}},
		{names: []string{"expire_logs_days"}, since: [2]int{8, 4}, instead: "; use binlog_expire_logs_seconds"},
		{names: []string{"innodb_log_file_size", "innodb_log_files_in_group"}, since: [2]int{9, 7}, instead: "; use innodb_redo_log_capacity"},
		{names: []string{"innodb_undo_tablespaces", "temptable_use_mmap", "replica_parallel_type"}, since: [2]int{9, 7}},
		{names: []string{"container_aware", "server_memory"}, since: [2]int{9, 0}, before: true},
	} {
		if !slices.Contains(g.names, name) {
			continue
		}
		if later := v.AtLeast(g.since[0], g.since[1], 0); later != g.before {
			return g.instead, true
		}
	}
	return "", false
}
