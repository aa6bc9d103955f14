package loadgen

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// Bounds of what is kept of a log. Eleven days of seconds, and more checkpoints
// than sysbench takes (MAX_CHECKPOINTS is 256, sysbench.h), are no log of a run.
const (
	maxIntervals   = 1_000_000
	maxCheckpoints = 1000
	maxEvents      = 200
	maxDetail      = 1000 // bytes
)

// sysbenchLog is what one run of sysbench printed, without its intervals, which
// are handed on as they come.
type sysbenchLog struct {
	version     string
	threads     int
	sql         bool // the test sends statements; else only events are counted
	intervals   int
	checkpoints []totals
	// final are the statistics at the end, nil where there are none or where
	// they were cut off.
	final     *totals
	histogram *record.Histogram
	// fatal are the messages that sysbench gave up with, the first ones.
	fatal []string
	lines int // of the log
	// decimalComma: figures of the log have a comma before their decimals.
	decimalComma bool
	// rate is that of an open loop (--rate) in transactions per second; "" of a closed one.
	rate string
	// unsaid: the intervals do not say which percentile their latency is.
	unsaid bool
}

// empty reports whether the log so far holds no figure of a load.
func (l *sysbenchLog) empty() bool {
	return l.intervals == 0 && l.final == nil && len(l.checkpoints) == 0
}

// sink takes what a log holds, in its order. An error ends the parsing.
type sink struct {
	interval func(record.Interval) error
	event    func(record.Event) error
}

// Lines of the log that stand by themselves.
var (
	headerLine  = regexp.MustCompile(`^sysbench v?(\d+\.\d+[\w.+-]*)(?: \(using|: )`)
	runLine     = regexp.MustCompile(`^Running the test with following options:$`)
	threadsLine = regexp.MustCompile(`^Number of threads: (\d+)$`)
	everyLine   = regexp.MustCompile(`^Report intermediate results every (\d+) second\(s\)$`)
	rateLine    = regexp.MustCompile(`^Target transaction rate: (\d+)/sec`)
	messageLine = regexp.MustCompile(`(FATAL|ALERT|WARNING): (.*)$`)
	repeatLine  = regexp.MustCompile(`^\(last message repeated (\d+) times\)$`)
)

// parser holds where in a log we are.
type parser struct {
	log   *sysbenchLog
	out   sink
	lines *lineReader

	known bool // some line was sysbench's
	runs  int  // headers of runs seen
	whole bool // the line was not cut off
	// fields are those read of an interval that is printed as JSON.
	fields map[string]string
	after  int  // line of a header after the figures, 0 where there is none: a start that failed, or a second run
	every  int  // --report-interval as the header says, 0 where unknown
	open   bool // an open loop prints a second line per interval
	sane   bool // the figures of the block so far are numbers

	block      *totals // being read
	checkpoint bool    // the next block is a checkpoint's
	buckets    histogram

	pending  *record.Interval // waits for its queue line or for its length
	guess    bool             // pending has no length yet
	end      float64          // end of the interval before
	repeated int              // intervals that ended with the one before
	events   int
	spoke    bool // the last line that was not an interval was a message
}

// parseSysbench reads what sysbench 0.4 to 1.1 prints for one run. Errors are
// *LogError; a log that ends early is none: sysbench or its machine may have
// died, and what it printed until then stays true.
func parseSysbench(name string, r io.Reader, out sink) (*sysbenchLog, error) {
	p := &parser{log: &sysbenchLog{}, out: out, lines: newLineReader(r), sane: true}
	if err := p.run(); err != nil {
		return nil, &LogError{Name: name, Line: p.lines.number, Err: err}
	}
	return p.log, nil
}

func (p *parser) run() error {
	for {
		line, err := p.lines.next()
		if errors.Is(err, io.EOF) {
			return p.finish()
		}
		if err != nil {
			return err
		}
		pieces := splitLine(line)
		for i, piece := range pieces {
			p.whole = p.lines.whole || i < len(pieces)-1
			if err := p.line(p.find(piece)); err != nil {
				return err
			}
		}
	}
}

// find is what sysbench printed of a line in which others may stand before and behind it.
func (p *parser) find(line string) string {
	line = stripPrefix(line)
	if looksLikeInterval.MatchString(line) { // nearly all lines of a log, and found as they are
		return line
	}
	start, end := findLine(line)
	if end < 0 {
		return line
	}
	p.whole = p.whole || end < len(line)
	return line[start:end]
}

// line takes one line to whom it belongs. A line that belongs to none is noise: a
// shell's prompt, a test's own words, a table being created.
func (p *parser) line(line string) error {
	switch {
	case line == "":
		return nil
	case strings.HasPrefix(line, "setting write concern to "): // sysbench-mongodb
		return ErrMongoDB
	case otherTest(line) != "":
		return fmt.Errorf("%w: sysbench %s", ErrOtherTest, otherTest(line))
	case looksLikeInterval.MatchString(line):
		return p.interval(line)
	case looksLikeStructured(line):
		return p.structuredInterval(line)
	case messageLine.MatchString(line):
		return p.message(messageLine.FindStringSubmatch(line))
	case repeatLine.MatchString(line):
		return p.repeat(line)
	case checkpoint.MatchString(line):
		err := p.closeBlock()
		p.known, p.checkpoint = true, true
		return err
	case totalsBegin.MatchString(line):
		return p.beginBlock(line)
	case p.block != nil:
		return p.blockLine(line)
	}
	return p.preamble(line)
}

