package text

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// textArms is one line per arm: its mean, its slowest and fastest second, and
// the course of every trial.
func textArms(s *screen, doc *report.Document) {
	tail, ofTail, atRate := "", "text.arms-tail", "text.arms-tail-rate"
	if !tailsHaveIntervals(doc) {
		ofTail, atRate = "text.arms-tail-bare", "text.arms-tail-rate-bare"
	}
	if p := doc.Quoted(); p != "" && doc.Rate() != "" {
		tail = doc.Say(atRate, "p", p, "rate", doc.Rate())
	} else if p != "" && doc.Run.Find == nil {
		tail = doc.Say(ofTail, "p", p)
	}
	key := doc.PerInterval("text.arms", "text.arms-turn", "text.arms-interval", "text.arms-none")
	switch {
	case doc.Sealed(): // the rows have no throughput
		key = "text.arms-sealed"
	case doc.Run.Find != nil: // nor a slowest second: those are of the window after the search
		key = "text.arms-none"
	}
	s.heading(doc.Say(key, "unit", doc.Say("unit"), "s", doc.Interval(), "tail", tail))
	name := s.nameWidth(doc)
	rows, widest := armRows(doc, true)
	if name+4+widest > s.Width {
		rows, widest = armRows(doc, false)
	}
	top := report.Highest(doc)
	for i := range doc.Arms {
		a := &doc.Arms[i]
		lead := "  " + s.name(doc.Label(a.Name, a.Threads), name) + "  "
		switch room := s.Width - name - widest - 6; {
		case s.Unicode && room >= 8:
			s.line(lead + runewidth.FillRight(rows[i], widest) + "  " + s.paint("36", sparks(doc.TrialsOf(a), top, room)))
		case room >= -2:
			s.line(lead + rows[i])
		default:
			s.words(lead, name+4, rows[i])
		}
		if said := p99Text(doc, a); said != "" {
			s.words(strings.Repeat(" ", name+4), name+4, said)
		}
		if said := tailChanges(doc, a); said != "" {
			s.words(strings.Repeat(" ", name+4), name+4, said)
		}
		if len(a.States) == 2 {
			s.words(strings.Repeat(" ", name+4), name+4, doc.Say("text.levels", doc.LevelSlots(a)...))
		}
		if said := doc.LogsOf(a); said != "" {
			s.words(strings.Repeat(" ", name+4), name+4, said)
		}
		if doc.Run.Imported && a.Errors+a.Reconnects > 0 {
			s.words(strings.Repeat(" ", name+4), name+4, doc.Say("text.arms-errors",
				"errors", doc.Count(int(a.Errors), "error"), "reconnects", doc.Count(int(a.Reconnects), "reconnect")))
		}
	}
	if doc.Quoted() != "" && doc.Run.Rate == 0 && !doc.Run.LoopUnknown && doc.Run.Find == nil && doc.Rate() == "" {
		s.words("  ", 2, doc.Say("arrivals.closed"))
	}
	if doc.Run.Find != nil && !doc.Sealed() {
		s.words("  ", 2, doc.Say("capacity.means"))
	}
	if note := doc.MeansNote(); note != "" {
		s.words("  ", 2, note)
	}
}

// armRows is what the lines of the arms say of them, with or without the queries per second, and
// the width of the widest. The latencies begin in one column.
func armRows(doc *report.Document, queries bool) (rows []string, widest int) {
	rates := make([]string, len(doc.Arms))
	column := 0
	for i := range doc.Arms {
		if a := &doc.Arms[i]; a.ThroughputMean.Known() {
			rates[i] = report.Rate(a.ThroughputMean)
			if a.ThroughputMin.Known() && doc.Run.Find == nil {
				rates[i] += fmt.Sprintf(" (%s)", doc.Language().Between(report.Rate(a.ThroughputMin), report.Rate(a.ThroughputMax)))
			}
			if queries && a.QueriesMean.Known() {
				rates[i] += "  " + doc.Say("text.qps", "n", report.Rate(a.QueriesMean))
			}
			column = max(column, runewidth.StringWidth(rates[i]))
		}
	}
	rows = make([]string, len(doc.Arms))
	for i := range doc.Arms {
		rows[i] = armNumbers(doc, &doc.Arms[i], rates[i], column)
		widest = max(widest, runewidth.StringWidth(rows[i]))
	}
	return rows, widest
}

func armNumbers(doc *report.Document, a *report.Arm, rates string, column int) string {
	if rates == "" {
		return doc.Outcomes(a)
	}
	s := rates
	if tail := tailText(doc, a); tail != "" {
		s = runewidth.FillRight(rates, column) + "  " + tail
	}
	if a.Outcomes["measured"] != a.Trials {
		s += doc.Say("join.list") + doc.Outcomes(a)
	}
	return s
}

