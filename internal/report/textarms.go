package report

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
)

// textArms is one line per arm: its mean, its slowest and fastest second, and
// the course of every trial.
func textArms(s *screen, doc *Document) {
	s.heading(doc.say("text.arms", "unit", doc.say("unit")))
	name := s.nameWidth(doc)
	rows := make([]string, len(doc.Arms))
	widest := 0
	for i := range doc.Arms {
		rows[i] = doc.armNumbers(&doc.Arms[i])
		widest = max(widest, runewidth.StringWidth(rows[i]))
	}
	top := highest(doc)
	for i := range doc.Arms {
		a := &doc.Arms[i]
		lead := "  " + s.name(doc.label(a.Name, a.Threads), name) + "  "
		if room := s.Width - name - widest - 6; s.Unicode && room >= 8 {
			s.line(lead + runewidth.FillRight(rows[i], widest) + "  " + s.paint("36", sparks(doc.trialsOf(a), top, room)))
		} else {
			s.words(lead, name+4, rows[i])
		}
		if len(a.States) == 2 {
			s.words(strings.Repeat(" ", name+4), name+4, doc.say("text.levels", doc.levelSlots(a)...))
		}
	}
}

func (doc *Document) armNumbers(a *Arm) string {
	if !a.ThroughputMean.Known() {
		return doc.outcomes(a)
	}
	s := fmt.Sprintf("%s (%s)", rate(a.ThroughputMean), doc.words().between(rate(a.ThroughputMin), rate(a.ThroughputMax)))
	if p95 := doc.tailText(a); p95 != "" {
		s += "  " + p95
	}
	if a.Outcomes["measured"] != a.Trials {
		s += doc.say("join.list") + doc.outcomes(a)
	}
	return s
}

// tailText is p95 with its interval.
func (doc *Document) tailText(a *Arm) string {
	p95 := a.percentile("95")
	if !p95.Known() || p95 <= 0 {
		return ""
	}
	if t := a.tail("95"); t != nil && t.Interval != nil {
		return doc.say("text.p95-in", "ms", significant(float64(p95)), "lo", significant(float64(t.Interval[0])), "hi", significant(float64(t.Interval[1])))
	}
	return doc.say("text.p95", "ms", significant(float64(p95)))
}

const blocks = "▁▂▃▄▅▆▇█"

// sparks draws the trials one after another, each in its share of the room.
func sparks(trials []*Trial, top float64, room int) string {
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
		parts[i] = spark(window(t), top, each)
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
func textCgroup(s *screen, doc *Document) {
	var lines []struct{ arm, text string }
	for i := range doc.Arms {
		a := &doc.Arms[i]
		if text := doc.cgroupLine(a); text != "" {
			lines = append(lines, struct{ arm, text string }{doc.label(a.Name, a.Threads), text})
		}
	}
	if len(lines) == 0 {
		return
	}
	s.heading(doc.say("text.cgroup"))
	name := s.nameWidth(doc)
	for _, l := range lines {
		s.words("  "+s.name(l.arm, name)+"  ", name+4, l.text)
	}
}

// bound is a value with its file; the kernel's numbers for "none" are words.
func (doc *Document) bound(arm, key, file, value string) string {
	readable := doc.valueOf(arm, key, value)
	switch {
	case strings.HasPrefix(file, "cpu.") && readable == doc.say("cell.unlimited"):
		return doc.say("text.no-quota")
	case readable == doc.say("cell.unlimited"):
		return doc.say("text.no-memory-limit")
	}
	return file + " " + cut(inert(readable), 40)
}

func (doc *Document) cgroupLine(a *Arm) string {
	var parts []string
	for _, level := range []string{"pod", "container", "own"} {
		for _, file := range cgroupShown() {
			at := level
			if level == "pod" && strings.HasPrefix(file, "cpuset.") {
				at = "container" // a kubelet gives CPUs to containers and never to pods
			}
			for _, e := range a.Cgroup {
				if e.Key == "cgroup."+at+"."+file && e.Value != "" {
					parts = append(parts, doc.bound(a.Name, e.Key, file, e.Value))
				}
			}
		}
		if len(parts) > 0 {
			break
		}
	}
	return doc.words().list("list", append(parts, doc.held(a)...))
}
