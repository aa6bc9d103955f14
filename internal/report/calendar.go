package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
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
	// Gates are what saw a disturbance by an external factor, each as in Void.
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
		if arm := doc.Arm(a.Arm, a.Threads); arm != nil && len(a.Gates) > 0 {
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
		out.Took = Number(language.Round(t.End.Duration.Seconds(), 1))
	}
	for _, c := range causes {
		if gate := text(c.Gate); c.Trial == h.Trial && !slices.Contains(out.Gates, gate) {
			out.Gates = append(out.Gates, gate)
		}
	}
	return out
}

// Passes are the attempts, each pass through a round for itself.
func (doc *Document) Passes() [][]Attempt {
	var all [][]Attempt
	for i, a := range doc.Attempts {
		if i == 0 || a.Round != doc.Attempts[i-1].Round || a.Slot <= doc.Attempts[i-1].Slot {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], a)
	}
	return all
}

// SetAside is how many times a round was run again. A trial that had failed and was measured later
// is set aside with its round, in a pass of its own.
func (doc *Document) SetAside() int {
	again, rounds := map[int]int{}, map[int]int{}
	for _, a := range doc.Attempts {
		if a.SetAside {
			again[a.Trial]++
			rounds[a.Round] = max(rounds[a.Round], again[a.Trial])
		}
	}
	n := 0
	for _, times := range rounds {
		n += times
	}
	return n
}
