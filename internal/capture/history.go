package capture

// This file polls the history of statements. The server keeps the last statements in a ring:
// of all sessions (10,000 by default), or the last ten of each session.

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"
	"time"
)

// unknown is a number that was not read.
func unknown() float64 { return math.NaN() }

// history is the table that is polled; "" where no history is kept.
type history struct{ table string }

// event is a statement that has ended.
type event struct {
	key
	thread, id int64
	// last is the number of the thread's last event when this one ended: its own, or that of
	// an event within it.
	last       int64
	start, end float64 // milliseconds of the server's timer
	// transaction is the event of the transaction around it; 0 for none.
	transaction int64
	prepare     bool // it was prepared or closed, and not executed
	nested      bool // in a stored program
	failed      bool // it ended with an error
	// gap says that statements of this thread may be missing before it.
	gap bool
	// took is end - start, also where those are not known; NaN if it is not known either.
	took float64
	// resets says that the session begins or ends here, switches that it sets autocommit.
	resets, switches bool
	autocommit       autocommit
	statement        int // its place in Seen.Statements; set by assemble
}

const (
	pollAtLeast = 500 * time.Millisecond
	// pollShare is how much of the time the server may work on a poll.
	pollShare = 0.01
	// mostEvents bounds the memory of a long watch; the shapes of a workload are known by then.
	mostEvents = 400_000
)

// poll reads the history until the time is over. A poll that takes long makes the next one
// later, so that the server works for 1 % of the time on them at most.
//
// seen has the statements of each thread from before the span. The statements of a thread are
// returned in their order.
func (h history) poll(ctx context.Context, db *sql.DB, length time.Duration, seen statements) (all []event) {
	defer func() {
		slices.SortStableFunc(all, func(a, b event) int { return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.id, b.id)) })
		markMissing(all)
		adoptFirst(all)
	}()
	end := time.After(length)
	wait := pollAtLeast
	for {
		select {
		case <-ctx.Done():
			return append(all, h.read(context.WithoutCancel(ctx), db, seen)...)
		case <-end:
			return append(all, h.read(context.WithoutCancel(ctx), db, seen)...)
		case <-time.After(wait):
		}
		if h.table == "" || len(all) >= mostEvents {
			wait = length
			continue
		}
		begun := time.Now()
		// A query that is cut off would cost the connection, whose time is counted.
		all = append(all, h.read(context.WithoutCancel(ctx), db, seen)...)
		wait = max(pollAtLeast, time.Duration(float64(time.Since(begun))/pollShare))
	}
}

// setting is what a SET statement does to autocommit: "" for nothing, on, off, or other if the text does not say. A
// digest does not have the value. The server looks at the text; nothing of it but this word is read.
const setting = "CASE WHEN EVENT_NAME <> 'statement/sql/set_option' OR " + setText + " NOT LIKE '%autocommit=%'" +
	" OR " + setText + " LIKE '%global%autocommit=%' OR " + setText + " LIKE '%persist%autocommit=%' THEN ''" +
	" WHEN " + setText + " LIKE '%autocommit=0%' OR " + setText + " LIKE '%autocommit=off%' OR " + setText + " LIKE '%autocommit=false%' THEN 'off'" +
	" WHEN " + setText + " LIKE '%autocommit=1%' OR " + setText + " LIKE '%autocommit=on%' OR " + setText + " LIKE '%autocommit=true%' THEN 'on' ELSE 'other' END"

// setText is the text of a SET statement without blanks and quotes.
const setText = "REPLACE(REPLACE(REPLACE(REPLACE(LOWER(COALESCE(SQL_TEXT, '')), ' ', ''), ':', ''), '`', ''), '''', '')"

// adoptFirst takes the statement in which a transaction began into it. With autocommit=0 no BEGIN does that: the
// transaction is an event within the first statement, and the statements after it are within the transaction. A
// statement with autocommit has a transaction within it too, but no other statement is in that.
//
// The events are in the order of their threads and numbers.
func adoptFirst(all []event) {
	for i := range all[:max(0, len(all)-1)] {
		e, next := &all[i], all[i+1]
		if e.transaction == 0 && e.thread == next.thread && !next.gap && next.transaction > e.id && next.transaction <= e.last {
			e.transaction = next.transaction
		}
	}
}

