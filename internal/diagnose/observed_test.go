package diagnose

import (
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
)

// TestRulesOfCounters: each rule of the probes' counters fires, is silent and is unknown.
func TestRulesOfCounters(t *testing.T) {
	cases, base := counterCases()
	for _, c := range cases {
		o := observed(t, c.settings, nil)
		o.Arm, o.Base = c.saw.arm("x"), base.arm("bare")
		all := observe(c.rule, o)
		if len(all) != 1 || all[0].Verdict != c.want || all[0].Change != c.change || all[0].Says == "" {
			t.Errorf("%s %s: %+v, want %s %q", c.rule.ID, c.settings, all, c.want, c.change)
			continue
		}
		if all[0].Verdict == Confirmed && all[0].Fix == "" {
			t.Errorf("%s is confirmed and says not what to do", c.rule.ID)
		}
		if all[0].Change != "" {
			if _, err := o.Spec.Laid(all[0].Change); err != nil {
				t.Errorf("%s: %q is not a change of an arm: %v", c.rule.ID, all[0].Change, err)
			}
		}
	}
}

// TestDurabilityParity: a configuration that flushes less often than the baseline is as little
// comparable as one that flushes more often, and members do not make up for it.
func TestDurabilityParity(t *testing.T) {
	facts := func(trx, members string) said {
		return said{keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": trx, "operator.members": members}
	}
	each := func(syncs float64) nums { return nums{"mysql.innodb_os_log_fsyncs": syncs} }
	for _, c := range []struct {
		name       string
		arm, base  seenBy
		want       Verdict
		says       string
		hasAChange bool
	}{
		{"relaxed in the cluster", seenBy{each: each(0.02), facts: facts("0", "3")}, seenBy{each: each(0.9), facts: facts("1", "1")}, Confirmed, "members: 3 here, 1 in rds", false},
		{"relaxed in the baseline", seenBy{each: each(0.9), facts: facts("1", "1")}, seenBy{each: each(0.02), facts: facts("0", "3")}, Confirmed, "members: 1 here, 3 in rds", true},
		{"no member more", seenBy{each: each(0.02), facts: facts("0", "1")}, seenBy{each: each(0.9), facts: facts("1", "1")}, Confirmed, "0.02 redo log fsyncs per transaction, 0.90 there", false},
		{"nothing committed", seenBy{each: each(0), facts: facts("0", "3")}, seenBy{each: each(0.001), facts: facts("1", "1")}, RuledOut, "neither writes more often", false},
		{"not counted", seenBy{facts: facts("2", "1")}, seenBy{facts: facts("1", "1")}, Unknown, "innodb_flush_log_at_trx_commit is 2 here and 1 in rds; without readings of the number of log fsyncs it is not known", false},
		{"the baseline not read", seenBy{facts: facts("1", "1")}, seenBy{facts: said{"operator.members": "1"}}, Unknown, "no readings of innodb_flush_log_at_trx_commit in rds", false},
	} {
		o := observed(t, "{target: kubernetes, operator: perconaxtradbcluster}", nil)
		o.Arm, o.Base = c.arm.arm("pxc"), c.base.arm("rds")
		all := observe(mDUR01(), o)
		if len(all) != 1 || all[0].Verdict != c.want || !strings.Contains(all[0].Says, c.says) || (all[0].Change != "") != c.hasAChange {
			t.Errorf("%s: %+v", c.name, all)
		}
	}
}

// TestNumbersNotRead: a number that was not read is not in the sentence.
func TestNumbersNotRead(t *testing.T) {
	for _, c := range []struct {
		rule     Rule
		each     nums
		level    nums
		with     string
		readings nums
	}{
		{cNET04(), nums{"tcp.sent_segments": 20, "tcp.retransmitted": 0.2, "tcp.spurious": 0}, nil, "10.0 retransmission timeouts/s", nums{"tcp.timeouts": 0.1}},
		{cNET04(), nums{"tcp.sent_segments": 20, "tcp.retransmitted": 0.001}, nil, "0.00 spurious retransmissions/s", nums{"tcp.spurious": 0}},
		{kMEM09(), nil, nums{"cgroup.memory.huge_bytes": 400 << 20, "cgroup.memory.anonymous_bytes": 500 << 20}, "10.0 compaction stalls/s", nums{"host.compaction_stalls": 0.1}},
	} {
		for _, read := range []bool{true, false} {
			o, each := observed(t, "{target: container, network: {plugin: bridge}}", nil), with(nums{}, c.each)
			if read {
				each = with(each, c.readings)
			}
			o.Arm, o.Base = seenBy{each: each, level: c.level, facts: said{"container.namespace.net": "its own", "host.memory.thp": "always"}}.arm("x"), nil
			all := observe(c.rule, o)
			if len(all) != 1 || strings.Contains(all[0].Says, c.with) != read || !read && strings.Contains(all[0].Says, strings.TrimLeft(c.with, "0.1 ")) {
				t.Errorf("%s, read %v: %+v", c.rule.ID, read, all)
			}
		}
	}
}

// TestBinlogOfBaseline: a binary log as the baseline has it takes the options away that switch
// it off, in whichever spelling.
func TestBinlogOfBaseline(t *testing.T) {
	has := func(value string, syncs float64) seenBy {
		return seenBy{each: nums{"mysql.innodb_os_log_fsyncs": syncs}, facts: said{keys.MySQLVariablePrefix + "log_bin": value, keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": map[string]string{"ON": "2", "OFF": "1"}[value]}}
	}
	for settings, want := range map[string]string{
		"{target: container}": "{config: {innodb_flush_log_at_trx_commit: 2, log_bin: binlog}}",
		"{target: container, config: {skip_log_bin: \"\", sync_binlog: 1}}": "{config: {innodb_flush_log_at_trx_commit: 2, skip_log_bin: null, log_bin: binlog}}",
		"{target: container, config: {skip-log-bin: \"\"}}":                 "{config: {innodb_flush_log_at_trx_commit: 2, skip-log-bin: null, log_bin: binlog}}",
	} {
		o := observed(t, settings, nil)
		o.Arm, o.Base = has("OFF", 0.9).arm("x"), has("ON", 0.2).arm("bare")
		all := observe(mDUR01(), o)
		if len(all) != 1 || all[0].Change != want {
			t.Errorf("%s: %+v, want %s", settings, all, want)
			continue
		}
		laid, err := o.Spec.Laid(all[0].Change)
		if err != nil || strings.Contains(laid, "skip") {
			t.Errorf("%s: %s, %v", settings, laid, err)
		}
	}
}

// TestNoLarger: where nothing larger is proposed, the remedy says what to change instead, also
// in Chinese.
func TestNoLarger(t *testing.T) {
	misses := nums{"mysql.innodb_buffer_pool_reads": 12, "mysql.innodb_buffer_pool_read_requests": 300, "mysql.file.data.read_ns": 2.2e6}
	for _, c := range []struct {
		rule Rule
		saw  seenBy
		want string
		zh   string
	}{
		{cBP01(), seenBy{each: misses, level: nums{"cgroup.memory.limit_bytes": 1 << 30}, facts: said{keys.MySQLVariablePrefix + "innodb_buffer_pool_size": "268435456"}}, "raise the memory limit", "先提高内存 limit"},
		{cBP01(), seenBy{each: misses}, "increase innodb_buffer_pool_size", "增大 innodb_buffer_pool_size"},
		{cIO04(), seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 0.2}, level: nums{"mysql.redo_age": 13.6e9}, facts: said{keys.MySQLVariablePrefix + "innodb_redo_log_capacity": "17179869184"}}, "faster storage", "更快的存储：redo 日志已有 16 GiB"},
	} {
		o := observed(t, "{target: container}", nil)
		o.Arm, o.Base = c.saw.arm("x"), seenBy{}.arm("bare")
		if all := observe(c.rule, o); len(all) != 1 || all[0].Change != "" || !strings.Contains(all[0].Fix, c.want) || !strings.Contains(all[0].FixPhrase.In("zh"), c.zh) {
			t.Errorf("%s: %+v, want the fix %q, %q", c.rule.ID, all, c.want, c.zh)
		}
	}
}

// TestElsewhere: where nothing of the server's machine was read, a rule that needs it
// says why and one that asks the server alone does not.
func TestElsewhere(t *testing.T) {
	const why = "the server is on node n2; probeNamespace has a pod read there"
	for id, want := range map[string]string{
		"C-CPU-01": "cpu.stat of its cgroup was not read: " + why,
		"C-IO-01":  "no readings of the I/O of its cgroup: " + why,
		"C-IO-04":  "no readings of the checkpoint age: the run has no probes, or the machine or server does not provide it",
	} {
		for _, r := range Rules() {
			if r.ID != id {
				continue
			}
			o := observed(t, "{target: kubernetes}", nil)
			o.Arm = seenBy{facts: said{"probe.server.process": "lost: " + why}}.arm("x")
			if all := observe(r, o); len(all) != 1 || all[0].Verdict != Unknown || all[0].Says != want {
				t.Errorf("%s: %+v; want %q", id, all, want)
			}
			const late = "the last reading beside the server did not come: i/o timeout"
			o.Arm = seenBy{facts: said{"probe.missed": "lost: " + late}}.arm("x")
			if all := observe(r, o); len(all) != 1 || !strings.HasSuffix(all[0].Says, ": "+late) {
				t.Errorf("%s: %+v; want %q", id, all, late)
			}
		}
	}
	o := observed(t, "{target: kubernetes, node: n2, bare: true}", nil)
	o.Arm = seenBy{}.arm("x")
	for _, r := range []Rule{cCPU01(), cCPU03(), kMEM10()} {
		if all := observe(r, o); len(all) > 0 {
			t.Errorf("%s of a process in no pod: %+v", r.ID, all)
		}
	}
}

// TestEveryRunRuleHasCases: a rule without a case of each outcome fails, and so does one
// that is confirmed where nothing was read.
func TestEveryRunRuleHasCases(t *testing.T) {
	seen := map[string]map[Verdict]bool{}
	note := func(r Rule, v Verdict) {
		if seen[r.ID] == nil {
			seen[r.ID] = map[Verdict]bool{}
		}
		seen[r.ID][v] = true
	}
	counters, _ := counterCases()
	for _, c := range counters {
		note(c.rule, c.want)
	}
	for _, c := range evidenceCases() {
		note(c.rule, c.want)
	}
	for _, r := range Rules() {
		if r.Run == nil {
			continue
		}
		for _, v := range []Verdict{Confirmed, RuledOut, Unknown} {
			if !seen[r.ID][v] {
				t.Errorf("%s has no case that is %s", r.ID, v)
			}
		}
		if all := observe(r, &Observed{Arm: &compare.Arm{}, Spec: experiment.Arm{Target: "container"}}); len(all) > 0 && all[0].Verdict == Confirmed {
			t.Errorf("%s is confirmed by nothing: %+v", r.ID, all)
		}
	}
}

// TestShare: the share of a confirmed cause is of the budget, and says that it is
// an estimate.
func TestShare(t *testing.T) {
	o := observed(t, "{target: container, cpu: 500m}", map[string]float64{periods: 200, stopped: 180})
	o.Arm.Budget = &compare.Budget{
		Mean:  compare.Spent{Interval: &compare.Interval{Lo: 8, Hi: 12}, Changes: map[int]float64{1: 9, 2: 10, 3: 11}},
		Parts: []compare.Spent{{Name: compare.SpentThrottled, Changes: map[int]float64{1: 8, 2: 9, 3: 10}}},
	}
	f := observe(cCPU01(), o)[0]
	if f.Share == nil || math.Abs(f.Share.Ratio-0.9) > 1e-9 || !(f.Share.Lo < 0.9 && f.Share.Hi > 0.9) || !strings.Contains(f.Says, "estimate") || strings.Contains(f.Says, "became shorter") {
		t.Errorf("%+v %+v", f, f.Share)
	}
	o.Arm.Budget.Parts[0].Changes = map[int]float64{1: 10, 2: 11, 3: 12}
	if f := observe(cCPU01(), o)[0]; !strings.Contains(f.Says, "110 %") || strings.Contains(f.Says, "became shorter") {
		t.Errorf("more than all of it, and nothing became shorter: %+v", f)
	}
	o.Arm.Budget.Parts = append(o.Arm.Budget.Parts, compare.Spent{Name: compare.SpentRest, Changes: map[int]float64{1: -2, 2: -2, 3: -2}, Interval: &compare.Interval{Lo: -3, Hi: -1}},
		compare.Spent{Name: compare.SpentLock, Changes: map[int]float64{1: -1, 2: 1, 3: -1}, Interval: &compare.Interval{Lo: -2, Hi: 1}})
	if f := observe(cCPU01(), o)[0]; !strings.Contains(f.Says, "counters of parts overlap") || strings.Contains(f.Says, "became shorter") {
		t.Errorf("what is left over is shorter, and row locks by chance: %+v", f)
	}
	o.Arm.Budget.Parts[2].Interval.Hi = -0.5
	if f := observe(cCPU01(), o)[0]; !strings.Contains(f.Says, "110 %") || !strings.Contains(f.Says, "became shorter") {
		t.Errorf("more than all of it: %+v", f)
	}
	o.Arm.Budget.Mean.Interval.Lo = -1 // not longer for certain
	if f := observe(cCPU01(), o)[0]; f.Share != nil {
		t.Errorf("%+v", f.Share)
	}
}

// TestReadsBesideTransactions: what background threads read is not said to be a part of a
// transaction's time: of a cold server that was "720 % of its time".
func TestReadsBesideTransactions(t *testing.T) {
	for ns, want := range map[float64]string{
		2.2e6: "take 22 % of its time (2.20 of 10.00 ms)",
		72e6:  "data files are read for 72.00 ms per transaction of 10.00 ms, so background threads",
	} {
		arm := seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 12, "mysql.innodb_buffer_pool_read_requests": 300, "mysql.file.data.read_ns": ns}}.arm("pod")
		found := missing(&Observed{Arm: arm})
		if len(found) != 1 || found[0].Verdict != Confirmed || !strings.Contains(found[0].Says, want) {
			t.Errorf("%v ns: %+v", ns, found)
		}
	}
}

