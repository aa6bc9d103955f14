package capture

// This file puts statements together to the transactions that they were part of.

import "math"

// assembled are the transactions of all sessions.
type assembled struct {
	all []Transaction
	// inferred are sessions that were taken to work without autocommit because of where they COMMIT,
	// doubtful those that show both. unended are sessions without autocommit that never end a transaction.
	inferred, doubtful, unended int
	// placed is where the executions of each statement were, also those of transactions that are not whole.
	placed []placed
}

// placed is how many executions of a statement were part of a transaction, and how many were on their own with
// autocommit. Those of which it is not known are in neither.
type placed struct{ within, alone float64 }

// beginsWith is what is known of sessions whose beginning was not seen.
type beginsWith struct {
	// autocommit is the value that a session begins with; unsaid if it is not known.
	autocommit autocommit
	// forgets says that a SET may be among the statements of a gap: they are lost, and not too long.
	forgets bool
}

// assemble takes the whole transactions out of the events of all threads.
func assemble(events []event, index map[key]int, statements []Statement, b beginsWith) assembled {
	verbs := make([]verb, len(statements))
	for i, s := range statements {
		verbs[i] = verbOfText(s.Text)
	}
	numbered := false
	var order []int64
	of := map[int64][]event{}
	for _, e := range events {
		if of[e.thread] == nil {
			order = append(order, e.thread)
		}
		of[e.thread] = append(of[e.thread], e)
		numbered = numbered || e.transaction != 0
	}
	out := assembled{placed: make([]placed, len(statements))}
	for _, n := range order { // not of a map: the result is the same each time
		s := newSession(of[n], index, verbs)
		s.placed, s.weight = out.placed, standsFor(of[n])
		if s.forgets = b.forgets; !numbered {
			s.decide(b.autocommit, &out)
		}
		for i, e := range s.events {
			s.next(e, s.verbs[i], numbered)
		}
		s.finish(&out)
		out.all = append(out.all, s.done...)
	}
	return out
}

// standsFor is how many statements of a session each one that was read stands for: a ring that keeps the last ten of
// each session shows a busy one less often. It is 1 of a log, whose events have no numbers of the server.
func standsFor(events []event) float64 {
	steps, n := 0.0, 0.0
	for i := 1; i < len(events); i++ {
		if !events[i].gap {
			steps, n = steps+float64(events[i].id-events[i-1].id), n+1
		}
	}
	first, last := events[0], events[len(events)-1]
	if last.last == 0 || steps <= 0 {
		return 1
	}
	return max(1, float64(last.id-first.id)/(steps/n)/float64(len(events)))
}

// note writes where the executions were into the statements.
func (a assembled) note(statements []Statement) {
	for i, p := range a.placed {
		statements[i].Within, statements[i].Alone = p.within, p.alone
	}
}

// thread follows one session.
type thread struct {
	events []event
	verbs  []verb
	done   []Transaction
	placed []placed // see assembled
	weight float64  // of one execution in placed
	// explicit says that the session begins or ends transactions somewhere.
	explicit bool
	// value is the session's autocommit, assumed is what it is taken for where no SET tells.
	value, assumed autocommit
	doubtful       bool
	forgets        bool // see beginsWith
	// synced says that the place in the session is known: outside of a transaction, or in
	// the one that is open.
	synced bool
	open   *Transaction
	// waiting are statements from before the place in the session is known. They are of
	// their own unless a COMMIT follows.
	waiting []Transaction
	// failed says that a statement of the open transaction ended with an error: a deadlock has
	// rolled it back, or the application will. Where it would have gone is not known.
	failed bool
	id     int64   // of an open transaction that no statement began
	begun  bool    // by a statement
	start  float64 // of the open transaction
	last   float64 // when the last statement of the open transaction ended; NaN where that is not known
	spent  float64 // the time of its statements
	ended  float64 // when the last transaction ended; NaN where that is not known
	// endings counts the transactions that a statement ended.
	endings int
}

// newSession takes out the events of one thread that count.
func newSession(events []event, index map[key]int, verbs []verb) *thread {
	t := &thread{ended: unknown()}
	gap := false
	for _, e := range events {
		gap = gap || e.gap
		if e.prepare || e.nested || e.digest == "" && !e.resets {
			continue
		}
		i, ok := index[e.key]
		v := session
		switch {
		case e.resets, e.switches:
		case !ok: // of another schema, or a digest that the summary has no room for
			gap = true
			continue
		default:
			v = verbs[i]
		}
		t.explicit = t.explicit || v == begins || v == commits || v == rollback
		e.statement, e.gap, gap = i, gap, false
		t.events, t.verbs = append(t.events, e), append(t.verbs, v)
	}
	return t
}

// decide says what autocommit is taken for where no SET tells.
func (t *thread) decide(byDefault autocommit, out *assembled) {
	seen := evidence{forgets: t.forgets}
	seen.observe(t.events, t.verbs)
	if byDefault == unsaid {
		byDefault = on
	}
	t.assumed, t.doubtful = seen.says(byDefault)
	switch {
	case t.doubtful:
		out.doubtful++
	case t.assumed == off && byDefault == on:
		out.inferred++
	}
}

func (t *thread) lose() {
	t.synced, t.open, t.ended, t.begun, t.failed, t.id = false, nil, unknown(), false, false, 0
	if t.waiting = nil; t.forgets {
		t.value = unsaid
	}
}

