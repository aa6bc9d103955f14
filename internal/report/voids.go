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
	// Fate is what became of the round: run-again or counted.
	Fate string `json:"fate"`
}

func (doc *Document) setVoids(voids []compare.Void) {
	doc.Voids = []Void{}
	for _, v := range voids {
		doc.Voids = append(doc.Voids, Void{v.Trial, v.Round, text(v.Arm), v.Threads, text(v.Gate), text(v.Detail), string(v.Fate)})
	}
}

// voidTable has no rows where nothing was disturbed, and is not shown then.
func voidTable(d *Document) Table {
	t := Table{Caption: d.say("caption.voids"), Head: d.heads("arm", "round", "trial", "gate", "saw", "fate")}
	for _, v := range d.Voids {
		t.Rows = append(t.Rows, []Cell{
			words(d.label(v.Arm, v.Threads)), number(fmt.Sprint(v.Round)), number(fmt.Sprint(v.Trial)), words(d.words().gate(v.Gate)), words(d.words().hear(v.Detail)), words(d.say("fate." + v.Fate)),
		})
	}
	return t
}
