package chart

import (
	"html/template"
	"slices"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
)

// mostBoxes is how many attempts a reader without scripts is shown; of more the table
// tells.
const mostBoxes = 400

// Calendar is a row for each pass through a round, in the order in which they ran,
// and a box for each trial in its slot (web/src/charts/calendar.ts draws the same).
func Calendar(doc *report.Document) template.HTML {
	const row, left, width = 28.0, 170.0, 960.0
	passes := doc.Passes()
	if len(doc.Attempts) > mostBoxes {
		return ""
	}
	slots := 1
	for _, a := range doc.Attempts {
		slots = max(slots, a.Slot)
	}
	box := (width - left) / float64(slots)
	c := newCanvas(width, float64(len(passes))*row+4, "static", doc.Say("figure.calendar"))
	for i, pass := range passes {
		y := 2 + float64(i)*row
		c.say(0, y+18, "start", "ax", passName(doc, pass[0]))
		for _, a := range pass {
			drawAttempt(doc, c, a, left+float64(a.Slot-1)*box, y, box-5, row-5)
		}
	}
	return c.done()
}

func passName(doc *report.Document, a report.Attempt) string {
	time := ""
	if a.Started != nil {
		time = a.Started.UTC().Format("15:04")
	}
	return doc.Say("calendar.row", "time", time, "n", report.Trimmed(report.Number(a.Round)))
}

func drawAttempt(doc *report.Document, c *canvas, a report.Attempt, x, y, w, h float64) {
	class, mark, color := "box", "", ""
	if a.SetAside {
		class += " aside"
	}
	if len(a.Gates) > 0 {
		class, mark, color = class+" hit", "\u2715 ", " t-invalid"
	} else if a.Outcome != "measured" {
		mark = "! "
	}
	c.rect(x, y, w, h, class)
	i := slices.IndexFunc(doc.Arms, func(arm report.Arm) bool { return arm.Name == a.Arm })
	c.line(x+3, y+1, x+3, y+h-1, "edge c-"+seriesClass(max(0, i)))
	if letters := int(w/7.5) - 2; letters > 3 {
		c.say(x+11, y+16, "start", "ax"+color, safe.Cut(mark+doc.Label(a.Arm, a.Threads), letters))
	}
}
