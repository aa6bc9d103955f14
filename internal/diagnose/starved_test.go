package diagnose

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

// TestStarvedElsewhere: a server whose threads were not read waits for its neighbours where its
// container has no CPU request, others use most of a node without idle CPUs, and its statements
// took longer than all that is timed. Each condition alone, just met and just not, decides.
func TestStarvedElsewhere(t *testing.T) {
	// A transaction of a hundred a second: the server used 0.5 CPUs and others 1.3 of two, of
	// which 5 % were idle; statements took 1.2 s a second.
	full := nums{"cgroup.cpu.usage_ns": 5e6, "host.cpu.user_ns": 16e6, "host.cpu.system_ns": 2e6, "host.cpu.idle_ns": 1e6, "mysql.statements.time_ns": 12e6}
	for name, c := range map[string]struct {
		each   nums // values that replace those of full
		shares string
		want   Verdict
		says   string
	}{
		"as it is":                      {nil, "2", Confirmed, "statements waited 1.4 s per CPU-second"},
		"with a CPU request":            {nil, "3", Unknown, "3 CPU shares"},
		"shares of a later version":     {nil, "weight", Unknown, "was not read"},
		"no shares":                     {nil, "", Unknown, "was not read"},
		"no idle CPU":                   {nums{"host.cpu.idle_ns": 1.9e6}, "2", Confirmed, "90 % of the node's"},
		"an idle CPU":                   {nums{"host.cpu.idle_ns": 2.1e6}, "2", Unknown, "90 % of the node's"},
		"others use more than it":       {nums{"cgroup.cpu.usage_ns": 8.9e6, "mysql.statements.time_ns": 40e6}, "2", Confirmed, "other processes used 0.91"},
		"others use less than it":       {nums{"cgroup.cpu.usage_ns": 9.1e6, "mysql.statements.time_ns": 40e6}, "2", Unknown, "of the node used 0.89"},
		"waits for more than it runs":   {nums{"mysql.statements.time_ns": 10.1e6}, "2", Confirmed, "waited 1.0 s"},
		"waits for less than it runs":   {nums{"mysql.statements.time_ns": 9.9e6}, "2", Unknown, "was not read"},
		"some of it commits":            {nums{"mysql.commit.time_ns": 1.9e6}, "2", Confirmed, "waited 1.0 s"},
		"most of it commits":            {nums{"mysql.commit.time_ns": 2.1e6}, "2", Unknown, "was not read"},
		"some of it row locks":          {nums{"mysql.innodb_row_lock_time": 1.9}, "2", Confirmed, "waited 1.0 s"},
		"most of it row locks":          {nums{"mysql.innodb_row_lock_time": 2.1}, "2", Unknown, "was not read"},
		"most of it table locks":        {nums{"mysql.statements.lock_ns": 2.1e6}, "2", Unknown, "was not read"},
		"most of it reads of data":      {nums{"mysql.file.data.read_ns": 2.1e6}, "2", Unknown, "was not read"},
		"fsyncs that no commit has":     {nums{"mysql.file.redo.sync_ns": 0.4e6, "mysql.file.binlog.sync_ns": 0.3e6}, "2", Unknown, "was not read"},
		"hardly an fsync":               {nums{"mysql.file.redo.sync_ns": 0.5e6}, "2", Confirmed, "waited 1.4 s"},
		"fsyncs of commits":             {nums{"mysql.file.redo.sync_ns": 1e6, "mysql.commit.time_ns": 1.2e6}, "2", Confirmed, "waited 1.2 s"},
		"all of it timed":               {nums{"mysql.commit.time_ns": 20e6}, "2", Unknown, "was not read"},
		"throttled":                     {nums{"cgroup.cpu.nr_periods": .1, "cgroup.cpu.nr_throttled": .04}, "2", Unknown, "C-CPU-01"},
		"hardly throttled":              {nums{"cgroup.cpu.nr_periods": .1, "cgroup.cpu.nr_throttled": .0001}, "2", Confirmed, "statements waited"},
		"did not run":                   {nums{"cgroup.cpu.usage_ns": 0}, "2", Unknown, "was not read"},
		"the machine was not read":      {nums{"host.cpu.idle_ns": -1}, "2", Unknown, "was not read"},
		"its cgroup was not read":       {nums{"cgroup.cpu.usage_ns": -1}, "2", Unknown, "was not read"},
		"its statements were not read":  {nums{"mysql.statements.time_ns": -1}, "2", Unknown, "was not read"},
		"half of the machine was read":  {nums{"host.cpu.system_ns": -1}, "2", Unknown, "was not read"},
		"the machine did nothing":       {nums{"host.cpu.user_ns": 0, "host.cpu.system_ns": 0, "host.cpu.idle_ns": 0}, "2", Unknown, "was not read"},
		"its own threads used them all": {nums{"host.cpu.user_ns": 3e6, "host.cpu.idle_ns": .1e6}, "2", Unknown, "of the node used 0.00"},
	} {
		t.Run(name, func(t *testing.T) {
			each := with(full, c.each)
			maps.DeleteFunc(each, func(_ string, v float64) bool { return v < 0 }) // not read
			o := observed(t, "{target: kubernetes}", nil)
			o.Arm = seenBy{each: each, facts: said{keys.WatchedLive: "true", keys.ServerCPUShares: c.shares}}.arm("x")
			all := observe(cCPU03(), o)
			if len(all) != 1 || all[0].Verdict != c.want || !strings.Contains(all[0].Says, c.says) {
				t.Errorf("%+v, want %s with %q", all, c.want, c.says)
			}
		})
	}
}

