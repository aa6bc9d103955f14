package section

import (
	"fmt"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
)

func calendarSection() Section {
	return Section{
		ID:       "calendar",
		Shown:    func(d *report.Document) bool { return len(d.Attempts) > 0 },
		Sentence: calendarSentence,
		Figures:  []Figure{{ID: "fig-calendar", Chart: "calendar"}},
		Tables: func(d *report.Document) []Table {
			return []Table{disturbedTable(d), voidTable(d), othersTable(d), calendarTable(d)}
		},
	}
}

// calendarSentence says what was left out, and why; a failed trial takes its round out of
// the comparison, too.
func calendarSentence(d *report.Document) string {
	var found, arms []string
	for i := range d.Arms {
		if a := &d.Arms[i]; a.Voids > 0 {
			arms = append(arms, d.Say("calendar.arm", "arm", d.Called(a.Name, a.Threads), "times", d.Count(a.Voids, "time"), "gates", d.Language().List("list", gatesOf(d, a))))
		}
	}
	if len(arms) > 0 {
		found = append(found, d.Say("calendar.disturbed", "arms", d.Language().List("list", arms)))
	}
	counted, unmeasured := map[int]bool{}, 0
	for _, a := range d.Attempts {
		if !a.SetAside && len(a.Gates) > 0 {
			counted[a.Round] = true
		}
		// What was cut off is done again when the run goes on.
		if !a.SetAside && (a.Outcome == "failed" || a.Outcome == "incomplete" && !d.Sealed()) {
			unmeasured++
		}
	}
	for _, part := range []struct {
		n    int
		what string
	}{{d.SetAside(), "round aside"}, {len(counted), "round kept"}, {unmeasured, "trial lost"}} {
		if part.n > 0 {
			found = append(found, d.Count(part.n, part.what))
		}
	}
	if len(found) == 0 {
		found = []string{d.Say(nothing(d))}
	}
	s := d.Say("calendar.ran", "trials", d.Count(len(d.Attempts), "trial"), "when", when(d), "what", d.Language().List("clauses", found))
	if d.Run.ServersUnwatched {
		s = d.Language().List("sentences", []string{s, d.Unwatched()})
	}
	return s
}

// nothing says that no trial was excluded: by slices, only what the load generator could not do excludes one;
// by windows, what disturbed one more than the others does.
func nothing(d *report.Document) string {
	switch {
	case d.Protocol.Kind == "slices":
		return "calendar.nothing-slices"
	case d.Run.OthersCPU == nil && d.Run.ServersUnwatched:
		return "calendar.nothing-unwatched"
	case d.Run.OthersCPU == nil:
		return "calendar.nothing-unknown"
	case d.Run.ServersUnwatched:
		return "calendar.nothing-even"
	case d.Run.OthersCPU.Told():
		return "calendar.nothing-even"
	}
	return "calendar.nothing"
}

// othersTable is what the machine did beside each arm; it has no rows where no trial was watched.
func othersTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.others"), Head: d.Heads("arm", "others-cpu", "others-most", "others-steal", "cpu-pressure", "memory-pressure", "io-pressure", "disk-busy")}
	if d.Run.OthersCPU == nil {
		return t
	}
	for _, a := range d.Run.OthersCPU.Arms {
		row := []Cell{words(d.Label(a.Arm, a.Threads))}
		for _, share := range []report.Number{a.Processes, a.Most, a.Steal, a.CPUPressure, a.MemoryPressure, a.IOPressure, a.DiskBusy} {
			row = append(row, number(dash(100*share, 1)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// when is from the first start to the last.
func when(doc *report.Document) string {
	first, last := doc.Attempts[0].Started, doc.Attempts[len(doc.Attempts)-1].Started
	if first == nil || last == nil {
		return doc.Say("cell.not-known")
	}
	const day, clock = "2006-01-02 15:04", "15:04"
	to := clock
	if first.UTC().Format(time.DateOnly) != last.UTC().Format(time.DateOnly) {
		to = day
	}
	return doc.Say("calendar.when", "from", first.UTC().Format(day), "to", last.UTC().Format(to))
}

// byGate counts an arm's attempts that a gate stopped.
func byGate(doc *report.Document, a *report.Arm, gate string) int {
	n := 0
	for _, t := range doc.Attempts {
		if t.Arm == a.Name && t.Threads == a.Threads && slices.Contains(t.Gates, gate) {
			n++
		}
	}
	return n
}

func gatesOf(doc *report.Document, a *report.Arm) []string {
	var all []string
	for _, gate := range compare.Gates() {
		if n := byGate(doc, a, gate); n > 0 {
			all = append(all, doc.Say("calendar.gate", "gate", doc.Say("gate."+gate), "n", fmt.Sprint(n)))
		}
	}
	return all
}

// disturbedTable counts by arm and cause: with nothing disturbed its zeros say so.
func disturbedTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.disturbed"), Head: d.Heads("arm", "measurements", "disturbed")}
	for _, gate := range compare.Gates() {
		t.Head = append(t.Head, d.Say("gate."+gate))
	}
	t.Head = append(t.Head, d.Heads("set-aside")...)
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
		row := []Cell{words(d.Label(a.Name, a.Threads)), number(fmt.Sprint(all)), number(fmt.Sprint(a.Voids))}
		for _, gate := range compare.Gates() {
			row = append(row, number(fmt.Sprint(byGate(d, a, gate))))
		}
		t.Rows = append(t.Rows, append(row, number(fmt.Sprint(aside))))
	}
	return t
}

// calendarTable is every attempt in the order of its execution.
func calendarTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.calendar"), Head: d.Heads("began", "round", "slot", "trial", "arm", "took", "outcome", "disturbed-by", "disposition")}
	for _, a := range d.Attempts {
		began, disturbed, disposition := "-", "-", "disposition.counted"
		if a.Started != nil {
			began = a.Started.UTC().Format(time.DateTime)
		}
		if len(a.Gates) > 0 {
			disturbed = d.Language().List("list", gateNames(d, a.Gates))
		}
		if a.SetAside {
			disposition = "disposition.run-again"
		}
		t.Rows = append(t.Rows, []Cell{
			words(began), number(fmt.Sprint(a.Round)), number(fmt.Sprint(a.Slot)), number(fmt.Sprint(a.Trial)), words(d.Label(a.Arm, a.Threads)),
			number(dash(a.Took, 1)), words(d.Outcome(a.Outcome)), words(disturbed), words(d.Say(disposition)),
		})
	}
	return t
}

func gateNames(doc *report.Document, gates []string) []string {
	var all []string
	for _, gate := range gates {
		all = append(all, doc.Language().Gate(gate))
	}
	return all
}

// voidTable has no rows where nothing was disturbed, and is not shown then.
func voidTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.voids"), Head: d.Heads("arm", "round", "trial", "gate", "saw", "disposition")}
	for _, v := range d.Voids {
		t.Rows = append(t.Rows, []Cell{
			words(d.Label(v.Arm, v.Threads)), number(fmt.Sprint(v.Round)), number(fmt.Sprint(v.Trial)), words(d.Language().Gate(v.Gate)), words(v.Detail), words(d.Say("disposition." + v.Disposition)),
		})
	}
	return t
}
