package loadgen

import (
	"math"
	"regexp"

	"github.com/tarebench/tare/internal/record"
)

// This file reads the intervals that sysbench prints as CSV and JSON: sysbench.report_csv and
// sysbench.report_json of sysbench.lua, which sysbench-tpcc has as --report_csv and --report-json.

var (
	// time, threads, transactions/s, queries/s, reads/s, writes/s, other/s, latency, errors/s, reconnects/s
	csvLine  = regexp.MustCompile(`^(\d+),(\d+),(\d+\.\d+),(\d+\.\d+),(\d+\.\d+),(\d+\.\d+),(\d+\.\d+),(\d+\.\d+),(\d+\.\d+),(\d+\.\d\d)$`)
	jsonLine = regexp.MustCompile(`^"(time|threads|tps|total|reads|writes|other|latency|errors|reconnects)": +(\d+(?:\.\d+)?),?$`)
)

// jsonFields is how many figures an interval has as JSON.
const jsonFields = 10

func looksLikeStructured(line string) bool {
	return csvLine.MatchString(line) || jsonLine.MatchString(line)
}

// structuredInterval reads a line of CSV, or one field of an interval that is JSON.
func (p *parser) structuredInterval(line string) error {
	i, complete, ok := p.structured(line)
	switch {
	case !ok:
		return p.event("unreadable", line)
	case !complete:
		return nil
	}
	p.known = true
	if err := p.second(); err != nil {
		return err
	}
	p.log.sql = true
	p.log.unsaid = true
	return p.addInterval(i)
}

// structured reports whether the line completes an interval, and whether its figures can be those
// of one: reads, writes and other statements are the queries.
func (p *parser) structured(line string) (i record.Interval, complete, ok bool) {
	f := figures{limit: maxRate}
	m := csvLine.FindStringSubmatch(line)
	if m == nil {
		field := jsonLine.FindStringSubmatch(line)
		if field[1] == "time" || p.fields == nil {
			p.fields = map[string]string{}
		}
		p.fields[field[1]] = field[2]
		if field[1] != "reconnects" || len(p.fields) < jsonFields {
			return i, false, true
		}
		m = []string{"", p.fields["time"], p.fields["threads"], p.fields["tps"], p.fields["total"], p.fields["reads"], p.fields["writes"],
			p.fields["other"], p.fields["latency"], p.fields["errors"], p.fields["reconnects"]}
		p.fields = nil
	}
	i = record.Interval{
		End: f.float(m[1]), Threads: f.int(m[2]), Transactions: f.float(m[3]), Queries: f.float(m[4]),
		Reads: f.float(m[5]), Writes: f.float(m[6]), Other: f.float(m[7]),
		Latency: f.float(m[8]), Errors: f.float(m[9]), Reconnects: f.float(m[10]),
	}
	// Each of the four was rounded to two decimals.
	return i, true, !f.bad && p.whole && math.Abs(i.Queries-i.Reads-i.Writes-i.Other) <= 0.021
}

// name gives the latencies of such intervals the percentile that the final statistics name. Without
// those it is unknown which percentile they are, and they are left out.
func (l *sysbenchLog) name(lines []record.Line) {
	var f figures
	p := 0.0
	if l.final != nil {
		p = f.percent(l.final.percentile)
	}
	for _, line := range lines {
		if i := line.Interval; i != nil {
			if i.Percentile = p; p == 0 {
				i.Latency = 0
			}
		}
	}
}
