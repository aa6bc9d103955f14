package diagnose

// The register of facts in the phrases that rules make while they check: what findings say, their fixes, and the
// reasons that are unknown. A phrase that states a default, a release or a feature of Kubernetes has its source here,
// and the rule's page has it too. What a table of package option says is compared with it.

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/option"
)

// asserted is a phrase of a rule that states a fact, its source, and what the tables must say for it.
type asserted struct {
	says, source string
	holds        []claim
}

func assertions() []asserted {
	mysql := func(major, minor, patch int, name, value string) claim {
		return claim{option.MySQL, option.Release{major, minor, patch}, name, value}
	}
	mariadb := func(major, minor int, name, value string) claim {
		return claim{option.MariaDB, option.Release{major, minor, 1}, name, value}
	}
	return []asserted{
		// of Kubernetes and the kernel
		{"kernel %s: the distribution's number does not show whether it has the fix (5.4 and later have it)", cfsFix, nil},
		{"kubelet %s assigns exclusive CPUs and still throttles them", quotaPinned, nil},
		{"upgrade the kubelet to 1.33 or later, or set cpuCFSQuota: false", quotaPinned, nil},
		{"%s has no status.nodeInfo.kubeletVersion", quotaPinned, nil},
		{"%s excludes %s: the kubelet does not start", k8sCM, nil},
		{"static policy without reserved CPU: the kubelet does not start", k8sCM, nil},
		{"no KubeletConfiguration in the files: the CPU manager policy is unknown", k8sCM, nil},
		{"kubelet %s does not know spec.resources of a pod (Kubernetes 1.34 enables them), and no container has requests or limits: the pod is BestEffort", k8sQoS, nil},
		{"limits.ephemeral-storage is %s, and temporary files of the server in %s count against it: above it the kubelet evicts the pod", k8sVolumes, nil},
		{"StorageClass %s has no type: kubernetes.io/aws-ebs creates gp2 before Kubernetes 1.23 and gp3 since", ebsParameters, nil},
		{"%s.%s of every container, or a LimitRange with defaults", quotasAndRanges, nil},
		{"ConfigMap %s is optional: without it the server starts with default settings and no error", k8sVolumes, nil},
		{"%d servers reserve %d asynchronous requests (%d each here); a node allows %d (fs.aio-max-nr) for all of them", aio, nil},
		{"memory: %s is thousandths of a byte, and the pod does not start", k8sQuantity, nil},
		// of images and operators
		{"the version of the image is unknown; 8.0 before 8.0.35 sets innodb_flush_log_at_trx_commit=0", pxcImage, nil},
		{"two threads apply the writes of all other nodes (the image's default)", pxcImage, nil},
		{"leave %s out, or set it to the operator's default", pxcOperator, nil},
		// of servers
		{"one thread applies the writes of all other nodes (the default)", galeraParams, []claim{mariadb(10, 11, "wsrep_slave_threads", "1")}},
		{"MySQL %s takes 16 bytes at start for each file that the limit of open files allows: 16Gi where the container runtime allows 1073741816 (LimitNOFILE=infinity)", nofile, nil},
		{"LimitNOFILE=1048576 for the container runtime, or MySQL 8.0; open_files_limit does not lower it", nofile, nil},
		{"binary logs are never purged (expire_logs_days=0, the default) on a volume of %s", mariadbBinlog, []claim{mysql(5, 7, 44, "expire_logs_days", "0"), mariadb(11, 8, "expire_logs_days", "0")}},
		{"%s, the default, and more only in the sessions that need it (SET SESSION)", mysqlMemory, []claim{
			mysql(8, 0, 46, "sort_buffer_size", "256K"), mysql(9, 7, 4, "join_buffer_size", "256K"), mysql(9, 7, 4, "read_buffer_size", "128K"), mysql(9, 7, 4, "read_rnd_buffer_size", "256K")}},
		{"%s, the default", mysqlMemory, []claim{mysql(9, 7, 4, "max_digest_length", "1024")}},
		{"%s %s does not know %s and does not start%s", helpOfServers, []claim{mysql(9, 7, 4, "tx_isolation", "refused"), mysql(8, 4, 6, "log_warnings", "refused"), mariadb(10, 11, "innodb_redo_log_capacity", "refused")}},
		{"%s %s has %s, and %s does not know it: %s may not start", helpOfServers, nil},
		{"%s is the beginning of %s and of %s: a server that cannot tell which is meant does not start", helpOfServers, nil},
		{"; it is an option of the other product", helpOfServers, nil},
		{"%s %s has no option %s and does not start", helpOfServers, nil},
		{"no release of %s whose options are known has an option %s: the server does not start", helpOfServers, nil},
		{"no release of MySQL or MariaDB whose options are known has an option %s: the server does not start", helpOfServers, nil},
		{"; it counts because innodb_redo_log_capacity is not set, and is deprecated since MySQL 8.0.30", mysqlRedo, nil},
		{"%s %s does not have %s for %s: the server does not start", valuesOfServers, nil},
		{"%s %s does not have the plugin %s: the server does not start", valuesOfServers, nil},
		{"%s=%s is not a valid value of a Boolean option: the server takes OFF", valuesOfServers, nil},
		{"%s=%s is outside of what the server accepts: it takes %d", valuesOfServers, nil},
		{"%s=%s is outside of what %s %s, the newest release that tare knows, accepts: it takes %d", valuesOfServers, nil},
		{"%s %s, the newest release that tare knows, does not have %s for %s and does not start", valuesOfServers, nil},
		{"%s=%s is not a number that the server reads: it does not start", measuredParser, nil},
		{"%s=%s is not a number that the server reads: it takes the smallest value that %s can have", measuredParser, nil},
		{"%s: the server does not start", measuredParser, nil},
		{"; MySQL has removed it in %s", releaseNotes57, nil},
		{" (accounts with mysql_native_password cannot log in: MySQL 9.0 has removed the plugin; ALTER USER ... IDENTIFIED WITH caching_sha2_password changes them before the upgrade)", nativePassword, nil},
		{" (accounts with mysql_native_password cannot log in: MySQL 8.4 does not load the plugin by default; mysql_native_password=ON does)", nativePassword, nil},
		{"%s %s does not have the character set %s: the server does not start", collationsOfServers, nil},
		{"%s %s does not have the collation %s: the server does not start", collationsOfServers, nil},
		{"the collation %s does not belong to the character set %s (character_set_server): the server does not start", collationsOfServers, nil},
		{"; MariaDB has those with 0900 from 11.4.5 on", mariadbCollations, nil},
		{"The server does not start. A pod is in CrashLoopBackOff.", measuredParser, nil},
		{"Such a release does not start. A pod is in CrashLoopBackOff.", valuesOfServers, nil},
		{"%s is not the full name of an option: MySQL does not start with it, and MariaDB takes it for %s", measuredPrefixes, nil},
		{"MySQL does not start. MariaDB does not start either from a release on that has two such options.", measuredPrefixes, nil},
		{"A later release that has another option of this beginning does not start.", measuredPrefixes, nil},
		{"%s %s has had no public fixes since %s", oracleLifetime, nil},
		{"%s %s is a short-term series, and a later one has replaced it", mariadbPolicy, nil},
	}
}

