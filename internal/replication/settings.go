// Package replication makes running servers the members of one replicated MySQL database, and reads their state.
package replication

import (
	"cmp"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/option"
)

// The modes of replication.
const (
	// Async is a source with replicas: a transaction is committed when the source has it.
	Async = "async"
	// SemiSync is the same with the plugin for semisynchronous replication: the source
	// waits until a replica has written the transaction to its relay log.
	SemiSync = "semisync"
	// Group is MySQL Group Replication: a majority of the members has received the
	// transaction and its order before it is committed.
	Group = "group"
	// Galera is MariaDB Galera Cluster: every member has received and certified it.
	Galera = "galera"
)

// Who takes writes.
const (
	OneWriter  = "one"
	AllWriters = "all"
	// AllReaders spreads a load that only reads over all members.
	OneReader  = "one"
	AllReaders = "all"
)

// galeraFailover is after how long without an answer another member of a Galera cluster takes
// the writes, unless the settings say otherwise: what a proxy does, as the cluster itself has
// no primary. Three checks of 2 s are HAProxy's default (inter, fall); one of 2 s is enough
// where nothing but tare asks.
const galeraFailover = 2 * time.Second

// The numbers of members that are possible. Group Replication takes 9 at most (MySQL
// Reference Manual, "Group Replication Limitations"); the same holds for the others, so
// that modes can be compared.
const (
	minMembers     = 2
	maxMembers     = 9
	defaultMembers = 3
)

// Settings are the replication: block of an arm.
type Settings struct {
	Mode string `yaml:"mode"`
	// Members are all servers, the one that the load goes to included; 0 is 3.
	Members int `yaml:"members"`
	// Writers are the members that take writes: "one", the first, or "all"; "" is one.
	// With "all", the connections of the load are spread over all members.
	Writers string `yaml:"writers"`
	// Readers are the members that a load goes to which only reads: "one", the primary, or
	// "all"; "" is one.
	Readers string `yaml:"readers"`
	// Failover is after how long without an answer of the primary tare makes another member
	// the primary; 0: of async and semisync never, of galera after 2 s. A group elects a
	// primary by itself.
	Failover experiment.Duration `yaml:"failover"`
	// Proxy is "haproxy" where the load goes through one; "": it goes to the members.
	Proxy string `yaml:"proxy"`
}

// HAProxy is the proxy that there is.
const HAProxy = "haproxy"

// Defaulted fills in what was left out.
func (s Settings) Defaulted() Settings {
	s.Members, s.Writers = cmp.Or(s.Members, defaultMembers), cmp.Or(s.Writers, OneWriter)
	s.Readers = cmp.Or(s.Readers, OneReader)
	if s.Mode == Galera {
		s.Failover = cmp.Or(s.Failover, experiment.Duration(galeraFailover))
	}
	return s
}

// MostFrozen is the longest time for which all members may be stopped together. Each of them
// has a timer for the answers of the others, which goes on meanwhile.
func (s Settings) MostFrozen() time.Duration {
	return map[string]time.Duration{
		// A replica connects again after replica_net_timeout (slave_net_timeout), 60 s.
		Async: 30 * time.Second,
		// A commit waits for a replica for rpl_semi_sync_source_timeout, 10 s.
		SemiSync: 8 * time.Second,
		// A member is suspected after 5 s (MySQL Reference Manual, "Responses to Failure
		// Detection and Network Partitioning").
		Group: 4 * time.Second,
		// Members without faults have longer timeouts than by default: calmGalera.
		Galera: 15 * time.Second,
	}[s.Mode]
}

// Wrong is what is wrong with one field.
type Wrong struct {
	Field string // as in the arm: "replication.mode"
	Err   error
}

// wrongs collects them.
type wrongs []Wrong

func (w *wrongs) add(field, format string, args ...any) {
	*w = append(*w, Wrong{"replication." + field, fmt.Errorf(format, args...)})
}

