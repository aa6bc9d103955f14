package capture

// This file reads the slow log.

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// slowBegin is a line that begins an entry, behind any prefix. With --log-short-format an entry has
// neither time nor user.
var slowBegin = regexp.MustCompile(`# (?:Time: \d|User@Host: .*@|Query_time: \d)`)

// slowLine says that a line begins an entry.
func slowLine(line string) bool {
	at := slowBegin.FindStringIndex(line)
	return at != nil && at[0] == 0
}

// nextSlow reads the heading, which begins with a # on each line, and the statement.
func (l *logReader) nextSlow() (entry, error) {
	e := newEntry()
	var text collected
	body, began, timed := false, false, false
	for {
		line, cut, err := l.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return entry{}, err
		}
		heads := strings.HasPrefix(line, "# ") && slowLine(line)
		queryTime := strings.HasPrefix(line, "# Query_time: ")
		switch {
		case body && text.open != 0 && !text.ended():
			if text.add(line, cut); queryTime {
				e.within++
			}
		case heads && (body || queryTime && timed):
			l.pending, l.pendingCut = line, cut
			return l.finish(e, text), nil
		case strings.HasPrefix(line, "#") && !body && !strings.HasPrefix(line, administrator):
			if ofTiDB.MatchString(line) {
				return entry{}, fmt.Errorf("it is a slow log of TiDB, which tare does not read: %w", ErrNoLog)
			}
			began, timed = true, timed || queryTime
			l.heading(&e, line)
		case isBanner(line):
			l.schema, l.restarted = "", true
		case !began:
		case body && errorLine.MatchString(line) && len(text.lines) > 0 && strings.HasSuffix(text.lines[len(text.lines)-1], ";"):
		default:
			body = true
			text.add(line, cut)
		}
	}
	if !began {
		return entry{}, io.EOF
	}
	return l.finish(e, text), nil
}

// ofTiDB is a line of a heading as TiDB writes it.
var ofTiDB = regexp.MustCompile(`^# (?:Txn_start_ts|Conn_ID|Keyspace_name): `)

// administrator begins the line of a command that is not a statement.
const administrator = "# administrator command: "

var (
	// stamped is the SET that the server writes before each statement, with what the statement needs
	// to be repeated (File_query_log::write_slow in sql/log.cc).
	stamped = regexp.MustCompile(`(?i)^set (?:last_insert_id=\d+,)?(?:insert_id=\d+,)?timestamp=(\d+(?:\.\d+)?);?$`)
	// useLine is the USE that it writes where the schema is not that of the entry before in the file, of
	// whichever thread. pt-query-digest --output slowlog writes it before each statement.
	useLine = regexp.MustCompile("(?i)^use (`(?:[^`]|``)+`|[^ ;]+);?$")
	// throttled stands for statements that log_throttle_queries_not_using_indexes left out.
	throttled = regexp.MustCompile(`^throttle: +(\d+) 'index not used' warning\(s\) suppressed\.;?$`)
)

// finish takes USE and SET timestamp, which the server writes before the statement, out of it.
func (l *logReader) finish(e entry, text collected) entry {
	lines := text.lines
	if len(lines) > 1 || len(lines) == 1 && text.cut {
		if m := useLine.FindStringSubmatch(strings.TrimSpace(lines[0])); m != nil {
			l.schema, lines = unquote(m[1]), lines[1:]
			text.length -= len(m[0]) + 1
		}
	}
	began := 0.0
	if len(lines) > 0 {
		if m := stamped.FindStringSubmatch(strings.TrimSpace(lines[0])); m != nil {
			if seconds, err := strconv.ParseFloat(m[1], 64); err == nil && seconds < 1e11 {
				began = 1000 * seconds
			}
			lines, text.length = lines[1:], text.length-len(m[0])-1
		}
	}
	if e.schema == "" {
		e.schema = l.schema
	}
	if !(e.end > 0) {
		e.end = l.clock
	}
	if !(e.end > 0) && began > 0 { // --log-short-format, and entries before the first time
		l.seconds++
		e.end = began
		if e.took > 0 {
			e.end += e.took
		}
	}
	e.start = e.end - e.took
	switch {
	case len(lines) > 0 && strings.HasPrefix(lines[0], administrator): // Ping, Prepare, Quit: no statement
		e.prepares = true
		e.closes = strings.Contains(lines[0], "Quit")
		e.resets = e.closes || strings.Contains(lines[0], "Reset") || strings.Contains(lines[0], "Change user") || strings.Contains(lines[0], "Connect")
		return e
	case len(lines) == 1 && throttled.MatchString(lines[0]):
		e.prepares = true
		e.suppressed, _ = strconv.ParseFloat(throttled.FindStringSubmatch(lines[0])[1], 64)
		return e
	}
	e.statement, e.cut, e.length = strings.Join(lines, "\n"), text.cut, max(text.length, 0)
	return e
}

func unquote(name string) string {
	if strings.HasPrefix(name, "`") {
		return strings.ReplaceAll(strings.Trim(name, "`"), "``", "`")
	}
	return name
}

// remarks are lines of a heading that have no figures of the statement: EXPLAIN's and the warnings'
// (log_slow_verbosity of MariaDB).
var remarks = regexp.MustCompile(`(?i)^#\s*(?:explain|warnings?|note|error|level)\b`)

// heading reads one line: names with a colon and their values, on any line.
func (l *logReader) heading(e *entry, line string) {
	if stamp, ok := strings.CutPrefix(line, "# Time: "); ok {
		if ms, ok := l.timeIn(stamp); ok {
			l.clock, e.end = ms, ms
		}
		return
	}
	if remarks.MatchString(line) {
		return
	}
	fields := strings.Fields(strings.TrimPrefix(line, "#"))
	for i := 0; i+1 < len(fields); i++ {
		v, err := strconv.ParseFloat(fields[i+1], 64)
		known := err == nil && v >= 0 && v < 1e15
		switch {
		case fields[i] == "Schema:" && !strings.HasSuffix(fields[i+1], ":"):
			e.schema = fields[i+1]
		case !known:
		case fields[i] == "Id:" || fields[i] == "Thread_id:":
			e.thread = int64(v)
		case fields[i] == "Query_time:" && !strings.ContainsAny(fields[i+1], ".e"):
			l.wholeTook(v)
		case fields[i] == "Query_time:":
			e.took = 1000 * v
		case fields[i] == "Rows_sent:":
			e.sent, e.rowsKnown = v, true
		case fields[i] == "Rows_examined:":
			e.examined = v
		case fields[i] == "Rows_affected:":
			e.affected, e.affectOK = v, true
		case fields[i] == "Log_slow_rate_limit:":
			l.sampled(e, fields, v)
		case fields[i] == "Errno:" || fields[i] == "Last_errno:" || fields[i] == "Killed:":
			e.failed = e.failed || v > 0
		}
	}
}

// wholeTook notes a time of a statement in whole seconds, as MySQL before 5.1.21 writes it: 0 can be 999 ms, so
// no latency is known of it.
func (l *logReader) wholeTook(seconds float64) {
	if l.whole++; l.whole == 1 || seconds < l.leastWhole {
		l.leastWhole = seconds
	}
}

// sampled takes Percona Server's log_slow_rate_limit: the log has one of so many queries or sessions.
func (l *logReader) sampled(e *entry, fields []string, limit float64) {
	if limit <= 1 {
		return
	}
	e.weight = limit
	what := "query"
	for i := 0; i+1 < len(fields); i++ {
		if fields[i] == "Log_slow_rate_type:" {
			what = fields[i+1]
		}
	}
	l.limits[what] = max(l.limits[what], limit)
}
