package capture

// This file makes a workload of the statements in a log.

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"strings"
)

// mostDigests is how many different statements of a log are kept apart; further ones are
// counted as not covered.
const mostDigests = 10_000

// ReadLog reads a slow log, a general log, one of their tables, or an audit log. schema is that of the
// statements; "" for the one in which most time was spent.
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
	if in.before > 0 {
		s.unread.Count++ // the statement that the log begins within
	}
	s.coarse = in.seconds > 0 && in.finer == 0
	about := Seen{Source: string(in.kind), Version: in.version, Within: "in the log", Apart: in.apart(),
		UncountedReason: "that are cut off, longer than 1 MiB, several in one, or beyond the first 10,000 different ones"}
	seen, err := s.seen(about, schema)
	if err != nil {
		return nil, err
	}
	seen.Notes = append(in.notes(s), seen.Notes...)
	if sessions := in.limits["session"]; sessions > 1 {
		seen.Connections = int(math.Round(sessions * float64(seen.Connections)))
	}
	return seen, nil
}

func newLogSession() *logSession {
	return &logSession{seed: maphash.MakeSeed(), of: map[key]*logged{}, schemas: map[int64]string{}, gaps: map[int64]bool{}, epochs: map[int64]int{},
		counts: map[string]float64{}, spent: map[string]float64{}, active: map[string]*activity{}, fastest: math.Inf(1)}
}

// logSession is what the entries of a log have come to.
type logSession struct {
	seed    maphash.Seed
	of      map[key]*logged
	schemas map[int64]string // of each thread, as it was last chosen
	gaps    map[int64]bool   // threads of which a statement is missing before the next
	// epoch counts the files of the server in the log; epochs is that of each thread's last statement.
	epoch  int
	epochs map[int64]int
	// counts and spent are the number of statements and their time in each schema.
	counts, spent map[string]float64
	events        []event
	ids           int64
	// all is when there were entries, active when there were statements of each schema. whole says that the span
	// is not that of the schema.
	all        activity
	active     map[string]*activity
	whole      bool
	unread     Total   // statements that cannot be read: cut off, or in another encoding
	suppressed float64 // statements that the server left out
	fastest    float64 // statement, in milliseconds
	// nameless are statements without a thread, numbered those with one.
	nameless, numbered float64
	// coarse says that all times have whole seconds.
	coarse bool
	// written says that the log has numbers of written rows.
	written bool
	shown   *activity // that of the rates
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
	if e.restarted {
		s.epoch++
	}
	e.weight = max(e.weight, 1)
	s.written = s.written || e.affectOK
	if e.schema != "" {
		s.schemas[e.thread] = e.schema
	}
	s.at(e)
	s.suppressed, s.unread.Count = s.suppressed+e.suppressed, s.unread.Count+e.suppressed
	if e.resets {
		delete(s.gaps, e.thread)
		s.keep(event{thread: e.thread, start: e.start, end: e.end, took: e.took, resets: true})
	}
	switch {
	case e.closes:
		delete(s.schemas, e.thread)
		return
	case e.prepares, e.statement == "" && !e.cut:
		return
	}
	s.statement(e)
}

// statement takes a statement that was executed.
func (s *logSession) statement(e entry) {
	n, err := normalizeBound(e.statement, e.bound, s.seed)
	k := key{s.schemas[e.thread], n.text}
	if err == nil && !e.cut && n.text == "" { // a comment
		return
	}
	if k.schema != "" && monitors(n.text) {
		k.schema = "performance_schema"
	}
	if schema, ok := chosen(n.text); ok && err == nil && !e.cut && !e.failed {
		s.schemas[e.thread] = schema
	}
	if err != nil || e.cut || n.several > 1 || s.of[k] == nil && len(s.of) >= mostDigests {
		if err != nil {
			n.several = 1 + e.within
		}
		s.lost(e, max(1, n.several))
		return
	}
	found := s.of[k]
	if found == nil {
		found = &logged{Statement: Statement{Text: n.text}}
		s.of[k] = found
	}
	found.add(e, n)
	s.span(e, k.schema)
	if verbOfText(n.text) == work {
		s.counts[k.schema] += e.weight
		if e.took > 0 {
			s.spent[k.schema] += e.took
		}
	}
	if e.took < s.fastest {
		s.fastest = e.took
	}
	if s.numbered += e.weight; e.thread == noThread {
		s.numbered, s.nameless = s.numbered-e.weight, s.nameless+e.weight
	}
	ev := event{key: k, thread: e.thread, start: e.start, end: e.end, took: e.took, transaction: e.transaction, failed: e.failed,
		gap: e.gap || s.gaps[e.thread] || s.epochs[e.thread] != s.epoch}
	if verbOfText(n.text) == session {
		ev.autocommit, ev.switches = switched(e.statement)
		ev.switches = ev.switches && !e.failed
	}
	delete(s.gaps, e.thread)
	s.epochs[e.thread] = s.epoch
	s.keep(ev)
}

// lost counts statements that cannot be read.
func (s *logSession) lost(e entry, statements int) {
	length := max(e.length, len(e.statement))
	s.unread.add(Total{Count: e.weight * float64(statements), Milliseconds: e.weight * max(0, known(e.took)), Bytes: e.weight * float64(length)})
	s.gaps[e.thread] = true
}

