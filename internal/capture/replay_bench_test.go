package capture_test

import (
	"cmp"
	"context"
	"database/sql"
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

// replayWindow is the length of a window, replayRounds the number of pairs of windows.
const (
	replayWindow = 8 * time.Second
	replayRounds = 6
)

// BenchmarkReplay compares production with its replay: sysbench oltp_read_write at a rate is
// captured, and the file is sent at the same rate by the built-in engine, in windows that
// alternate on one server. It prints rows read and written for each transaction, mean and
// p95, and the ratio with a 95 % interval over the rounds. TARE_REPLAY_RATE is the rate a
// second (default 300), TARE_REPLAY_RAND sysbench's rand-type. `make replay` runs it.
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
	replay.File = &experiment.Text{Name: "captured.yaml", Text: capturedFrom(b, s, production, job)}
	engine := engineOf(b, "tare")
	for b.Loop() {
		var pairs [][2]windowFigures
		for range replayRounds {
			pairs = append(pairs, [2]windowFigures{windowOf(b, db, production, job), windowOf(b, db, engine, replay)})
		}
		compareWindows(b, pairs)
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
func capturedFrom(b *testing.B, s *mysqldtest.Server, e loadgen.Engine, job loadgen.Job) []byte {
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
	return d.File.Marshal()
}

// windowFigures are those of one window.
type windowFigures struct{ rate, read, written, statements, mean, p95 float64 }

func windowOf(b *testing.B, db *sql.DB, e loadgen.Engine, job loadgen.Job) (f windowFigures) {
	b.Helper()
	before := statusOf(b, db)
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
	f.read, f.written = change("Innodb_rows_read")/each, change("Innodb_rows_inserted", "Innodb_rows_updated", "Innodb_rows_deleted")/each
	f.statements = change("Com_select", "Com_insert", "Com_update", "Com_delete") / each
	return f
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

// compareWindows prints each figure of production and replay, and the ratio of replay to
// production.
func compareWindows(b *testing.B, pairs [][2]windowFigures) {
	b.Helper()
	for _, c := range []struct {
		name string
		of   func(windowFigures) float64
	}{
		{"transactions/s", func(f windowFigures) float64 { return f.rate }}, {"statements a transaction", func(f windowFigures) float64 { return f.statements }},
		{"rows read a transaction", func(f windowFigures) float64 { return f.read }}, {"rows written a transaction", func(f windowFigures) float64 { return f.written }},
		{"mean ms", func(f windowFigures) float64 { return f.mean }}, {"p95 ms", func(f windowFigures) float64 { return f.p95 }},
	} {
		var logs, first, second []float64
		for _, p := range pairs {
			x, y := c.of(p[0]), c.of(p[1])
			first, second, logs = append(first, x), append(second, y), append(logs, math.Log(y/x))
		}
		low, middle, high := interval95(logs)
		slices.Sort(first)
		slices.Sort(second)
		b.Logf("%-26s production %9.2f, replay %9.2f; ratio %.3f [%.3f, %.3f]", c.name, first[len(first)/2], second[len(second)/2], math.Exp(middle), math.Exp(low), math.Exp(high))
		b.ReportMetric(math.Exp(middle), strings.ReplaceAll(c.name, " ", "-")+"-ratio")
	}
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
