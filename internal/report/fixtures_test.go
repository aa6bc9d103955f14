package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
)

// fixture is a run directory under testdata/runs, written by -runs.
type fixture struct {
	name string
	yaml string
	// level is the throughput of an arm at a second of a round.
	level func(arm string, threads, round, second int) float64
	facts func(arm string) []record.Fact
	// end changes how a trial ended; nil leaves it measured.
	end func(p experiment.Trial) *record.End
	// stop is the number of the first trial that was not done; 0 for none. The one
	// before it is cut off.
	stop int
	// disturbed names the gate that stops an attempt at a trial, "" for none; rounds that
	// the budget pays for are run again.
	disturbed func(p experiment.Trial, attempt int) string
	// rate is the fixed rate of load.latency, 0 for none.
	rate float64
}

const head = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: %s}
database:
  rootfs: /var/lib/tare/mysql-9.7
  config: {innodb_buffer_pool_size: 256M}
data: {tables: 4, rows: 20000}
load: {workload: oltp_read_only, threads: %s}
protocol: {rounds: %d, warmup: 5s, measure: 20s, margin: 1%%, seed: 7, aa: false}
baseline: bare
arms:
%s`

const claims = `hypotheses:
  - {claim: costs slower, arm: costs, expect: slower}
  - {claim: within faster, arm: within, expect: faster}
  - {claim: unclear alike, arm: unclear, expect: equivalent}
`

const qos = `  bare:
    target: process
    neighbour: {cpu: 1}
  besteffort:
    target: container
    qos: BestEffort
    neighbour: {cpu: 1}
  guaranteed:
    target: container
    qos: Guaranteed
    cpu: max
    neighbour: {cpu: 1}
`

func fixtures() []fixture {
	arms := ""
	for _, name := range []string{"bare", "costs", "gains", "within", "equivalent", "unclear", "other-server"} {
		arms += "  " + name + ": {target: process}\n"
	}
	return []fixture{
		{name: "demo", yaml: fmt.Sprintf(head, "qos-on-two-cores", "8", 6, qos), level: demoLevel, facts: qosFacts},
		{name: "starved", yaml: fmt.Sprintf(head, "starved", "8", 6, qos), level: demoLevel, facts: qosFacts, end: starve},
		{name: "unfinished", yaml: fmt.Sprintf(head, "unfinished", "8", 6, qos), level: demoLevel, facts: qosFacts, stop: 11},
		{name: "verdicts", yaml: fmt.Sprintf(head, "every-verdict", "8", 8, arms) + claims, level: verdictLevel, facts: verdictFacts},
		{name: "layers", yaml: layersYAML(), level: layersLevel, facts: layersFacts},
		{name: "busy", yaml: fmt.Sprintf(head, "busy", "8", 6, qos), level: demoLevel, facts: func(arm string) []record.Fact { return append(qosFacts(arm), busyFacts()...) }},
		{name: "voids", yaml: fmt.Sprintf(head, "two-rounds-again", "8", 8, qos), level: demoLevel, facts: qosFacts, disturbed: disturb},
		{name: "rate", yaml: strings.Replace(fmt.Sprintf(head, "latency-at-a-rate", "8", 6, qos), "threads: 8", "threads: 8, latency: {rate: 60%}", 1), level: demoLevel, facts: qosFacts, rate: 780},
		{name: "saturation", yaml: fmt.Sprintf(head, "saturation", "[1, 4, 16, 64]", 3, "  bare: {target: process}\n  wide: {target: process}\n"), level: saturationLevel, facts: func(string) []record.Fact { return hostFacts() }},
		{name: "levels", yaml: fmt.Sprintf(head, "two-levels-of-load", "[4, 16]", 3, qos), level: demoLevel, facts: qosFacts},
	}
}

// layersYAML is an attribution: a container, then quota and network on top of it,
// and a pod that the three should add up to.
func layersYAML() string {
	return fmt.Sprintf(strings.Replace(head, "aa: false", "aa: true", 1), "layer-by-layer", "8", 6, "  bare: {target: process}\n  pod: {target: container, qos: Guaranteed, cpu: 1}\n") + `attribute:
  from: bare
  to: pod
  layers:
    container: {target: container, qos: BestEffort}
    quota: {qos: Guaranteed, cpu: 1}
    network: {network: {plugin: bridge}}
  after: {quota: container, network: container}
