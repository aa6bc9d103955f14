package report_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/page"
)

// large is a run of a day: with 20 arms in 16 rounds a trial has 270 seconds, of
// which the first 30 are the warm-up.
type large struct{ arms, rounds, warmup, measure, metrics int }

func day() large { return large{arms: 20, rounds: 16, warmup: 30, measure: 240, metrics: 200} }

func (l large) yaml() string {
	var arms strings.Builder
	for i := range l.arms {
		fmt.Fprintf(&arms, "  %s: {target: process}\n", l.arm(i))
	}
	return fmt.Sprintf(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: day}
database: {rootfs: /var/lib/tare/mysql-9.7}
data: {tables: 4, rows: 20000}
load: {workload: oltp_read_only, threads: 64}
protocol: {rounds: %d, warmup: %ds, measure: %ds, margin: 1%%, seed: 7, aa: false}
baseline: arm-00
arms:
%s`, l.rounds, l.warmup, l.measure, arms.String())
}

func (large) arm(i int) string { return fmt.Sprintf("arm-%02d", i) }

// write makes the run directory.
func (l large) write(t *testing.T, dir string) {
	t.Helper()
	f := fixture{yaml: l.yaml()}
	e, err := experiment.Parse("experiment.yaml", []byte(f.yaml))
	if err != nil {
		t.Fatal(err)
	}
	plan := experiment.NewPlan(e)
	if err := record.Create(dir, e, plan); err != nil {
		t.Fatal(err)
	}
	for _, p := range plan.Trials {
		l.trial(t, dir, p)
	}
}

func (l large) trial(t *testing.T, dir string, p experiment.Trial) {
	t.Helper()
	h := record.Header{Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads, Started: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC).Add(time.Duration(p.Number*(l.warmup+l.measure)) * time.Second), Engine: "tare", Tare: "test"}
	s, err := record.CreateStream(record.TrialDir(dir, p), h)
	if err != nil {
		t.Fatal(err)
	}
	write := func(line record.Line) {
		if err := s.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	for k := range l.metrics {
		write(record.Line{Metric: &record.Metric{Name: metricName(k), Unit: "1", Direction: record.Neutral, Help: "made up", Counter: k%2 == 0}})
	}
	rng := rand.New(rand.NewPCG(uint64(p.Number), 1))
	var index int
	if _, err := fmt.Sscanf(p.Arm, "arm-%d", &index); err != nil {
		t.Fatal(err)
	}
	level := 5000 * (1 - 0.01*float64(index)) * (1 + 0.004*rng.NormFloat64())
	w := record.Window{Seconds: float64(l.measure)}
	noise := 0.0
	for second := 1; second <= l.warmup+l.measure; second++ {
		noise = 0.6*noise + 0.02*rng.NormFloat64()
		tps := level * (1 + noise)
		if stallAt(p, second) {
			tps = 0
		}
		tps = language.Round(tps, 2)
		write(record.Line{Interval: &record.Interval{
			End: float64(second), Length: 1, Warmup: second <= l.warmup, Threads: p.Threads, Transactions: tps,
			Queries: 16 * tps, Reads: 14 * tps, Other: 2 * tps, Percentile: 99, Latency: language.Round(9+rng.Float64(), 2), Coarse: spreadOver(rng, tps),
		}})
		if l.metrics > 0 {
			write(record.Line{Sample: l.sample(rng, second, index)})
		}
		if second > l.warmup {
			w.Counts.Transactions += int64(tps)
		}
	}
	write(record.Line{Window: &w})
	if err := s.Close(record.End{Outcome: record.Measured, Duration: time.Duration(l.warmup+l.measure) * time.Second}); err != nil {
		t.Fatal(err)
	}
}

// spreadOver is a heap of response times over some thirty buckets, no two seconds alike.
func spreadOver(rng *rand.Rand, tps float64) *record.Coarse {
	var counts [record.CoarseBuckets]int64
	for i := range 30 {
		off := float64(i - 12)
		counts[40+i] = int64(tps * math.Exp(-off*off/20) / 8 * (1 + 0.1*rng.NormFloat64()))
	}
	return record.NewCoarse(counts[:])
}

func metricName(k int) string { return fmt.Sprintf("made.up.metric_%03d", k) }

// sample is counters that grow and gauges that wander: every one changes every
// second. Of one metric a single second of a trial stands out.
func (l large) sample(rng *rand.Rand, second, arm int) *record.Sample {
	values := map[string]float64{}
	for k := range l.metrics {
		v := language.Round(100*float64(k+1)*(1+0.1*rng.NormFloat64()), 1)
		if k%2 == 0 {
			v = float64(second*(k+1)*1000) + math.Round(v)
		}
		values[metricName(k)] = v
	}
	if arm == 1 && second == 77 && l.metrics > 1 {
		values[metricName(1)] = peak
	}
	return &record.Sample{At: time.Duration(second+2) * time.Second, Warmup: second <= l.warmup, Values: record.ValuesOf(values)}
}

// peak is the value of that second.
const peak = 123456

// stallAt is one second without a transaction, in one trial of seven.
func stallAt(p experiment.Trial, second int) bool { return p.Number%7 == 3 && second == 101 }

// TestLargeRun keeps a run of many arms readable: the page stays small, and a
// second without a transaction is still in it. TARE_SCALE=DIR writes the run of a
// whole day there and keeps it, for research/scale.sh.
func TestLargeRun(t *testing.T) {
	if dir := os.Getenv("TARE_SCALE"); dir != "" {
		day().write(t, dir)
		return
	}
	dir := t.TempDir() + "/run"
	l := large{arms: 4, rounds: 2, warmup: 10, measure: 3600, metrics: 6}
	l.write(t, dir)
	run, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	var whole bytes.Buffer
	if err := page.Write(&whole, doc, page.Embedded()); err != nil {
		t.Fatal(err)
	}
	if whole.Len() > 2<<20 {
		t.Errorf("the page has %d bytes", whole.Len())
	}
	for i := range doc.Trials {
		tr := &doc.Trials[i]
		if tr.ReducedFrom != l.warmup+l.measure || len(tr.Seconds) > 8*report.Columns {
			t.Errorf("trial %d: %d of %d seconds are shown", tr.Trial, len(tr.Seconds), tr.ReducedFrom)
		}
		if stalled := tr.Trial%7 == 3; stalled != slices.Contains(tr.TPS, 0) {
			t.Errorf("trial %d: has it a second without a transaction? %v", tr.Trial, stalled)
		}
	}
	if !slices.ContainsFunc(doc.Probes.Series, func(s report.ProbeSeries) bool {
		return slices.ContainsFunc(s.High, func(n report.Number) bool { return n > peak/2 && !s.Counter })
	}) {
		t.Error("the one reading that stands out is averaged away")
	}
	if n := len(doc.Heat.Arms); n != l.arms || len(doc.Heat.Ends) > report.MostColumns {
		t.Errorf("the heat map has %d arms and %d columns", n, len(doc.Heat.Ends))
	}
	if n := len(doc.Arms[0].Spread); n != 50 {
		t.Errorf("%d quantiles stand for the seconds that are not shown", n)
	}
}
