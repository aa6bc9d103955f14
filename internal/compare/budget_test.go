package compare

import (
	"maps"
	"math"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// spending is a trial of 100 transactions/s of so many milliseconds each, whose
// counters grew by this much for each transaction.
func spending(round int, ms float64, each map[string]float64) *record.Trial {
	first, last := map[string]float64{}, map[string]float64{}
	t := &record.Trial{
		Header: record.Header{Round: round}, End: &record.End{Outcome: record.Measured},
		Window: &record.Window{Seconds: 10, Counts: record.Counts{Transactions: 1000}, Latency: &record.Latency{Mean: ms}},
	}
	for name, v := range each {
		t.Metrics = append(t.Metrics, record.Metric{Name: name, Counter: true})
		first[name], last[name] = 7, 7+1000*v
	}
	t.Samples = []record.Sample{{Values: record.ValuesOf(first)}, {At: 10 * time.Second, Values: record.ValuesOf(last)}}
	return t
}

func parts(b *Budget) map[string]float64 {
	all := map[string]float64{}
	for _, p := range b.Parts {
		all[p.Name] = p.Milliseconds
	}
	return all
}

// TestBudget: the parts are those that went into the counters, and add up.
func TestBudget(t *testing.T) {
	counters := map[string]float64{
		"server.session.run_ns": 2e6, "server.session.wait_ns": 3e6, "cgroup.cpu.throttled_ns": 1e6, // 0.1 s of each second
		"mysql.innodb_row_lock_time": 1, "mysql.file.data.read_ns": 0.5e6,
		"mysql.statements.time_ns": 9e6, "mysql.commit.time_ns": 2e6,
	}
	b := budget(watch([]*record.Trial{spending(1, 12, counters), spending(2, 12, counters)}))
	got, sum := parts(b), 0.0
	for name, want := range map[string]float64{
		SpentCPU: 2, SpentThrottled: 1.2, SpentWaiting: 1.8, SpentLock: 1, SpentRead: 0.5, SpentLog: 2, SpentRest: 0.5, SpentNetwork: 3,
	} {
		if math.Abs(got[name]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
		sum += got[name]
	}
	if math.Abs(sum-12) > 1e-9 || b.Mean.Milliseconds != 12 {
		t.Errorf("the parts add up to %v of %v", sum, b.Mean.Milliseconds)
	}
	// What background threads read beside a transaction is not part of it.
	counters["mysql.file.data.read_ns"] = 500e6
	if got := parts(budget(watch([]*record.Trial{spending(1, 12, counters)}))); math.Abs(got[SpentRead]-6) > 1e-9 || math.Abs(got[SpentNetwork]) > 1e-9 {
		t.Errorf("reads of other threads: %v", got)
	}
	counters["mysql.file.data.read_ns"] = 0.5e6
	// A server whose timers ran while it was frozen: what its statements took is not known, in none
	// of the arm's trials.
	frozen := maps.Clone(counters)
	frozen["mysql.statements.time_ns"], frozen["mysql.commit.time_ns"] = 40e6, 30e6
	got = parts(budget(watch([]*record.Trial{spending(1, 12, counters), spending(2, 12, frozen)})))
	if v := got[SpentRestNetwork]; math.Abs(v-5.5) > 1e-9 || len(got) != 6 {
		t.Errorf("timers of a frozen server: %v", got)
	}
	// Without performance_schema what is in the server and what is not cannot be told apart.
	delete(counters, "mysql.statements.time_ns")
	got = parts(budget(watch([]*record.Trial{spending(1, 12, counters)})))
	if v := got[SpentRest+", "+SpentNetwork]; math.Abs(v-5.5) > 1e-9 {
		t.Errorf("%v", got)
	}
	// MariaDB's userstat times statements and neither commits nor reads, which are then in the rest.
	counters["mysql.busy_time"], counters["mysql.innodb_buffer_pool_reads"] = 9e-3, 0.1
	delete(counters, "mysql.file.data.read_ns")
	delete(counters, "mysql.commit.time_ns")
	got = parts(budget(watch([]*record.Trial{spending(1, 12, counters)})))
	if _, reads := got[SpentRead]; reads || math.Abs(got[SpentLogRest]-3) > 1e-9 || math.Abs(got[SpentNetwork]-3) > 1e-9 {
		t.Errorf("by userstat: %v", got)
	}
	delete(counters, "server.session.run_ns")
	if b := budget(watch([]*record.Trial{spending(1, 12, counters)})); b != nil {
		t.Errorf("a budget without the sessions' times: %+v", b)
	}
}

// TestBudgetOfStatements: where the latency is the time of statements in the server, no part of it is the network's.
func TestBudgetOfStatements(t *testing.T) {
	counters := map[string]float64{
		"server.session.run_ns": 2e6, "server.session.wait_ns": 3e6, "mysql.innodb_row_lock_time": 1, "mysql.statements.time_ns": 12e6, "mysql.commit.time_ns": 2e6,
	}
	trial := spending(1, 12, counters)
	trial.Facts = []record.Fact{{Key: "watched.timed", Value: "statement"}}
	got, sum := parts(budget(watch([]*record.Trial{trial}))), 0.0
	for _, ms := range got {
		sum += ms
	}
	if network := parted(got, SpentNetwork, SpentRestNetwork); network[SpentNetwork] || network[SpentRestNetwork] || math.Abs(sum-12) > 1e-9 || math.Abs(got[SpentRest]-4) > 1e-9 {
		t.Errorf("%v", got)
	}
}

// TestBudgetOfPreparedCommits: MariaDB counts no COMMIT that is executed as a prepared statement, so that 0 is not what
// commits take; MySQL counts it.
func TestBudgetOfPreparedCommits(t *testing.T) {
	counters := map[string]float64{"server.session.run_ns": 2e6, "mysql.statements.time_ns": 9e6, "mysql.commit.time_ns": 0, "mysql.com_stmt_execute": 20}
	for version, want := range map[string]string{"10.11.19-MariaDB-0+deb12u1": SpentLogRest, "9.7.4-2": SpentLog} {
		trial := spending(1, 12, counters)
		trial.Facts = []record.Fact{{Key: "mysql.variable.version", Value: version}}
		if got := parts(budget(watch([]*record.Trial{trial}))); !maps.Equal(map[string]bool{SpentLog: want == SpentLog, SpentLogRest: want == SpentLogRest}, parted(got, SpentLog, SpentLogRest)) {
			t.Errorf("%s: %v, want %s", version, got, want)
		}
	}
	counters["mysql.com_stmt_execute"] = 0
	trial := spending(1, 12, counters)
	trial.Facts = []record.Fact{{Key: "server.flavour", Value: record.MariaDB}}
	if got := parts(budget(watch([]*record.Trial{trial}))); !parted(got, SpentLog)[SpentLog] {
		t.Errorf("a MariaDB without prepared statements: %v", got)
	}
}

// TestBudgetOfAutocommit: where statements commit by themselves, the time of the statement COMMIT is not that of commits. The
// fsyncs of background threads beside transactions that only read change nothing.
func TestBudgetOfAutocommit(t *testing.T) {
	for name, c := range map[string]struct {
		commits, synced float64
		want            string
	}{
		"autocommit": {0, 4e6, SpentLogRest},
		"COMMIT":     {4.2e6, 4e6, SpentLog},
		"COMMIT, of which another reads at its end": {3.9e6, 4e6, SpentLog},
		"reads": {0, 0.1e6, SpentLog},
	} {
		trial := spending(1, 12, map[string]float64{"server.session.run_ns": 2e6, "mysql.statements.time_ns": 9e6, "mysql.commit.time_ns": c.commits, "mysql.file.redo.sync_ns": c.synced / 2, "mysql.file.binlog.sync_ns": c.synced / 2})
		trial.Facts = []record.Fact{{Key: "mysql.variable.version", Value: "9.7.4"}}
		if got := parts(budget(watch([]*record.Trial{trial}))); !parted(got, c.want)[c.want] {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

func parted(parts map[string]float64, names ...string) map[string]bool {
	all := map[string]bool{}
	for _, name := range names {
		_, all[name] = parts[name]
	}
	return all
}

// TestBudgetAgainst: a part explains its share of what is longer, and nothing
// where nothing is longer for certain.
func TestBudgetAgainst(t *testing.T) {
	trial := func(round int, wait float64) *record.Trial {
		return spending(round, 5+wait, map[string]float64{"server.session.run_ns": 1e6, "server.session.wait_ns": wait * 1e6, "cgroup.cpu.throttled_ns": 1e9})
	}
	base := budget(watch([]*record.Trial{trial(1, 0), trial(2, 0.1), trial(3, 0)}))
	arm := budget(watch([]*record.Trial{trial(1, 4), trial(2, 4.2), trial(3, 4.1)}))
	arm.against(base, stopping{})
	if ratio, in, ok := arm.Share(SpentThrottled); !ok || math.Abs(ratio-1) > 0.01 || in.Lo < 0.9 || in.Hi > 1.1 {
		t.Errorf("%v %v %v", ratio, in, ok)
	}
	if ratio, _, ok := arm.Share(SpentCPU); !ok || math.Abs(ratio) > 0.01 {
		t.Errorf("the CPU explains %v of it (%v)", ratio, ok)
	}
	base.against(base, stopping{})
	if _, _, ok := base.Share(SpentThrottled); ok {
		t.Error("a share of nothing")
	}
	// A part that grew by more than the whole, because another shrank, explains all of it.
	b := &Budget{Mean: Spent{Interval: &Interval{9, 11}, Changes: map[int]float64{1: 9.8, 2: 10, 4: 10.2}}, Parts: []Spent{
		{Name: SpentWaiting, Changes: map[int]float64{1: 10.9, 2: 11, 4: 11.1}}, {Name: SpentNetwork, Changes: map[int]float64{1: -1.1, 2: -1, 4: -0.9}},
	}}
	if ratio, in, ok := b.Share(SpentWaiting); !ok || math.Abs(ratio-1.1) > 1e-9 || in.Lo < 1.05 || in.Hi > 1.15 {
		t.Errorf("more than all of it: %v %v %v", ratio, in, ok)
	}
	if ratio, in, ok := b.Share(SpentNetwork); !ok || math.Abs(ratio+0.1) > 1e-9 || in.Lo < -0.2 || in.Hi > 0 {
		t.Errorf("less than nothing of it: %v %v %v", ratio, in, ok)
	}
	b.Mean.Changes = map[int]float64{1: 9.8}
	if _, _, ok := b.Share(SpentWaiting); ok {
		t.Error("a share of one round")
	}
	if _, _, ok := (*Budget)(nil).Share(SpentCPU); ok {
		t.Error("a share without a budget")
	}
}

// TestBudgetOfManyRows: where a statement counts as many transactions, its latency is that of the
// statement, and so are its parts.
func TestBudgetOfManyRows(t *testing.T) {
	const rows = 100
	counters := map[string]float64{ // for each row
		"server.session.run_ns": 2e6 / rows, "server.session.wait_ns": 1e6 / rows, "mysql.statements.time_ns": 9e6 / rows, "mysql.commit.time_ns": 2e6 / rows,
	}
	trial := spending(1, 12, counters)
	trial.Window.Latency.Histogram = &record.Histogram{Counts: [][2]int64{{12e6, 1000 / rows}}}
	got := parts(budget(watch([]*record.Trial{trial})))
	for name, want := range map[string]float64{SpentCPU: 2, SpentWaiting: 1, SpentLog: 2, SpentRest: 4, SpentNetwork: 3} {
		if math.Abs(got[name]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// TestBudgetThrottledOnManyCPUs: the kernel sums over CPUs for how long a quota held up their run
// queues. A session waits in one of them, and where few sessions are at work, the others are empty.
func TestBudgetThrottledOnManyCPUs(t *testing.T) {
	counters := map[string]float64{"server.session.run_ns": 2e6, "server.session.wait_ns": 90e6, "cgroup.cpu.throttled_ns": 8e6} // 0.8 s of each second
	for _, c := range []struct {
		allowed          string
		threads, working int
		want             float64
	}{
		{"0-3", 16, 16, 160 * 0.8 / 4}, {"0,2", 16, 16, 160 * 0.8 / 2}, {"0-63", 16, 16, 8},
		{"0-63", 64, 16, 8},  // an open loop, or connections of a pool
		{"", 16, 16, 90},     // of unknown CPUs, no more than they waited
		{"0-3", 16, 1, 8},    // all that was throttled
		{"0-3", 16, 2, 8},    //
		{"0-3", 16, 8, 16.0}, //
	} {
		trial := spending(1, 10*float64(c.working), counters)
		trial.Header.Threads = c.threads
		trial.Facts = []record.Fact{{Key: "server.cpus_allowed", Value: c.allowed, Phase: "start"}}
		if got := parts(budget(watch([]*record.Trial{trial}))); math.Abs(got[SpentThrottled]-c.want) > 1e-9 || math.Abs(got[SpentWaiting]-(90-c.want)) > 1e-9 {
			t.Errorf("CPUs %q, %d threads, %d at work: %v, want %v throttled", c.allowed, c.threads, c.working, got, c.want)
		}
	}
}

// TestShareOfDependentRounds: a part that grows from round to round has a wider share than the same rounds in another
// order, and after a pilot it is as wide as the interval after a pilot.
func TestShareOfDependentRounds(t *testing.T) {
	share := func(s stopping, waits ...float64) float64 {
		b := &Budget{Mean: Spent{Interval: &Interval{9, 11}, Changes: map[int]float64{}}, Parts: []Spent{{Name: SpentWaiting, Changes: map[int]float64{}}}, stopping: s}
		for i, w := range waits {
			b.Mean.Changes[i+1], b.Parts[0].Changes[i+1] = 10, w
		}
		_, in, ok := b.Share(SpentWaiting)
		if !ok {
			t.Fatal("no share")
		}
		return in.Hi - in.Lo
	}
	ordered, shuffled := []float64{4.0, 4.1, 4.2, 4.3, 4.4, 4.5, 4.6, 4.7}, []float64{4.3, 4.6, 4.0, 4.4, 4.1, 4.7, 4.2, 4.5}
	fixed := stopping{rule: experiment.Fixed}
	if grows, stands := share(fixed, ordered...), share(fixed, shuffled...); !(grows > 2*stands) {
		t.Errorf("widths %v and %v", grows, stands)
	}
	imported := stopping{imported: true, rule: experiment.Fixed}
	if grows, stands := share(imported, ordered...), share(imported, shuffled...); math.Abs(grows-stands) > 1e-9 {
		t.Errorf("imported: widths %v and %v", grows, stands)
	}
	if pilot, stands := share(stopping{rule: experiment.Pilot, pilot: 4}, shuffled...), share(fixed, shuffled...); !(pilot > 1.1*stands) {
		t.Errorf("after a pilot: widths %v and %v", pilot, stands)
	}
}
