package capture

// This file puts statements together to the transactions that they were part of.

// assemble takes the whole transactions out of the events of all threads.
func assemble(events []event, index map[key]int, statements []Statement) []Transaction {
	verbs := make([]verb, len(statements))
	for i, s := range statements {
		verbs[i] = verbOfText(s.Text)
	}
	nesting := nestingKnown(events, verbs)
	threads := map[int64]*thread{}
	for _, e := range events {
		t := threads[e.thread]
		if t == nil {
			t = &thread{ended: unknown(), nesting: nesting}
			threads[e.thread] = t
		}
		if e.gap { // whatever kind of event follows it
			t.lose()
		}
		if e.prepare || e.nested || e.digest == "" {
			continue
		}
		i, ok := index[e.key]
		if !ok { // of another schema, or a digest that the summary has no room for
			t.lose()
			continue
		}
		t.next(i, verbs[i], e)
	}
	// Threads are read in the order of their numbers: the result does not depend on a map.
	var all []Transaction
	for _, e := range events {
		if t := threads[e.thread]; t != nil {
			all = append(all, t.done...)
			t.done = nil
		}
	}
	return all
}

// nestingKnown says that a statement without a transaction around it is one of its own:
// the server times transactions, or nobody begins and ends any.
func nestingKnown(events []event, verbs []verb) bool {
	for _, e := range events {
		if e.transaction != 0 {
			return true
		}
	}
	for _, v := range verbs {
		if v == begins || v == commits || v == rollback {
			return false
		}
	}
	return true
}

// thread follows one session.
type thread struct {
	nesting bool // see nestingKnown
	done    []Transaction
	// synced says that the place in the session is known: outside of a transaction, or in
	// the one that is open.
	synced bool
	open   *Transaction
	// failed says that a statement of the open transaction ended with an error: a deadlock has
	// rolled it back, or the application will. Where it would have gone is not known.
	failed bool
	id     int64   // of an open transaction that no statement began
	begun  bool    // by a statement
	start  float64 // of the open transaction
	last   float64 // when the last statement of the open transaction ended; NaN where that is not known
	ended  float64 // when the last transaction ended; NaN where that is not known
}

func (t *thread) lose() {
	t.synced, t.open, t.ended, t.begun, t.failed, t.id = false, nil, unknown(), false, false, 0
}

// next takes in the next statement of the session.
func (t *thread) next(i int, v verb, e event) {
	switch v {
	case begins:
		t.abandon()
		t.synced, t.begun = true, true
		t.begin(e)
	case commits, rollback:
		if t.open != nil {
			t.open.RolledBack = v == rollback
			t.close(e.end)
		}
		t.synced, t.begun = true, false
		t.ended = e.end
	case session:
		if t.open == nil {
			return
		}
	case work:
		t.work(i, e)
	}
}

// work is a statement that reads or writes tables.
func (t *thread) work(i int, e event) {
	switch {
	case t.begun && t.open != nil:
		t.add(i, e)
	case e.transaction != 0 && t.open != nil && t.id == e.transaction:
		t.add(i, e)
	case !t.synced && (e.transaction != 0 || !t.nesting): // somewhere in a transaction
	case e.transaction != 0:
		t.abandon()
		t.begin(e)
		t.id = e.transaction
		t.add(i, e)
	default:
		t.abandon()
		t.begin(e)
		t.open.Explicit = false
		t.add(i, e)
		t.close(e.end)
		t.synced = true
	}
}

// add takes a statement into the open transaction.
func (t *thread) add(i int, e event) {
	t.open.Statements = append(t.open.Statements, i)
	t.failed, t.last = t.failed || e.failed, e.end
}

func (t *thread) begin(e event) {
	t.open = &Transaction{Explicit: true, Pause: e.start - t.ended}
	t.start, t.last = e.start, e.end
}

// abandon ends an open transaction that the next one has committed (MySQL Reference Manual,
// "Statements That Cause an Implicit Commit"). The time until the next one is the application's.
func (t *thread) abandon() {
	if t.open != nil {
		t.close(t.last)
	}
}

// close keeps a transaction that has a statement.
func (t *thread) close(end float64) {
	t.open.Milliseconds = end - t.start
	if len(t.open.Statements) > 0 && !t.failed {
		t.done = append(t.done, *t.open)
	}
	t.ended, t.open, t.id, t.begun, t.failed = end, nil, 0, false, false
}
