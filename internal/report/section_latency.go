package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// shownPercentiles are the columns of the latency table.
func shownPercentiles() []string { return []string{"50", "90", "95", "99", "99.9", "99.99"} }

func latencySection() Section {
	histograms := func(d *Document) bool {
		for _, a := range d.Arms {
			if a.Latency != nil && a.Latency.Histogram != nil {
				return true
			}
		}
		return false
	}
	return Section{
		ID: "latency", Question: "Who feels it?",
		Sentence: latencySentence,
		Figures: []Figure{
			{ID: "fig-latency", Chart: "latency", Caption: "Response time by percentile, milliseconds", Shown: histograms},
			{ID: "fig-distribution", Chart: "distribution", Caption: "How response times are spread, milliseconds", Shown: histograms},
		},
		Tables: func(d *Document) []Table { return []Table{latencyTable(d), partsTable(d)} },
		Reading: "Percentiles of an arm are those of all its requests together, not a mean of its trials' percentiles. " +
			"A percentile with fewer than ten requests beyond it is not shown. These are descriptions, without intervals; nothing is concluded from them.",
		Also: arrivals,
	}
}

// arrivals says what a response time counts from.
func arrivals(d *Document) string {
	if d.Run.Rate == 0 {
		return "The load is a closed loop: a stalled server is also asked less, so long waits are under-counted."
	}
	s := fmt.Sprintf("The load is an open loop: %v transactions fall due in a second, whether or not the server keeps up.", d.Run.Rate)
	if d.Run.Engine == "tare" {
		s += " A response time counts from when its transaction was due."
	}
	var due, unsent int64
	for _, a := range d.Arms {
		if a.Offered != nil {
			due, unsent = due+a.Offered.Due, unsent+a.Offered.Unsent
		}
	}
	if due > 0 {
		s += fmt.Sprintf(" Of %d that fell due, %d could not be sent in their windows; these have no response time.", due, unsent)
	}
	return s
}

func latencySentence(d *Document) string {
	if d.sealed() {
		return d.sealedSentence()
	}
	var parts []string
	for _, a := range d.Arms {
		if a.Latency == nil {
			continue
		}
		p95 := a.Latency.Percentiles["95"]
		v, known := float64(p95), p95.Known() && p95 > 0
		if !known {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s ms in %s", significant(v), d.called(a.Name, a.Threads)))
	}
	if len(parts) == 0 {
		return "The engine's totals hold no response times."
	}
	return "95 of 100 transactions were answered within " + strings.Join(parts, ", ") + "."
}

// significant is a positive value to three digits.
func significant(v float64) string {
	if v <= 0 || !Number(v).Known() {
		return decimal(v, 2)
	}
	return decimal(v, max(0, 2-int(math.Floor(math.Log10(v)))))
}

func latencyTable(d *Document) Table {
	t := Table{Caption: "Response times, milliseconds", Head: []string{"Arm", "Mean"}, Open: true}
	for _, p := range shownPercentiles() {
		t.Head = append(t.Head, p+" %")
	}
	t.Head = append(t.Head, "Longest")
	for _, a := range d.Arms {
		if a.Latency == nil {
			continue
		}
		row := []Cell{words(d.label(a.Name, a.Threads)), number(msOrDash(a.Latency.Mean))}
		for _, p := range shownPercentiles() {
			v, ok := a.Latency.Percentiles[p]
			if !ok {
				v = Unknown()
			}
			row = append(row, number(msOrDash(v)))
		}
		t.Rows = append(t.Rows, append(row, number(msOrDash(a.Latency.Max))))
	}
	return t
}

// partsTable is folded away: what a transaction consists of.
func partsTable(d *Document) Table {
	t := Table{Caption: "Response times of each kind of transaction and of each statement, milliseconds", Head: []string{"Arm", "Part", "Mean"}}
	shown := []string{"50", "95", "99", "99.9"}
	for _, p := range shown {
		t.Head = append(t.Head, p+" %")
	}
	for _, a := range d.Arms {
		for _, part := range slices.Concat(a.Kinds, a.Statements) {
			row := []Cell{words(d.label(a.Name, a.Threads)), words(part.Name), number(msOrDash(part.Latency.Mean))}
			for _, p := range shown {
				row = append(row, number(msOrDash(part.Latency.Percentiles[p])))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func msOrDash(n Number) string {
	if !n.Known() {
		return "-"
	}
	return significant(float64(n))
}