// commitsEach says whether a statement outside of BEGIN is a transaction of its own, known that this
// is known.
func (t *thread) commitsEach() (each, known bool) {
	value := t.value
	if value == unsaid {
		value = t.assumed
	}
	return value == on, value != unsaid
}

// next takes in the next event of the session.
func (t *thread) next(e event, v verb, numbered bool) {
	if e.gap {
		t.leaveWaiting()
		t.lose()
	}
	switch {
	case e.resets:
		t.end(true, e)
		t.value, t.synced = unsaid, true
		return
	case e.switches: // SET autocommit=1 commits; SET autocommit=0 is sent outside of a transaction
		t.end(false, e)
		t.value, t.synced = e.autocommit, true
		return
	}
	switch v {
	case begins:
		t.keepWaiting()
		t.abandon()
		t.synced, t.begun = true, true
		t.begin(e)
	case commits, rollback:
		t.place(t.waiting, true) // they were part of what ends here
		t.waiting = nil
		if t.open != nil {
			t.open.RolledBack = v == rollback
			t.spend(e)
			t.close(e.end)
			t.endings++
		}
		t.synced, t.begun = true, false
		t.ended = e.end
	case implicit:
		t.end(false, e)
		t.synced = true
	case session:
		if t.open != nil {
			t.spend(e)
		}
	case work:
		t.work(e, numbered)
	}
}

// end is the end of a transaction by something else than COMMIT.
func (t *thread) end(rolledBack bool, e event) {
	t.keepWaiting()
	if t.open != nil {
		t.open.RolledBack = rolledBack
		t.endings++
		t.abandon()
	}
}

// keepWaiting takes the statements that were waiting as statements of their own.
func (t *thread) keepWaiting() {
	if each, known := t.commitsEach(); each && known {
		t.done = append(t.done, t.waiting...)
		t.place(t.waiting, false)
	}
	t.waiting = nil
}

// leaveWaiting is keepWaiting where what follows is missing: in a session that has transactions, the statements can be
// in the middle of one.
func (t *thread) leaveWaiting() {
	if t.explicit {
		t.waiting = nil
	}
	t.keepWaiting()
}

// place counts single statements.
func (t *thread) place(all []Transaction, within bool) {
	for _, one := range all {
		t.placeOne(one.Statements[0], within)
	}
}

func (t *thread) placeOne(statement int, within bool) {
	p := &t.placed[statement]
	if within {
		p.within += t.weight
	} else {
		p.alone += t.weight
	}
}

// work is a statement that reads or writes tables.
func (t *thread) work(e event, numbered bool) {
	i := e.statement
	each, known := t.commitsEach()
	switch {
	case t.begun && t.open != nil, numbered && e.transaction != 0, !numbered && known && !each:
		t.placeOne(i, true)
	case numbered, known && t.synced:
		t.placeOne(i, false)
	}
	switch {
	case t.begun && t.open != nil:
		t.add(i, e)
	case numbered && e.transaction != 0 && t.open != nil && t.id == e.transaction:
		t.add(i, e)
	case numbered && e.transaction != 0 && !t.synced: // somewhere in a transaction
	case numbered && e.transaction != 0:
		t.abandon()
		t.begin(e)
		t.id = e.transaction
		t.add(i, e)
	case numbered:
		t.abandon()
		t.alone(i, e, &t.done)
		t.synced = true
	case !known: // it is in no transaction that is known
	case each && !t.synced:
		t.alone(i, e, &t.waiting)
	case each:
		t.alone(i, e, &t.done)
	case !t.synced: // the transaction began before
	case t.open != nil:
		t.add(i, e)
	default:
		t.begin(e)
		t.add(i, e)
	}
}

// alone keeps a statement with autocommit.
func (t *thread) alone(i int, e event, to *[]Transaction) {
	one := Transaction{Statements: []int{i}, Milliseconds: e.took, AtLeast: e.took, Pause: e.start - t.ended}
	if math.IsNaN(e.took) {
		one.Milliseconds = e.end - e.start
	}
	if !e.failed {
		*to = append(*to, one)
	}
	t.ended = e.end
}

// add takes a statement into the open transaction.
func (t *thread) add(i int, e event) {
	t.open.Statements = append(t.open.Statements, i)
	t.failed, t.last = t.failed || e.failed, e.end
	t.spend(e)
}

func (t *thread) spend(e event) { t.spent += e.took }

func (t *thread) begin(e event) {
	t.open = &Transaction{Explicit: true, Pause: e.start - t.ended}
	t.start, t.last, t.spent = e.start, e.end, 0
	if t.begun {
		t.spend(e)
	}
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
	t.open.Milliseconds, t.open.AtLeast = end-t.start, t.spent
	if len(t.open.Statements) > 0 && !t.failed {
		t.done = append(t.done, *t.open)
	}
	t.ended, t.open, t.id, t.begun, t.failed = end, nil, 0, false, false
}

// finish ends the session at the end of what was seen. A transaction that is open then is not whole. A
// session without autocommit that has ended none is a long transaction: its statements are taken one by
// one, and counted as such.
func (t *thread) finish(out *assembled) {
	t.leaveWaiting()
	if t.open == nil || t.begun || t.id != 0 || t.endings > 0 || len(t.open.Statements) < leastUnended {
		return
	}
	out.unended++
	for _, i := range t.open.Statements {
		t.done = append(t.done, Transaction{Statements: []int{i}, Milliseconds: unknown(), AtLeast: unknown(), Pause: unknown()})
	}
}

// leastUnended is how many statements a transaction without an end has that is taken for a session
// which ends none: a shorter one may have ended later.
const leastUnended = 50
