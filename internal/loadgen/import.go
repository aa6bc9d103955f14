package loadgen

import (
	"io"

	"github.com/tarebench/tare/internal/record"
)

// Import reads what someone else's sysbench printed for one run, named name in
// errors, and returns it as the lines of a trial: metrics, intervals and events
// in their order, then the window. Threads is the number of connections, 0 where
// the log does not say.
//
// The window holds the final statistics. Where the log has none, because it was
// cut off or copied in part, the window is summed from the intervals: Partial
// is set and Throughput is the mean of their rates, weighted by their length.
//
// Errors are *LogError and name the file and the line.
func Import(name string, r io.Reader) (lines []record.Line, threads int, err error) {
	for _, m := range metrics() {
		lines = append(lines, record.Line{Metric: &m})
	}
	var all series
	log, err := parseSysbench(name, r, sink{
		interval: func(i record.Interval) error {
			all.add(i)
			lines = append(lines, record.Line{Interval: &i})
			return nil
		},
		event: func(e record.Event) error {
			lines = append(lines, record.Line{Event: &e})
			return nil
		},
	})
	if err != nil {
		return nil, 0, err
	}
	w := log.whole(&all)
	if w == nil {
		return nil, 0, &LogError{Name: name, Line: log.lines, Err: noResult(log)}
	}
	if !log.sql {
		lines = append(lines, record.Line{Event: &record.Event{
			Name:   "no-sql",
			Detail: "this sysbench test sends no statements: its events are counted, not transactions",
		}})
	}
	return append(lines, record.Line{Window: w}), log.threads, nil
}
