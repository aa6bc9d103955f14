package capture

// This file finds out which log a file is, and reads its entries one after another, with bounded
// memory whatever the file has (MySQL Reference Manual, "The Slow Query Log" and "The General
// Query Log"; MariaDB writes both with small differences).

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/logtext"
)

// Bounds of what is kept and looked at.
const (
	longestLine  = 1 << 20   // bytes of a statement; a longer one is not covered
	detectWithin = 256 << 20 // bytes until the first entry: a log can begin within a long statement
)

// entry is one entry of a log.
type entry struct {
	thread int64 // noThread where the log does not say
	// start and end are when the statement began and ended, in milliseconds since 1970, and
	// took is the time between them; NaN where the log does not say.
	start, end, took float64
	schema           string // "" if the entry does not change it
	statement        string
	// resets says that the session has begun, has ended, or was reset: it has no transaction.
	// prepares says that nothing is executed.
	resets, closes, prepares, failed bool
	// cut says that the statement was too long and is not kept; length is all of it, in bytes.
	cut    bool
	length int
	// within are the headings in a quoted text of the statement. If that is not closed, a log collector has cut the
	// statement, and they are those of the entries behind it.
	within              int
	sent, examined      float64
	affected            float64
	rowsKnown, affectOK bool
	// weight is how many statements the entry stands for: that of a sample; 0 is 1.
	weight float64
	// suppressed statements were left out by the server before this entry.
	suppressed float64
	// restarted says that the server began a new file before this entry.
	restarted bool
	// What only packets show: the values of a prepared statement's parameters, the number of
	// the transaction around it, and that statements before it may be missing.
	bound       []value
	transaction int64
	gap         bool
}

// noThread is the thread of an entry that does not name one.
const noThread = -1

func newEntry() entry {
	return entry{thread: noThread, start: unknown(), end: unknown(), took: unknown()}
}

// logKind is the form of a log.
type logKind string

const (
	slowLog      logKind = "the slow log"
	generalLog   logKind = "the general log"
	slowTable    logKind = "the table mysql.slow_log"
	generalTable logKind = "the table mysql.general_log"
	auditLog     logKind = "the audit log (server_audit)"
)

// ErrNoLog is the error of a file that is none of them.
var ErrNoLog = errors.New("no entry of a log that tare reads was found: a slow log or a general log of MySQL, MariaDB or Percona Server," +
	" the table mysql.slow_log or mysql.general_log with its names of columns (mysql --batch, or CSV), or MariaDB's server_audit log")

// logReader reads entries.
type logReader struct {
	lines *logLines
	kind  logKind
	// entry reads the next entry of this kind of log.
	entry func() (entry, error)
	// pending is the line that ended the entry before, pendingCut that it is not whole.
	pending    string
	pendingCut bool
	schema     string  // of a slow log, which names it where it changes
	clock      float64 // of the last time that was read
	version    string
	restarted  bool // a banner was read since the last entry
	table      *logTable
	// seconds and finer count the times that were read, without and with digits behind the point.
	seconds, finer int
	// whole counts the statements whose time has whole seconds, leastWhole is the least of these times.
	whole      int
	leastWhole float64
	// before are the lines before the first entry that are none of the banner.
	before int
	// limits are the sampling that the log names, by the text of its heading.
	limits map[string]float64
}

func newLogReader(r io.Reader) (*logReader, error) {
	lines, err := newLogLines(r)
	if err != nil {
		return nil, err
	}
	l := &logReader{lines: lines, limits: map[string]float64{}}
	if err := l.detect(); err != nil {
		return nil, err
	}
	return l, nil
}