// Contradictions are all settings that no server could have.
func (s Settings) Contradictions() []Wrong {
	var all wrongs
	_, known := modes()[s.Mode]
	switch {
	case s.Mode == "":
		all.add("mode", "write one of %s", modeNames())
	case !known:
		all.add("mode", "%.40q is not a mode of replication; write one of %s", s.Mode, modeNames())
	}
	if s.Members != 0 && (s.Members < minMembers || s.Members > maxMembers) {
		all.add("members", "%d is out of range; write %d to %d", s.Members, minMembers, maxMembers)
	}
	switch s.Writers {
	case "", OneWriter:
	case AllWriters:
		if s.Mode == Async || s.Mode == SemiSync {
			all.add("writers", "replicas of mode %s apply the writes of their source only; write writers: one, or mode: group", s.Mode)
		}
	default:
		all.add("writers", "%.40q is not known; write one or all", s.Writers)
	}
	if s.Readers != "" && s.Readers != OneReader && s.Readers != AllReaders {
		all.add("readers", "%.40q is not known; write one or all", s.Readers)
	}
	if s.Proxy != "" && s.Proxy != HAProxy {
		all.add("proxy", "%.40q is not known; write haproxy", s.Proxy)
	} else if s.Proxy != "" && (s.Writers == AllWriters || s.Readers == AllReaders) {
		all.add("proxy", "the proxy passes the load on to the first member; leave it out, or writers and readers")
	}
	switch {
	case s.Failover == 0:
	case s.Mode == Group:
		all.add("failover", "a group elects its primary by itself; leave it out, or set group_replication_member_expel_timeout in config")
	case s.Failover.Std() < time.Second:
		all.add("failover", "%v is too short to tell a primary that failed from a busy one; write 1s or longer", s.Failover)
	}
	return all
}

// Check says why servers from these files cannot replicate in this mode. Files that are
// not known yet are not complained of.
func (s Settings) Check(d mysqld.Distribution) []Wrong {
	var all wrongs
	if s.Proxy == HAProxy {
		if _, err := exec.LookPath("haproxy"); err != nil {
			all.add("proxy", "find haproxy: %w; install it (apt install haproxy), or leave proxy out", err)
		}
	}
	m, known := modes()[s.Mode]
	if !known || d.Server == "" {
		return all
	}
	switch {
	case m.needs == mysqld.MySQL && d.Flavour != mysqld.MySQL:
		all.add("mode", "mode %s requires MySQL 8.0.26 or later, and the server is MariaDB; write mode: async or semisync, or name a MySQL in database", s.Mode)
	case m.needs == mysqld.MariaDB && d.Flavour != mysqld.MariaDB:
		all.add("mode", "mode %s requires MariaDB with the Galera library, and the server is MySQL; write mode: group, or name a MariaDB in database", s.Mode)
	case d.Flavour == mysqld.MySQL && d.Version != mysqld.Unknown && !d.AtLeast(8, 0, 26):
		all.add("mode", "replication requires MySQL 8.0.26 or later, and the server is %s", d.Version)
	case m.missing != nil:
		if err := m.missing(d); err != nil {
			all.add("mode", "%w", err)
		}
	}
	return all
}

// CheckConfig says which options an experiment may not set: those that differ from member
// to member, and those without which there is no replication.
func (s Settings) CheckConfig(config map[string]string) []Wrong {
	var all []Wrong
	for _, name := range slices.Sorted(maps.Keys(config)) {
		value := config[name]
		plain := option.VariableName(name)
		why, taken := taken()[plain]
		if why == "" || !taken {
			continue
		}
		if plain == "gtid_mode" || plain == "enforce_gtid_consistency" || plain == "log_bin" {
			if !strings.EqualFold(value, "OFF") && value != "0" {
				continue
			}
		}
		all = append(all, Wrong{"config." + name, fmt.Errorf("an arm with replication cannot set it: %s", why)})
	}
	return all
}

// taken are the options that are tare's in a replicated database, with the reason.
func taken() map[string]string {
	const each, without, order = "every member has a value of its own", "members replicate by their binary logs and GTIDs", "tare sets it in the order in which the members join"
	return map[string]string{
		"server_id": each, "server_uuid": each, "report_host": each, "report_port": each,
		"gtid_mode": without, "enforce_gtid_consistency": without, "log_bin": without, "skip_log_bin": without, "disable_log_bin": without,
		"read_only": order, "super_read_only": order,
		"group_replication_group_name": each, "group_replication_local_address": each, "group_replication_group_seeds": each,
		"group_replication_start_on_boot": order, "group_replication_bootstrap_group": order, "group_replication_single_primary_mode": "it follows from writers",
		"rpl_semi_sync_source_enabled": each, "rpl_semi_sync_replica_enabled": each, "rpl_semi_sync_master_enabled": each, "rpl_semi_sync_slave_enabled": each,
		"wsrep_cluster_address": each, "wsrep_node_address": each, "wsrep_provider": each, "wsrep_on": each, "wsrep_sst_method": each,
	}
}
