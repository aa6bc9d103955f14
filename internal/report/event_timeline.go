package report

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// EventTimeline is the throughput around an event, trial by trial. Zero is the event's beginning.
type EventTimeline struct {
	From   Number        `json:"from_s"` // when the first bin begins
	Step   Number        `json:"step_s"`
	Trials []EventCourse `json:"trials"`
}

// EventCourse is one trial's part: one value for each bin, and the parts of its longest stretch without service.
type EventCourse struct {
	Round      int            `json:"round"`
	Trial      int            `json:"trial"`
	Throughput []Number       `json:"tps"`
	Parts      []EventStretch `json:"parts"`
}

// EventStretch is a part of an outage, by a name of package compare.
type EventStretch struct {
	Name string `json:"name"`
	From Number `json:"from_s"`
	To   Number `json:"to_s"`
}

func timelineOf(t *compare.EventTimeline) *EventTimeline {
	if t == nil {
		return nil
	}
	out := &EventTimeline{From: Number(language.Round(t.From, 3)), Step: Number(language.Round(t.Step, 3)), Trials: []EventCourse{}}
	for _, c := range t.Trials {
		course := EventCourse{Round: c.Round, Trial: c.Trial, Throughput: []Number{}, Parts: []EventStretch{}}
		for _, tps := range c.Throughput {
			course.Throughput = append(course.Throughput, Number(language.Round(tps, 1)))
		}
		for _, p := range c.Parts {
			course.Parts = append(course.Parts, EventStretch{Name: p.Name, From: Number(language.Round(p.From, 3)), To: Number(language.Round(p.To, 3))})
		}
		out.Trials = append(out.Trials, course)
	}
	return out
}

// Usual is the mean throughput of all trials before the event.
func (t *EventTimeline) Usual() float64 {
	sum, n := 0.0, 0
	for _, c := range t.Trials {
		for i, tps := range c.Throughput {
			if float64(t.From)+(float64(i)+1)*float64(t.Step) <= 1e-9 {
				sum, n = sum+float64(tps), n+1
			}
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
