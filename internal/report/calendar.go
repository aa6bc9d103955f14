package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

// Attempt is one measurement of a trial. A trial has several where its round was set
// aside: only the last counts.
type Attempt struct {
	Trial   int        `json:"trial"`
	Round   int        `json:"round"`
	Slot    int        `json:"slot"`
	Arm     string     `json:"arm"`
	Threads int        `json:"threads"`
	Started *time.Time `json:"started"`
	// Took is seconds from the first step to the last; null where it has no end.
	Took     Number `json:"took_s"`
	Outcome  string `json:"outcome"`
	SetAside bool   `json:"set_aside"`
	// Gates are what saw a disturbance that no arm can cause, each as in Void.
	Gates []string `json:"gates"`
}

// setAttempts puts every measurement into the order of its execution and counts the
// disturbed ones by arm. An imported run has no order.
func (doc *Document) setAttempts(run *record.Run, voids []compare.Void) {
	doc.Attempts = []Attempt{}
	if run.Imported != nil {
		return
	}
	for _, v := range run.Voids {
		for _, t := range v.Trials {
			doc.Attempts = append(doc.Attempts, attempt(t, v.Causes, true))
		}
	}
	var counted []record.Cause
	for _, v := range voids {
		if v.Disposition == compare.Counted {
			counted = append(counted, v.Cause)
		}
	}
	for _, t := range run.Trials {
		doc.Attempts = append(doc.Attempts, attempt(t, counted, false))
	}
	slices.SortStableFunc(doc.Attempts, func(a, b Attempt) int {
		if a.Started == nil || b.Started == nil {
			return cmp.Compare(a.Trial, b.Trial)
		}
		return a.Started.Compare(*b.Started)
	})
	for _, a := range doc.Attempts {
		if arm := doc.arm(a.Arm, a.Threads); arm != nil && len(a.Gates) > 0 {
			arm.Voids++
		}
	}
}

func attempt(t *record.Trial, causes []record.Cause, aside bool) Attempt {
	h := t.Header
	out := Attempt{
		Trial: h.Trial, Round: h.Round, Slot: h.Slot, Arm: text(h.Arm), Threads: h.Threads, Took: Unknown(),
		Outcome: compare.Outcome(t), SetAside: aside, Gates: []string{},
	}
	if !h.Started.IsZero() {
		started := h.Started.UTC()
		out.Started = &started
	}
	if t.End != nil {
		out.Took = Number(roundTo(t.End.Duration.Seconds(), 1))
	}
	for _, c := range causes {
		if gate := text(c.Gate); c.Trial == h.Trial && !slices.Contains(out.Gates, gate) {
			out.Gates = append(out.Gates, gate)
		}
	}
	return out
}

// passes are the attempts, each pass through a round for itself.
func (doc *Document) passes() [][]Attempt {
	var all [][]Attempt
	for i, a := range doc.Attempts {
		if i == 0 || a.Round != doc.Attempts[i-1].Round || a.Slot <= doc.Attempts[i-1].Slot {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], a)
	}
	return all
}

// setAside is how many rounds were run again.
func (doc *Document) setAside() int {
	n := 0
	for _, pass := range doc.passes() {
		if pass[0].SetAside {
			n++
		}
	}
	return n
}

func calendarSection() Section {
	return Section{
		ID:       "calendar",
		Shown:    func(d *Document) bool { return len(d.Attempts) > 0 },
		Sentence: calendarSentence,
		Figures:  []Figure{{ID: "fig-calendar", Chart: "calendar"}},
		Tables:   func(d *Document) []Table { return []Table{disturbedTable(d), voidTable(d), calendarTable(d)} },
	}
}

