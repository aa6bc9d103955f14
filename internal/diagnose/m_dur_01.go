package diagnose

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
)

func mDUR01() Rule {
	return Rule{
		ID: "M-DUR-01", Title: "Durability settings differ from the baseline", Severity: Error,
		What: "With innodb_flush_log_at_trx_commit=1 and sync_binlog=1, a commit waits for two fsyncs. With other values it may be lost when the machine " +
			"fails. Two servers with different settings give different guarantees, so the comparison measures durability, not where they run. " +
			"Replication does not make up for it: a copy on another member and an fsync protect from different failures.",
		Impact:   "Up to several times the commit latency at low concurrency; the comparison of the two configurations is not valid.",
		Fix:      "Use the same settings in both configurations. Which ones depends on how much data may be lost; the tool does not decide that.",
		Sources:  []string{mysqlBinlog, mysqlInnoDB, kubeblocks2023, measured},
		Counters: []string{keys.MySQLInnoDBOSLogFsyncs, keys.MySQLFileBinlogSyncCount},
		Run:      syncedDifferently,
	}
}

// syncedDifferently wants the difference in the settings and in what was counted.
func syncedDifferently(o *Observed) []Finding {
	if o.Base == nil {
		return withoutBaseline(o)
	}
	differ, same := differentDurability(o)
	if len(same) == 0 {
		if f, missing := unreadDurability(o); missing {
			return list(f)
		}
		if differs(o, "sync_binlog") {
			return list(ruledOut("sync_binlog differs from %s, and neither server writes a binary log", o.Base.Name))
		}
		return list(ruledOut("same durability settings as %s", o.Base.Name))
	}
	counter := logSyncs(o.Arm)
	mine, ok := each(o.Arm, counter)
	theirs, ok2 := each(o.Base, counter)
	if !ok || !ok2 {
		return uncounted(differ, term("the number of log fsyncs"))
	}
	binlog, ok := binlogSyncs(o.Arm)
	there, ok2 := binlogSyncs(o.Base)
	known := ok && ok2
	if known {
		mine, theirs = mine+binlog, theirs+there
	}
	apart := apart(counter, mine, theirs)
	switch {
	case !known && (onlySyncBinlog(same) || !apart && (differs(o, "sync_binlog") || differs(o, "log_bin"))):
		return uncounted(differ, term("the number of binary log fsyncs (performance_schema)"))
	case counter != keys.MySQLInnoDBOSLogFsyncs && known:
		differ = differ.and(": %.2f fsyncs of logs and data files per transaction, %.2f there", mine, theirs)
	case counter != keys.MySQLInnoDBOSLogFsyncs:
		differ = differ.and(": %.2f fsyncs of the redo log and data files per transaction, %.2f there, without those of the binary log, which were not counted", mine, theirs)
	case known:
		differ = differ.and(": %.2f log fsyncs per transaction, %.2f there", mine, theirs)
	default:
		differ = differ.and(": %.2f redo log fsyncs per transaction, %.2f there", mine, theirs)
	}
	if !apart {
		if slices.ContainsFunc(same, func(s string) bool { return strings.HasPrefix(s, "innodb_doublewrite") }) {
			return list(differ.is(Unknown).and("; what the doublewrite buffer writes is not in this number"))
		}
		return list(differ.is(RuledOut).and(", so neither writes more often"))
	}
	if here, there := members(o.Arm), members(o.Base); here != there {
		differ = differ.and("; members: %d here, %d in %s; a copy on another member is not the same guarantee as an fsync", here, there, o.Base.Name)
	}
	differ = differ.is(Confirmed).fix("use the same durability settings in both configurations")
	if mine > theirs {
		differ = differ.change("{config: {%s}}", strings.Join(same, ", ")).explains(o, compare.SpentLog)
	}
	return list(differ)
}

// uncounted is the finding of settings that differ where what they cause was not counted: the report has the settings,
// and is not to look as if they were missing.
func uncounted(differ Finding, name Phrase) []Finding {
	f := differ.is(Unknown).and("; without readings of %s it is not known whether one writes more often", name)
	f.unread = true
	return list(f)
}

// durability are the settings that decide which commits a server may lose.
func durability() []string {
	return []string{"innodb_flush_log_at_trx_commit", "sync_binlog", "innodb_doublewrite", "log_bin"}
}

// unreadDurability says which of them is not known of both arms.
func unreadDurability(o *Observed) (f Finding, missing bool) {
	for _, name := range durability() {
		if _, ok := fact(o.Arm, keys.MySQLVariablePrefix+name); !ok {
			return notRead("no readings of %s", verbatim(name)), true
		}
		if _, ok := fact(o.Base, keys.MySQLVariablePrefix+name); !ok {
			return notRead("no readings of %s in %s", verbatim(name), o.Base.Name), true
		}
	}
	return Finding{}, false
}

