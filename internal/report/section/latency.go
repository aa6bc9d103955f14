package section

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// shownPercentiles are the columns of the latency table.
func shownPercentiles() []string { return []string{"50", "90", "95", "99", "99.9", "99.99"} }

func latencySection() Section {
	histograms := func(d *report.Document) bool {
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
			{ID: "fig-heat", Chart: "heat", Shown: func(d *report.Document) bool { return len(d.Heat.Arms) > 0 }},
		},
		Tables: func(d *report.Document) []Table {
			return append(latencyTables(d), partsTable(d), heatTable(d))
		},
		Also: latencyNotes,
	}
}

// latencyNotes say what a response time counts from, and how to read the heat map.
func latencyNotes(d *report.Document) string {
	if len(d.Heat.Arms) == 0 {
		return arrivals(d)
	}
	return d.Language().List("sentences", []string{arrivals(d), d.Say("heat.reading")})
}

// arrivals says what a response time counts from.
func arrivals(d *report.Document) string {
	if d.Run.Find != nil {
		return d.Say("arrivals.search") + d.Say("arrivals.due")
	}
	if said := d.AtRate(); said != "" {
		return d.Language().List("sentences", []string{said, d.Say("arrivals.rest")})
	}
	if d.Run.LoopUnknown { // where rates differ, a warning names each
		return ""
	}
	if d.Run.Rate == 0 {
		return d.Say("arrivals.closed")
	}
	s := d.Say("arrivals.open", "n", fmt.Sprint(d.Run.Rate))
	if d.Run.Engine == "tare" {
		s += d.Say("arrivals.due")
	}
	var due, unsent int64
	for _, a := range d.Arms {
		if a.Offered != nil {
			due, unsent = due+a.Offered.Due, unsent+a.Offered.Unsent
		}
	}
	if due > 0 {
		s += d.Say("arrivals.unsent", "n", fmt.Sprint(due), "unsent", fmt.Sprint(unsent))
	}
	return s
}

func latencySentence(d *report.Document) string {
	if d.Sealed() {
		return d.SealedSentence()
	}
	var parts, notes []string
	quoted := d.Quoted()
	for i := range d.Arms {
		a := &d.Arms[i]
		p := d.Percentile(a, quoted)
		v, known := float64(p), p.Known() && p > 0
		if !known {
			continue
		}
		parts = append(parts, d.Say("latency.arm", "ms", language.Significant(v), "arm", d.Called(a.Name, a.Threads)))
	}
	for i := range d.Arms {
		if said := d.LogsOf(&d.Arms[i]); said != "" {
			notes = append(notes, d.Say("logs.arm", "arm", d.Called(d.Arms[i].Name, d.Arms[i].Threads), "said", said))
		}
		if why := d.NoTail(&d.Arms[i]); why != "" {
			notes = append(notes, why)
		}
	}
	switch rate := d.Rate(); {
	case len(parts) == 0 && len(notes) == 0:
		return d.Say("latency.none")
	case len(parts) == 0:
	case rate != "":
		notes = append([]string{d.Say("latency.p95-rate", "p", quoted, "rate", rate, "parts", d.Language().List("list", parts))}, notes...)
	default:
		notes = append([]string{d.Say("latency.p95", "p", quoted, "parts", d.Language().List("list", parts))}, notes...)
	}
	return d.Language().List("sentences", notes)
}

// latencyTables are those of the load whose latencies are compared, and that of the closed loop beside
// a fixed rate.
func latencyTables(d *report.Document) []Table {
	compared := func(a *report.Arm) *report.Latency { return a.Latency }
	if d.Rate() == "" {
		return []Table{latencyTable(d, d.Say("caption.latency"), compared), tailTable(d)}
	}
	all := []Table{tailTable(d), latencyTable(d, d.Say("caption.latency-rate", "rate", d.Rate()), compared)}
	if d.Run.LatencyRate > 0 {
		closed := latencyTable(d, d.Say("caption.latency-closed"), func(a *report.Arm) *report.Latency { return a.Closed })
		closed.Open = false
		all = append(all, closed)
	}
	return all
}

func latencyTable(d *report.Document, caption string, of func(*report.Arm) *report.Latency) Table {
	t := Table{Caption: caption, Head: d.Heads("arm", "mean"), Open: true}
	for _, p := range shownPercentiles() {
		t.Head = append(t.Head, d.Say("percent", "x", p))
	}
	t.Head = append(t.Head, d.Say("head.longest"))
	for i := range d.Arms {
		a := &d.Arms[i]
		l := of(a)
		if l == nil {
			continue
		}
		row := []Cell{words(d.Label(a.Name, a.Threads)), number(msOrDash(l.Mean))}
		for _, p := range shownPercentiles() {
			v, ok := l.Percentiles[p]
			if !ok {
				v = report.Unknown()
			}
			row = append(row, number(msOrDash(v)))
		}
		t.Rows = append(t.Rows, append(row, number(msOrDash(l.Max))))
	}
	return t
}

// partsTable is folded away: what a transaction consists of.
func partsTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.parts"), Head: d.Heads("arm", "part", "mean")}
	shown := []string{"50", "95", "99", "99.9"}
	for _, p := range shown {
		t.Head = append(t.Head, d.Say("percent", "x", p))
	}
	for _, a := range d.Arms {
		for _, part := range slices.Concat(a.Kinds, a.Statements) {
			row := []Cell{words(d.Label(a.Name, a.Threads)), words(part.Name), number(msOrDash(part.Latency.Mean))}
			for _, p := range shown {
				row = append(row, number(msOrDash(part.Latency.Percentiles[p])))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func msOrDash(n report.Number) string {
	if !n.Known() {
		return "-"
	}
	return language.Significant(float64(n))
}
