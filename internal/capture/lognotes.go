package capture

// This file says in sentences what a log does not show.

import (
	"fmt"
	"math"
	"strings"
)

// notes are what such a log does not show.
func (l *logReader) notes(s *logSession) (notes []string) {
	switch l.kind {
	case slowLog, slowTable:
		note := "A slow log has the statements that took longer than long_query_time. All are in it if that is 0"
		if !s.written && !l.ofMariaDB() { // which has no such variable, and always says Rows_affected
			note += ", and log_slow_extra=ON adds the rows that were written"
		}
		notes = append(notes, note+".")
		if !math.IsInf(s.fastest, 1) && s.fastest >= suspicious {
			notes = append(notes, fmt.Sprintf("The fastest statement in the log took %.1f ms. If long_query_time was above 0, faster ones are missing, and with them the mix and the rates.", s.fastest))
		}
		if l.whole > 0 {
			notes = append(notes, fmt.Sprintf("The times of %.0f statements have whole seconds, the least %.0f s. Their latencies are not known.", float64(l.whole), l.leastWhole))
		}
		if l.whole > 0 && l.leastWhole >= 1 {
			notes = append(notes, "If long_query_time was above 0, faster statements are missing, and with them the mix and the rates.")
		}
	case generalLog, generalTable:
		notes = append(notes, "The general log has no numbers of rows. It says when a statement began and not when it ended, so latencies and the pauses between"+
			" transactions (think) are not known. Failed statements are counted as the others are.")
	case auditLog:
		notes = append(notes, "The audit log has no numbers of rows and no times of statements, so latencies and the pauses between transactions (think) are not known."+
			fmt.Sprintf(" Statements of %d bytes and more are cut off in it (server_audit_query_log_limit).", auditLimit))
	}
	switch {
	case l.before == 1:
		notes = append(notes, "The log begins within a statement: its first line is not read.")
	case l.before > 1:
		notes = append(notes, fmt.Sprintf("The log begins within a statement: its first %d lines are not read.", l.before))
	}
	if l.lines.cutOff {
		notes = append(notes, "The compressed file is cut off: what the log had after that is missing.")
	}
	if n := s.back(); n > 0 {
		notes = append(notes, fmt.Sprintf("The times go back %s, by more than %.0f s: a clock was set, summer time ended, or parts of the log are in another order. Rates are over the parts, without what is between them.", timesOver(n), goesBack/1000))
	}
	if s.suppressed > 0 {
		notes = append(notes, fmt.Sprintf("The server left %.0f statements out of the log (log_throttle_queries_not_using_indexes).", s.suppressed))
	}
	return append(notes, l.sampleNotes()...)
}

// ofMariaDB says that the log names MariaDB, as its first lines and its versions do.
func (l *logReader) ofMariaDB() bool { return strings.Contains(strings.ToLower(l.version), "mariadb") }

// suspicious is the time of a fastest statement, in milliseconds, above which a log looks like one with a limit: a
// server answers a COMMIT or a read by key in less.
const suspicious = 1

// apart says why statements of the log cannot be put together; "" if they can.
func (l *logReader) apart() string {
	for what := range l.limits {
		if what != "session" {
			return "the log is a sample of single statements"
		}
	}
	return ""
}

// sampleNotes say what a sample of statements or of sessions shows.
func (l *logReader) sampleNotes() (notes []string) {
	for _, what := range sortedNames(l.limits) {
		limit := l.limits[what]
		if what == "session" {
			notes = append(notes, fmt.Sprintf("The log is a sample: it has one of %.0f sessions (log_slow_rate_limit). Counts, rates and the number of connections are multiplied by that.", limit))
			continue
		}
		notes = append(notes, fmt.Sprintf("The log is a sample: it has one of %.0f statements (log_slow_rate_limit). Counts and rates are multiplied by that.", limit))
	}
	return notes
}

// notes say how sure it is where transactions begin and end.
func (a assembled) notes() (notes []string) {
	if a.inferred > 0 {
		notes = append(notes, fmt.Sprintf("%s taken to work with autocommit=0, because COMMIT or ROLLBACK follows statements without BEGIN. SET autocommit was not seen.", connectionsAre(a.inferred)))
	}
	if a.doubtful > 0 {
		notes = append(notes, fmt.Sprintf("Of %s it is not known whether autocommit was on: COMMIT follows statements without BEGIN, and so does BEGIN. Their statements outside of BEGIN are in no transaction of the sample.", connectionsOf(a.doubtful)))
	}
	if a.unended > 0 {
		notes = append(notes, fmt.Sprintf("Transactions without an end: of %s with autocommit=0, no COMMIT or ROLLBACK was seen. The file has each of their statements as one with autocommit.", connectionsOf(a.unended)))
	}
	return notes
}

func connectionsOf(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", n)
}

func connectionsAre(n int) string {
	if n == 1 {
		return "1 connection is"
	}
	return connectionsOf(n) + " are"
}

func timesOver(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
