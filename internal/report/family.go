package report

// This file says which intervals of a report hold at once.

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/compare"
)

// Joint says of a 95 % interval which family it belongs to. All intervals of the family hold at once
// with the probability Level; each of them alone with LevelAlone, which is higher.
type Joint struct {
	// Family is "throughput", "neighbours", "recovered", "latency" or "runs".
	Family     string  `json:"family"`
	FamilySize int     `json:"family_size"`
	Level      float64 `json:"level"`
	LevelAlone float64 `json:"level_alone"`
}

func joint(family string, size int) Joint {
	return Joint{Family: family, FamilySize: size, Level: compare.Level, LevelAlone: compare.LevelAlone(size)}
}

// confidence says in words which intervals hold at once and which by themselves; "" where none is
// shown.
func (doc *Document) confidence() string {
	if doc.Sealed() || len(doc.Contrasts) == 0 {
		return ""
	}
	var all []string
	for _, j := range doc.families() {
		key := "confidence." + j.Family
		if j.FamilySize == 1 {
			key += ".one"
		}
		all = append(all, doc.Say(key, "n", fmt.Sprint(j.FamilySize), "pairs", doc.neighbourPairs()))
	}
	if len(all) == 0 {
		return ""
	}
	return doc.Say("confidence", "families", doc.Language().List("clauses", all))
}

// shownNeighbours are those whose changes stand in a sentence; where no sentence is written, no change is shown.
func (doc *Document) shownNeighbours() []Neighbour {
	if len(doc.Leads()) == 0 {
		return nil
	}
	return doc.Neighbours
}

// neighbourPairs names the arms of the changes of FamilyNeighbours, those of several levels once.
func (doc *Document) neighbourPairs() string {
	var pairs []string
	add := func(c *Change95, arm, other string) {
		if c == nil || c.Family != compare.FamilyNeighbours {
			return
		}
		if pair := doc.Say("confidence.between", "arm", arm, "other", other); !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	for _, n := range doc.shownNeighbours() {
		add(n.Taken, n.Arm, n.Alone)
		add(n.Apart, n.Arm, n.Peer)
	}
	return doc.Language().List("clauses", pairs)
}

// families are those that the report shows an interval of, in the order of their appearance.
func (doc *Document) families() (all []Joint) {
	add := func(j Joint) {
		if j.Family == "" { // a document of an earlier version of tare
			return
		}
		for _, seen := range all {
			if seen.Family == j.Family {
				return
			}
		}
		all = append(all, j)
	}
	for _, c := range doc.Contrasts {
		if c.Interval != nil {
			add(c.Joint)
		}
	}
	for _, n := range doc.shownNeighbours() {
		for _, c := range []*Change95{n.Taken, n.Apart} {
			if c != nil {
				add(c.Joint)
			}
		}
	}
	for _, a := range doc.Answers {
		for _, c := range []*Change95{&a.Gain, a.Keeps, a.Own} {
			if c != nil {
				add(c.Joint)
			}
		}
	}
	for _, a := range doc.Arms {
		for _, t := range a.Tails {
			if t.CostInterval != nil {
				add(*t.Joint)
			}
		}
	}
	return all
}
