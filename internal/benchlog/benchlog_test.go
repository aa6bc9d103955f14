package benchlog

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/record"
)

// figures is what a test says of a file.
type figures struct {
	Format, Unit string
	Threads      int
	Throughput   float64 // in the unit
	Seconds      float64
	Errors       int64
	Mean         float64 // latency in ms, 0 where unknown
	Percentiles  map[string]float64
	Intervals    int
	Test         string // what the file says of the test
}

func figuresOf(t *testing.T, r Result) figures {
	t.Helper()
	f := figures{Format: r.Format, Unit: r.Unit, Threads: r.Threads}
	for _, l := range r.Lines {
		switch {
		case l.Interval != nil:
			f.Intervals++
		case l.Fact != nil:
			f.Test = l.Fact.Value
		case l.Window != nil:
			w := l.Window
			f.Throughput, f.Seconds, f.Errors = math.Round(1000*w.Throughput())/1000, math.Round(1000*w.Seconds)/1000, w.Counts.Errors
			if w.Latency != nil {
				f.Mean, f.Percentiles = math.Round(1000*w.Latency.Mean)/1000, w.Latency.Percentiles
			}
		}
	}
	return f
}

// TestRead: the figures of a file of each program, recognised and by name. What they must be was
// computed by hand from the numbers in the file.
func TestRead(t *testing.T) {
	for file, want := range map[string]figures{
		"hammerdb.log":           {Format: "hammerdb", Unit: NewOrders, Threads: 8, Throughput: 36120, Seconds: 300},
		"hammerdb-job.json":      {Format: "hammerdb", Unit: NewOrders, Threads: 16, Throughput: 51007},
		"hammerdb-fields.json":   {Format: "hammerdb", Unit: NewOrders, Throughput: 48211},
		"benchbase.summary.json": {Format: "benchbase", Unit: Transactions, Threads: 4, Throughput: 750.5, Seconds: 60, Errors: 660, Mean: 5.25, Percentiles: map[string]float64{"50": 4.1, "90": 9.2, "95": 11.5, "99": 20.25}, Test: "tpcc, scale factor 10, TRANSACTION_READ_COMMITTED"},
		"benchbase-old.json":     {Format: "benchbase", Unit: Requests, Throughput: 761.5, Seconds: 60, Test: "ycsb"},
		"benchbase.results.csv":  {Format: "benchbase", Unit: Requests, Throughput: 530, Seconds: 10, Intervals: 2},
		"go-tpc.log":             {Format: "go-tpc", Unit: Transactions, Throughput: 300, Seconds: 60, Errors: 12, Mean: 13.25, Test: "TPC-C, 10 warehouses"},
		"go-tpc.jsonl":           {Format: "go-tpc", Unit: Transactions, Throughput: 300, Seconds: 60, Errors: 12, Mean: 13.25, Test: "TPC-C, 10 warehouses"},
		"go-tpc-table.log":       {Format: "go-tpc", Unit: Transactions, Throughput: 300, Seconds: 60, Errors: 12, Mean: 13.25, Test: "TPC-C, 10 warehouses"},
		"go-tpc-2019.log":        {Format: "go-tpc", Unit: Transactions, Throughput: 20, Seconds: 200, Errors: 7, Mean: 40.6},
		"go-tpc-kind.log":        {Format: "go-tpc", Unit: Transactions, Throughput: 300, Seconds: 60},
		"tpcc-mysql.log":         {Format: "tpcc-mysql", Unit: Transactions, Threads: 16, Throughput: 230, Seconds: 10, Errors: 5, Mean: 6.913, Test: "TPC-C, 10 warehouses"},
		"tpcc-mysql-2012.log":    {Format: "tpcc-mysql", Unit: Transactions, Threads: 32, Throughput: 230, Seconds: 10, Errors: 5, Test: "TPC-C, 10 warehouses"},
		"mysqlslap.csv":          {Format: "mysqlslap", Unit: Queries, Threads: 20, Throughput: 4800, Seconds: 1.25, Test: "mixed load, innodb"},
		"mysqlslap.txt":          {Format: "mysqlslap", Unit: Queries, Threads: 50, Throughput: 4000, Seconds: 0.25},
		"k6-export.json":         {Format: "k6", Unit: Iterations, Threads: 10, Throughput: 99.5, Seconds: 60, Mean: 20.5, Percentiles: map[string]float64{"50": 18, "90": 30, "95": 40.5}},
		"k6-handle.json":         {Format: "k6", Unit: Iterations, Threads: 10, Throughput: 99.5, Seconds: 60, Mean: 20.5, Percentiles: map[string]float64{"50": 18, "90": 30, "95": 40.5, "99": 71}},
		"sysbench.log":           {Format: "sysbench", Unit: Transactions, Threads: 2, Throughput: 2.5, Seconds: 4, Errors: 3, Mean: 0.52, Percentiles: map[string]float64{"99": 0.64}},
	} {
		t.Run(file, func(t *testing.T) {
			for _, format := range []string{"", want.Format} {
				f, err := os.Open(filepath.Join("testdata", file))
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				r, err := Read(file, format, f)
				if err != nil {
					t.Fatalf("as %q: %v", format, err)
				}
				if diff := cmp.Diff(want, figuresOf(t, r)); diff != "" {
					t.Errorf("as %q: -want +got:\n%s", format, diff)
				}
			}
		})
	}
}

