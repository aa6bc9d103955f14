package capture

// This file reads the tables mysql.slow_log and mysql.general_log (log_output=TABLE, the default of
// some managed services), written as text: by mysql --batch (tabs), as CSV with the names of the
// columns, or the CSV engine's own file, which has none.

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Columns of the tables, in their order (scripts/mysql_system_tables.sql).
var (
	generalColumns = []string{"event_time", "user_host", "thread_id", "server_id", "command_type", "argument"}
	slowColumns    = []string{"start_time", "user_host", "query_time", "lock_time", "rows_sent", "rows_examined", "db", "last_insert_id", "insert_id", "server_id", "sql_text", "thread_id", "rows_affected"}
)

// logTable is how a table was written.
type logTable struct {
	// separator is between two fields: a comma or a semicolon in CSV, in which fields can be in quotes, or a tab.
	separator byte
	// escapes says that a backslash escapes the next character.
	escapes    bool
	column     map[string]int
	columns    int
	disordered int // rows that are older than the row before on their thread
	rows       int
	newest     map[int64]float64
}

// beginsTable says that a line is the heading of a table, or a row of one without a heading.
func (l *logReader) beginsTable(line string) bool {
	for _, separator := range []byte("\t,;") {
		t := &logTable{separator: separator, escapes: separator == '\t', newest: map[int64]float64{}}
		fields, whole := t.split(line)
		if !whole || len(fields) < 3 {
			continue
		}
		heading := isHeading(fields)
		t.escapes = t.escapes || !heading // the engine's own file
		switch {
		case heading:
			t.named(fields)
		case len(fields) == len(generalColumns) && tableTime.MatchString(fields[0]) && isCommand(fields[4]):
			t.named(generalColumns)
		case (len(fields) == len(slowColumns) || len(fields) == len(slowColumns)-1) && tableTime.MatchString(fields[0]) && tableTook.MatchString(fields[2]):
			t.named(slowColumns[:len(fields)])
		default:
			continue
		}
		l.table, l.kind = t, generalTable
		if _, slow := t.column["sql_text"]; slow {
			l.kind = slowTable
		}
		if l.entry = l.nextRow; !heading {
			l.pending = line
		}
		return true
	}
	return false
}

