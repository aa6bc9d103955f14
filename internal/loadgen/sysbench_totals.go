package loadgen

import (
	"regexp"

	"github.com/tarebench/tare/internal/record"
)

// totals are the statistics that sysbench prints at the end of a run and at
// every checkpoint. They cover the time since the checkpoint before.
type totals struct {
	counts  record.Counts
	queries int64
	// events are what the test's threads did; with SQL one event is a transaction.
	events     int64
	hasSQL     bool
	hasEvents  bool
	elapsed    float64 // seconds since the load began, all checkpoints included
	hasElapsed bool
	// ownClock: elapsed counts from the checkpoint before. 0.4 and 0.5 reset
	// their clock with their counters.
	ownClock   bool
	latency    record.Latency
	hasLatency bool
	percentile string // "95", "" where none was calculated
	unfinished int64  // transactions still running at a forced shutdown
	checkpoint bool
	line       int // where the block began
}

// transactions is what throughput counts.
func (t *totals) transactions() int64 {
	if t.hasSQL {
		return t.counts.Transactions
	}
	return t.events
}

// complete tells a block that was printed to its end, as far as it is needed,
// from one that was cut off.
func (t *totals) complete() bool {
	return t.hasElapsed && (t.hasSQL || t.hasEvents)
}

// The lines of the block, as printed by db_report_cumulative (db_driver.c) and
// sb_report_cumulative (sysbench.c) of 0.4 to 1.1. read/write requests and other
// operations of 0.4 and 0.5 repeat what "queries performed" says.
var (
	totalsBegin  = regexp.MustCompile(`^(?:(?:SQL|OLTP test|General) statistics|Test execution summary|Throughput|CPU speed|Latency \(ms\)):$`)
	queriesBegin = regexp.MustCompile(`^(SQL|OLTP test) statistics:$`) // OLTP: 0.4, 0.5
	checkpoint   = regexp.MustCompile(`^\[ *\d+s *\] Checkpoint report:$`)

	queriesLine    = regexp.MustCompile(`^(read|write|other|total): +(\d+)$`)
	perSecondLine  = regexp.MustCompile(`^(transactions|queries|deadlocks|ignored errors|reconnects): +(\d+) +\([\d.]+ per sec\.\)$`)
	elapsedLine    = regexp.MustCompile(`^(?:total time|time elapsed): +([\d.]+)s$`)
	eventsLine     = regexp.MustCompile(`^total number of events: +(\d+)$`)
	latencySumLine = regexp.MustCompile(`^total time taken by event execution: +([\d.]+)s?$`) // 0.4, 0.5: seconds
	latencyLine    = regexp.MustCompile(`^(min|avg|max|sum): +([\d.]+)(?:ms)?$`)
	percentileLine = regexp.MustCompile(`^(?:approx\. +(\d+) percentile|(\d+)th percentile): +([\d.]+)(?:ms)?$`)
	unfinishedLine = regexp.MustCompile(`^Number of unfinished transactions on forced shutdown: (\d+)$`)
	fairnessLine   = regexp.MustCompile(`^execution time \(avg/stddev\): +[\d.]+/[\d.]+$`)
)

// add reads one line of a block. It reports whether the line belongs to one and
// whether its figures are numbers.
func (t *totals) add(line string) (known, sane bool) {
	var f figures
	switch {
	case match(queriesLine, line, func(m []string) { t.setQueries(m[1], f.count(m[2])) }):
	case match(perSecondLine, line, func(m []string) { t.setPerSecond(m[1], f.count(m[2])) }):
	case match(elapsedLine, line, func(m []string) { t.elapsed, t.hasElapsed = f.float(m[1]), true }):
	case match(eventsLine, line, func(m []string) { t.events, t.hasEvents = f.count(m[1]), true }):
	case match(latencySumLine, line, func(m []string) { t.latency.Sum = f.float(m[1]) * 1000 }):
	case match(latencyLine, line, func(m []string) { t.setLatency(m[1], f.float(m[2])) }):
	case match(percentileLine, line, func(m []string) { t.setPercentile(m[1]+m[2], f.float(m[3])) }):
	case match(unfinishedLine, line, func(m []string) { t.unfinished = f.count(m[1]) }):
	case fairnessLine.MatchString(line):
	default:
		return false, true
	}
	return true, !f.bad
}

func match(re *regexp.Regexp, line string, use func([]string)) bool {
	m := re.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	use(m)
	return true
}

func (t *totals) setQueries(class string, n int64) {
	switch class {
	case "read":
		t.counts.Reads = n
	case "write":
		t.counts.Writes = n
	case "other":
		t.counts.Other = n
	}
}

func (t *totals) setPerSecond(name string, n int64) {
	switch name {
	case "transactions":
		t.counts.Transactions, t.hasSQL = n, true
	case "queries":
		t.queries = n
	case "deadlocks", "ignored errors":
		// 0.4 knows one kind of error that it ignores: the deadlock.
		t.counts.Errors += n
	case "reconnects":
		t.counts.Reconnects = n
	}
}

func (t *totals) setLatency(name string, ms float64) {
	t.hasLatency = true
	switch name {
	case "min":
		t.latency.Min = ms
	case "avg":
		t.latency.Mean = ms
	case "max":
		t.latency.Max = ms
	case "sum":
		t.latency.Sum = ms
	}
}

func (t *totals) setPercentile(p string, ms float64) {
	t.percentile = p
	t.latency.Percentiles = map[string]float64{p: ms}
}
