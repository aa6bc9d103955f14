package report

import (
	"fmt"
	"strings"
)

func armsSection() Section {
	return Section{
		ID: "arms", Question: "What did each arm do, and what held it?",
		Sentence: armsSentence,
		Tables:   func(d *Document) []Table { return append([]Table{armTable(d)}, cgroupTable(d)...) },
		Reading: "The cgroup values are what the kernel gave back while the server ran, not what was asked for. " +
			"A counter shows how much it grew over all trials of the arm, warm-up included.",
	}
}

func armsSentence(d *Document) string {
	var parts []string
	for i := range d.Arms {
		a := &d.Arms[i]
		if h := held(a); a.Outcomes["measured"] != a.Trials || len(h) > 0 {
			parts = append(parts, d.called(a.Name, a.Threads)+": "+strings.Join(append([]string{outcomes(a)}, h...), ", "))
		}
	}
	if len(parts) == 0 {
		return "Every trial of every arm gave a number, and no arm had a CPU quota that throttled it."
	}
	return strings.Join(parts, "; ") + "."
}

func armTable(d *Document) Table {
	t := Table{
		Caption: "Arms, " + Unit, Open: true,
		Head: []string{"Arm", "Target", "Threads", "Trials", "Mean", "Slowest second", "Fastest second", "Levels", "Errors", "Reconnects"},
	}
	for i := range d.Arms {
		a := &d.Arms[i]
		name := a.Name
		if a.Baseline {
			name += " (baseline)"
		}
		var levels []string
		for _, s := range a.States {
			levels = append(levels, fmt.Sprintf("%s (%.0f %%)", rounded(s.Level), 100*float64(s.Share)))
		}
		if len(levels) == 0 {
			levels = []string{"one"}
		}
		if !a.ThroughputMean.Known() {
			levels = []string{"-"}
		}
		target := a.Target
		if target == "" {
			target = "unknown"
		}
		t.Rows = append(t.Rows, []Cell{
			words(name), words(target), number(fmt.Sprint(a.Threads)), words(outcomes(a)), number(orDash(a.ThroughputMean)),
			number(orDash(a.ThroughputMin)), number(orDash(a.ThroughputMax)), words(strings.Join(levels, ", ")),
			number(grouped(a.Errors)), number(grouped(a.Reconnects)),
		})
	}
	return t
}

// cgroupTable is one column per arm, one row per key.
func cgroupTable(d *Document) []Table {
	t := Table{Caption: "Values and counters of cgroup and process, read back from the kernel", Head: []string{"File"}}
	rows := map[string][]Cell{}
	var order []string
	for i := range d.Arms {
		t.Head = append(t.Head, inert(d.label(d.Arms[i].Name, d.Arms[i].Threads)))
		for _, e := range d.Arms[i].Cgroup {
			if rows[e.Key] == nil {
				order = append(order, e.Key)
				rows[e.Key] = make([]Cell, len(d.Arms))
			}
			rows[e.Key][i] = evidenceCell(e)
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

func evidenceCell(e Evidence) Cell {
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
		return words("not known: " + e.Unknown)
	}
	return words("differs between trials")
}
