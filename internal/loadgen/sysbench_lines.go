package loadgen

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLogLine is the longest line a log may hold, in bytes. sysbench's own lines
// end at 4 KiB (TEXT_BUFFER_SIZE, sb_logger.c); the rest is room for what a
// shell or a container runtime writes between them. A longer line is an error
// and not an allocation, because a log can come from anywhere.
const maxLogLine = 1 << 20

// What can be wrong with a log as a whole. A LogError wraps one of them.
var (
	ErrEmptyLog    = errors.New("the log is empty")
	ErrNotSysbench = errors.New("no line of this file was printed by sysbench")
	ErrLongLine    = fmt.Errorf("the line is longer than %d bytes: no log of sysbench has such lines", maxLogLine)
	ErrSeveralRuns = errors.New("a second run begins here: put each run into a file of its own")
	ErrNoResult    = errors.New("the log holds neither a line per second nor final statistics")
	// ErrMongoDB is the log of sysbench's fork for MongoDB.
	ErrMongoDB = errors.New("the log is of a test of MongoDB, whose figures cannot be compared with those of MySQL or MariaDB")
	// ErrNoEvents is a log of statements without transactions, which has no final statistics to count its events.
	ErrNoEvents = errors.New("the test sends statements without transactions, and the final statistics, which count its events, are missing")
	// ErrOtherTest is the log of a test that runs no transactions, named after it.
	ErrOtherTest    = errors.New("the log is of a test without a database, which has no transactions")
	ErrDecimalComma = errors.New("the figures have decimal commas, which other programs read as two figures: print them with LC_NUMERIC=C")
	ErrTooLong      = fmt.Errorf("the log holds more than %d intervals", maxIntervals)
)

// LogError says what is wrong with which line of which log.
type LogError struct {
	Name string
	Line int // from 1; 0 for an empty log
	Err  error
}

func (e *LogError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err)
}

func (e *LogError) Unwrap() error { return e.Err }

// lineReader hands out a log line by line in bounded memory.
type lineReader struct {
	in *bufio.Reader
	// number of the line read last, from 1.
	number int
	// whole is false for a last line without a newline: it may have been cut off
	// in the middle of a number.
	whole bool
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next line without its end, io.EOF after the last one.
func (l *lineReader) next() (string, error) {
	var line []byte
	l.number++
	for {
		chunk, err := l.in.ReadSlice('\n')
		if len(line)+len(chunk) > maxLogLine {
			return "", ErrLongLine
		}
		line = append(line, chunk...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(line) == 0:
			l.number--
			return "", io.EOF
		case err != nil && err != io.EOF:
			return "", err
		}
		l.whole = err == nil
		return strings.TrimRight(string(line), "\r\n"), nil
	}
}