var (
	tableTime = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d`)
	tableTook = regexp.MustCompile(`^-?\d+:\d\d:\d\d(?:\.\d+)?$`)
	isOne     = regexp.MustCompile(`^(?:` + generalCommands + `)$`)
)

// textColumn is a column with the statement, also where it was converted: CONVERT(sql_text USING utf8).
var textColumn = regexp.MustCompile(`(?i)\b(sql_text|argument)\b`)

// isHeading says that fields are names of columns, of which those of the time and of the statement are needed.
func isHeading(fields []string) bool {
	time := slices.ContainsFunc(fields, func(f string) bool { return strings.EqualFold(f, "event_time") || strings.EqualFold(f, "start_time") })
	return time && slices.ContainsFunc(fields, textColumn.MatchString)
}

func isCommand(text string) bool { return isOne.MatchString(text) }

func (t *logTable) named(columns []string) {
	t.column, t.columns = map[string]int{}, len(columns)
	for i, c := range columns {
		if m := textColumn.FindStringSubmatch(c); m != nil {
			c = m[1]
		}
		t.column[strings.ToLower(c)] = i
	}
}

// field is the field of a column; "" where the table does not have it, or has NULL.
func (t *logTable) field(fields []string, column string) string {
	i, ok := t.column[column]
	if !ok || i >= len(fields) || fields[i] == "NULL" || fields[i] == `\N` {
		return ""
	}
	return fields[i]
}

// split splits a row. whole is false if a quoted field goes on in the next line.
func (t *logTable) split(text string) (fields []string, whole bool) {
	var b strings.Builder
	quoted, csv := false, t.separator != '\t'
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && t.escapes && i+1 < len(text):
			i++
			b.WriteString(unescaped(text[i]))
		case c == t.separator && !quoted:
			fields = append(fields, b.String())
			b.Reset()
		case csv && c == '"' && quoted && i+1 < len(text) && text[i+1] == '"':
			b.WriteByte(c)
			i++
		case csv && c == '"':
			quoted = !quoted
		default:
			b.WriteByte(c)
		}
	}
	return append(fields, b.String()), !quoted
}

// open says whether a quoted field is open behind a line, which began in one or not, as split has it.
func (t *logTable) open(quoted bool, line string) bool {
	if t.separator == '\t' {
		return false
	}
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && t.escapes:
			i++
		case line[i] == '"':
			quoted = !quoted
		}
	}
	return quoted
}

// unescaped is what the character behind a backslash stands for (MySQL Reference Manual, "mysql Client
// Options", --raw).
func unescaped(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '0':
		return "\x00"
	case 'N':
		return `\N`
	}
	return string(c)
}

var errTable = errors.New("it is no row of the table")

// nextRow reads a row, which can have several lines.
func (l *logReader) nextRow() (entry, error) {
	var text collected
	open := false
	for {
		line, cut, err := l.line()
		if errors.Is(err, io.EOF) && len(text.lines) == 0 && !text.cut {
			return entry{}, io.EOF
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return entry{}, err
		}
		ended := err != nil
		if !ended && line == "" && len(text.lines) == 0 {
			continue
		}
		if !ended {
			text.add(line, cut)
			open = l.table.open(open, line)
		}
		if open && !ended && !text.cut {
			continue
		}
		fields, whole := l.table.split(strings.Join(text.lines, "\n"))
		e, err := l.row(fields)
		if err != nil {
			return entry{}, fmt.Errorf("line %d: %w", l.lines.in.Number, err)
		}
		e.cut, e.length = e.cut || text.cut || !whole, max(e.length, text.length*btoi(text.cut))
		return e, l.table.ordered(e)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// row reads the fields of a row.
func (l *logReader) row(fields []string) (entry, error) {
	t := l.table
	stamp := t.field(fields, "event_time") + t.field(fields, "start_time")
	at, ok := l.timeIn(stamp)
	if !ok {
		return entry{}, fmt.Errorf("%w: it has no time in the column of the times", errTable)
	}
	if len(fields) != t.columns {
		return entry{}, fmt.Errorf("%w: it has %d columns, not %d; write the table with mysql --batch, without --raw", errTable, len(fields), t.columns)
	}
	e := newEntry()
	if n, err := strconv.ParseInt(t.field(fields, "thread_id"), 10, 64); err == nil && n >= 0 {
		e.thread = n
	}
	if l.kind == generalTable {
		e.start = at
		e.commanded(t.field(fields, "command_type"), binaryText(t.field(fields, "argument")))
		e.length = len(e.statement)
		return e, nil
	}
	e.end, e.schema, e.statement = at, t.field(fields, "db"), binaryText(t.field(fields, "sql_text"))
	e.length = len(e.statement)
	e.took = l.duration(t.field(fields, "query_time"))
	e.start = e.end - e.took
	e.sent, e.rowsKnown = number(t.field(fields, "rows_sent"))
	e.examined, _ = number(t.field(fields, "rows_examined"))
	e.affected, e.affectOK = number(t.field(fields, "rows_affected"))
	if command, ok := strings.CutPrefix(e.statement, "Prepare"); ok && command == "" { // the commands of the general log
		e.statement, e.prepares = "", true
	}
	if isCommand(e.statement) {
		e.resets, e.closes, e.prepares = e.statement == "Quit", e.statement == "Quit", true
		e.statement = ""
	}
	return e, nil
}

func number(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return max(v, 0), err == nil
}

// duration reads a TIME in milliseconds. One of whole seconds, as old servers write it, is not known.
func (l *logReader) duration(text string) float64 {
	if !tableTook.MatchString(text) {
		return unknown()
	}
	parts := strings.Split(text, ":")
	ms := 0.0
	for _, p := range parts {
		v, _ := strconv.ParseFloat(p, 64) // the expression has digits only
		ms = 60*ms + 1000*v
	}
	if !strings.Contains(text, ".") {
		l.wholeTook(ms / 1000)
		return unknown()
	}
	return ms
}

// binaryText is a BLOB, which mysql --binary-as-hex writes as a hexadecimal number.
func binaryText(text string) string {
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok {
		return text
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return text
	}
	return string(b)
}

// errOrder is the error of a table that was not written in the order of its times.
var errOrder = errors.New("the rows are not in the order of their times: write the table with ORDER BY event_time (general_log) or start_time (slow_log)")

// Rows of one thread that are out of order by more than the resolution of their times: a few come from
// a clock that was set.
const (
	outOfOrder    = 1000 // milliseconds
	mostDisorder  = 0.01
	leastDisorder = 3
)

// ordered looks for rows that are older than those before them.
func (t *logTable) ordered(e entry) error {
	at := e.end
	if !(at > 0) {
		at = e.start
	}
	if t.rows++; at < t.newest[e.thread]-outOfOrder {
		t.disordered++
	}
	t.newest[e.thread] = max(t.newest[e.thread], at)
	if t.disordered >= leastDisorder && float64(t.disordered) > mostDisorder*float64(t.rows) {
		return errOrder
	}
	return nil
}