// TestStarvedElsewhereMariaDB: a MariaDB that does not time the fsyncs of its redo log may wait for those, so that its
// statements' time says nothing of CPUs.
func TestStarvedElsewhereMariaDB(t *testing.T) {
	each := nums{"cgroup.cpu.usage_ns": 5e6, "host.cpu.user_ns": 16e6, "host.cpu.system_ns": 2e6, "host.cpu.idle_ns": 1e6, "mysql.statements.time_ns": 12e6}
	for sync, want := range map[float64]Verdict{-1: Unknown, 0: Confirmed} { // not timed; 10.5, which has the instrument
		each := with(each, nums{"mysql.file.redo.sync_ns": sync})
		maps.DeleteFunc(each, func(_ string, v float64) bool { return v < 0 })
		o := observed(t, "{target: kubernetes}", nil)
		o.Arm = seenBy{each: each, facts: said{keys.WatchedLive: "true", keys.ServerCPUShares: "2", keys.MySQLVariablePrefix + "version": "10.11.19-MariaDB"}}.arm("x")
		if all := observe(cCPU03(), o); len(all) != 1 || all[0].Verdict != want {
			t.Errorf("fsyncs of %.0f ns: %+v, want %s", sync, all, want)
		}
	}
}

// TestDurabilityMariaDB: MariaDB from 10.8 on counts the fsyncs of its redo log with those of data files, and the
// finding says so. MySQL's counter of all files is not taken in its place.
func TestDurabilityMariaDB(t *testing.T) {
	server := func(version, trx string, each nums) seenBy {
		return seenBy{each: each, facts: said{keys.MySQLVariablePrefix + "version": version, keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": trx, keys.MySQLVariablePrefix + "log_bin": "OFF"}}
	}
	for version, want := range map[string]Verdict{"10.11.19-MariaDB-0+deb12u1": Confirmed, "9.7.4-2": Unknown} {
		o := observed(t, "{target: container}", nil)
		o.Arm = server(version, "1", nums{"mysql.innodb_data_fsyncs": 0.96}).arm("pod")
		o.Base = server(version, "2", nums{"mysql.innodb_data_fsyncs": 0.04}).arm("bare")
		all := observe(mDUR01(), o)
		if len(all) != 1 || all[0].Verdict != want || want == Confirmed && !strings.Contains(all[0].Says, "0.96 fsyncs of logs and data files per transaction, 0.04 there") {
			t.Errorf("%s: %+v, want %s", version, all, want)
		}
	}
}

// TestBinlogSyncsMariaDB: the counters of a MariaDB without performance_schema show nothing of the binary log's fsyncs, so
// that nothing is said of sync_binlog alone; of another setting the finding says that they are left out.
func TestBinlogSyncsMariaDB(t *testing.T) {
	server := func(trx, sync string, fsyncs float64) seenBy {
		return seenBy{each: nums{"mysql.innodb_data_fsyncs": fsyncs}, facts: said{keys.MySQLVariablePrefix + "version": "10.11.19-MariaDB", keys.MySQLVariablePrefix + "innodb_doublewrite": "ON",
			keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": trx, keys.MySQLVariablePrefix + "sync_binlog": sync, keys.MySQLVariablePrefix + "log_bin": "ON"}}
	}
	for name, c := range map[string]struct {
		arm, base seenBy
		want      Verdict
		says      string
	}{
		"sync_binlog, nearly the same": {server("1", "1", 0.72), server("1", "0", 0.73), Unknown, "without readings of the number of binary log fsyncs"},
		"sync_binlog, apart by chance": {server("1", "1", 0.62), server("1", "0", 0.73), Unknown, "without readings of the number of binary log fsyncs"},
		"both":                         {server("1", "1", 0.96), server("2", "0", 0.04), Confirmed, "0.96 fsyncs of the redo log and data files per transaction, 0.04 there, without those of the binary log"},
	} {
		o := observed(t, "{target: container}", nil)
		o.Arm, o.Base = c.arm.arm("pod"), c.base.arm("bare")
		if all := observe(mDUR01(), o); len(all) != 1 || all[0].Verdict != c.want || !strings.Contains(all[0].Says, c.says) {
			t.Errorf("%s: %+v, want %s with %q", name, all, c.want, c.says)
		}
	}
}

// TestStarvedAgainstBaseline: eight threads on two CPUs wait for each other, also in the
// baseline. A neighbour is the cause only of what the arm surely waits longer, by an interval over
// the rounds: a wait that is twice as long in one round and shorter in another is chance.
func TestStarvedAgainstBaseline(t *testing.T) {
	waits := func(name string, ratios ...float64) *compare.Arm {
		a := &compare.Arm{Name: name, Threads: 8}
		for i, ratio := range ratios {
			fact := func(key, phase string, v float64) record.Fact {
				return record.Fact{Key: key, Phase: phase, Value: strconv.FormatFloat(v, 'f', 0, 64)}
			}
			a.Trials = append(a.Trials, &record.Trial{
				Header: record.Header{Round: i + 1}, End: &record.End{Outcome: record.Measured},
				Window: &record.Window{Seconds: 1, Counts: record.Counts{Transactions: 100}},
				Facts:  []record.Fact{fact(ran, "start", 0), fact(waited, "start", 0), fact(ran, "end", 1e10), fact(waited, "end", ratio*1e10)},
			})
			run, wait := 0.0, 0.0
			for range a.Trials {
				run, wait = run+1e10, wait+ratio*1e10
			}
			a.Evidence = []compare.Evidence{{Key: ran, Change: run}, {Key: waited, Change: wait}}
		}
		return a
	}
	for name, c := range map[string]struct {
		mine, theirs []float64
		want         Verdict
	}{
		"no wait there":  {[]float64{2.1, 2, 2.2}, []float64{0, 0, 0}, Confirmed},
		"twice":          {[]float64{8.2, 8, 8.4}, []float64{4.1, 4, 4.2}, Confirmed},
		"surely longer":  {[]float64{4.5, 4.4, 4.6}, []float64{4.1, 4, 4.2}, Confirmed},
		"the same":       {[]float64{4.1, 4, 4.2}, []float64{4.1, 4.2, 4}, Unknown},
		"by chance":      {[]float64{9, 3, 4.1}, []float64{4.1, 4.1, 4.1}, Unknown},
		"shorter":        {[]float64{3, 3.1, 2.9}, []float64{4.1, 4, 4.2}, Unknown},
		"a single round": {[]float64{8}, []float64{4}, Unknown},
	} {
		o := observed(t, "{target: container, qos: BestEffort, neighbour: {cpu: 100m}}", nil)
		o.Arm, o.Base = waits("x", c.mine...), waits("bare", c.theirs...)
		if all := observe(cCPU03(), o); len(all) != 1 || all[0].Verdict != c.want {
			t.Errorf("%s: %+v, want %s", name, all, c.want)
		}
	}
}

// TestClientFault: the reason is made of the figures of the record; an older record has the
// engine's sentence alone.
func TestClientFault(t *testing.T) {
	for name, c := range map[string]struct {
		facts said
		want  string
	}{
		"quota":  {said{"load.invalid_code": "quota", "load.throttled_s": "1.58"}, "the CPU quota of the load generator stopped it for 1.58 s of 10.00 s; more than 1 % of the time makes latencies too long"},
		"busy":   {said{"load.invalid_code": "busy", "load.busiest_loop": "0.934"}, "a thread of the load generator was on a CPU or waited for one for 93 % of the window, and above 90 % it reads answers late"},
		"late":   {said{"load.invalid_code": "late", "load.lateness_p99_ms": "3.25"}, "1 % of the operations were sent more than 3.250 ms after they were due, which is too late for the latencies that they had"},
		"older":  {said{"load.invalid": "its quota held it up"}, "its quota held it up"},
		"newest": {said{"load.invalid_code": "another", "load.invalid": "another reason"}, "another reason"},
	} {
		trial := seenBy{facts: c.facts}.arm("x").Trials[0]
		if got := clientFault(trial, facts(trial)).String(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	trial := seenBy{facts: said{"load.invalid_code": "quota", "load.invalid": "its quota held it up"}}.arm("x").Trials[0]
	trial.Window = nil // it ended before
	if got := clientFault(trial, facts(trial)).String(); got != "its quota held it up" {
		t.Errorf("without a window: %q", got)
	}
}