// calendarSentence says what was left out, and why; a failed trial takes its round out of
// the comparison, too.
func calendarSentence(d *Document) string {
	var found, arms []string
	for i := range d.Arms {
		if a := &d.Arms[i]; a.Voids > 0 {
			arms = append(arms, d.say("calendar.arm", "arm", d.called(a.Name, a.Threads), "n", fmt.Sprint(a.Voids), "gates", d.words().list("list", d.gatesOf(a))))
		}
	}
	if len(arms) > 0 {
		found = append(found, d.say("calendar.disturbed", "arms", d.words().list("list", arms)))
	}
	counted, unmeasured := map[int]bool{}, 0
	for _, a := range d.Attempts {
		if !a.SetAside && len(a.Gates) > 0 {
			counted[a.Round] = true
		}
		// What was cut off is done again when the run goes on.
		if !a.SetAside && (a.Outcome == "failed" || a.Outcome == "incomplete" && !d.sealed()) {
			unmeasured++
		}
	}
	for _, part := range []struct {
		n    int
		what string
	}{{d.setAside(), "round aside"}, {len(counted), "round kept"}, {unmeasured, "trial lost"}} {
		if part.n > 0 {
			found = append(found, d.count(part.n, part.what))
		}
	}
	if len(found) == 0 {
		found = []string{d.say("calendar.nothing")}
	}
	return d.say("calendar.ran", "trials", d.count(len(d.Attempts), "trial"), "when", d.when(), "what", d.words().list("clauses", found))
}

// when is from the first start to the last.
func (doc *Document) when() string {
	first, last := doc.Attempts[0].Started, doc.Attempts[len(doc.Attempts)-1].Started
	if first == nil || last == nil {
		return doc.say("cell.not-known")
	}
	const day, clock = "2006-01-02 15:04", "15:04"
	to := clock
	if first.UTC().Format(time.DateOnly) != last.UTC().Format(time.DateOnly) {
		to = day
	}
	return doc.say("calendar.when", "from", first.UTC().Format(day), "to", last.UTC().Format(to))
}

// byGate counts an arm's attempts that a gate stopped.
func (doc *Document) byGate(a *Arm, gate string) int {
	n := 0
	for _, t := range doc.Attempts {
		if t.Arm == a.Name && t.Threads == a.Threads && slices.Contains(t.Gates, gate) {
			n++
		}
	}
	return n
}

func (doc *Document) gatesOf(a *Arm) []string {
	var all []string
	for _, gate := range compare.Gates() {
		if n := doc.byGate(a, gate); n > 0 {
			all = append(all, doc.say("calendar.gate", "gate", doc.say("gate."+gate), "n", fmt.Sprint(n)))
		}
	}
	return all
}

// disturbedTable counts by arm and cause: with nothing disturbed its zeros say so.
func disturbedTable(d *Document) Table {
	t := Table{Caption: d.say("caption.disturbed"), Head: d.heads("arm", "measurements", "disturbed")}
	for _, gate := range compare.Gates() {
		t.Head = append(t.Head, d.say("gate."+gate))
	}
	t.Head = append(t.Head, d.heads("set-aside")...)
	for i := range d.Arms {
		a := &d.Arms[i]
		all, aside := 0, 0
		for _, at := range d.Attempts {
			if at.Arm == a.Name && at.Threads == a.Threads {
				all++
				if at.SetAside {
					aside++
				}
			}
		}
		row := []Cell{words(d.label(a.Name, a.Threads)), number(fmt.Sprint(all)), number(fmt.Sprint(a.Voids))}
		for _, gate := range compare.Gates() {
			row = append(row, number(fmt.Sprint(d.byGate(a, gate))))
		}
		t.Rows = append(t.Rows, append(row, number(fmt.Sprint(aside))))
	}
	return t
}

// calendarTable is every attempt in the order of its execution.
func calendarTable(d *Document) Table {
	t := Table{Caption: d.say("caption.calendar"), Head: d.heads("began", "round", "slot", "trial", "arm", "took", "outcome", "disturbed-by", "disposition")}
	for _, a := range d.Attempts {
		began, disturbed, disposition := "-", "-", "disposition.counted"
		if a.Started != nil {
			began = a.Started.UTC().Format(time.DateTime)
		}
		if len(a.Gates) > 0 {
			disturbed = d.words().list("list", d.gateNames(a.Gates))
		}
		if a.SetAside {
			disposition = "disposition.run-again"
		}
		t.Rows = append(t.Rows, []Cell{
			words(began), number(fmt.Sprint(a.Round)), number(fmt.Sprint(a.Slot)), number(fmt.Sprint(a.Trial)), words(d.label(a.Arm, a.Threads)),
			number(dash(a.Took, 1)), words(d.outcome(a.Outcome)), words(disturbed), words(d.say(disposition)),
		})
	}
	return t
}

func (doc *Document) gateNames(gates []string) []string {
	var all []string
	for _, gate := range gates {
		all = append(all, doc.words().gate(gate))
	}
	return all
}
