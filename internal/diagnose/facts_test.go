package diagnose

// The register of what rules say of defaults, of options that releases have or have not, and of features of Kubernetes:
// each statement has its source, which is on the rule's page. What a table of package option says is compared with it;
// the tests of that package compare the tables with the servers of the machine.

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/option"
)

// statement is text as it stands in the rule's text, and its source.
type statement struct {
	rule, says, source string
	holds              []claim
}

// claim is what a table of package option must say: the default of a release, "absent" or "computed" for none, or
// "refused" for an option that stops the server.
type claim struct {
	product string
	in      option.Release
	option  string
	value   string
}

func statements() []statement {
	mysql := func(major, minor, patch int, name, value string) claim {
		return claim{option.MySQL, option.Release{major, minor, patch}, name, value}
	}
	mariadb := func(major, minor int, name, value string) claim {
		return claim{option.MariaDB, option.Release{major, minor, 1}, name, value}
	}
	return []statement{
		{"K-QOS-03", "set the resources of the whole pod (Kubernetes 1.34 and later", k8sQoS, nil},
		{"K-QOS-05", "by default with requests below its limits", istioCost, nil},
		{"K-QOS-06", "alpha feature gate PodLevelResourceManagers", k8sCM, nil},
		{"K-QOS-09", "the kubelet evicts those with low priority first", k8sPriority, nil},
		{"K-ALC-03", "minus the kubelet's reservations and its eviction threshold", k8sCM, nil},
		{"K-ALC-03", "lets the kubelet evict the server when the node runs short", k8sKubelet, nil},
		{"K-CFS-01", "in the kubelet", cfsFix, nil},
		{"K-CPU-01", "from Kubernetes 1.33 on no CFS quota", quotaPinned, nil},
		{"K-CPU-01", "With policy none, the default", k8sCM, nil},
		{"K-CPU-01", "stop the kubelet, delete cpu_manager_state, and start the kubelet", k8sCM, nil},
		{"C-CPU-01", "no CFS quota from Kubernetes 1.33 on", quotaPinned, nil},
		{"K-CFS-02", "no CFS quota from Kubernetes 1.33 on", quotaPinned, nil},
		{"K-CFS-04", "no CFS quota from Kubernetes 1.33 on", quotaPinned, nil},
		{"K-CPU-03", "Before Kubernetes 1.33, a container with N exclusive CPUs keeps a CFS quota", quotaPinned, nil},
		{"K-CPU-03", "From 1.33 on the kubelet removes the quota", quotaPinned, nil},
		{"K-CPU-03", "Upgrade the kubelet to 1.33 or later", quotaPinned, nil},
		{"K-CPU-06", "The kubelet refuses to start with an invalid configuration", k8sCM, nil},
		{"K-NUM-02", "the kubelet rejects a pod with exclusive CPUs", k8sCM, nil},
		{"K-NUM-03", "innodb_numa_interleave is on by default from MySQL 8.4", mysqlDefaults, []claim{mysql(8, 4, 6, "innodb_numa_interleave", "ON"), mysql(8, 0, 46, "innodb_numa_interleave", "OFF")}},
		{"K-NUM-03", "The default seccomp profile allows mbind only with CAP_SYS_NICE", mbind, nil},
		{"K-MEM-02", "gets memory.high at 90 % of the range", kep2570, nil},
		{"K-MEM-02", "Kernels before 5.9 can stop responding", kep2570, nil},
		{"K-MEM-02", "disable the feature gate, or set memoryThrottlingFactor", kep2570, nil},
		{"K-MEM-12", "MySQL 5.7 allocates 16 bytes for each file that it may open", nofile, nil},
		{"K-MEM-12", "MySQL 8.0 allocates as files are opened", nofile, nil},
		{"K-MEM-12", "or use MySQL 8.0", nofile, nil},
		{"K-STO-01", "the kubelet's disk-pressure eviction applies", k8sVolumes, nil},
		{"K-STO-04", "provisions nothing by default", ebsParameters, nil},
		{"K-STO-09", "the kubelet changes the ownership of every file on the volume at every mount", fsGroupBlog, nil},
		{"K-STO-11", "the kubelet evicts pods", k8sVolumes, nil},
		{"K-STO-12", "MariaDB from 10.6 on uses io_uring", measuredAIO, nil},
		{"K-NET-14", "Cluster, the default", k8sService, nil},
		{"K-CFG-01", "a buffer pool of 128 MiB and a redo log of 100 MiB", mysqlInnoDB, []claim{mysql(8, 4, 6, "innodb_buffer_pool_size", "128M"), mysql(8, 4, 6, "innodb_redo_log_capacity", "100M")}},
		{"K-OPS-05", "The default grace period is 30 s", k8sTermination, nil},
		{"K-OPS-06", "with other defaults", mysqlDefaults, []claim{mysql(8, 0, 46, "innodb_io_capacity", "200"), mysql(8, 4, 6, "innodb_io_capacity", "10000")}},
		{"M-DUR-03", "Percona's images set 2, and before 8.0.35 set 0", pxcImage, nil},
		{"M-REDO-01", "(96 MiB before 8.0.30 and in MariaDB)", mysqlInnoDB, []claim{mysql(8, 0, 29, "innodb_log_file_size", "48M"), mysql(8, 0, 29, "innodb_log_files_in_group", "2"), mariadb(11, 8, "innodb_log_file_size", "96M")}},
		{"M-REDO-01", "Before 8.0.30 and in MariaDB the option is innodb_log_file_size", mariadbInnoDB, []claim{mysql(8, 0, 29, "innodb_redo_log_capacity", "absent"), mariadb(11, 8, "innodb_redo_log_capacity", "absent")}},
		{"M-REDO-01", "The default of 100 MiB", mysqlRedo, []claim{mysql(8, 0, 30, "innodb_redo_log_capacity", "100M"), mysql(9, 7, 4, "innodb_redo_log_capacity", "100M")}},
		{"M-REDO-01", "From 8.0.30 to 9.6 it still counts", mysqlRedo, []claim{mysql(9, 7, 4, "innodb_log_file_size", "refused")}},
		{"M-REDO-03", "are ignored (8.0.30 and later)", mysqlRedo, []claim{mysql(8, 0, 29, "innodb_redo_log_capacity", "absent")}},
		{"M-REDO-03", "MySQL 9.7 does not know them and refuses to start", measured, []claim{mysql(9, 7, 4, "innodb_log_file_size", "refused"), mysql(9, 7, 4, "innodb_log_files_in_group", "refused")}},
		{"M-IO-01", "The default in MySQL 8.4 is 10,000", mysqlDefaults, []claim{mysql(8, 4, 6, "innodb_io_capacity", "10000")}},
		{"M-IO-02", "the default of MySQL 5.7 and 8.0 and of MariaDB before 10.6", mysqlDefaults, []claim{mysql(5, 7, 44, "innodb_flush_method", "fsync"), mysql(8, 0, 46, "innodb_flush_method", "fsync"), mariadb(10, 5, "innodb_flush_method", "fsync")}},
		{"M-IO-02", "the default from MySQL 8.4 and MariaDB 10.6 on", mysqlDefaults, []claim{mysql(8, 4, 6, "innodb_flush_method", "O_DIRECT"), mariadb(10, 6, "innodb_flush_method", "O_DIRECT")}},
		{"M-IO-05", "on by default in MariaDB and MySQL 5.7", mysqlInnoDB, []claim{mysql(5, 7, 44, "innodb_flush_neighbors", "1"), mysql(8, 0, 46, "innodb_flush_neighbors", "0"), mariadb(11, 8, "innodb_flush_neighbors", "1")}},
		{"M-BP-01", "The default of 128 MiB", mysqlPool, []claim{mysql(5, 7, 44, "innodb_buffer_pool_size", "128M"), mysql(9, 7, 4, "innodb_buffer_pool_size", "128M"), mariadb(11, 8, "innodb_buffer_pool_size", "128M")}},
		{"M-BP-04", "8.0, 8.4, 9.0 to 9.2, and from 9.6 on unless container_aware is on", mysqlContainers, []claim{mysql(9, 6, 0, "container_aware", "OFF"), mysql(9, 5, 0, "container_aware", "absent")}},
		{"M-BP-04", "From 9.6 on alternatively set container_aware=ON", mysqlContainers, []claim{mysql(8, 4, 6, "container_aware", "refused")}},
		{"M-CPU-01", "MySQL 9.3 to 9.5, and from 9.6 on with container_aware=ON, read it", mysqlContainers, nil},
		{"M-CPU-02", "It is on by default in 8.0 and 8.4", logWriter, []claim{mysql(8, 0, 46, "innodb_log_writer_threads", "ON"), mysql(8, 4, 6, "innodb_log_writer_threads", "ON")}},
		{"M-CPU-02", "The default of 9.x depends on the CPUs of the node", logWriter, []claim{mysql(9, 7, 4, "innodb_log_writer_threads", "computed")}},
		{"M-LOG-02", "MySQL 8.0 and later write a binary log by default and keep it for 30 days, MariaDB keeps it until it is purged", mysqlBinlog,
			[]claim{mysql(8, 0, 46, "log_bin", "ON"), mysql(9, 7, 4, "log_bin", "ON"), mysql(8, 0, 46, "binlog_expire_logs_seconds", "2592000"), mysql(9, 7, 4, "binlog_expire_logs_seconds", "2592000"),
				mysql(5, 7, 44, "log_bin", "OFF"), mariadb(11, 8, "binlog_expire_logs_seconds", "0"), mariadb(11, 8, "expire_logs_days", "0")}},
		{"M-VER-01", "MySQL removed options in 8.0, 8.4 and 9.x, MariaDB in most series", helpOfServers,
			[]claim{mysql(8, 0, 46, "query_cache_size", "refused"), mysql(8, 4, 6, "expire_logs_days", "refused"), mysql(9, 7, 4, "innodb_undo_tablespaces", "refused"), mariadb(10, 11, "innodb_checksums", "refused")}},
		{"M-OPT-01", "MariaDB before 10.6 takes such a number for 0", measuredParser, nil},
		{"M-OPT-01", "MySQL 5.7 knows only K, M and G", measuredParser, nil},
		{"M-OPT-01", "MySQL 8.0 has no NO_AUTO_CREATE_USER in sql_mode", sqlModes, nil},
		{"M-OPT-02", "MySQL from 5.7 on does not", measuredPrefixes, nil},
		{"M-GAL-02", "With one applier thread (the default) or two (Percona's images)", pxcImage, []claim{mariadb(10, 11, "wsrep_slave_threads", "1")}},
		{"M-GAL-02", "Set wsrep_applier_threads (MariaDB, and before 8.0.26", pxcImage, nil},
		{"M-QC-01", "MySQL before 8.0 and MariaDB can keep the results of SELECT statements", mysqlQueryCache,
			[]claim{mysql(8, 0, 46, "query_cache_type", "refused"), mysql(8, 0, 46, "query_cache_size", "refused")}},
		{"C-IO-04", "Set innodb_redo_log_capacity (8.0.30 and later, dynamic)", mysqlRedo, []claim{mysql(8, 0, 30, "innodb_redo_log_capacity", "100M"), mysql(8, 0, 29, "innodb_redo_log_capacity", "absent")}},
		{"C-IO-04", "MySQL flushes aggressively from 77.5 % of the capacity on, and from 83 % on all transactions wait", measured, nil},
		{"C-IO-04", "MariaDB flushes from 7/8 of Innodb_checkpoint_max_age on, about 70 % of innodb_log_file_size, and all transactions wait at Innodb_checkpoint_max_age, about 80 %", measured, nil},
		{"M-REDO-01", "At 77.5 % of the redo log capacity (MariaDB: 70 %)", measured, nil},
		{"O-PS-01", "sets the buffer pool to 50 % of the memory limit", psOperator, nil},
		{"O-KB-01", "The other containers get limits of zero by default", kubeblocksCode, nil},
		{"O-GEN-02", "What an operator puts into its pods is safe by default", pxcOperator, nil},
		{"O-GEN-02", "so that the operator's default holds", pxcOperator, nil},
	}
}

