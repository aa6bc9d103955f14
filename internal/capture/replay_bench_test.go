package capture_test

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/capture"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
)

// replayWindow is the length of a window, replayRounds the number of rounds of three.
const (
	replayWindow = 8 * time.Second
	replayRounds = 6
)

// BenchmarkReplay compares production with its replay: sysbench oltp_read_write at a rate is
// captured, and the file is sent at the same rate by the built-in engine, in windows that
// alternate on one server. So does oltp_read_write from the built-in engine: a difference
// between that and sysbench is one of the load generators, not of the capture. It prints rows
// read and written for each transaction, mean and p95, and the ratios with 95 % intervals over
// the rounds; it fails where a load did other work than production. TARE_REPLAY_RATE is the rate a second (default
// 300), TARE_REPLAY_RAND sysbench's rand-type. `make replay` runs it.
func BenchmarkReplay(b *testing.B) {
	rate := 300.0
	if s := os.Getenv("TARE_REPLAY_RATE"); s != "" {
		var err error
		if rate, err = strconv.ParseFloat(s, 64); err != nil {
			b.Fatal(err)
		}
	}
	s := mysqldtest.Start(b, mysqldtest.Flavour(b, mysqld.MySQL), map[string]string{"performance_schema_consumer_events_statements_history_long": "ON", "innodb_buffer_pool_size": "256M", "innodb_redo_log_capacity": "512M"})
	db, err := mysqld.Open(s.Address)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE DATABASE sbtest"); err != nil {
		b.Fatal(err)
	}
	job := loadgen.Job{Workload: "oltp_read_write", Tables: 4, Rows: 20_000, Threads: 8, Rate: rate, Measure: replayWindow, Warmup: time.Second, Seed: 1, Server: s.Address, Dir: b.TempDir(), PrepareThreads: 4,
		// sysbench's default has hot rows, which performance_schema does not show.
		Options: map[string]string{"rand-type": cmp.Or(os.Getenv("TARE_REPLAY_RAND"), "uniform")}}
	job.Server.Schema = "sbtest"
	production := engineOf(b, "sysbench")
	if err := production.Prepare(b.Context(), job, io.Discard); err != nil {
		b.Fatal(err)
	}
	replay := job
	replay.Workload, replay.Tables, replay.Rows, replay.Options = "captured.yaml", 0, 0, nil
	described := capturedFrom(b, s, production, job)
	replay.File = &experiment.Text{Name: "captured.yaml", Text: described.File.Marshal()}
	engine := engineOf(b, "tare")
	for b.Loop() {
		var rounds [][3]windowFigures
		for n := range replayRounds {
			var round [3]windowFigures
			// With the seed of another window an UPDATE would write what the row already has.
			job.Seed, replay.Seed = job.Seed+1, replay.Seed+1
			for i := range round { // each comes first, second and third as often
				switch who := (n + i) % len(round); who {
				case 0:
					round[who] = windowOf(b, db, production, job)
				case 1:
					round[who] = windowOf(b, db, engine, job)
				case 2:
					round[who] = windowOf(b, db, engine, replay)
				}
			}
			rounds = append(rounds, round)
		}
		compareWindows(b, rounds, described)
	}
}

func engineOf(b *testing.B, name string) loadgen.Engine {
	b.Helper()
	e, err := loadgen.New(name, "")
	if err != nil {
		b.Fatal(err)
	}
	return e
}

// capturedFrom captures while the engine sends the load.
func capturedFrom(b *testing.B, s *mysqldtest.Server, e loadgen.Engine, job loadgen.Job) *capture.Described {
	b.Helper()
	job.Measure = 20 * time.Second
	db, err := mysqld.Open(s.Address)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	done := make(chan error, 1)
	go func() {
		_, _, err := e.Run(context.WithoutCancel(b.Context()), job, func(record.Line) error { return nil })
		done <- err
	}()
	seen, err := capture.Watch(b.Context(), capture.Server{DB: db, Schema: "sbtest"}, 18*time.Second)
	if err != nil {
		b.Fatal(err)
	}
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	d, err := capture.Describe(b.Context(), seen, capture.Dictionary{DB: db}, capture.Options{Name: "captured"})
	if err != nil {
		b.Fatal(err)
	}
	b.Log(d.Kinds, d.Coverage())
	return d
}

// windowFigures are those of one window. Of them server is the time of a transaction's
// statements in the server, in ms: it is measured alike for all generators, each of which
// counts differently how late it sends, and how late it sees an answer.
type windowFigures struct{ rate, reads, writes, other, read, written, mean, p95, server float64 }

