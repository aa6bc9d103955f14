package diagnose

import (
	"math"
	"testing"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// TestWordsOfWatched: a watched server's findings are in the unit of the report's head, and say what is missing there
// rather than of a run.
func TestWordsOfWatched(t *testing.T) {
	watched := func(more said) said {
		all := said{keys.WatchedLive: "true", keys.WatchedUnit: "statement"}
		for key, v := range more {
			all[key] = v
		}
		return all
	}
	for name, c := range map[string]struct {
		rule   Rule
		saw    seenBy
		en, zh string
	}{
		"the unit": {cNET05(), seenBy{each: nums{"mysql.connections": 0.001}, facts: watched(nil)},
			"0.0010 new connections per statement, 0.10/s", "每条语句 0.0010 个新连接，每秒 0.10 个"},
		"a probe that could not start": {cCPU06(), seenBy{facts: watched(said{"probe.host.cpu": "lost: permission denied"})},
			"no readings of the CPU time of the machine: permission denied", "没有读数：本机的 CPU 时间（permission denied）"},
		"a server that lacks it": {cIO04(), seenBy{facts: watched(nil)},
			"no readings of the checkpoint age: the server does not provide this reading", "没有读数：checkpoint age（服务器不提供该读数）"},
		"performance_schema": {cBP01(), seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 2, "mysql.innodb_buffer_pool_read_requests": 300}, facts: watched(said{keys.MySQLVariablePrefix + "performance_schema": "OFF"})},
			"no readings of the time of data file reads (performance_schema): performance_schema is off on the server", "没有读数：数据文件的读取时间（performance_schema）（服务器关闭了 performance_schema）"},
	} {
		o := observed(t, "{target: container}", nil)
		o.Arm, o.Base = c.saw.arm("x"), nil
		all := observe(c.rule, o)
		if len(all) != 1 || all[0].Says != c.en || Say(all[0].Phrases, "zh") != c.zh {
			t.Errorf("%s: %q, %q", name, all[0].Says, Say(all[0].Phrases, "zh"))
		}
	}
}

// TestNoneCompleted: a counter for each transaction is not one that the server lacks where no transaction completed.
func TestNoneCompleted(t *testing.T) {
	for _, c := range []struct {
		rule Rule
		key  string
	}{{cBP01(), keys.MySQLInnoDBBufferPoolReadRequests}, {cNET05(), keys.MySQLConnections}} {
		arm := seenBy{each: map[string]float64{c.key: math.NaN()}, rate: map[string]float64{c.key: 3}, facts: map[string]string{keys.WatchedLive: "true"}}.arm("x")
		o := observed(t, "{target: container}", nil)
		o.Arm, o.Base = arm, nil
		if all := observe(c.rule, o); len(all) != 1 || all[0].Says != "no transaction completed in the span" {
			t.Errorf("%s: %+v", c.rule.ID, all)
		}
	}
}

// TestNoBinaryLog: sync_binlog costs nothing, and is no difference in durability, where neither server has a binary log.
func TestNoBinaryLog(t *testing.T) {
	arm := func(sync, log string) seenBy {
		return seenBy{each: nums{"mysql.innodb_os_log_fsyncs": 0.5}, facts: said{
			keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": "1", keys.MySQLVariablePrefix + "innodb_doublewrite": "ON",
			keys.MySQLVariablePrefix + "sync_binlog": sync, keys.MySQLVariablePrefix + "log_bin": log,
		}}
	}
	o := observed(t, "{target: container}", nil)
	o.Arm, o.Base = arm("1", "OFF").arm("x"), arm("0", "OFF").arm("base")
	if all := observe(mDUR01(), o); len(all) != 1 || all[0].Verdict != RuledOut || all[0].Says != "sync_binlog differs from base, and neither server writes a binary log" {
		t.Errorf("%+v", all)
	}
	o.Arm, o.Base = arm("1", "ON").arm("x"), arm("0", "ON").arm("base")
	if all := observe(mDUR01(), o); len(all) != 1 || all[0].Verdict == RuledOut {
		t.Errorf("with a binary log: %+v", all)
	}
}

// TestFewTransactions: the share of an fsync in the time of one or two transactions is no cause.
func TestFewTransactions(t *testing.T) {
	arm := seenBy{facts: said{keys.WatchedLive: "true"}}.arm("x")
	for n, few := range map[int64]bool{1: true, FewestEnded - 1: true, FewestEnded: false} {
		arm.Trials = []*record.Trial{{Window: &record.Window{Counts: record.Counts{Transactions: n}}}}
		for _, f := range arm.Trials {
			f.Facts = []record.Fact{{Key: keys.WatchedLive, Value: "true"}}
		}
		if _, got := fewEnded(&Observed{Arm: arm}); got != few {
			t.Errorf("%d transactions: few %t", n, got)
		}
	}
}