// tailText is the percentile that the report quotes, with its interval; the mean where no arm has a
// percentile, as some imported files. The mean at a fixed rate is not that of the closed loop whose throughput the line has.
//
// Of a search it says nothing: its windows follow the search, and about half of them miss the limit, so that their
// percentile beside the capacity would contradict it.
func tailText(doc *report.Document, a *report.Arm) string {
	if doc.Run.Find != nil {
		return ""
	}
	p := doc.Quoted()
	if p == "" && doc.Run.LatencyRate == 0 && a.Latency != nil && a.Latency.Mean.Known() && a.Latency.Mean > 0 {
		return doc.Say("text.mean", "ms", language.Significant(float64(a.Latency.Mean)))
	}
	v := doc.Percentile(a, p)
	if !v.Known() || v <= 0 {
		return ""
	}
	if t := a.Tail(p); t != nil {
		return percentileText(doc, t)
	}
	return doc.Say("text.p95", "p", p, "ms", language.Significant(float64(v)))
}

// p99Text is the p99 of a closed loop, beside the p95 that the line of the arm has; of a rate there is a list of both.
func p99Text(doc *report.Document, a *report.Arm) string {
	if doc.Run.Find != nil || doc.Rate() != "" || doc.Quoted() != "95" {
		return ""
	}
	v := doc.Percentile(a, "99")
	if !v.Known() || v <= 0 {
		return ""
	}
	if t := a.Tail("99"); t != nil {
		return percentileText(doc, t)
	}
	return doc.Say("text.p95", "p", "99", "ms", language.Significant(float64(v)))
}

// tailChanges are the changes of p95 and p99 of a closed loop from the baseline; those of a rate stand in their list. Nothing
// where none has an interval, of which the confidence does not speak either.
func tailChanges(doc *report.Document, a *report.Arm) string {
	if doc.Rate() != "" || doc.Sealed() {
		return ""
	}
	var all []string
	for k := range a.Tails {
		if a.Tails[k].CostInterval != nil {
			_, change := tailFigure(doc, &a.Tails[k])
			all = append(all, doc.Say("text.tail-of", "p", a.Tails[k].Percentile, "change", change))
		}
	}
	if all == nil {
		return ""
	}
	return doc.Say("text.tail-changes", "changes", doc.Language().List("list", all))
}

const blocks = "▁▂▃▄▅▆▇█"

// sparks draws the trials one after another, each in its share of the room.
func sparks(trials []*report.Trial, top float64, room int) string {
	n := len(trials)
	if n == 0 || top <= 0 {
		return ""
	}
	each := min(12, (room-(n-1))/n)
	if each < 1 {
		trials, each = trials[:room/2], 1
	}
	parts := make([]string, len(trials))
	for i, t := range trials {
		parts[i] = spark(report.Window(t), top, each)
	}
	return strings.Join(parts, " ")
}

// spark averages seconds into at most width cells, from zero to top.
func spark(series []float64, top float64, width int) string {
	if len(series) == 0 {
		return strings.Repeat("·", width)
	}
	width = min(width, len(series))
	levels := []rune(blocks)
	var b strings.Builder
	for i := range width {
		part := series[i*len(series)/width : (i+1)*len(series)/width]
		sum := 0.0
		for _, v := range part {
			sum += v
		}
		level := int(sum / float64(len(part)) / top * float64(len(levels)))
		b.WriteRune(levels[min(len(levels)-1, max(0, level))])
	}
	return b.String()
}

// cgroupShown are the files whose values say how an arm is held, as v1 and v2
// call them. The period of a quota is in its CPUs.
func cgroupShown() []string {
	return []string{
		"cpu.shares", "cpu.weight", "cpu.cfs_quota_us", "cpu.max",
		"cpuset.effective_cpus", "cpuset.cpus.effective", "memory.limit_in_bytes", "memory.max",
	}
}

// textCgroup is what the kernel gave back of each arm: of its pod, or of
// whatever cgroup a bare process was in.
func textCgroup(s *screen, doc *report.Document) {
	var lines []struct{ arm, text string }
	for i := range doc.Arms {
		a := &doc.Arms[i]
		if text := cgroupLine(doc, a); text != "" {
			lines = append(lines, struct{ arm, text string }{doc.Label(a.Name, a.Threads), text})
		}
	}
	if len(lines) == 0 {
		return
	}
	s.heading(doc.Say("text.cgroup"))
	name := s.nameWidth(doc)
	for _, l := range lines {
		s.words("  "+s.name(l.arm, name)+"  ", name+4, l.text)
	}
}

// bound is a value with its file; the kernel's numbers for "none" are words.
func bound(doc *report.Document, arm, key, file, value string) string {
	readable := doc.ValueOf(arm, key, value)
	switch {
	case strings.HasPrefix(file, "cpu.") && readable == doc.Say("cell.unlimited"):
		return doc.Say("text.no-quota")
	case readable == doc.Say("cell.unlimited"):
		return doc.Say("text.no-memory-limit")
	}
	return file + " " + safe.Cut(safe.Name(readable), 40)
}

func cgroupLine(doc *report.Document, a *report.Arm) string {
	var parts []string
	for _, level := range []string{"pod", "container", "own"} {
		for _, file := range cgroupShown() {
			at := level
			if level == "pod" && strings.HasPrefix(file, "cpuset.") {
				at = "container" // a kubelet gives CPUs to containers and never to pods
			}
			for _, e := range a.Cgroup {
				if e.Key == "cgroup."+at+"."+file && e.Value != "" {
					parts = append(parts, bound(doc, a.Name, e.Key, file, e.Value))
				}
			}
		}
		if len(parts) > 0 {
			break
		}
	}
	return doc.Language().List("list", append(parts, doc.Held(a)...))
}
