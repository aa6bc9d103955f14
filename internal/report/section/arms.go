package section

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

func armsSection() Section {
	return Section{
		ID:       "arms",
		Sentence: armsSentence,
		Tables:   func(d *report.Document) []Table { return append([]Table{armTable(d)}, cgroupTable(d)...) },
	}
}

func armsSentence(d *report.Document) string {
	var parts []string
	for i := range d.Arms {
		a := &d.Arms[i]
		if h := d.Held(a); a.Outcomes["measured"] != a.Trials || len(h) > 0 {
			parts = append(parts, d.Say("arms.arm", "arm", d.Called(a.Name, a.Threads), "parts", d.Language().List("list", append([]string{d.Outcomes(a)}, h...))))
		}
	}
	switch {
	case len(parts) > 0:
	case !quotasRead(d):
		return d.Say("arms.all-measured")
	default:
		return d.Say("arms.all")
	}
	return d.Language().List("clauses", parts) + d.Say("end")
}

// quotasRead says whether it is known of every arm that no quota throttled it: its cgroup
// was read. Of an imported run and of a server on another machine it was not read.
func quotasRead(doc *report.Document) bool {
	for _, a := range doc.Arms {
		if !slices.ContainsFunc(a.Cgroup, func(e report.Evidence) bool { return e.Unknown == "" && strings.Contains(e.Key, "cpu.") }) {
			return false
		}
	}
	return len(doc.Arms) > 0
}

func armTable(d *report.Document) Table {
	t := Table{
		Caption: d.Say("caption.arms", "unit", d.Say("unit")), Open: true,
		Head: d.Heads("arm", "target", "threads", "trials", "geomean", d.PerInterval("slowest", "slowest-turn", "slowest-interval", "slowest-interval"),
			d.PerInterval("fastest", "fastest-turn", "fastest-interval", "fastest-interval"), "levels", "errors", "reconnects"),
	}
	for i := range d.Arms {
		a := &d.Arms[i]
		name := a.Name
		if a.Baseline {
			name = d.Say("arms.baseline", "arm", name)
		}
		var levels []string
		for _, s := range a.States {
			levels = append(levels, fmt.Sprintf("%s (%s)", language.Rounded(float64(s.Level)), d.Say("percent", "x", language.Decimal(100*float64(s.Share), 0))))
		}
		if len(levels) == 0 {
			levels = []string{d.Say("cell.one")}
		}
		if !a.ThroughputMean.Known() {
			levels = []string{"-"}
		}
		target := a.Target
		if target == "" {
			target = d.Say("cell.unknown")
		}
		t.Rows = append(t.Rows, []Cell{
			words(name), words(target), number(fmt.Sprint(a.Threads)), words(d.Outcomes(a)), number(orDash(a.ThroughputMean)),
			number(orDash(a.ThroughputMin)), number(orDash(a.ThroughputMax)), words(d.Language().List("list", levels)),
			number(language.Grouped(a.Errors)), number(language.Grouped(a.Reconnects)),
		})
	}
	return t
}

// cgroupTable is one column per arm, one row per key.
func cgroupTable(d *report.Document) []Table {
	t := Table{Caption: d.Say("caption.cgroup"), Head: d.Heads("file")}
	rows := map[string][]Cell{}
	var order []string
	for i := range d.Arms {
		t.Head = append(t.Head, safe.Name(d.Label(d.Arms[i].Name, d.Arms[i].Threads)))
		for _, e := range d.Arms[i].Cgroup {
			if rows[e.Key] == nil {
				order = append(order, e.Key)
				rows[e.Key] = make([]Cell, len(d.Arms))
			}
			rows[e.Key][i] = evidenceCell(d, d.Arms[i].Name, e)
		}
	}
	for _, key := range order {
		for i, c := range rows[key] {
			if c.Text == "" {
				rows[key][i] = words("-")
			}
		}
		t.Rows = append(t.Rows, append([]Cell{words(key)}, rows[key]...))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []Table{t}
}

func evidenceCell(doc *report.Document, arm string, e report.Evidence) Cell {
	switch {
	case e.Value != "":
		return words(doc.ValueOf(arm, e.Key, e.Value))
	case e.End.Known():
		return words(shown(doc, e.Key, e.End))
	case e.PerTrial.Known():
		sign := "+"
		if e.PerTrial < 0 {
			sign = ""
		}
		return words(sign + shown(doc, e.Key, e.PerTrial))
	case e.Unknown != "":
		return words(doc.Say("cell.not-known.why", "why", doc.Ended(e.Unknown)))
	}
	return words(doc.Say("cell.differs"))
}

// shown is a mean over trials in the unit of its file; a count that is rare keeps its decimals.
func shown(doc *report.Document, key string, mean report.Number) string {
	digits := 0
	if v := math.Abs(float64(mean)); v < 10 && v != math.Trunc(v) {
		digits = 2
	}
	return cmp.Or(doc.Language().Quantity(key, float64(mean)), language.Decimal(float64(mean), digits))
}