// read returns the statements that have not been seen. A reading that fails adds nothing: the
// next one begins after a gap.
func (h history) read(ctx context.Context, db *sql.DB, seen statements) []event {
	if h.table == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	// The schema is named first: a digest of this query is cut off (max_digest_length), and readDigests knows it by
	// that name.
	rows, err := db.QueryContext(ctx, "SELECT performance_schema."+h.table+".THREAD_ID, EVENT_ID, END_EVENT_ID, EVENT_NAME IN ('statement/com/Prepare', 'statement/com/Close stmt'), TIMER_START/1e9, TIMER_END/1e9,"+
		" COALESCE(CURRENT_SCHEMA, ''), COALESCE(DIGEST, ''), COALESCE(NESTING_EVENT_ID, 0), COALESCE(NESTING_EVENT_TYPE, ''), ERRORS > 0, "+setting+
		" FROM performance_schema."+h.table+" WHERE TIMER_END > 0 AND THREAD_ID <> (SELECT THREAD_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = CONNECTION_ID())")
	if err != nil {
		return nil
	}
	defer rows.Close()
	byThread := map[int64][]event{}
	for rows.Next() {
		var e event
		var nesting int64
		var kind, set string
		if err := rows.Scan(&e.thread, &e.id, &e.last, &e.prepare, &e.start, &e.end, &e.schema, &e.digest, &nesting, &kind, &e.failed, &set); err != nil {
			return nil
		}
		e.took = e.end - e.start
		e.switches = set != "" && !e.failed
		e.autocommit = map[string]autocommit{"on": on, "off": off}[set]
		if kind == "TRANSACTION" {
			e.transaction = nesting
		}
		e.nested = kind == "STATEMENT"
		byThread[e.thread] = append(byThread[e.thread], e)
	}
	var found []event
	for _, thread := range slices.Sorted(maps.Keys(byThread)) {
		found = append(found, seen.news(byThread[thread])...)
	}
	return found
}

// numberedShare is the share of statements that must have the number after that of the statement
// before, for a jump in the numbers to mean that statements are missing.
const numberedShare = 0.9

// markMissing marks the statements before which others are missing: the server wrote them and
// overwrote them between two readings, or during one, in which the newest of the last reading
// can still be found. A server numbers the events of a thread (EVENT_ID, and END_EVENT_ID with the
// number it had come to; MySQL Reference Manual, "The events_statements_current Table"), so those of
// successive statements follow each other. They do not where events between statements are
// recorded too, such as waits: there, nothing is marked.
//
// The events are in the order of their threads and numbers.
func markMissing(all []event) {
	var jumps []int
	pairs := 0
	thread, last := int64(-1), int64(0)
	for i, e := range all {
		if e.thread != thread || e.gap {
			thread, last = e.thread, e.last
			continue
		}
		pairs++
		if e.id > last+1 {
			jumps = append(jumps, i)
		}
		last = max(last, e.last)
	}
	if float64(pairs-len(jumps)) < numberedShare*float64(pairs) {
		return
	}
	for _, i := range jumps {
		all[i].gap = true
	}
}

// statements are those that have been read, by thread and event, and the newest of each thread.
type statements struct {
	read   map[int64]map[int64]bool
	newest map[int64]int64
}

func noStatements() statements {
	return statements{read: map[int64]map[int64]bool{}, newest: map[int64]int64{}}
}

// news are the events of one thread that have not been read. Unless the newest that has been is
// among them, statements between the two may have left the ring.
//
// Events that are older than the newest can be new as well: the server writes the ring while it is
// read, from its beginning to its end (storage/perfschema/table_events_statements.cc, rnd_next), and
// when it passes the place that is read, later statements are found there and earlier ones are not.
func (s statements) news(all []event) (found []event) {
	slices.SortFunc(all, func(a, b event) int { return cmp.Compare(a.id, b.id) })
	thread := all[0].thread
	if s.read[thread] == nil {
		s.read[thread] = map[int64]bool{}
	}
	newest := s.newest[thread]
	gap := !slices.ContainsFunc(all, func(e event) bool { return e.id == newest })
	for _, e := range all {
		if s.read[thread][e.id] {
			continue
		}
		s.read[thread][e.id] = true
		e.gap = gap && e.id > newest
		gap = gap && !e.gap // before the first of them
		found = append(found, e)
	}
	s.newest[thread] = max(newest, all[len(all)-1].id)
	return found
}

func longest(spent map[string]float64) (name string) {
	for _, n := range slices.Sorted(maps.Keys(spent)) {
		if name == "" || spent[n] > spent[name] {
			name = n
		}
	}
	return name
}

// sortedKeys orders digests by their time, the longest first.
func sortedKeys(of map[key]Statement) []key {
	return slices.SortedFunc(maps.Keys(of), func(a, b key) int {
		return cmp.Or(-cmp.Compare(of[a].Milliseconds, of[b].Milliseconds), cmp.Compare(a.schema, b.schema), cmp.Compare(a.digest, b.digest))
	})
}