// TestReadsOfTheAdditionalTime: where most of a transaction is a wait for a CPU, page reads are a small part of
// it, and can be a large one of what it takes longer than the baseline's.
func TestReadsOfTheAdditionalTime(t *testing.T) {
	for _, c := range []struct {
		name                  string
		longer, reads, spread float64 // ms: of a transaction, of its reads, and what they differ by between rounds
		want                  Verdict
	}{
		{"a quarter of it", 2, 0.5, 0.01, Confirmed},
		{"a twentieth of it", 10, 0.5, 0.01, RuledOut},
		{"perhaps nothing", 2, 0.5, 0.5, RuledOut},
		{"not longer", 0, 0.5, 0.01, RuledOut},
	} {
		arm := seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 0.7, "mysql.innodb_buffer_pool_read_requests": 20, "mysql.file.data.read_ns": 0.5e6}}.arm("pod")
		arm.Budget = &compare.Budget{
			Mean:  compare.Spent{Interval: &compare.Interval{Lo: c.longer * 0.9, Hi: c.longer * 1.1}, Changes: map[int]float64{1: c.longer * 0.99, 2: c.longer, 3: c.longer * 1.01}},
			Parts: []compare.Spent{{Name: compare.SpentRead, Changes: map[int]float64{1: c.reads - c.spread, 2: c.reads, 3: c.reads + c.spread}}},
		}
		if found := missing(&Observed{Arm: arm}); len(found) != 1 || found[0].Verdict != c.want {
			t.Errorf("%s: %+v", c.name, found)
		}
	}
}
