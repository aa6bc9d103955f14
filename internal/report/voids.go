package report

import (
	"fmt"

	"github.com/tarebench/tare/internal/compare"
)

// Void is a trial that something disturbed which no arm can cause.
type Void struct {
	Trial   int    `json:"trial"`
	Round   int    `json:"round"`
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	Gate    string `json:"gate"` // client, steal, foreign, thermal or sentinel
	// Seen and Median are the trial's value and the median of the run's: a share of the
	// machine's CPU time, or a count of events; null for gates that have no number.
	Seen   Number `json:"seen"`
	Median Number `json:"median"`
	// Said is the load engine's own message; Detail says in a sentence what the gate saw.
	Said   string `json:"said"`
	Detail string `json:"detail"`
	// Disposition is what became of the round: run-again or counted.
	Disposition string `json:"disposition"`
}

func (doc *Document) setVoids(voids []compare.Void) {
	doc.Voids = []Void{}
	for _, v := range voids {
		out := Void{Trial: v.Trial, Round: v.Round, Arm: text(v.Arm), Threads: v.Threads, Gate: text(v.Gate), Seen: Unknown(), Median: Unknown(), Said: text(v.Detail), Disposition: string(v.Disposition)}
		if v.Seen > 0 {
			out.Seen, out.Median = Number(v.Seen), Number(v.Median)
		}
		doc.Voids = append(doc.Voids, out)
	}
}

// seen says what a gate saw.
func (l *Language) seen(v *Void) string {
	switch {
	case !v.Seen.Known():
		if s := l.say("seen."+v.Gate, "said", v.Said); s != "" && (v.Said == "" || v.Gate == "client") {
			return s
		}
		return v.Said
	case v.Gate == "thermal":
		return l.say("seen.thermal", "n", decimal(float64(v.Seen), 0), "median", decimal(float64(v.Median), 0))
	}
	return l.say("seen."+v.Gate, "share", decimal(100*float64(v.Seen), 1), "median", decimal(100*float64(v.Median), 1))
}

// voidTable has no rows where nothing was disturbed, and is not shown then.
func voidTable(d *Document) Table {
	t := Table{Caption: d.say("caption.voids"), Head: d.heads("arm", "round", "trial", "gate", "saw", "disposition")}
	for _, v := range d.Voids {
		t.Rows = append(t.Rows, []Cell{
			words(d.label(v.Arm, v.Threads)), number(fmt.Sprint(v.Round)), number(fmt.Sprint(v.Trial)), words(d.words().gate(v.Gate)), words(v.Detail), words(d.say("disposition." + v.Disposition)),
		})
	}
	return t
}
