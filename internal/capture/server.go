package capture

// This file reads performance_schema of a running server: the counts of every digest before
// and after, and between them, again and again, the statements that have just ended. Of a
// statement it reads the digest alone: SQL_TEXT, which has literals, is in no query here.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/observe"
)

// Server says which statements of which server to watch.
type Server struct {
	// DB has one connection only.
	DB *sql.DB
	// Schema is the schema of the statements; "" for the one that most time is spent in.
	Schema string
}

// logOfMariaDB is what to do with a MariaDB whose statements are not counted. A session takes long_query_time when it
// connects.
const logOfMariaDB = "read the slow log, which needs no restart (SET GLOBAL slow_query_log=ON, long_query_time=0, for connections that are opened after that; " +
	"tare capture --log FILE), or a packet capture with --packets"

// Errors of servers that do not count statements.
var (
	ErrOff = errors.New("performance_schema is off: start the server with performance_schema=ON, or read a log with --log")
	// ErrOffMariaDB is of MariaDB, where it is off by default. Started with it, a server would still end in
	// ErrPrepared.
	ErrOffMariaDB = errors.New("performance_schema is off, and MariaDB counts no digests of statements that are prepared in advance in any case: " + logOfMariaDB)
	ErrNoDigests  = errors.New("the consumer statements_digest is off: UPDATE performance_schema.setup_consumers SET ENABLED='YES' WHERE NAME='statements_digest'")
	// ErrPrepared is of MariaDB, which makes no digest of the execution of a prepared statement.
	ErrPrepared = errors.New("the statements of other programs were prepared in advance, and MariaDB counts no digests of those: " + logOfMariaDB)
	errNothing  = errors.New("no statement of another program was seen; watch for longer, or name the schema")
	// errNothingNamed is the same of the schema that was named.
	errNothingNamed = errors.New("no statement of another program was seen in the schema; watch for longer, or name another schema")
)

const answerWithin = 30 * time.Second

// Watch reads the server's counters for a time, and changes nothing. When ctx ends earlier,
// the span is as long as it came.
func Watch(ctx context.Context, s Server, length time.Duration) (*Seen, error) {
	version, flavour, err := mysqld.Version(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	ctx, cancelled := context.WithTimeout(ctx, length+2*answerWithin) // a server that stops answering does not end the span by itself
	defer cancelled()
	h, notes, err := s.instruments(ctx, flavour)
	if err != nil {
		return nil, err
	}
	if err := Readable(ctx, s.DB, s.Schema); err != nil {
		return nil, err
	}
	own, ownKnown := observe.OwnTime(ctx, s.DB)
	known := noStatements()
	h.read(ctx, s.DB, known) // what was before the span; before the counts, so that nothing in the span is taken for it
	before, err := readDigests(ctx, s.DB, flavour)
	if err != nil {
		return nil, err
	}
	events := h.poll(ctx, s.DB, length, known)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	after, err := readDigests(ending, s.DB, flavour)
	if err != nil {
		return nil, err
	}
	seen := &Seen{Source: "performance_schema", Version: version, Schema: s.Schema, Notes: notes, Took: unknown(), Seconds: after.at.Sub(before.at).Seconds()}
	if now, ok := observe.OwnTime(ending, s.DB); ok && ownKnown && now >= own {
		seen.Took = (now - own).Seconds() / seen.Seconds
	}
	if err := seen.fill(before, after, events, autocommitOf(ending, s.DB)); err != nil {
		return nil, err
	}
	return seen, s.connections(ending, seen, events)
}

// autocommitOf is the value that new sessions of a server have.
func autocommitOf(ctx context.Context, db *sql.DB) autocommit {
	var value bool
	switch err := db.QueryRowContext(ctx, "SELECT @@GLOBAL.autocommit").Scan(&value); {
	case err != nil:
		return unsaid
	case value:
		return on
	}
	return off
}

// connections counts the sessions besides this one: those that are open, or those that were
// seen at work if they are more.
func (s Server) connections(ctx context.Context, seen *Seen, events []event) error {
	err := s.DB.QueryRowContext(ctx, "SELECT COUNT(*) FROM performance_schema.threads WHERE TYPE = 'FOREGROUND' AND PROCESSLIST_ID IS NOT NULL"+
		" AND PROCESSLIST_ID <> CONNECTION_ID() AND PROCESSLIST_DB = ?", seen.Schema).Scan(&seen.Connections)
	if err != nil {
		return fmt.Errorf("count connections: %w", err)
	}
	threads := map[int64]bool{}
	for _, e := range events {
		if e.schema == seen.Schema {
			threads[e.thread] = true
		}
	}
	seen.Connections = max(seen.Connections, len(threads))
	return nil
}

// instruments says which history there is, and what is missing.
func (s Server) instruments(ctx context.Context, flavour string) (history, []string, error) {
	var on string
	if err := s.DB.QueryRowContext(ctx, "SELECT @@performance_schema").Scan(&on); err != nil {
		return history{}, nil, fmt.Errorf("read performance_schema: %w", err)
	}
	if on == "0" || strings.EqualFold(on, "OFF") {
		if flavour == mysqld.MariaDB {
			return history{}, nil, ErrOffMariaDB
		}
		return history{}, nil, ErrOff
	}
	rows, err := s.DB.QueryContext(ctx, "SELECT NAME FROM performance_schema.setup_consumers WHERE ENABLED = 'YES'")
	if err != nil {
		return history{}, nil, fmt.Errorf("read setup_consumers: %w", err)
	}
	defer rows.Close()
	enabled := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return history{}, nil, fmt.Errorf("read setup_consumers: %w", err)
		}
		enabled[name] = true
	}
	if err := rows.Err(); err != nil {
		return history{}, nil, fmt.Errorf("read setup_consumers: %w", err)
	}
	if !enabled["statements_digest"] {
		return history{}, nil, ErrNoDigests
	}
	const hint = " To see all of them: UPDATE performance_schema.setup_consumers SET ENABLED='YES'" +
		" WHERE NAME IN ('events_statements_current', 'events_statements_history_long')"
	switch {
	// A history is not kept without it, and MariaDB has it off by default (MySQL Reference Manual, "Pre-Filtering by
	// Consumer").
	case !enabled["events_statements_current"]:
	case enabled["events_statements_history_long"]:
		return history{table: "events_statements_history_long"}, nil, nil
	case enabled["events_statements_history"]:
		return history{table: "events_statements_history"}, []string{
			"The consumer events_statements_history_long is off. Only transactions of at most 9 statements were seen whole." + hint}, nil
	}
	return history{}, []string{"The statement history is off: no transaction was seen." + hint}, nil
}