`
}

func layersLevel(arm string, _, round, _ int) float64 {
	base := 2000 * (1 + 0.02*math.Sin(float64(round)))
	wobble := 1 + 0.004*(float64((round*5+3*len(arm))%8)/8-0.45)
	quota, network := strings.Contains(arm, "quota"), strings.Contains(arm, "network")
	switch {
	case arm == "pod":
		return base * 0.9 * wobble
	case quota && network:
		return base * 0.905 * wobble
	case quota:
		return base * 0.938 * wobble
	case network:
		return base * 0.97 * wobble
	}
	return base * wobble
}

func layersFacts(string) []record.Fact { return hostFacts() }

func demoLevel(arm string, threads, round, second int) float64 {
	drift := 1 + 0.03*math.Sin(float64(round))
	base := 2400 * drift * math.Sqrt(float64(threads)/8)
	switch arm {
	case "besteffort":
		if (second+3*round)%9 < 3 {
			return 0.82 * base
		}
		return 0.41 * base
	case "guaranteed":
		return 0.93 * base
	}
	return base
}

// saturationLevel saturates one arm at about four threads and the other at none of the levels.
func saturationLevel(arm string, threads, round, _ int) float64 {
	n := float64(threads)
	if arm == "wide" {
		return 150 * n / (1 + n/200) * (1 + 0.02*math.Sin(float64(round)))
	}
	return 2400 * n / (n + 3) * (1 + 0.02*math.Sin(float64(round)))
}

func verdictLevel(arm string, _, round, _ int) float64 {
	wobble := float64((round*5)%8)/8 - 0.45
	base := 2000 * (1 + 0.02*math.Sin(float64(round)))
	switch arm {
	case "costs":
		return base * (0.9 + 0.02*wobble)
	case "gains":
		return base * (1.06 + 0.02*wobble)
	case "within":
		return base * (0.995 + 0.002*wobble)
	case "equivalent":
		return base * (1 + 0.004*wobble)
	case "unclear":
		return base * (0.97 + 0.12*wobble)
	}
	return base
}

func verdictFacts(arm string) []record.Fact {
	value := "1"
	if arm == "other-server" {
		value = "2"
	}
	return append(hostFacts(), record.Fact{Key: "mysql.variable.innodb_flush_log_at_trx_commit", Value: value, Source: "SHOW GLOBAL VARIABLES", Phase: "start"})
}

func hostFacts() []record.Fact {
	var facts []record.Fact
	for _, f := range [][3]string{
		{"host.cpu.count", "2", "sched_getaffinity(2)"}, {"host.cpu.model", "Example CPU 2.60GHz", "/proc/cpuinfo"},
		{"host.kernel", "6.1.0-27-amd64", "/proc/sys/kernel/osrelease"}, {"host.memory.thp", "madvise", "/sys/kernel/mm/transparent_hugepage/enabled"},
		{"server.flavour", "mysql", "/usr/sbin/mysqld"}, {"server.version", "mysqld Ver 9.7.0", "/usr/sbin/mysqld"},
		{"server.sha256", "5f0c2e6d3a", "/usr/sbin/mysqld"}, {"data.sha256", "c0ffee", "all files of the prepared data directory"},
		{"data.filesystem", "ext4", "statfs"}, {"mysql.variable.innodb_buffer_pool_size", "268435456", "SHOW GLOBAL VARIABLES"},
	} {
		facts = append(facts, record.Fact{Key: f[0], Value: f[1], Source: f[2], Phase: "start"})
	}
	return facts
}

func qosFacts(arm string) []record.Fact {
	facts := hostFacts()
	add := func(key, value, phase string) {
		facts = append(facts, record.Fact{Key: key, Value: value, Source: "/sys/fs/cgroup/" + key, Phase: phase})
	}
	add("neighbour.cpu", "1", "start")
	wait := map[string]string{"bare": "2000000000", "besteffort": "61000000000", "guaranteed": "3100000000"}[arm]
	add("server.run_ns", "400000000", "start")
	add("server.run_ns", "30400000000", "end")
	add("server.runqueue_wait_ns", "0", "start")
	add("server.runqueue_wait_ns", wait, "end")
	switch arm {
	case "bare":
		add("cgroup.own.cpu.shares", "1024", "start")
		facts = append(facts, record.Fact{Key: "mysql.variable.innodb_read_io_threads", Value: "4", Phase: "start"})
		return facts
	case "besteffort":
		add("cgroup.pod.cpu.shares", "2", "start")
		add("cgroup.pod.cpu.cfs_quota_us", "-1", "start")
		add("cgroup.pod.memory.limit_in_bytes", "9223372036854771712", "start")
	case "guaranteed":
		add("cgroup.pod.cpu.shares", "2048", "start")
		add("cgroup.pod.cpu.cfs_quota_us", "200000", "start")
		add("cgroup.pod.cpu.cfs_period_us", "100000", "start")
		add("cgroup.pod.memory.limit_in_bytes", "1073741824", "start")
		add("cgroup.pod.cpu.stat.nr_periods", "12", "start")
		add("cgroup.pod.cpu.stat.nr_throttled", "1", "start")
		add("cgroup.pod.cpu.stat.nr_periods", "262", "end")
		add("cgroup.pod.cpu.stat.nr_throttled", "21", "end")
	}
	return append(facts, record.Fact{Key: "mysql.variable.innodb_read_io_threads", Value: "2", Phase: "start"})
}

func starve(p experiment.Trial) *record.End {
	switch {
	case p.Arm == "besteffort":
		return &record.End{Outcome: record.NotReady, Reason: record.NoAnswer.Say("1m0s")}
	case p.Arm == "guaranteed" && p.Round == 2:
		return &record.End{Outcome: record.Starved, Reason: record.NothingCommitted.Say("20")}
	}
	return nil
}

// write makes the run directory.
func (f fixture) write(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	e, err := experiment.Parse("experiment.yaml", []byte(f.yaml))
	if err != nil {
		t.Fatal(err)
	}
	plan := experiment.NewPlan(e)
	if f.rate > 0 {
		if plan, err = plan.FixRate(f.rate); err != nil {
			t.Fatal(err)
		}
	}
	if err := record.Create(dir, e, plan); err != nil {
		t.Fatal(err)
	}
	for _, p := range plan.Trials {
		if f.stop > 0 && p.Number >= f.stop {
			return
		}
		f.trial(t, dir, p, 1)
	}
	f.repeat(t, dir, plan)
}

func (f fixture) trial(t *testing.T, dir string, p experiment.Trial, attempt int) {
	t.Helper()
	started := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC).Add(time.Duration(p.Number) * 31 * time.Second)
	if attempt > 1 {
		started = started.Add(time.Duration(attempt-1) * 20 * time.Minute)
	}
	s, err := record.CreateStream(record.TrialDir(dir, p), record.Header{
		Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads, Started: started, Engine: "sysbench 1.0.20", Tare: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	write := func(l record.Line) {
		if err := s.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	facts := f.facts(p.Arm)
	if f.disturbed != nil {
		facts = append(facts, gateFacts(f.disturbed(p, attempt))...)
	}
	for _, fact := range facts {
		write(record.Line{Fact: &fact})
	}
	end := record.End{Outcome: record.Measured, Duration: 29 * time.Second}
	if f.end != nil {
		if other := f.end(p); other != nil {
			other.Duration = time.Minute
			if err := s.Close(*other); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	window := f.measure(p, write)
	write(record.Line{Window: &window})
	if f.rate > 0 {
		write(record.Line{AtRate: f.atRate(p)})
	}
	if f.stop > 0 && p.Number == f.stop-1 {
		if err := s.Abort(); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := s.Close(end); err != nil {
		t.Fatal(err)
	}
}

func (f fixture) measure(p experiment.Trial, write func(record.Line)) record.Window {
	rng := rand.New(rand.NewPCG(uint64(p.Number), uint64(p.Threads)))
	w := record.Window{Seconds: 20}
	for second := 1; second <= 25; second++ {
		tps := f.level(p.Arm, p.Threads, p.Round, second)
		if second <= 5 {
			tps *= 0.5 + 0.1*float64(second)
		}
		tps = language.Round(tps*(1+0.006*rng.NormFloat64()), 2)
		ms := language.Round(1500*float64(p.Threads)/tps, 2)
		write(record.Line{Interval: &record.Interval{
			End: float64(second), Length: 1, Warmup: second <= 5, Threads: p.Threads,
			Transactions: tps, Queries: 16 * tps, Reads: 14 * tps, Other: 2 * tps, Percentile: 95, Latency: ms, Coarse: f.coarse(tps, ms),
		}})
		if second > 5 {
			w.Counts.Transactions += int64(tps)
		}
	}
	mean := 1000 * float64(p.Threads) * w.Seconds / float64(w.Counts.Transactions)
	w.Latency = timed("sysbench-1024", mean, w.Counts.Transactions)
	return w
}

// timed are so many latencies with a mean, in ms: one heap with a long tail.
func timed(scheme string, mean float64, transactions int64) *record.Latency {
	l := &record.Latency{Min: 0.8, Mean: language.Round(mean, 2), Max: language.Round(mean*9, 2), Histogram: &record.Histogram{Scheme: scheme}}
	for i := -20; i <= 60; i++ {
		value := int64(mean * 1e6 * math.Pow(1.0182, float64(4*i)))
		share := math.Exp(-float64(i*i) / 260)
		if i > 0 {
			share = math.Exp(-float64(i) / 7)
		}
		if n := int64(share * float64(transactions) / 30); n > 0 {
			l.Histogram.Counts = append(l.Histogram.Counts, [2]int64{value, n})
		}
	}
	return l
}

// atRate is the window at the fixed rate: a queue of one server, whose time is that of a transaction of the
// closed loop.
func (f fixture) atRate(p experiment.Trial) *record.AtRate {
	rng := rand.New(rand.NewPCG(uint64(p.Number), 1<<8))
	capacity := f.level(p.Arm, p.Threads, p.Round, 10) * (1 + 0.01*rng.NormFloat64())
	due := int64(20 * f.rate)
	return &record.AtRate{Rate: f.rate, Outcome: record.Measured, Seconds: 20, Counts: record.Counts{Transactions: due - 2}, Due: due,
		Latency: timed("hdr-3", 1000/(capacity-f.rate)+3, due-2), Lateness: 0.1}
}

// coarse is a second of the first fixture: one heap, and beside a neighbour a second
// one, of requests that waited for a turn on the CPU. sysbench tells nothing of it.
func (f fixture) coarse(tps, ms float64) *record.Coarse {
	if f.name != "demo" {
		return nil
	}
	var counts [record.CoarseBuckets]int64
	for i := -6; i <= 14; i++ {
		share := math.Exp(-float64(i*i)/7) / 4.6
		if i > 6 && tps < 1500 {
			share = 0.03
		}
		counts[record.CoarseBucket(int64(ms/2*1e6))+i] = int64(share * tps)
	}
	return record.NewCoarse(counts[:])
}

// writeImport makes a run directory of the seconds that were published in 2019.
func writeImport(t *testing.T, dir string) {
	t.Helper()
	series := []struct {
		arm   string
		first int
		tps   []float64
	}{
		{"bare-metal", 607, []float64{22154.20, 22247.80, 21984.01}},
		{"besteffort", 605, []float64{10561.88, 10552.00, 10566.00, 10581.08, 12873.80, 20196.89, 18033.21, 11444.08, 10597.96, 10566.00, 10640.07, 10579.04}},
		{"guaranteed", 883, []float64{20320.06, 20908.89, 20529.03, 17567.75, 18036.82, 18398.23, 18402.90, 19428.12, 19848.69, 20457.28}},
	}
	i := record.Import{Format: "sysbench", Baseline: "bare-metal", Margin: 0.01}
	for n, s := range series {
		i.Files = append(i.Files, record.ImportedFile{Arm: s.arm, File: s.arm + ".log"})
		i.Trials = append(i.Trials, experiment.Trial{Number: n + 1, Round: 1, Slot: n + 1, Arm: s.arm, Threads: 56})
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := record.CreateImport(dir, i); err != nil {
		t.Fatal(err)
	}
	for n, s := range series {
		st, err := record.CreateStream(record.TrialDir(dir, i.Trials[n]), record.Header{Trial: n + 1, Round: 1, Slot: n + 1, Arm: s.arm, Threads: 56, Engine: "sysbench"})
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		for k, v := range s.tps {
			sum += v
			if err := st.Write(record.Line{Interval: &record.Interval{End: float64(s.first + k), Length: 1, Threads: 56, Transactions: v, Percentile: 95, Latency: 2.6}}); err != nil {
				t.Fatal(err)
			}
		}
		w := record.Window{Seconds: float64(len(s.tps)), Counts: record.Counts{Transactions: int64(math.Round(sum))}, Partial: true, Rate: sum / float64(len(s.tps))}
		if err := st.Write(record.Line{Window: &w}); err != nil {
			t.Fatal(err)
		}
		if err := st.Close(record.End{Outcome: record.Measured}); err != nil {
			t.Fatal(err)
		}
	}
}

// updateRuns writes the run directories again.
func updateRuns(t *testing.T) {
	t.Helper()
	for _, f := range fixtures() {
		f.write(t, filepath.Join("testdata", "runs", f.name))
	}
	writeImport(t, filepath.Join("testdata", "runs", "imported"))
}
