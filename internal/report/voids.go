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
	Gate    string `json:"gate"`   // client, steal, foreign, thermal or sentinel
	Detail  string `json:"detail"` // what the gate saw
	// Disposition is what became of the round: run-again or counted.
	Disposition string `json:"disposition"`
}

func (doc *Document) setVoids(voids []compare.Void) {
	doc.Voids = []Void{}
	for _, v := range voids {
		doc.Voids = append(doc.Voids, Void{v.Trial, v.Round, text(v.Arm), v.Threads, text(v.Gate), text(v.Detail), string(v.Disposition)})
	}
}

// voidTable has no rows where nothing was disturbed, and is not shown then.
func voidTable(d *Document) Table {
	t := Table{Caption: d.say("caption.voids"), Head: d.heads("arm", "round", "trial", "gate", "saw", "disposition")}
	for _, v := range d.Voids {
		t.Rows = append(t.Rows, []Cell{
			words(d.label(v.Arm, v.Threads)), number(fmt.Sprint(v.Round)), number(fmt.Sprint(v.Trial)), words(d.words().gate(v.Gate)), words(d.words().translate(v.Detail)), words(d.say("disposition." + v.Disposition)),
		})
	}
	return t
}