// differentDurability are the durability settings in which the two differ, and the options that
// would make them alike.
func differentDurability(o *Observed) (Finding, []string) {
	var differ Finding
	var same []string
	for _, name := range durability() {
		if !differs(o, name) || name == "sync_binlog" && !logsBinary(o.Arm) && !logsBinary(o.Base) {
			continue
		}
		mine, _ := fact(o.Arm, keys.MySQLVariablePrefix+name)
		theirs, _ := fact(o.Base, keys.MySQLVariablePrefix+name)
		if len(same) > 0 {
			differ = differ.and(", ")
		}
		differ = differ.and("%s is %s here and %s in %s", name, mine, theirs, o.Base.Name)
		same = append(same, asOption(o.Spec, name, theirs)...)
	}
	return differ, same
}

// logsBinary says whether an arm's server writes a binary log; an arm of which that is not known may.
func logsBinary(arm *compare.Arm) bool {
	value, ok := fact(arm, keys.MySQLVariablePrefix+"log_bin")
	return !ok || value != "0" && !strings.EqualFold(value, "off")
}

// differs is whether a variable is known of both arms and is not the same.
func differs(o *Observed, name string) bool {
	mine, ok := fact(o.Arm, keys.MySQLVariablePrefix+name)
	theirs, ok2 := fact(o.Base, keys.MySQLVariablePrefix+name)
	return ok && ok2 && mine != theirs
}

// asOption is a variable's value as an experiment sets it: log_bin is read as ON or OFF, and as an option
// it takes the name of a file.
func asOption(arm experiment.Arm, name, value string) []string {
	switch {
	case name != "log_bin":
		return []string{name + ": " + value}
	case value == "0" || strings.EqualFold(value, "off"):
		return []string{`skip_log_bin: ""`}
	}
	return append(withoutBinlog(arm), "log_bin: binlog")
}

// withoutBinlog takes the arm's own options away that switch the binary log off: of both the
// server obeys the last, and the option file has log_bin before skip_log_bin.
func withoutBinlog(arm experiment.Arm) (removed []string) {
	for _, name := range slices.Sorted(maps.Keys(arm.Config)) {
		switch strings.ReplaceAll(name, "-", "_") {
		case "skip_log_bin", "disable_log_bin":
			removed = append(removed, name+": null")
		}
	}
	return removed
}

// counted is how many log fsyncs per transaction are a difference.
const counted = 0.01

// countedWithData is the part of the larger number from which on it is one where fsyncs of data files, which depend on
// what the page cleaner does, are in the counter: two arms with the same settings differ by 1 to 3 % (MariaDB 10.11).
const countedWithData = 0.1

func apart(counter string, mine, theirs float64) bool {
	least := counted
	if counter == keys.MySQLInnoDBDataFsyncs {
		least = max(counted, countedWithData*max(mine, theirs))
	}
	return math.Abs(mine-theirs) >= least
}

// onlySyncBinlog says that nothing else differs: the other counters show nothing of it.
func onlySyncBinlog(same []string) bool {
	return !slices.ContainsFunc(same, func(s string) bool { return !strings.HasPrefix(s, "sync_binlog:") })
}

// logSyncs is the counter of the redo log's fsyncs. MariaDB removed it in 10.8; what it has left counts those of data
// files as well (measured with 10.11.19, 11.4.5 and 11.8.9: with innodb_flush_log_at_trx_commit=1 it grows by one for
// each write of the log).
func logSyncs(arm *compare.Arm) string {
	if _, ok := arm.Counter(keys.MySQLInnoDBOSLogFsyncs); !ok && isMariaDB(arm) {
		return keys.MySQLInnoDBDataFsyncs
	}
	return keys.MySQLInnoDBOSLogFsyncs
}

// members of the arm's database, which is one where nothing replicates it.
func members(arm *compare.Arm) int {
	for _, key := range []string{keys.OperatorMembers, keys.ReplicationMembers} {
		if text, ok := fact(arm, key); ok {
			if n, err := strconv.Atoi(text); err == nil && n > 0 {
				return n
			}
		}
	}
	return 1
}

// binlogSyncs are those of the binary log for each transaction. Only performance_schema counts them,
// which may be off; a server without a binary log has none.
func binlogSyncs(arm *compare.Arm) (float64, bool) {
	if v, ok := each(arm, keys.MySQLFileBinlogSyncCount); ok {
		return v, true
	}
	has, ok := fact(arm, keys.MySQLVariablePrefix+"log_bin")
	return 0, ok && manifest.IsOff(has)
}
