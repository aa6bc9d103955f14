package text

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

// textEvents is a sentence for each event and each ledger.
func textEvents(s *screen, doc *report.Document) {
	if !section.HasEvents(doc) {
		return
	}
	if !section.EventsAlone(doc) { // else they are the answer above
		s.heading(doc.Say("faults.question"))
		for _, sentence := range section.EventSentences(doc) {
			s.words("  ", 2, safe.Sentence(sentence))
		}
	}
	textTimelines(s, doc)
}

// textTimelines is a line of throughput for each round, one below the other, and the parts of the outage.
func textTimelines(s *screen, doc *report.Document) {
	scales := timelineScales(s, doc)
	for i := range doc.Events {
		e := &doc.Events[i]
		if e.Timeline == nil {
			continue
		}
		s.gap()
		t := e.Timeline
		scale := scales[e.Number]
		lead, each := scale.lead, scale.each
		s.words("  ", 2, safe.Visible(doc.Say("text.event-timeline", "event", section.EventTitle(doc, e), "seconds", report.Trimmed(report.Number(float64(each)*float64(t.Step)))), false))
		before := int(0.5 - float64(t.From)/float64(t.Step))
		offset := (each - before%each) % each // so that a cell begins with the event
		mark := "v"
		if s.Unicode {
			mark = "▼"
		}
		s.line(strings.Repeat(" ", lead+4+(before+offset)/each) + s.paint(dim, mark+" "+doc.Say("text.event-begins")))
		for _, c := range t.Trials {
			s.line("  " + s.name(roundName(doc, c), lead) + "  " + s.paint("36", s.course(c.Throughput, scale.top, each, offset)))
		}
		if said := section.EventParts(doc, e); said != "" {
			s.words("  ", 2, safe.Sentence(said))
		}
	}
}

// timelineScale is what the timelines of one event of all arms share, so that they can be compared by eye.
type timelineScale struct {
	lead, each int     // columns of the rounds' names, values a cell
	top        float64 // transactions/s
}

// timelineScales are those of the events, by their numbers.
func timelineScales(s *screen, doc *report.Document) map[int]timelineScale {
	scales := map[int]timelineScale{}
	values := map[int]int{}
	for _, e := range doc.Events {
		if e.Timeline == nil {
			continue
		}
		scale := scales[e.Number]
		scale.top = max(scale.top, 1.25*e.Timeline.Usual())
		for _, c := range e.Timeline.Trials {
			scale.lead = max(scale.lead, runewidth.StringWidth(roundName(doc, c)))
			values[e.Number] = max(values[e.Number], len(c.Throughput))
		}
		scale.each = valuesACell(values[e.Number], s.Width-scale.lead-5)
		scales[e.Number] = scale
	}
	return scales
}

func roundName(doc *report.Document, c report.EventCourse) string {
	return doc.Say("text.event-round", "n", fmt.Sprint(c.Round))
}

// valuesACell is how many values share a cell, so that all have room.
func valuesACell(values, room int) int {
	each := 1
	for room > 1 && (values+each-1)/each+1 > room {
		each++
	}
	return each
}

// course draws the means of so many values a cell, from zero to top; the first cell has offset values fewer.
func (s *screen) course(values []report.Number, top float64, each, offset int) string {
	levels := []rune(blocks)
	if !s.Unicode {
		levels = []rune("_.:-=+*#")
	}
	var b strings.Builder
	for at := -offset; at < len(values); at += each {
		sum, n := 0.0, 0
		for _, v := range values[max(0, at):min(len(values), at+each)] {
			sum, n = sum+float64(v), n+1
		}
		level := 0
		if top > 0 {
			level = int(sum / float64(n) / top * float64(len(levels)))
		}
		if b.Len() == 0 || n == each || at+each <= len(values) {
			b.WriteRune(levels[min(len(levels)-1, max(0, level))])
		}
	}
	return b.String()
}
