package report

import (
	"fmt"
	"slices"

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

// StallTotal counts the stalls of an arm, also of those that the document does not list.
type StallTotal struct {
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	Stalls  int    `json:"stalls"`
	Seconds Number `json:"seconds"`
}

// mostStalls are those that a document has of all arms, each with its share; more of them are a
// steady state.
const mostStalls = 200

func (doc *Document) setStalls(all []compare.Stall) {
	for _, s := range all {
		doc.countStall(text(s.Arm), s.Threads, s.Seconds)
	}
	listed := map[string]int{}
	for _, s := range all {
		if at := fmt.Sprint(s.Arm, s.Threads); listed[at] < mostStalls/len(doc.StallTotals) {
			listed[at]++
		} else {
			continue
		}
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

func (doc *Document) countStall(arm string, threads int, seconds float64) {
	i := slices.IndexFunc(doc.StallTotals, func(t StallTotal) bool { return t.Arm == arm && t.Threads == threads })
	if i < 0 {
		i = len(doc.StallTotals)
		doc.StallTotals = append(doc.StallTotals, StallTotal{Arm: arm, Threads: threads})
	}
	doc.StallTotals[i].Stalls++
	doc.StallTotals[i].Seconds += Number(seconds)
}

// StallsSentence counts them, and says of each arm how many it has and how long they took
// together.
func (doc *Document) StallsSentence() string {
	var arms []string
	n := 0
	for _, t := range doc.StallTotals {
		n += t.Stalls
		arms = append(arms, doc.Say("stalls.arm", "arm", doc.Label(t.Arm, t.Threads), "n", fmt.Sprint(t.Stalls), "seconds", language.Decimal(float64(t.Seconds), 1)))
	}
	s := doc.Say("stalls.found", "stalls", doc.Count(n, "stall"), "limit", language.Decimal(100*compare.StallBelow, 0), "arms", doc.Language().List("list", arms))
	if n > len(doc.Stalls) {
		s += doc.Say("join.sentences") + doc.Say("stalls.listed", "n", fmt.Sprint(mostStalls/len(doc.StallTotals)))
	}
	return s
}