// key names a digest: the server counts the same text in another schema apart.
type key struct{ schema, digest string }

// digests are the counters of all digests at one time.
type digests struct {
	at        time.Time
	of        map[key]Statement
	uncounted Total
	// undigested are executions of prepared statements that are in no digest.
	undigested float64
}

// readDigests reads the counters of every digest of user statements. A statement about
// performance_schema or information_schema is a monitor's, and so is this one.
func readDigests(ctx context.Context, db *sql.DB, flavour string) (digests, error) {
	rows, err := db.QueryContext(ctx, "SELECT COALESCE(SCHEMA_NAME, ''), COALESCE(DIGEST, ''), COALESCE(DIGEST_TEXT, ''), COUNT_STAR, SUM_TIMER_WAIT/1e9,"+
		" SUM_ROWS_SENT, SUM_ROWS_EXAMINED, SUM_ROWS_AFFECTED FROM performance_schema.events_statements_summary_by_digest")
	if err != nil {
		return digests{}, fmt.Errorf("read digests: %w", err)
	}
	defer rows.Close()
	d := digests{of: map[key]Statement{}}
	for rows.Next() {
		var k key
		var s Statement
		if err := rows.Scan(&k.schema, &k.digest, &s.Text, &s.Count, &s.Milliseconds, &s.RowsSent, &s.RowsExamined, &s.RowsAffected); err != nil {
			return d, fmt.Errorf("read digests: %w", err)
		}
		s.Text = executed(s.Text)
		switch {
		case k.digest == "":
			d.uncounted.add(s.Total)
		case s.Text == "": // it was only prepared or closed
		case !systemSchema(k.schema) && !strings.Contains(s.Text, "performance_schema") && !strings.Contains(s.Text, "information_schema") && !ofTare(s.Text):
			d.of[k] = s
		}
	}
	d.at = time.Now()
	if err := rows.Err(); err != nil {
		return d, fmt.Errorf("read digests: %w", err)
	}
	if flavour == mysqld.MariaDB {
		d.undigested, err = executions(ctx, db)
	}
	return d, err
}

// executions is how often clients have had prepared statements executed. tare prepares none.
func executions(ctx context.Context, db *sql.DB) (n float64, err error) {
	err = db.QueryRowContext(ctx, "SELECT COALESCE(SUM(COUNT_STAR), 0) FROM performance_schema.events_statements_summary_global_by_event_name"+
		" WHERE EVENT_NAME = 'statement/com/Execute'").Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("read executions of prepared statements: %w", err)
	}
	return n, nil
}