func windowOf(b *testing.B, db *sql.DB, e loadgen.Engine, job loadgen.Job) (f windowFigures) {
	b.Helper()
	before := statusOf(b, db)
	timed, written := inServer(b, db)
	_, reason, err := e.Run(b.Context(), job, func(l record.Line) error {
		if l.Window != nil && l.Window.Latency != nil {
			f.rate, f.mean, f.p95 = float64(l.Window.Counts.Transactions)/l.Window.Seconds, l.Window.Latency.Mean, l.Window.Latency.Percentiles["95"]
		}
		return nil
	})
	if err != nil || reason != "" {
		b.Fatal(err, reason)
	}
	after := statusOf(b, db)
	change := func(names ...string) (sum float64) {
		for _, n := range names {
			sum += after[n] - before[n]
		}
		return sum
	}
	each := change("Com_commit")
	ms, affected := inServer(b, db)
	f.server, f.written = (ms-timed)/each, (affected-written)/each
	f.read = change("Innodb_rows_read") / each
	f.reads, f.writes = change("Com_select")/each, change("Com_insert", "Com_update", "Com_delete", "Com_replace")/each
	f.other = change("Com_begin", "Com_commit", "Com_rollback", "Com_set_option") / each
	return f
}

// inServer are the time of all statements of sbtest so far, in ms, and the rows that they have
// written.
func inServer(b *testing.B, db *sql.DB) (ms, written float64) {
	b.Helper()
	const q = "SELECT COALESCE(SUM(SUM_TIMER_WAIT), 0) / 1e9, COALESCE(SUM(SUM_ROWS_AFFECTED), 0) FROM performance_schema.events_statements_summary_by_digest WHERE SCHEMA_NAME = 'sbtest'"
	if err := db.QueryRow(q).Scan(&ms, &written); err != nil {
		b.Fatal(err)
	}
	return ms, written
}

func statusOf(b *testing.B, db *sql.DB) map[string]float64 {
	b.Helper()
	all, err := mysqld.Status(b.Context(), db)
	if err != nil {
		b.Fatal(err)
	}
	values := map[string]float64{}
	for name, text := range all {
		values[name], _ = strconv.ParseFloat(text, 64) // 0 for what is not a number
	}
	return values
}

// compareWindows prints each figure of production, of the same workload from the built-in
// engine, and of the replay, the ratios of the replay to both, and the capture's own figures beside the replay's.
func compareWindows(b *testing.B, rounds [][3]windowFigures, d *capture.Described) {
	b.Helper()
	var middle [3]windowFigures
	for i := range middle {
		for _, f := range figuresOf() {
			*f.at(&middle[i]) = medianOf(rounds, func(r [3]windowFigures) float64 { return f.of(r[i]) })
		}
	}
	for _, why := range []string{otherWork("oltp_read_write of the built-in engine", "production", middle[1], middle[0]), otherWork("the replay", "production", middle[2], middle[0])} {
		if why != "" {
			b.Fatal(why)
		}
	}
	for _, f := range figuresOf() {
		b.Logf("%-30s production %9.2f, built-in %9.2f, replay %9.2f; replay to production %s, to built-in %s, built-in to production %s", f.name, f.of(middle[0]), f.of(middle[1]), f.of(middle[2]),
			ratioOf(rounds, f, 2, 0), ratioOf(rounds, f, 2, 1), ratioOf(rounds, f, 1, 0))
	}
	b.Log(strings.Join(againstCapture(d, middle[2]), "\n"))
}

func medianOf(rounds [][3]windowFigures, of func([3]windowFigures) float64) float64 {
	var all []float64
	for _, r := range rounds {
		all = append(all, of(r))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// interval is an estimate with its 95 % interval.
type interval struct{ low, middle, high float64 }

func (i interval) String() string { return fmt.Sprintf("%.3f [%.3f, %.3f]", i.middle, i.low, i.high) }

// ratio is that of two kinds of window, over the rounds.
func ratio(rounds [][3]windowFigures, of func(windowFigures) float64, over, under int) interval {
	var logs []float64
	for _, r := range rounds {
		logs = append(logs, math.Log(of(r[over])/of(r[under])))
	}
	low, middle, high := interval95(logs)
	return interval{math.Exp(low), math.Exp(middle), math.Exp(high)}
}

// interval95 is the t interval of a mean; the quantile is that of replayRounds - 1 degrees of
// freedom.
func interval95(x []float64) (low, mean, high float64) {
	const t975 = 2.571 // of 5
	for _, v := range x {
		mean += v / float64(len(x))
	}
	variance := 0.0
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	half := t975 * math.Sqrt(variance/float64(len(x)))
	return mean - half, mean, mean + half
}
