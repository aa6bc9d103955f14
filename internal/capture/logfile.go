package capture

// This file reads the entries of a slow log or a general log, one after another, with bounded
// memory whatever the file has (MySQL Reference Manual, "The Slow Query Log" and "The General
// Query Log"; MariaDB writes both with small differences).

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Bounds of what is kept of a log.
const (
	longestLine  = 1 << 20 // of a statement; a longer one is not covered
	detectWithin = 200     // lines until the first entry
)

// entry is one entry of a log.
type entry struct {
	thread int64
	// start and end are when the statement began and ended, in milliseconds since 1970, and
	// took is the time between them; NaN where the log does not say.
	start, end, took float64
	schema           string // "" if the entry does not change it
	statement        string
	// closes says that the session has ended, prepares that nothing is executed.
	closes, prepares, failed bool
	// cut says that the statement was too long and is not kept.
	cut                 bool
	sent, examined      float64
	affected            float64
	rowsKnown, affectOK bool
	// What only packets show: the values of a prepared statement's parameters, the number of
	// the transaction around it, and that statements before it may be missing.
	bound       []value
	transaction int64
	gap         bool
}

// logKind is the form of a log.
type logKind string

const (
	slowLog    logKind = "the slow log"
	generalLog logKind = "the general log"
)

// ErrNoLog is the error of a file that is neither of the two.
var ErrNoLog = errors.New("it is not a slow log or a general log of MySQL or MariaDB: no entry was found in its first lines")

// logReader reads entries.
type logReader struct {
	in   *bufio.Reader
	kind logKind
	line int
	// pending is the line that ended the entry before.
	pending string
	schema  string // of a slow log, which names it where it changes
	ended   bool
	clock   float64 // of the last time that was read
	version string
}

func newLogReader(r io.Reader) (*logReader, error) {
	l := &logReader{in: bufio.NewReaderSize(r, 1<<16)}
	for range detectWithin {
		line, err := l.read()
		if err != nil {
			return nil, ErrNoLog
		}
		if _, version, ok := strings.Cut(line, ", Version: "); ok && l.version == "" {
			l.version, _, _ = strings.Cut(version, " ")
		}
		switch {
		case strings.HasPrefix(line, "# Time: "), strings.HasPrefix(line, "# User@Host: "):
			l.kind = slowLog
		default:
			if _, ok := l.general(line); ok {
				l.kind = generalLog
			}
		}
		if l.kind != "" {
			l.pending = line
			return l, nil
		}
	}
	return nil, ErrNoLog
}

// read is the next line without its end. Of a line that is too long the beginning is kept.
func (l *logReader) read() (string, error) {
	if l.ended {
		return "", io.EOF
	}
	l.line++
	var b strings.Builder
	for {
		part, err := l.in.ReadSlice('\n')
		if room := longestLine + 1 - b.Len(); room > 0 {
			b.Write(part[:min(len(part), room)])
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			l.ended = true
			if !errors.Is(err, io.EOF) {
				return "", fmt.Errorf("read log: %w", err)
			}
			if b.Len() == 0 {
				return "", io.EOF
			}
		}
		return strings.TrimRight(b.String(), "\r\n"), nil
	}
}

// next is the next entry; io.EOF after the last.
func (l *logReader) next() (entry, error) {
	if l.kind == slowLog {
		return l.nextSlow()
	}
	return l.nextGeneral()
}

func (l *logReader) nextGeneral() (entry, error) {
	first := l.pending
	if first == "" {
		return entry{}, io.EOF
	}
	e, _ := l.general(first)
	text := []string{e.statement}
	length := len(e.statement)
	for l.pending = ""; ; {
		line, err := l.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return entry{}, err
		}
		if _, ok := l.general(line); ok {
			l.pending = line
			break
		}
		if isBanner(line) {
			continue
		}
		if length += len(line); length <= longestLine {
			text = append(text, line)
		}
	}
	e.statement, e.cut = strings.Join(text, "\n"), length > longestLine
	return e, nil
}

// general reads the first line of an entry: time, thread, command and argument. MariaDB leaves
// out a time that is the same as before.
func (l *logReader) general(line string) (entry, bool) {
	at := l.clock
	rest := line
	if !strings.HasPrefix(line, "\t\t") {
		stamp, after, ok := strings.Cut(line, "\t")
		parsed, known := timeIn(stamp)
		if !ok || !known {
			return entry{}, false
		}
		at, rest = parsed, after
	}
	rest = strings.TrimLeft(rest, " \t")
	number, rest, ok := strings.Cut(rest, " ")
	thread, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || thread < 0 {
		return entry{}, false
	}
	command, argument, _ := strings.Cut(rest, "\t")
	e := entry{thread: thread, start: at, end: unknown(), took: unknown()}
	switch command {
	case "Query", "Execute":
		e.statement = argument
	case "Prepare":
		e.statement, e.prepares = argument, true
	case "Init DB":
		e.schema = argument
	case "Connect":
		if _, on, ok := strings.Cut(argument, " on "); ok {
			e.schema, _, _ = strings.Cut(on, " using ")
			e.schema = strings.TrimSpace(e.schema)
		}
	case "Quit":
		e.closes = true
	case "Close stmt", "Reset stmt", "Long Data", "Statistics", "Ping", "Field List", "Change user", "Binlog Dump", "Binlog Dump GTID", "Register Slave", "Shutdown", "Sleep", "Set option", "Fetch", "Daemon", "Connect Out", "Kill", "Debug", "Refresh", "Processlist", "Create DB", "Drop DB", "Error", "Reset Connection", "Delayed insert", "clone":
	default:
		return entry{}, false
	}
	l.clock = at
	return e, true
}