// executed is the text of a statement that was executed, "" of one that was only prepared or closed.
// MySQL 9 begins the digests of prepared statements with PREPARE, EXECUTE and, when the client closes
// them (COM_STMT_CLOSE), DEALLOCATE. Of those that SQL prepares, a name follows, and DEALLOCATE PREPARE has that word.
func executed(text string) string {
	if rest, ok := strings.CutPrefix(text, "PREPARE "); ok && !strings.HasPrefix(rest, "`") {
		return ""
	}
	if rest, ok := strings.CutPrefix(text, "DEALLOCATE "); ok && !strings.HasPrefix(rest, "PREPARE `") {
		return ""
	}
	if rest, ok := strings.CutPrefix(text, "EXECUTE "); ok && !strings.HasPrefix(rest, "`") {
		return rest
	}
	return text
}

// ofTare tells whether a statement is one by which tare marks and leases its schema, which is no workload.
func ofTare(text string) bool {
	return strings.Contains(text, mysqld.LeaseTable) || strings.Contains(text, mysqld.MarkerTable)
}

func systemSchema(name string) bool {
	switch name {
	case "mysql", "sys", "performance_schema", "information_schema":
		return true
	}
	return false
}

// minus is what a statement came to since an earlier reading.
func (s Statement) minus(old Statement) Statement {
	s.Count -= old.Count
	s.Milliseconds -= old.Milliseconds
	s.RowsSent -= old.RowsSent
	s.RowsExamined -= old.RowsExamined
	s.RowsAffected -= old.RowsAffected
	return s
}

// fill takes the statements of one schema, and the transactions made of them.
func (seen *Seen) fill(before, after digests, events []event, byDefault autocommit) error {
	changed, spent := map[key]Statement{}, map[string]float64{}
	for k, s := range after.of {
		// A truncated summary has started again from zero.
		if d := s.minus(before.of[k]); d.Count > 0 {
			changed[k] = d
		} else if d.Count < 0 {
			changed[k] = s
		}
	}
	for k, s := range changed {
		if verbOfText(s.Text) == work {
			spent[k.schema] += s.Milliseconds
		}
	}
	named := seen.Schema != ""
	if !named {
		seen.Schema = longest(spent)
	}
	undigested := max(0, after.undigested-before.undigested)
	switch {
	case spent[seen.Schema] == 0 && undigested > 0:
		return ErrPrepared
	case spent[seen.Schema] == 0 && named:
		return errNothingNamed
	case spent[seen.Schema] == 0:
		return errNothing
	}
	seen.Uncounted.Count = max(0, after.uncounted.Count-before.uncounted.Count)
	seen.Uncounted.Milliseconds = max(0, after.uncounted.Milliseconds-before.uncounted.Milliseconds)
	seen.UncountedReason = "that the server did not count, because its table of digests was full (performance_schema_digests_size)"
	if undigested > 0 {
		seen.Uncounted.Count += undigested
		seen.UncountedReason = "that were prepared in advance, which MariaDB does not count, or that it did not count because its table of digests was full"
	}
	index := map[key]int{}
	for _, k := range sortedKeys(changed) {
		s := changed[k]
		if k.schema != seen.Schema {
			seen.Elsewhere.Count += s.Count
			seen.Elsewhere.Milliseconds += s.Milliseconds
			continue
		}
		index[k] = len(seen.Statements)
		seen.Statements = append(seen.Statements, s)
	}
	seen.withoutPrepares(events, index)
	found := assemble(events, index, seen.Statements, beginsWith{autocommit: byDefault, forgets: true})
	seen.Transactions = found.all
	found.note(seen.Statements)
	seen.Notes = append(seen.Notes, found.notes()...)
	return nil
}

// withoutPrepares takes the preparation of statements out of the counts: the summary counts
// it with the executions, the history tells them apart.
func (seen *Seen) withoutPrepares(events []event, index map[key]int) {
	all, prepared := make([]float64, len(seen.Statements)), make([]float64, len(seen.Statements))
	for _, e := range events {
		if i, ok := index[e.key]; ok {
			all[i]++
			if e.prepare {
				prepared[i]++
			}
		}
	}
	for i := range seen.Statements {
		if all[i] > 0 {
			seen.Statements[i].Count *= 1 - prepared[i]/all[i]
		}
	}
}