// preamble reads what comes before the first interval, and the histogram, which
// comes before the final statistics.
func (p *parser) preamble(line string) error {
	p.spoke = false
	switch {
	case match(headerLine, line, func(m []string) { p.known, p.log.version = true, m[1] }):
	case runLine.MatchString(line):
		return p.beginRun()
	case p.after > 0: // options of a start that has no figures
	case match(threadsLine, line, func(m []string) { p.log.threads = new(figures).int(m[1]) }):
	case match(everyLine, line, func(m []string) { p.every = new(figures).int(m[1]) }):
	case match(rateLine, line, func(m []string) { p.open, p.log.rate = true, m[1] }):
	case histogramBegin.MatchString(line):
		p.known, p.buckets = true, histogram{}
	case histogramLine.MatchString(line) && p.whole:
		var f figures
		m := histogramLine.FindStringSubmatch(line)
		ms, count := f.float(m[1]), f.count(m[2])
		if p.buckets.bad = p.buckets.bad || f.bad; f.bad || !p.buckets.add(ms, count) {
			return p.event("unreadable", line)
		}
	}
	return nil
}

// beginRun reads the header of a run. What came before it, and printed no figure, was a start
// that failed; what comes after the figures is one too, unless it prints figures of its own.
func (p *parser) beginRun() error {
	p.known = true
	if p.runs++; p.runs == 1 {
		return nil
	}
	if !p.log.empty() {
		p.after = p.lines.number
		return nil
	}
	why := p.log.reason()
	p.log.fatal, p.log.threads, p.every, p.open = nil, 0, 0, false
	return p.event("failed-start", cmp.Or(why, "a start before the run printed no figure"))
}

// second is the error of a log in which figures follow a second header; nil for any other.
func (p *parser) second() error {
	if p.after == 0 {
		return nil
	}
	p.lines.number = p.after
	return ErrSeveralRuns
}

// beginBlock opens the statistics, or goes on to their next part.
func (p *parser) beginBlock(line string) error {
	p.known = true
	if err := p.second(); err != nil {
		return err
	}
	if p.block != nil && p.block.hasSQL && queriesBegin.MatchString(line) {
		if err := p.closeBlock(); err != nil {
			return err
		}
	}
	if p.block != nil {
		return nil
	}
	if p.log.final != nil {
		return ErrSeveralRuns
	}
	p.block = &totals{line: p.lines.number, checkpoint: p.checkpoint, ownClock: strings.HasPrefix(line, "OLTP test")}
	p.checkpoint, p.sane = false, true
	return nil
}

// blockLine reads a line of the statistics. A header there means that the block
// was cut off and something new begins.
func (p *parser) blockLine(line string) error {
	if runLine.MatchString(line) || headerLine.MatchString(line) {
		return errors.Join(p.closeBlock(), p.preamble(line))
	}
	if !p.whole {
		return nil // the number may have been cut in two
	}
	known, sane := p.block.add(line)
	p.sane = p.sane && sane
	if known && fairnessLine.MatchString(line) {
		return p.closeBlock()
	}
	return nil
}

// closeBlock puts the statistics away as a checkpoint's or as the final ones.
func (p *parser) closeBlock() error {
	b := p.block
	if b == nil {
		return nil
	}
	p.block = nil
	switch {
	case !b.complete() || !p.sane:
		return p.event("unreadable", fmt.Sprintf("the statistics that begin in line %d are cut off or hold no numbers", b.line))
	case b.checkpoint && len(p.log.checkpoints) == maxCheckpoints:
		return ErrTooLong
	case b.checkpoint:
		p.log.checkpoints = append(p.log.checkpoints, *b)
	default:
		p.log.final = b
	}
	p.log.sql = p.log.sql || b.hasSQL
	return nil
}

// repeat keeps that a message was repeated, if the message was kept. sysbench
// says it of any line.
func (p *parser) repeat(line string) error {
	if !p.spoke {
		return nil
	}
	p.spoke = false
	return p.event("repeated", line)
}

// message keeps a FATAL, ALERT or WARNING line.
func (p *parser) message(m []string) error {
	p.spoke = true
	if m[1] == "FATAL" && p.after == 0 && len(p.log.fatal) < maxEvents {
		p.log.fatal = append(p.log.fatal, shorten(m[2]))
	}
	return p.event(map[string]string{"FATAL": "fatal", "ALERT": "alert", "WARNING": "warning"}[m[1]], m[2])
}

// event hands on something that happened, at the end of the interval before.
func (p *parser) event(name, detail string) error {
	switch p.events++; {
	case p.events == maxEvents:
		name, detail = "silenced", fmt.Sprintf("more than %d messages: the others are not kept", maxEvents)
	case p.events > maxEvents:
		return nil
	}
	at := time.Duration(p.end * float64(time.Second))
	return p.out.event(record.Event{At: at, Name: name, Detail: shorten(detail)})
}

func shorten(s string) string {
	if len(s) > maxDetail {
		return s[:maxDetail] + "..."
	}
	return s
}

// finish closes what the end of the file leaves open and says what is missing.
func (p *parser) finish() error {
	if err := errors.Join(p.closeBlock(), p.flush()); err != nil {
		return err
	}
	switch {
	case p.lines.number == 0:
		return ErrEmptyLog
	case !p.known:
		p.lines.number = 1
		return ErrNotSysbench
	case p.repeated > 2 && p.repeated*4 > p.log.intervals:
		return fmt.Errorf("%w: two runs print intervals at the same time", ErrSeveralRuns)
	}
	p.log.histogram, p.log.lines = p.buckets.record(), p.lines.number
	return nil
}

// noResult says why a log measures nothing: what sysbench gave up with, if it
// said so.
func noResult(l *sysbenchLog) error {
	switch {
	case l.decimalComma:
		return ErrDecimalComma
	case len(l.fatal) == 0:
		return ErrNoResult
	}
	return fmt.Errorf("%w: sysbench gave up: %s", ErrNoResult, l.reason())
}