// statesFact is text that has to do with a default, a release or a feature of Kubernetes.
var (
	statesFact = regexp.MustCompile(`\bdefaults?\b|\bremoved\b|Kubernetes \d|[Kk]ubelet|feature gate|(MySQL|MariaDB)[^.:;]* \d|\d\.\d+ (and later|on)|(before|since|until|from) \d+\.\d`)
	sentences  = regexp.MustCompile(`[.:;] `)
)

func TestStatementsHaveTheirSource(t *testing.T) {
	all := statements()
	for _, r := range Rules() {
		for _, text := range []string{r.What, r.Fix} {
			for _, s := range sentences.Split(text, -1) {
				has := func(f statement) bool {
					return f.rule == r.ID && (strings.Contains(s, f.says) || strings.Contains(f.says, strings.Trim(s, ". ")))
				}
				if statesFact.MatchString(s) && !slices.ContainsFunc(all, has) {
					t.Errorf("%s states %q, which the register does not have", r.ID, s)
				}
			}
		}
	}
	for _, f := range all {
		r, ok := Find(f.rule)
		if !ok || !strings.Contains(r.What+"\n"+r.Fix, f.says) {
			t.Errorf("%s does not state %q", f.rule, f.says)
		}
		if f.source == "" || !slices.Contains(r.Sources, f.source) {
			t.Errorf("%s: the page does not have the source of %q: %s", f.rule, f.says, f.source)
		}
		for _, c := range f.holds {
			c.check(t, f)
		}
	}
}

// check compares a claim with the tables.
func (c claim) check(t *testing.T, f statement) {
	t.Helper()
	if c.value == "refused" {
		life, known := option.Of(c.option)
		gone := c.product == option.MySQL && known && (!life.Added(c.in) || life.Removed(c.in))
		if standing, _ := option.Stand(c.product, c.in, c.option); standing != option.Refused && !gone {
			t.Errorf("%s: %q: %s %v does not refuse %s", f.rule, f.says, c.product, c.in, c.option)
		}
		return
	}
	d, ok := option.DefaultIn(option.Span{Product: c.product, From: c.in, To: c.in}, c.option)
	is := map[bool]string{d.Absent: "absent", d.Computed: "computed"}[true]
	if is == "" {
		is = d.Value
	}
	if !ok || is != c.value {
		t.Errorf("%s: %q: %s of %s %v is %q, not %q", f.rule, f.says, c.option, c.product, c.in, is, c.value)
	}
}