// TestRefused: each error says what the file is or lacks.
func TestRefused(t *testing.T) {
	hammer := func(server string) string {
		return "Vuser 1:TEST RESULT : System achieved 100 NOPM from 230 " + server + " TPM\n"
	}
	for name, c := range map[string]struct {
		format, text string
		want         error
		says         string
	}{
		"nobody's":               {"", "hello\n", ErrUnknown, "the formats are benchbase, go-tpc, hammerdb, k6, mysqlslap, sysbench, tpcc-mysql"},
		"empty":                  {"", "", loadgen.ErrEmptyLog, "empty"},
		"another named":          {"sysbench", hammer("MySQL"), ErrOther, "HammerDB"},
		"PostgreSQL by HammerDB": {"", hammer("PostgreSQL"), ErrMeaning, "PostgreSQL"},
		"two HammerDB results":   {"", hammer("MySQL") + hammer("MySQL"), ErrSeveral, "2 of them"},
		"HammerDB cut off":       {"", "Hammerdb Log @ Wed\nVuser 1:Beginning rampup time of 2 minutes\n", ErrNoResult, "TEST RESULT"},
		"a virtual user failed":  {"", "Vuser 3:FINISHED FAILED\n" + hammer("MySQL"), ErrMeaning, "virtual user 3 failed"},
		"TPROC-H":                {"", "Vuser 1:Completed 1 query set(s) in 20 seconds\n", ErrMeaning, "TPROC-H"},
		"BenchBase elsewhere":    {"", `{"DBMS Type": "POSTGRES", "Throughput (requests/second)": 10}`, ErrMeaning, "POSTGRES"},
		"BenchBase cut off":      {"", "{\n  \"Start timestamp (milliseconds)\": 1772500000000,\n  \"Elapsed Time (nanoseconds)\": 60000000000,\n  \"DBMS Type\": \"MYS", ErrNoResult, "BenchBase's summary is cut off"},
		"BenchBase no JSON":      {"", "{\"Elapsed Time (nanoseconds)\": oops, \"DBMS Type\": \"MYSQL\"}", nil, "read BenchBase's summary"},
		"BenchBase one interval": {"", "Time (seconds),Throughput (requests/second)\n0,10.0\n", ErrNoResult, "fewer than two"},
		"BenchBase raw":          {"", "Transaction Type Index,Transaction Name,Start Time (microseconds),Latency\n", ErrOther, "summary.json"},
		"go-tpc tpch":            {"", "[Summary] Q1 - Takes(s): 10.0, Count: 3, TPM: 18.0, Sum(ms): 100.0, Avg(ms): 33.3, 50th(ms): 31.0, Max(ms): 40.0\n", ErrMeaning, "Q1"},
		"go-tpc ch":              {"", "Finished: 50 OLTP workers, 1 OLAP workers\ntpmC: 10.0, tpmTotal: 20.0, efficiency: 70.0%\n", ErrMeaning, "analytical queries"},
		"go-tpc ch, JSON":        {"", `[{"Avg(ms)":"9.9","Count":"1","Operation":"Q12","Prefix":"[Summary] ","Sum(ms)":"9.9"}]` + "\n" + `[{"Operation":"PAYMENT","Prefix":"[Summary] ","Takes(s)":"9.9"}]`, ErrMeaning, "analytical queries"},
		"go-tpc tpmC alone":      {"", "tpmC: 10.0, tpmTotal: 20.0, efficiency: 70.0%\n", ErrNoResult, "summary is missing"},
		"go-tpc cut off":         {"", "[Current] NEW_ORDER - Takes(s): 10.0, Count: 3, TPM: 18.0, Sum(ms): 100.0, Avg(ms): 33.3\n", ErrNoResult, "summary"},
		"tpcc-mysql cut off":     {"", "*** ###easy### TPC-C Load Generator ***\n  10, trx: 100, 95%: 9.4\n", ErrNoResult, "<Raw Results>"},
		"mysqlslap too short":    {"", "innodb,mixed,0.012,0.011,0.013,50,10\n", ErrMeaning, "0.012 s, in steps of 0.001 s"},
		"mysqlslap twice":        {"", "innodb,mixed,1.250,1.200,1.300,50,100\ninnodb,mixed,1.250,1.200,1.300,50,100\n", ErrSeveral, "several results"},
		"mysqlslap with commas":  {"", "\tAverage number of seconds to run all queries: 1,250 seconds\n", ErrOther, "LC_NUMERIC=C"},
		"mysqlslap cut off":      {"", "\tAverage number of seconds to run all queries: 0.250 seconds\n", ErrNoResult, "cut off"},
		"k6 of HTTP":             {"", `{"metrics": {"iterations": {"count": 1, "rate": 1}, "iteration_duration": {}, "http_reqs": {"count": 1}}}`, ErrMeaning, "http_reqs"},
		"k6 cut off":             {"", `{"metrics": {"iterations": {"count": 1, "rate": 1}, "iteration_duration": {`, nil, "read k6's summary"},
		"k6 dropped iterations":  {"", `{"metrics": {"iterations": {"count": 1, "rate": 1}, "iteration_duration": {}, "dropped_iterations": {"count": 30}}}`, ErrMeaning, "dropped 30 iterations"},
		"k6 as text":             {"", "    iteration_duration.....: avg=20.5ms\n    iterations.............: 5970   99.5/s\n", ErrOther, "summary as JSON"},
		"k6's points":            {"", `{"type":"Point","metric":"iterations"}` + "\n", ErrOther, "summary as JSON"},
		"BenchBase samples":      {"", "Time (seconds),Requests,Throughput (requests/second),Minimum Latency (microseconds)\n", ErrOther, "summary.json"},
		"BenchBase console":      {"", "Results(state=EXIT, measuredRequests=100) = 10.0 requests/sec (throughput), 9.9 requests/sec (goodput)\n", ErrOther, "summary.json"},
		"OLTPBench":              {"", "time(sec), throughput(req/sec), avg_lat(ms)\n0,100.0,5\n", ErrOther, "OLTPBench"},
		"pgbench":                {"", "number of transactions actually processed: 100\ntps = 10\n", ErrOther, "PostgreSQL"},
		"pt-query-digest":        {"", "# Query_time distribution\n#   1us\n", ErrOther, "tare capture --log"},
		"YCSB":                   {"", "[OVERALL], RunTime(ms), 10\n[OVERALL], Throughput(ops/sec), 10\n", ErrOther, "YCSB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("x.log", c.format, strings.NewReader(c.text))
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "x.log") {
				t.Errorf("got %v; want %v with %q and the file's name", err, c.want, c.says)
			}
		})
	}
}