// unsourced are phrases that state no fact of their own: they say from where a value is, which the table of defaults
// holds with its sources, or which file is missing.
func unsourced() []string {
	return []string{
		"%s starts the server, and ConfigMap %s does not have it", "no KubeletConfiguration in the files", "the claim uses the cluster's default StorageClass",
		"the image's tag %s can be any of several releases, and the default of %s differs", "the server's version is unknown, and with it the default of %s",
		"tare does not know the default of %s in %s %s", "the server computes the default of %s", "the default of %s %s",
		"the default of %s %s, the newest release that tare knows", "the default of every release of %s %s", "the default of every release of %s",
		"the default of every release of MySQL and MariaDB",
		"errors that remain: %d; --fix changes only what is certain, and a server may not start with the others",
	}
}

// saysOfServer is text of findings that says what a server or a node does, beside what statesFact finds.
var saysOfServer = regexp.MustCompile(`does not start|may not start|does not know|does not have|fixes since|short-term|a node allows|takes (OFF|the smallest)|it takes %d$|of the other product`)

// TestPhrasesHaveTheirSource: every phrase of the source that states a fact is in the register, and what it holds is
// so.
func TestPhrasesHaveTheirSource(t *testing.T) {
	said := phrasesOfSource(t)
	all := assertions()
	for english, where := range said {
		if (statesFact.MatchString(english) || saysOfServer.MatchString(english)) && !slices.Contains(unsourced(), english) && !slices.ContainsFunc(all, func(a asserted) bool { return a.says == english }) {
			t.Errorf("%s: %q states a fact, which the register does not have", where, english)
		}
	}
	for _, english := range unsourced() {
		if _, ok := said[english]; !ok {
			t.Errorf("no rule says %q", english)
		}
	}
	for _, a := range all {
		where, ok := said[a.says]
		if !ok {
			t.Errorf("no rule says %q", a.says)
			continue
		}
		if a.source == "" {
			t.Errorf("%s: %q has no source", where, a.says)
		}
		id := ruleOf(where)
		if r, ok := Find(id); ok && !slices.Contains(r.Sources, a.source) {
			t.Errorf("%s: the page of %s does not have the source of %q", where, id, a.says)
		}
		for _, c := range a.holds {
			c.check(t, statement{rule: id, says: a.says})
		}
	}
}

// ruleOf is the rule whose file a place is in: "k_mem_12.go:35:9" is K-MEM-12.
func ruleOf(where string) string {
	name, _, _ := strings.Cut(where, ".")
	return strings.ToUpper(strings.ReplaceAll(name, "_", "-"))
}
