package report

import (
	"fmt"
	"math"
	"slices"
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
		ID:       "latency",
		Sentence: latencySentence,
		Figures: []Figure{
			{ID: "fig-latency", Chart: "latency", Shown: histograms},
			{ID: "fig-distribution", Chart: "distribution", Shown: histograms},
			{ID: "fig-heat", Chart: "heat", Shown: func(d *Document) bool { return len(d.Heat.Arms) > 0 }},
		},
		Tables: func(d *Document) []Table { return []Table{latencyTable(d), tailTable(d), partsTable(d), heatTable(d)} },
		Also:   latencyNotes,
	}
}

// latencyNotes say what a response time counts from, and how to read the heat map.
func latencyNotes(d *Document) string {
	if len(d.Heat.Arms) == 0 {
		return arrivals(d)
	}
	return d.words().list("sentences", []string{arrivals(d), d.say("heat.reading")})
}

// arrivals says what a response time counts from.
func arrivals(d *Document) string {
	if d.Run.Rate == 0 {
		return d.say("arrivals.closed")
	}
	s := d.say("arrivals.open", "n", fmt.Sprint(d.Run.Rate))
	if d.Run.Engine == "tare" {
		s += d.say("arrivals.due")
	}
	var due, unsent int64
	for _, a := range d.Arms {
		if a.Offered != nil {
			due, unsent = due+a.Offered.Due, unsent+a.Offered.Unsent
		}
	}
	if due > 0 {
		s += d.say("arrivals.unsent", "n", fmt.Sprint(due), "unsent", fmt.Sprint(unsent))
	}
	return s
}

func latencySentence(d *Document) string {
	if d.sealed() {
		return d.sealedSentence()
	}
	var parts []string
	for _, a := range d.Arms {
		p95 := a.percentile("95")
		v, known := float64(p95), p95.Known() && p95 > 0
		if !known {
			continue
		}
		parts = append(parts, d.say("latency.arm", "ms", significant(v), "arm", d.called(a.Name, a.Threads)))
	}
	if len(parts) == 0 {
		return d.say("latency.none")
	}
	return d.say("latency.p95", "parts", d.words().list("list", parts))
}

// significant is a positive value to three digits.
func significant(v float64) string {
	if v <= 0 || !Number(v).Known() {
		return decimal(v, 2)
	}
	return decimal(v, max(0, 2-int(math.Floor(math.Log10(v)))))
}

func latencyTable(d *Document) Table {
	t := Table{Caption: d.say("caption.latency"), Head: d.heads("arm", "mean"), Open: true}
	for _, p := range shownPercentiles() {
		t.Head = append(t.Head, p+" %")
	}
	t.Head = append(t.Head, d.say("head.longest"))
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
	t := Table{Caption: d.say("caption.parts"), Head: d.heads("arm", "part", "mean")}
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
