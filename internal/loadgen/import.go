package loadgen

import (
	"io"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Imported is what someone else's sysbench printed for one run.
type Imported struct {
	// Lines are those of a trial: metrics, intervals and events in their order, then the window.
	Lines []record.Line
	// Threads is the number of connections, 0 where the log does not say.
	Threads int
	// SQL: the test sends statements, and what it counts are transactions; else its events.
	SQL bool
}

// Import reads such a log, named name in errors.
//
// The window holds the final statistics. Where the log has none, because it was
// cut off or copied in part, the window is summed from the intervals: Partial
// is set and Throughput is the mean of their rates, weighted by their length.
//
// Errors are *LogError and name the file and the line.
func Import(name string, r io.Reader) (Imported, error) {
	var out Imported
	for _, m := range metrics() {
		out.Lines = append(out.Lines, record.Line{Metric: &m})
	}
	var all series
	log, err := parseSysbench(name, r, sink{
		interval: func(i record.Interval) error {
			all.add(i)
			out.Lines = append(out.Lines, record.Line{Interval: &i})
			return nil
		},
		event: func(e record.Event) error {
			out.Lines = append(out.Lines, record.Line{Event: &e})
			return nil
		},
	})
	if err != nil {
		return Imported{}, err
	}
	w := log.whole(&all)
	if w == nil {
		return Imported{}, &LogError{Name: name, Line: log.lines, Err: noResult(log)}
	}
	if err := log.eventsAlone(w, out.Lines); err != nil {
		return Imported{}, &LogError{Name: name, Line: log.lines, Err: err}
	}
	if !log.histogramWhole() {
		out.Lines = append(out.Lines, record.Line{Event: &record.Event{Name: "unreadable", Detail: "the histogram does not hold all transactions"}})
	}
	if log.unsaid {
		log.name(out.Lines)
	}
	if log.rate != "" {
		out.Lines = append(out.Lines, record.Line{Fact: &record.Fact{Key: keys.LoadRate, Value: log.rate, Source: "sysbench --rate"}})
	}
	out.Lines = append(out.Lines, record.Line{Window: w})
	out.Threads, out.SQL = log.threads, log.sql
	return out, nil
}
