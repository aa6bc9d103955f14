package report

import (
	"fmt"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// Stall is a time within a trial in which almost nothing was committed.
type Stall struct {
	Arm        string  `json:"arm"`
	Threads    int     `json:"threads"`
	Trial      int     `json:"trial"`
	Start      Number  `json:"start_s"` // since the window's beginning
	Seconds    Number  `json:"seconds"`
	Throughput Number  `json:"throughput"`
	Median     Number  `json:"median"` // of the window's intervals
	Moved      []Moved `json:"moved"`
}

// Moved is a counter whose rate in a stall was above that of the rest of the window.
type Moved struct {
	Metric string `json:"metric"`
	Unit   string `json:"unit"`
	Member int    `json:"member,omitempty"` // of a replicated database, from 1
	Rate   Number `json:"rate"`             // per second
	Before Number `json:"highest_rate_before"`
}

// mostStalls are those that a document has; more of them are a steady state.
const mostStalls = 200

func (doc *Document) setStalls(all []compare.Stall) {
	for _, s := range all[:min(len(all), mostStalls)] {
		out := Stall{
			Arm: text(s.Arm), Threads: s.Threads, Trial: s.Trial, Start: Number(s.Start), Seconds: Number(s.Seconds),
			Throughput: Number(s.Throughput), Median: Number(s.Median), Moved: []Moved{},
		}
		for _, m := range s.Moved {
			out.Moved = append(out.Moved, Moved{Metric: text(m.Name), Unit: text(m.Unit), Member: m.Member, Rate: Number(m.Rate), Before: Number(m.Before)})
		}
		doc.Stalls = append(doc.Stalls, out)
	}
}

// StallsSentence counts them, and says of each arm how many it has and how long they took
// together.
func (doc *Document) StallsSentence() string {
	type cell struct {
		arm     string
		threads int
	}
	var order []cell
	count, seconds := map[cell]int{}, map[cell]float64{}
	for _, s := range doc.Stalls {
		c := cell{s.Arm, s.Threads}
		if count[c] == 0 {
			order = append(order, c)
		}
		count[c]++
		seconds[c] += float64(s.Seconds)
	}
	var arms []string
	for _, c := range order {
		arms = append(arms, doc.Say("stalls.arm", "arm", doc.Label(c.arm, c.threads), "n", fmt.Sprint(count[c]), "seconds", language.Decimal(seconds[c], 1)))
	}
	return doc.Say("stalls.found", "stalls", doc.Count(len(doc.Stalls), "stall"), "limit", language.Decimal(100*compare.StallBelow, 0), "arms", doc.Language().List("list", arms))
}