// known is a number, or 0 if it is not known.
func known(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// keep keeps an event of the sample.
func (s *logSession) keep(e event) {
	if len(s.events) >= mostEvents {
		return
	}
	s.ids++
	e.id = s.ids
	s.events = append(s.events, e)
}

// at takes the time of an entry into the span of the log: its end, or its begin if a log has no
// other. A slow log whose first entries have no time has 0 for them.
func (s *logSession) at(e entry) { s.all.add(e.at(), 0) }

// span takes the time of a statement into that of its schema: a log can begin long before the workload does.
func (s *logSession) span(e entry, schema string) {
	if s.active[schema] == nil {
		s.active[schema] = &activity{}
	}
	s.active[schema].add(e.at(), e.weight)
}

// at is when an entry ended, or began where a log has no end; 0 or NaN where it has neither.
func (e entry) at() float64 {
	if math.IsNaN(e.end) {
		return e.start
	}
	return e.end
}

func (l *logged) add(e entry, n normalized) {
	w := e.weight
	l.Count += w
	l.Bytes += w * float64(max(e.length, len(e.statement)))
	if !math.IsNaN(e.took) {
		l.Milliseconds += w * e.took
		l.timed += w
	}
	l.RowsSent += w * e.sent
	l.RowsExamined += w * e.examined
	l.RowsAffected += w * e.affected
	if e.rowsKnown {
		l.counted += w
	}
	l.Lists += w * float64(n.list)
	l.newRows += w * float64(n.rows)
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
		if schema = longest(s.spent); schema == "" {
			schema = longest(s.counts)
		}
	}
	seen := &about
	seen.Schema, seen.Seconds, seen.Took = schema, unknown(), unknown()
	if span := s.spanOf(schema).length(s.coarse); span > 0 && !(s.coarse && span < leastCoarse) {
		seen.Seconds = span / 1000
	} else if s.coarse {
		seen.NoSeconds = fmt.Sprintf("the log's times have whole seconds, and its statements are within %.0f s", leastCoarse/1000)
	}
	seen.Uncounted.add(s.unread)
	index := map[key]int{}
	for _, k := range sortedKeys(s.statements()) {
		l := s.of[k]
		if k.schema != schema && verbOfText(l.Text) == work {
			seen.Elsewhere.add(l.statement().Total)
			continue
		}
		index[k] = len(seen.Statements)
		seen.Statements = append(seen.Statements, l.statement())
	}
	if s.counts[schema] == 0 {
		return nil, s.nothing(schema)
	}
	s.connections(seen)
	slices.SortStableFunc(s.events, func(a, b event) int { return int(a.id - b.id) })
	s.transactions(seen, index)
	return seen, nil
}

// nothing says why a log has no workload.
func (s *logSession) nothing(schema string) error {
	var others []string
	for _, name := range sortedNames(s.counts) {
		if s.counts[name] > 0 {
			others = append(others, fmt.Sprintf("%s (%.0f)", quotedOrNone(name), s.counts[name]))
		}
	}
	switch {
	case len(others) > 0:
		return fmt.Errorf("no statement that reads or writes rows in schema %s; schemas with statements: %s", quotedOrNone(schema), strings.Join(others, ", "))
	case s.unread.Count > 0:
		return fmt.Errorf("%w: %.0f statements could not be read", errNoStatement, s.unread.Count)
	}
	return errNoStatement
}

var errNoStatement = errors.New("no statement that reads or writes rows is in it")

func quotedOrNone(schema string) string {
	if schema == "" {
		return "(not known)"
	}
	return schema
}

// connections counts the threads.
func (s *logSession) connections(seen *Seen) {
	threads := map[int64]bool{}
	for _, e := range s.events {
		if e.digest != "" && e.thread != noThread {
			threads[e.thread] = true
		}
	}
	seen.Connections = len(threads)
}

// transactions puts the statements together, where the log shows which belong together.
func (s *logSession) transactions(seen *Seen, index map[key]int) {
	if s.nameless > 0 {
		seen.Apart = "the log does not say which connection sent a statement"
		seen.Connections = 0
	}
	if s.coarse {
		for i := range s.events {
			s.events[i].start, s.events[i].end = unknown(), unknown()
		}
		if !math.IsInf(s.fastest, 1) {
			seen.Notes = append(seen.Notes, "The log's times have whole seconds. The latency of a transaction of several statements and the pauses between transactions"+
				" (think) are not known. At least the time of its statements passes in a transaction.")
		}
		if span := seen.Seconds; span < shortSpan {
			seen.Notes = append(seen.Notes, fmt.Sprintf("The span of %.1f s is known to 1 s either way, and the rates are no more exact. It is that of a load as steady as in the log's full seconds.", span))
		}
	}
	if seen.Apart != "" {
		seen.Transactions = apart(s.events, index, seen.Statements)
		return
	}
	found := assemble(s.events, index, seen.Statements, beginsWith{})
	seen.Transactions = found.all
	found.note(seen.Statements)
	seen.Notes = append(seen.Notes, found.notes()...)
}

// shortSpan is how many seconds a log of whole seconds must have for rates within 5 %.
const shortSpan = 20

// leastCoarse is the span of a log of whole seconds, in milliseconds, below which its rates are not known: it is known
// to one second either way.
const leastCoarse = 2000.0

// apart makes a transaction of each statement.
func apart(events []event, index map[key]int, statements []Statement) (all []Transaction) {
	for _, e := range events {
		i, ok := index[e.key]
		if !ok || e.prepare || e.failed || e.resets || verbOfText(statements[i].Text) != work {
			continue
		}
		all = append(all, Transaction{Statements: []int{i}, Milliseconds: e.took, AtLeast: e.took, Pause: unknown()})
	}
	return all
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
