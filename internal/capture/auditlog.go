package capture

// This file reads the log of MariaDB's server_audit plugin, which RDS and Aurora have for MySQL too:
// one line of comma-separated fields for each event (MariaDB Knowledge Base, "MariaDB Audit Plugin -
// Log Format").

import (
	"regexp"
	"strconv"
	"strings"
)

// auditBegin is the beginning of a line: time, host of the server, user, host, connection, query,
// operation. Aurora writes the time as microseconds since 1970.
var auditBegin = regexp.MustCompile(`(?:^|[ \t])((?:\d{8} \d\d:\d\d:\d\d|\d{16}),[^,]*,[^,]*,[^,]*,\d+,\d+,(?:QUERY|CONNECT|DISCONNECT|FAILED_CONNECT|CHANGEUSER|READ|WRITE|CREATE|ALTER|RENAME|DROP),)`)

// auditFields are a line's, up to the database. The object is in quotes, or empty, and the server's
// answer follows it: 0, or the number of an error; the events of tables have none.
var auditFields = regexp.MustCompile(`(?s)^(\d{8} \d\d:\d\d:\d\d|\d{16}),[^,]*,[^,]*,[^,]*,(\d+),\d+,([A-Z_]+),([^,]*),(.*?),(\d*)(?:,[^,']*)*$`)

// auditLimit is server_audit_query_log_limit's default: a longer statement is cut off.
const auditLimit = 1024

func (l *logReader) nextAudit() (entry, error) {
	for {
		line, cut, err := l.line()
		if err != nil {
			return entry{}, err
		}
		m := auditFields.FindStringSubmatch(line)
		if m == nil {
			if at := auditBegin.FindStringIndex(line); at != nil && at[0] == 0 { // its end is missing
				e := newEntry()
				e.thread, e.end, e.cut, e.length = noThread, l.clock, true, len(line)
				return e, nil
			}
			continue
		}
		if e, ok := l.audited(m, cut); ok {
			return e, nil
		}
	}
}

// audited reads an event. The events of tables come beside those of statements.
func (l *logReader) audited(m []string, cut bool) (e entry, ok bool) {
	e = newEntry()
	e.cut = cut
	if micros, err := strconv.ParseFloat(m[1], 64); err == nil {
		l.clock = micros / 1000
		l.finer++
	} else if at, ok := l.timeIn(m[1]); ok {
		l.clock = at
	}
	e.end = l.clock
	e.thread, _ = strconv.ParseInt(m[2], 10, 64) // the expression has digits only
	e.schema, e.failed = m[4], m[6] != "0" && m[6] != ""
	switch m[3] {
	case "CONNECT", "CHANGEUSER":
		e.resets = true
	case "DISCONNECT":
		e.resets, e.closes = true, true
	case "QUERY":
		text := strings.TrimSuffix(strings.TrimPrefix(m[5], "'"), "'")
		e.statement, e.length = auditUnescaped(text), len(text)
		e.cut = e.cut || len(text) >= auditLimit-2 && len(text) <= auditLimit
	default:
		return e, false
	}
	return e, true
}

// auditUnescaped undoes escape_string of plugin/server_audit/server_audit.c.
func auditUnescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		b.WriteString(unescaped(text[i]))
	}
	return b.String()
}