// detect reads up to the first entry.
func (l *logReader) detect() error {
	for size := 0; size < detectWithin; {
		line, err := l.lines.next()
		if errors.Is(err, io.EOF) && l.lines.in.Number == 0 {
			return fmt.Errorf("the file is empty: %w", ErrNoLog)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		size += len(line) + 1
		if text, _, wrapped := logtext.Unwrap(line); wrapped {
			lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
			l.lines.wrapped, line, l.lines.queue = true, lines[0], lines[1:]
		}
		if err := foreign(line); err != nil {
			return err
		}
		if l.begins(line) {
			l.pendingCut = l.lines.cut
			return nil
		}
		l.banner(line)
	}
	return ErrNoLog
}

// begins says that a line begins an entry, and prepares to read it.
func (l *logReader) begins(line string) bool {
	if at := slowBegin.FindStringIndex(line); at != nil && (at[0] == 0 || prefixLike(line[:at[0]])) {
		l.kind, l.entry, l.pending = slowLog, l.nextSlow, l.lines.learn(line, at[0])
		return true
	}
	if at := generalBegin.FindStringSubmatchIndex(line); at != nil && (at[2] == 0 || prefixLike(line[:at[2]])) {
		l.kind, l.entry, l.pending = generalLog, l.nextGeneral, l.lines.learn(line, at[2])
		return true
	}
	if at := auditBegin.FindStringSubmatchIndex(line); at != nil && (at[2] == 0 || prefixLike(line[:at[2]])) {
		l.kind, l.entry, l.pending = auditLog, l.nextAudit, l.lines.learn(line, at[2])
		return true
	}
	return l.beginsTable(line)
}

// prefixLike says that the text before the beginning of an entry can be a collector's prefix: it
// is short, and no part of a statement.
func prefixLike(text string) bool {
	ends := strings.TrimRight(text, " \t") != text || strings.HasSuffix(text, ":") // grep writes file:number:
	return len(text) <= longestPrefix && ends && !strings.ContainsAny(text, "'`;")
}

const longestPrefix = 300

// banner takes the server's version from the lines that it writes when it opens the file. Other lines
// before the first entry are counted: the file begins within an entry.
func (l *logReader) banner(line string) {
	if _, version, ok := strings.Cut(line, ", Version: "); ok && l.version == "" {
		l.version, _, _ = strings.Cut(version, " ")
	}
	if !bannerLine.MatchString(line) && !errorLine.MatchString(line) && strings.TrimSpace(line) != "" {
		l.before++
	}
}

// bannerLine is a line that the server writes when it opens the file, also behind a prefix.
var bannerLine = regexp.MustCompile(`, Version: .* started with:$|(?:^|\s)Tcp port: .*Unix socket: |(?:^|\s)Time\s+Id Command\s+Argument$`)

// isBanner is bannerLine without a prefix.
func isBanner(line string) bool {
	return strings.Contains(line, ", Version: ") && strings.HasSuffix(line, "started with:") || strings.HasPrefix(line, "Tcp port: ") ||
		strings.HasPrefix(line, "Time ") && strings.Contains(line, "Command") && strings.Contains(line, "Argument") ||
		strings.HasPrefix(line, "Time\t") && strings.Contains(line, "Command") && strings.Contains(line, "Argument")
}

// errorLine is a line of the error log, as MySQL and MariaDB write it, which some images write to the
// same file.
var errorLine = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ] ?\d{1,2}:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)? +\d+ \[(?:Note|Warning|ERROR|System)\] `)

// next is the next entry; io.EOF after the last.
func (l *logReader) next() (entry, error) {
	e, err := l.entry()
	if err == nil && l.restarted {
		e.restarted, l.restarted = true, false
	}
	return e, err
}

// line is the next line: the one that ended the entry before, or one from the file.
func (l *logReader) line() (text string, cut bool, err error) {
	if text, cut = l.pending, l.pendingCut; text != "" {
		l.pending, l.pendingCut = "", false
		return text, cut, nil
	}
	text, err = l.lines.next()
	return text, l.lines.cut, err
}

// timeForms are the times of the logs: RFC 3339, MariaDB's "231123 22:00:00", those of the tables, and
// server_audit's "20231123 22:00:00".
var timeForms = []string{time.RFC3339Nano, "060102 15:04:05", time.DateTime, "20060102 15:04:05"}

// timeIn reads a time, and notes whether it has parts of a second.
func (l *logReader) timeIn(text string) (ms float64, ok bool) {
	text = strings.TrimSpace(text)
	for _, form := range timeForms {
		t, err := time.Parse(form, strings.ReplaceAll(text, "  ", " 0"))
		if err != nil {
			continue
		}
		if strings.Contains(text, ".") {
			l.finer++
		} else {
			l.seconds++
		}
		return float64(t.UnixMicro()) / 1000, true
	}
	return 0, false
}

// collected are the lines of a statement.
type collected struct {
	lines  []string
	length int
	cut    bool
	last   string   // line, also where it is not kept
	open   unclosed // behind it
}

func (c *collected) add(line string, cut bool) {
	if len(c.lines) > 0 {
		c.length++
	}
	c.length, c.cut = c.length+len(line), c.cut || cut
	c.last, c.open = line, c.open.after(line)
	if c.cut = c.cut || c.length > longestLine; !c.cut {
		c.lines = append(c.lines, line)
	}
}

// ended says that a statement may end with the lines so far: the server writes a semicolon behind each
// (File_query_log::write_slow in sql/log.cc). Where a quoted text is open behind a semicolon, either it has the heading
// of an entry in it, or the statement was never whole: it is counted as one that cannot be read.
func (c *collected) ended() bool {
	return c.cut || strings.HasSuffix(strings.TrimRight(c.last, " \t"), ";")
}
