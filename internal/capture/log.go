package capture

// This file makes a workload of the statements in a log.

import (
	"errors"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"strings"
)

// mostDigests is how many different statements of a log are kept apart; further ones are
// counted as not covered.
const mostDigests = 10_000

// ReadLog reads a slow log or a general log. schema is that of the statements; "" for the one
// with most statements.
func ReadLog(r io.Reader, schema string) (*Seen, error) {
	in, err := newLogReader(r)
	if err != nil {
		return nil, err
	}
	s := newLogSession()
	for {
		e, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		s.take(e)
	}
	about := Seen{Source: string(in.kind), Version: in.version, UncountedReason: "that are cut off, longer than 1 MiB, or beyond the first 10,000 different ones", Notes: in.notes()}
	return s.seen(about, schema)
}

func newLogSession() *logSession {
	return &logSession{seed: maphash.MakeSeed(), of: map[key]*logged{}, schemas: map[int64]string{}, gaps: map[int64]bool{}, counts: map[string]float64{}, first: math.Inf(1)}
}

// logSession is what the entries of a log have come to.
type logSession struct {
	seed    maphash.Seed
	of      map[key]*logged
	schemas map[int64]string // of each thread, as it was last chosen
	gaps    map[int64]bool   // threads of which a statement is missing before the next
	counts  map[string]float64
	events  []event
	ids     int64
	// first and last are times in milliseconds.
	first, last float64
	unread      float64 // statements that cannot be read: cut off, or in another encoding
}

// logged is one normalised statement of a log.
type logged struct {
	Statement
	parameters []*spread
	newRows    float64 // a sum
	// timed and counted are the executions whose time and whose rows are known.
	timed, counted float64
}

func (s *logSession) take(e entry) {
	if e.schema != "" {
		s.schemas[e.thread] = e.schema
	}
	s.at(e)
	switch {
	case e.closes:
		delete(s.schemas, e.thread)
		delete(s.gaps, e.thread)
		return
	case e.prepares, e.statement == "" && !e.cut:
		return
	}
	n, err := normalizeBound(e.statement, e.bound, s.seed)
	k := key{s.schemas[e.thread], n.text}
	if err == nil && !e.cut && n.text == "" { // a comment
		return
	}
	if schema, ok := chosen(n.text); ok && err == nil && !e.cut && !e.failed {
		s.schemas[e.thread] = schema
	}
	if err != nil || e.cut || n.several || s.of[k] == nil && len(s.of) >= mostDigests {
		s.unread++
		s.gaps[e.thread] = true
		return
	}
	found := s.of[k]
	if found == nil {
		found = &logged{Statement: Statement{Text: n.text}}
		s.of[k] = found
	}
	found.add(e, n)
	s.counts[k.schema]++
	gap := e.gap || s.gaps[e.thread]
	delete(s.gaps, e.thread)
	if len(s.events) < mostEvents {
		s.ids++
		s.events = append(s.events, event{key: k, thread: e.thread, id: s.ids, start: e.start, end: e.end, transaction: e.transaction, failed: e.failed, gap: gap})
	}
}

// at takes the time of an entry into the span of the log: its end, or its begin if a log has no
// other. A slow log whose first entries have no time has 0 for them.
func (s *logSession) at(e entry) {
	at := e.end
	if math.IsNaN(at) {
		at = e.start
	}
	if at > 0 {
		s.first, s.last = min(s.first, at), max(s.last, at)
	}
}

// chosen is the schema that a normalised USE statement chooses.
func chosen(text string) (schema string, ok bool) {
	if !strings.HasPrefix(text, "USE ") {
		return "", false
	}
	in, err := lex(text)
	if err != nil || len(in) != 2 || in[1].part != name {
		return "", false
	}
	return in[1].text, true
}

func (l *logged) add(e entry, n normalized) {
	l.Count++
	if !math.IsNaN(e.took) {
		l.Milliseconds += e.took
		l.timed++
	}
	l.RowsSent += e.sent
	l.RowsExamined += e.examined
	l.RowsAffected += e.affected
	if e.rowsKnown {
		l.counted++
	}
	l.Lists += float64(n.list)
	l.newRows += float64(n.rows)
	for i, v := range n.values {
		if i == len(l.parameters) {
			l.parameters = append(l.parameters, newSpread())
		}
		l.parameters[i].add(v)
	}
}

// seen chooses the schema and puts the transactions together.
func (s *logSession) seen(about Seen, schema string) (*Seen, error) {
	if schema == "" {
		schema = longest(s.counts)
	}
	seen := &about
	seen.Schema, seen.Seconds, seen.Took = schema, (s.last-s.first)/1000, unknown()
	seen.Uncounted += s.unread
	index := map[key]int{}
	for _, k := range sortedKeys(s.statements()) {
		l := s.of[k]
		if k.schema != schema && verbOfText(l.Text) == work {
			seen.Elsewhere.Count += l.Count
			seen.Elsewhere.Milliseconds += l.Milliseconds
			continue
		}
		index[k] = len(seen.Statements)
		seen.Statements = append(seen.Statements, l.statement())
	}
	if s.counts[schema] == 0 {
		return nil, errNothing
	}
	if !(seen.Seconds > 0) {
		return nil, errors.New("all statements have the same time: rates cannot be calculated")
	}
	threads := map[int64]bool{}
	for _, e := range s.events {
		threads[e.thread] = true
	}
	seen.Connections = len(threads)
	slices.SortStableFunc(s.events, func(a, b event) int { return int(a.id - b.id) })
	seen.Transactions = assemble(s.events, index, seen.Statements)
	return seen, nil
}

func (s *logSession) statements() map[key]Statement {
	all := map[key]Statement{}
	for k, l := range s.of {
		all[k] = l.Statement
	}
	return all
}

// statement is what the log says of one, with the number of new rows in the place where a digest
// has it.
func (l *logged) statement() Statement {
	s := l.Statement
	if l.timed > 0 {
		s.Milliseconds *= l.Count / l.timed
	}
	if l.counted > 0 {
		s.RowsSent, s.RowsExamined, s.RowsAffected = s.RowsSent*l.Count/l.counted, s.RowsExamined*l.Count/l.counted, s.RowsAffected*l.Count/l.counted
	}
	s.RowsAffected = max(s.RowsAffected, l.newRows)
	for _, p := range l.parameters {
		s.Parameters = append(s.Parameters, p.parameter())
	}
	return s
}

// notes are what such a log does not show.
func (l *logReader) notes() []string {
	if l.kind == slowLog {
		return []string{"A slow log has the statements that took longer than long_query_time. All are in it if that is 0, and log_slow_extra=ON adds the rows that were written."}
	}
	return []string{"The general log has no numbers of rows. It says when a statement began and not when it ended, so latencies and the pauses between" +
		" transactions (think) are not known. Failed statements are counted as the others are."}
}
