package loadgen

import (
	"fmt"

	"github.com/tarebench/tare/internal/record"
)

// interval reads an interval line or the queue line that follows it.
func (p *parser) interval(line string) error {
	p.known = true
	if err := p.second(); err != nil {
		return err
	}
	if end, queue, concurrency, ok := parseQueue(line); ok {
		return p.addQueue(end, queue, concurrency)
	}
	i, events, ok := parseInterval(line)
	if !ok || (!p.whole && !wholeFigure.MatchString(line)) {
		if m := messageLine.FindStringSubmatch(line); m != nil {
			return p.message(m) // a thread's last words went into the line
		}
		p.log.decimalComma = p.log.decimalComma || decimalComma.MatchString(line)
		return p.event("unreadable", line)
	}
	p.log.sql = p.log.sql || !events
	return p.addInterval(i)
}

func (p *parser) addQueue(end float64, queue, concurrency int64) error {
	p.open = true
	if p.pending == nil || p.pending.End != end || !p.whole {
		return nil
	}
	p.pending.Queue, p.pending.Concurrency = queue, concurrency
	if p.guess {
		return nil
	}
	return p.flush()
}

// addInterval gives an interval its length and hands it on.
//
// sysbench prints when an interval ended, in whole seconds, not how long it was;
// the rates it prints are over the true length. The length is taken from the
// line before; for the first line from --report-interval, or, in a log without
// its head, from the line after. Two lines may end in the same second when the
// client was starved; then the second one has no length.
func (p *parser) addInterval(i record.Interval) error {
	first := p.log.intervals == 0
	if !first && i.End < p.end {
		return fmt.Errorf("%w: the clock goes from %.0f s back to %.0f s", ErrSeveralRuns, p.end, i.End)
	}
	if p.log.intervals++; p.log.intervals > maxIntervals {
		return ErrTooLong
	}
	p.log.threads = max(p.log.threads, i.Threads)
	if first {
		i.Length = min(float64(p.every), i.End)
	} else {
		i.Length = i.End - p.end
	}
	if !first && i.Length == 0 {
		p.repeated++
	}
	if p.pending != nil && p.guess {
		p.pending.Length = i.Length
	}
	if err := p.flush(); err != nil {
		return err
	}
	p.end, p.pending = i.End, &i
	p.guess = first && i.Length == 0
	if p.open || p.guess {
		return nil // wait for the line that tells the queue, or the length
	}
	return p.flush()
}

// flush hands the pending interval on.
func (p *parser) flush() error {
	i := p.pending
	if i == nil {
		return nil
	}
	if p.guess && i.Length == 0 {
		// No line tells the length: one second is the shortest interval that
		// sysbench can be told.
		i.Length = 1
	}
	p.pending, p.guess = nil, false
	if err := p.out.interval(*i); err != nil {
		return err
	}
	if i.Reconnects > 0 {
		return p.event("reconnect", fmt.Sprintf("%.2f connections per second were lost and made again", i.Reconnects))
	}
	return nil
}
