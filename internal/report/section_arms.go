package report

import (
	"cmp"
	"fmt"
	"math"
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
			rows[e.Key][i] = d.evidenceCell(d.Arms[i].Name, e)
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

func (doc *Document) evidenceCell(arm string, e Evidence) Cell {
	switch {
	case e.Value != "":
		return words(doc.valueOf(arm, e.Key, e.Value))
	case e.Change.Known():
		sign := "+"
		if e.Change < 0 {
			sign = ""
		}
		return words(sign + cmp.Or(doc.words().quantity(e.Key, float64(e.Change)), decimal(float64(e.Change), 0)))
	case e.Unknown != "":
		return words(doc.say("cell.not-known.why", "why", e.Unknown))
	}
	return words(doc.say("cell.differs"))
}

// outcomes counts how the trials ended, in a fixed order.
func (doc *Document) outcomes(a *Arm) string {
	var parts []string
	for _, o := range []string{"measured", "not-ready", "starved", "server-lost", "failed", "incomplete"} {
		if n := a.Outcomes[o]; n > 0 {
			parts = append(parts, doc.say("outcomes."+o, "n", fmt.Sprint(n)))
		}
	}
	if len(parts) == 0 {
		return doc.say("outcomes.none")
	}
	return doc.words().list("list", parts)
}

// outcome is how a trial ended, in words.
func (doc *Document) outcome(o string) string {
	if w := doc.say("outcome." + o); w != "" {
		return w
	}
	return strings.ReplaceAll(o, "-", " ")
}

func (doc *Document) trialsOf(a *Arm) []*Trial {
	var all []*Trial
	for i := range doc.Trials {
		if t := &doc.Trials[i]; t.Arm == a.Name && t.Threads == a.Threads {
			all = append(all, t)
		}
	}
	return all
}

// highest is the fastest second of the run: every line has the same scale.
func highest(doc *Document) float64 {
	top := 0.0
	for i := range doc.Trials {
		for _, v := range window(&doc.Trials[i]) {
			top = math.Max(top, v)
		}
	}
	return top
}

// window is the measured seconds of a trial.
func window(t *Trial) []float64 {
	var all []float64
	for i, v := range t.TPS {
		if !t.Warmup[i] && v.Known() {
			all = append(all, float64(v))
		}
	}
	return all
}

// throttled says in how many scheduler periods the arm had used up its quota.
func (doc *Document) throttled(a *Arm) string {
	if a.Throttled == nil {
		return ""
	}
	return doc.say("arm.throttled", "share", fmt.Sprintf("%.0f", 100*float64(a.Throttled.Share)), "periods", decimal(float64(a.Throttled.Periods), 0))
}

// held is what kept the server from running: its quota, and others on the CPU.
func (doc *Document) held(a *Arm) []string {
	var parts []string
	if t := doc.throttled(a); t != "" {
		parts = append(parts, t)
	}
	if a.CPUWait.Known() {
		parts = append(parts, doc.say("arm.waited", "s", decimal(float64(a.CPUWait), 2)))
	}
	return parts
}