// isBanner is a line that the server writes when it opens the file.
func isBanner(line string) bool {
	return strings.Contains(line, ", Version: ") && strings.HasSuffix(line, "started with:") || strings.HasPrefix(line, "Tcp port: ") ||
		strings.HasPrefix(line, "Time ") && strings.Contains(line, "Command") && strings.Contains(line, "Argument")
}

// timeIn reads the times of both logs: RFC 3339, or MariaDB's "231123 22:00:00".
func timeIn(text string) (ms float64, ok bool) {
	text = strings.TrimSpace(text)
	for _, form := range []string{time.RFC3339Nano, "060102 15:04:05"} {
		if t, err := time.Parse(form, strings.ReplaceAll(text, "  ", " 0")); err == nil {
			return float64(t.UnixMicro()) / 1000, true
		}
	}
	return 0, false
}

// nextSlow reads the heading, which begins with a # on each line, and the statement.
func (l *logReader) nextSlow() (entry, error) {
	e := entry{start: unknown(), took: unknown()}
	var text []string
	length, body, began := 0, false, false
	for {
		line := l.pending
		l.pending = ""
		if line == "" {
			var err error
			if line, err = l.read(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return entry{}, err
			}
		}
		heading := strings.HasPrefix(line, "# Time: ") || strings.HasPrefix(line, "# User@Host: ")
		switch {
		case heading && body:
			l.pending = line
			return l.finish(e, text, length), nil
		case strings.HasPrefix(line, "# ") && !body && !strings.HasPrefix(line, administrator):
			began = true
			l.heading(&e, line)
		case isBanner(line):
			l.schema = ""
		case !began:
		default:
			body = true
			if length += len(line) + 1; length <= longestLine {
				text = append(text, line)
			}
		}
	}
	if !began {
		return entry{}, io.EOF
	}
	return l.finish(e, text, length), nil
}

// administrator begins the line of a command that is not a statement.
const administrator = "# administrator command: "

// stamped is the SET that the server writes before each statement, with what the statement needs
// to be repeated (File_query_log::write_slow in sql/log.cc).
var stamped = regexp.MustCompile(`(?i)^set (last_insert_id=\d+,)?(insert_id=\d+,)?timestamp=\d+(\.\d+)?;?$`)

// finish takes USE and SET timestamp, which the server writes before the statement, out of it. It
// writes USE only where the schema is not that of the entry before in the file, of whichever thread.
func (l *logReader) finish(e entry, lines []string, length int) entry {
	if len(lines) > 1 && stamped.MatchString(strings.TrimSpace(lines[1])) {
		if schema, ok := cutPrefixFold(strings.TrimSuffix(strings.TrimSpace(lines[0]), ";"), "use "); ok {
			l.schema, lines = strings.Trim(schema, "`"), lines[1:]
		}
	}
	if len(lines) > 0 && stamped.MatchString(strings.TrimSpace(lines[0])) {
		lines = lines[1:]
	}
	if e.schema == "" {
		e.schema = l.schema
	}
	if len(lines) > 0 && strings.HasPrefix(lines[0], administrator) { // Ping, Prepare, Quit: no statement
		e.closes, e.prepares = strings.Contains(lines[0], "Quit"), true
		return e
	}
	e.statement, e.cut = strings.Join(lines, "\n"), length > longestLine
	if e.end == 0 {
		e.end = l.clock
	}
	e.start = e.end - e.took
	return e
}

func cutPrefixFold(text, prefix string) (string, bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// heading reads one line: names with a colon and their values, on any line.
func (l *logReader) heading(e *entry, line string) {
	if stamp, ok := strings.CutPrefix(line, "# Time: "); ok {
		if ms, ok := timeIn(stamp); ok {
			l.clock, e.end = ms, ms
		}
		return
	}
	fields := strings.Fields(strings.TrimPrefix(line, "# "))
	for i := 0; i+1 < len(fields); i++ {
		v, err := strconv.ParseFloat(fields[i+1], 64)
		known := err == nil && v >= 0 && v < 1e15
		switch {
		case fields[i] == "Schema:" && !strings.HasSuffix(fields[i+1], ":"):
			e.schema = fields[i+1]
		case !known:
		case fields[i] == "Id:" || fields[i] == "Thread_id:":
			e.thread = int64(v)
		case fields[i] == "Query_time:":
			e.took = 1000 * v
		case fields[i] == "Rows_sent:":
			e.sent, e.rowsKnown = v, true
		case fields[i] == "Rows_examined:":
			e.examined = v
		case fields[i] == "Rows_affected:":
			e.affected, e.affectOK = v, true
		case fields[i] == "Errno:" || fields[i] == "Last_errno:" || fields[i] == "Killed:":
			e.failed = e.failed || v > 0
		}
	}
}
