package loadgen

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// The lines that sysbench prints every --report-interval seconds, by version.
// Each is looked for anywhere in a line, because another process may have
// written its own words before it.
//
//	1.0, 1.1  db_report_intermediate in db_driver.c; sysbench.report_default in
//	          sysbench.lua forgets the colon of err/s
//	no SQL    sb_report_intermediate in sysbench.c: events instead of transactions
//	0.5       db_print_stats in db_driver.c; some packages say reads/s
var (
	interval10 = regexp.MustCompile(`\[ *(\d+)s *\] thds: (\d+) tps: ([\d.]+) qps: ([\d.]+) \(r/w/o: ([\d.]+)/([\d.]+)/([\d.]+)\) ` +
		`lat \(ms, *(\d+)%\): ([\d.]+)(?: err/s:? ([\d.]+))?(?: reconn/s: ([\d.]+))?`)
	intervalEvents = regexp.MustCompile(`\[ *(\d+)s *\] thds: (\d+) eps: ([\d.]+) lat \(ms, *(\d+)%\): ([\d.]+)`)
	interval05     = regexp.MustCompile(`\[ *(\d+)s *\] threads: (\d+), tps: ([\d.]+), reads(?:/s)?: ([\d.]+), writes(?:/s)?: ([\d.]+), ` +
		`response time: ([\d.]+)ms \((\d+)%\)(?:, errors: +([\d.]+))?(?:, reconnects: +([\d.]+))?`)
	queueLine = regexp.MustCompile(`\[ *(\d+)s *\] queue length: (\d+), concurrency: (\d+)`)

	// looksLikeInterval finds what was meant to be such a line: written over by
	// another process, cut off, or with a figure that is not a number.
	looksLikeInterval = regexp.MustCompile(`\[ *\d+s *\] (?:thds|threads|queue length):`)
	// decimalComma is a rate as some locales print it.
	decimalComma = regexp.MustCompile(`\b[te]ps: \d+,\d\d\b`)
	// wholeFigure ends an interval line that was not cut off: sysbench prints
	// every figure with two decimals.
	wholeFigure = regexp.MustCompile(`(?:reconn/s|reconnects|lat \(ms, *\d+%\)): +[\d.]*\d\.\d\d$`)
)

// parseInterval reads an interval line. events says that it counts events of a
// test that sends no SQL.
func parseInterval(line string) (i record.Interval, events, ok bool) {
	f := figures{limit: maxRate}
	if m := interval10.FindStringSubmatch(line); m != nil {
		i = record.Interval{
			End: f.float(m[1]), Threads: f.int(m[2]),
			Transactions: f.float(m[3]), Queries: f.float(m[4]),
			Reads: f.float(m[5]), Writes: f.float(m[6]), Other: f.float(m[7]),
			Percentile: f.percent(m[8]), Latency: f.float(m[9]),
			Errors: f.float(m[10]), Reconnects: f.float(m[11]),
		}
	} else if m := interval05.FindStringSubmatch(line); m != nil {
		i = record.Interval{
			End: f.float(m[1]), Threads: f.int(m[2]),
			Transactions: f.float(m[3]), Reads: f.float(m[4]), Writes: f.float(m[5]),
			Latency: f.float(m[6]), Percentile: f.percent(m[7]),
			Errors: f.float(m[8]), Reconnects: f.float(m[9]),
		}
		// 0.5 prints no queries; reads and writes are all it says of them.
		i.Queries = i.Reads + i.Writes
	} else if m := intervalEvents.FindStringSubmatch(line); m != nil {
		i = record.Interval{
			End: f.float(m[1]), Threads: f.int(m[2]), Transactions: f.float(m[3]),
			Percentile: f.percent(m[4]), Latency: f.float(m[5]),
		}
		events = true
	} else {
		return i, false, false
	}
	if i.Percentile == 0 {
		i.Latency = 0 // --percentile=0: none was calculated
	}
	return i, events, !f.bad
}

// parseQueue reads the second line that an open loop prints per interval.
func parseQueue(line string) (end float64, queue, concurrency int64, ok bool) {
	m := queueLine.FindStringSubmatch(line)
	if m == nil {
		return 0, 0, 0, false
	}
	var f figures
	end, queue, concurrency = f.float(m[1]), f.count(m[2]), f.count(m[3])
	return end, queue, concurrency, !f.bad
}

// Bounds of what is a number here: more cannot come from a server, and sums of
// as many as a log may hold still fit an int64.
const (
	maxFigure = 1e15
	maxRate   = 1e9 // of anything per second; also seconds and milliseconds
)

// figures turns matched text into numbers and remembers that one was none.
type figures struct {
	limit float64 // maxFigure where 0
	bad   bool
}

func (f *figures) float(s string) float64 {
	if s == "" {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= cmp.Or(f.limit, maxFigure)) {
		f.bad = true
		return 0
	}
	return v
}

func (f *figures) count(s string) int64 {
	v, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || v < 0 || v > maxFigure {
		f.bad = true
		return 0
	}
	return v
}

func (f *figures) int(s string) int {
	v := f.count(s)
	if v > math.MaxInt32 {
		f.bad = true
		return 0
	}
	return int(v)
}

func (f *figures) percent(s string) float64 {
	v := f.float(s)
	if v > 100 {
		f.bad = true
	}
	return v
}
