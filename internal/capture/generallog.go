package capture

// This file reads the general log.

import (
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// generalStamp is the time of an entry, as MySQL and as MariaDB write it.
const generalStamp = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?|\d{6} [ \d]\d:\d\d:\d\d`

// generalCommands are those that an entry can have (Command_names::m_names in sql/sql_parse.cc).
const generalCommands = `Query|Execute|Prepare|Init DB|Connect|Quit|Close stmt|Reset stmt|Long Data|Statistics|Ping|Field List|Change user|Binlog Dump|Binlog Dump GTID|Register Slave|` +
	`Register Replica|Shutdown|Sleep|Set option|Fetch|Daemon|Connect Out|Kill|Debug|Refresh|Processlist|Create DB|Drop DB|Error|Reset Connection|Reset connection|Delayed insert|clone|Bulk_execute|Time|Table Dump|Subscribe Group Replication Stream|Unimpl get tid`

// generalLine is the first line of an entry: time, thread, command and argument. MariaDB leaves out a
// time that is the same as before. A terminal from which a log was copied turns tabs into blanks.
var generalLine = regexp.MustCompile(`^(` + generalStamp + `|)[ \t]+(\d+) (` + generalCommands + `)(?:[ \t](.*)|)$`)

// generalBegin is one that has a time, behind any prefix, or MariaDB's first one of a new file in the same second.
var generalBegin = regexp.MustCompile(`(?:^|[ \t])((?:` + generalStamp + `)[ \t]+\d+ (?:` + generalCommands + `)(?:[ \t]|$)|^\t\t *\d+ (?:` + generalCommands + `)(?:\t|$))`)

func (l *logReader) nextGeneral() (entry, error) {
	first, cut, err := l.line()
	for ; err == nil; first, cut, err = l.line() {
		if _, ok := l.general(first); ok {
			break
		}
	}
	if err != nil {
		return entry{}, err
	}
	e, _ := l.general(first)
	var text collected
	text.add(e.statement, cut)
	for {
		line, cut, err := l.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return entry{}, err
		}
		if couldBeGeneral(line) && generalLine.MatchString(line) {
			l.pending, l.pendingCut = line, cut
			break
		}
		if isBanner(line) {
			l.restarted = true
			continue
		}
		if errorLine.MatchString(line) && len(text.lines) == 1 {
			continue
		}
		text.add(line, cut)
	}
	e.statement, e.cut, e.length = strings.Join(text.lines, "\n"), text.cut, text.length
	return e, nil
}

// couldBeGeneral spares most lines of long statements the expression.
func couldBeGeneral(line string) bool {
	return line != "" && (line[0] == '\t' || line[0] == ' ' || line[0] >= '0' && line[0] <= '9')
}

// general reads the first line of an entry.
func (l *logReader) general(line string) (entry, bool) {
	m := generalLine.FindStringSubmatch(line)
	if m == nil {
		return entry{}, false
	}
	if m[1] != "" {
		at, ok := l.timeIn(m[1])
		if !ok {
			return entry{}, false
		}
		l.clock = at
	}
	thread, err := strconv.ParseInt(m[2], 10, 64)
	if err != nil {
		return entry{}, false
	}
	e := newEntry()
	if e.thread = thread; l.clock > 0 {
		e.start = l.clock
	}
	e.commanded(m[3], m[4])
	return e, true
}

// commanded takes a command of the general log and its argument.
func (e *entry) commanded(command, argument string) {
	switch command {
	case "Query", "Execute":
		e.statement = argument
	case "Prepare":
		e.statement, e.prepares = argument, true
	case "Init DB":
		e.schema = argument
	case "Connect", "Change user":
		e.resets = true
		if _, on, ok := strings.Cut(argument, " on "); ok {
			e.schema, _, _ = strings.Cut(on, " using ")
			e.schema = strings.TrimSpace(e.schema)
		}
	case "Reset Connection", "Reset connection":
		e.resets = true
	case "Quit":
		e.resets, e.closes = true, true
	}
}
