package report

import (
	"fmt"
	"slices"
	"strings"
)

func armsSection() Section {
	return Section{
		ID:       "arms",
		Sentence: armsSentence,
		Tables:   func(d *Document) []Table { return append([]Table{armTable(d)}, cgroupTable(d)...) },
	}
}

func armsSentence(d *Document) string {
	var parts []string
	for i := range d.Arms {
		a := &d.Arms[i]
		if h := d.held(a); a.Outcomes["measured"] != a.Trials || len(h) > 0 {
			parts = append(parts, d.say("arms.arm", "arm", d.called(a.Name, a.Threads), "parts", d.words().list("list", append([]string{d.outcomes(a)}, h...))))
		}
	}
	switch {
	case len(parts) > 0:
	case !d.quotasRead():
		return d.say("arms.all-measured")
	default:
		return d.say("arms.all")
	}
	return d.words().list("clauses", parts) + d.say("end")
}

// quotasRead says whether it is known of every arm that no quota throttled it: its cgroup
// was read. Of an imported run and of a server elsewhere nobody read it.
func (doc *Document) quotasRead() bool {
	for _, a := range doc.Arms {
		if !slices.ContainsFunc(a.Cgroup, func(e Evidence) bool { return e.Unknown == "" && strings.Contains(e.Key, "cpu.") }) {
			return false
		}
	}
	return len(doc.Arms) > 0
}

func armTable(d *Document) Table {
	t := Table{
		Caption: d.say("caption.arms", "unit", d.say("unit")), Open: true,
		Head: d.heads("arm", "target", "threads", "trials", "mean", "slowest", "fastest", "levels", "errors", "reconnects"),
	}
	for i := range d.Arms {
		a := &d.Arms[i]
		name := a.Name
		if a.Baseline {
			name = d.say("arms.baseline", "arm", name)
		}
		var levels []string
		for _, s := range a.States {
			levels = append(levels, fmt.Sprintf("%s (%.0f %%)", rounded(s.Level), 100*float64(s.Share)))
		}
		if len(levels) == 0 {
			levels = []string{d.say("cell.one")}
		}
		if !a.ThroughputMean.Known() {
			levels = []string{"-"}
		}
		target := a.Target
		if target == "" {
			target = d.say("cell.unknown")
		}
		t.Rows = append(t.Rows, []Cell{
			words(name), words(target), number(fmt.Sprint(a.Threads)), words(d.outcomes(a)), number(orDash(a.ThroughputMean)),
			number(orDash(a.ThroughputMin)), number(orDash(a.ThroughputMax)), words(d.words().list("list", levels)),
			number(grouped(a.Errors)), number(grouped(a.Reconnects)),
		})
	}
	return t
}

// cgroupTable is one column per arm, one row per key.
func cgroupTable(d *Document) []Table {
	t := Table{Caption: d.say("caption.cgroup"), Head: d.heads("file")}
	rows := map[string][]Cell{}
	var order []string
	for i := range d.Arms {
		t.Head = append(t.Head, inert(d.label(d.Arms[i].Name, d.Arms[i].Threads)))
		for _, e := range d.Arms[i].Cgroup {
			if rows[e.Key] == nil {
				order = append(order, e.Key)
				rows[e.Key] = make([]Cell, len(d.Arms))
			}
			rows[e.Key][i] = d.evidenceCell(e)
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

func (doc *Document) evidenceCell(e Evidence) Cell {
	switch {
	case e.Value != "":
		return words(e.Value)
	case e.Change.Known():
		sign := "+"
		if e.Change < 0 {
			sign = ""
		}
		return words(sign + decimal(float64(e.Change), 0))
	case e.Unknown != "":
		return words(doc.say("cell.not-known.why", "why", e.Unknown))
	}
	return words(doc.say("cell.differs"))
}