// TestKindsAreNotAll: what the file's name or a mean of no transactions says.
func TestKindsAreNotAll(t *testing.T) {
	rows := "Time (seconds),Throughput (requests/second)\n0,10.0\n5,10.0\n10,10.0\n"
	if _, err := Read("tpcc_2026.results.NewOrder.csv", "", strings.NewReader(rows)); !errors.Is(err, ErrMeaning) || !strings.Contains(err.Error(), "NewOrder") {
		t.Errorf("a file of one kind of transaction: %v", err)
	}
	if _, err := Read("tpcc_2026.results.csv", "", strings.NewReader(rows)); err != nil {
		t.Error(err)
	}
	text := strings.Replace(mustRead(t, "tpcc-mysql.log"), "sc:99 lt:1  rt:0  fl:1 avg_rt: 20.0", "sc:0 lt:0  rt:0  fl:1 avg_rt: -nan", 1)
	r, err := Read("x.log", "", strings.NewReader(text))
	if f := figuresOf(t, r); err != nil || f.Throughput != 220 || f.Mean != 6.318 {
		t.Errorf("without deliveries: %+v, %v", f, err)
	}
	waiting := strings.Replace(mustRead(t, "go-tpc.log"), "tpmC: ", "[Summary] KEYINGTIME-PAYMENT - 3.0s\ntpmC: ", 1)
	if r, err := Read("x.log", "", strings.NewReader(waiting)); err != nil || figuresOf(t, r).Test != "TPC-C, 10 warehouses, with keying and thinking times" {
		t.Errorf("with waits: %+v, %v", r, err)
	}
}

func mustRead(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// FuzzRead: whatever a file holds, it is refused or read as figures that make sense.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		f.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Read("f", "", strings.NewReader(text))
		if err != nil {
			return
		}
		if err := plausible(r); err != nil {
			t.Fatal(err)
		}
	})
}

func plausible(r Result) error {
	if r.Format == "" || r.Unit == "" || r.Threads < 0 {
		return fmt.Errorf("format %q, unit %q, %d threads", r.Format, r.Unit, r.Threads)
	}
	var w *record.Window
	for _, l := range r.Lines {
		if l.Window != nil {
			w = l.Window
		}
	}
	if w == nil {
		return fmt.Errorf("no window")
	}
	for _, v := range []float64{w.Throughput(), w.Seconds, float64(w.Counts.Transactions), float64(w.Counts.Errors)} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("window %+v", *w)
		}
	}
	return nil
}
