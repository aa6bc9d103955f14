package report_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/text"
)

// outages are an event of a server that is alone and one of a replicated database, over three rounds each.
func outages() *compare.Result {
	timeline := func(names []string, of ...[]float64) *compare.EventTimeline {
		t := &compare.EventTimeline{From: -2, Step: 0.1}
		for i, lengths := range of {
			c := compare.EventCourse{Round: i + 1, Trial: 2*i + 1}
			at := 0.0
			if len(lengths) == 0 {
				at = 20 // it was not served again
			}
			for k, length := range lengths {
				c.Parts = append(c.Parts, compare.EventStretch{Name: names[k], From: at, To: at + length})
				at += length
			}
			for bin := range 100 {
				switch from := t.From + float64(bin)*t.Step; {
				case from < -1e-9 || from > at+0.25:
					c.Throughput = append(c.Throughput, 200+float64(10*((bin+i)%5-2)))
				case from < at-1e-9:
					c.Throughput = append(c.Throughput, 0)
				default:
					c.Throughput = append(c.Throughput, 900)
				}
			}
			t.Trials = append(t.Trials, c)
		}
		return t
	}
	mean := func(mean, half float64) compare.Estimate {
		return compare.Estimate{Mean: mean, Interval: &compare.Interval{Lo: mean - half, Hi: mean + half}, Trials: 3}
	}
	alone := []string{compare.PartShutdown, compare.PartStart, compare.PartRouting, compare.PartReconnect, compare.PartFirst}
	members := []string{compare.PartDetection, compare.PartFailover, compare.PartReconnect, compare.PartFirst}
	return &compare.Result{Events: []compare.Event{
		{Arm: "besteffort", Threads: 8, Number: 1, Kind: "kill", Named: "server", At: 10, Trials: 3, Figures: []compare.EventFigure{{Name: compare.WithoutService, Estimate: mean(5.1, 0.4)}},
			Parts:    []compare.EventPart{{Name: compare.PartShutdown, Estimate: mean(0.02, 0.01)}, {Name: compare.PartStart, Estimate: mean(1, 0.4)}, {Name: compare.PartRouting, Estimate: mean(3, 0.02)}, {Name: compare.PartReconnect, Estimate: mean(1, 0.01)}, {Name: compare.PartFirst, Estimate: mean(0.08, 0.01)}},
			Timeline: timeline(alone, []float64{0.02, 0.9, 3, 1, 0.08}, []float64{0.02, 1.2, 3.02, 1, 0.08}, []float64{0.03, 0.9, 2.98, 1, 0.08})},
		{Arm: "guaranteed", Threads: 8, Number: 1, Kind: "kill", Named: "primary", At: 10, Trials: 3, Lost: mean(51, 3), Without: mean(5.4, 0.2), Promoted: mean(5.2, 0.1),
			Primaries: []compare.Succession{{Before: 1, After: 2, Trials: 3}}, Figures: []compare.EventFigure{{Name: compare.WithoutService, Estimate: mean(5.4, 0.2)}},
			Parts:    []compare.EventPart{{Name: compare.PartDetection, Estimate: mean(5.05, 0.04)}, {Name: compare.PartFailover, Estimate: mean(0.15, 0.05)}, {Name: compare.PartReconnect, Estimate: mean(0.1, 0.05)}, {Name: compare.PartFirst, Estimate: mean(0.1, 0.05)}},
			Timeline: timeline(members, []float64{5.1, 0.1, 0.1, 0.1}, []float64{5.0, 0.2, 0.1, 0.1}, nil)},
	}}
}

// TestEventTimelineGolden has the rounds of events over each other, and the parts of their outages.
func TestEventTimelineGolden(t *testing.T) {
	doc := reopen(t, "demo")
	report.SetEvents(doc, outages())
	if err := schema(t).Validate(any(jsonValue(t, doc))); err != nil {
		t.Error(err)
	}
	zh, err := doc.In("zh")
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]struct {
		doc *report.Document
		text.Options
	}{
		"": {doc, text.Options{Width: 80, Unicode: true}}, ".40": {doc, text.Options{Width: 40, Unicode: true}}, ".ascii": {doc, text.Options{Width: 80}}, ".zh": {zh, text.Options{Width: 80, Unicode: true}},
	} {
		var b bytes.Buffer
		if err := text.Write(&b, o.doc, o.Options); err != nil {
			t.Fatal(err)
		}
		golden(t, "events"+name+".txt", between(b.Bytes(), o.doc.Say("faults.question")))
	}
	var b bytes.Buffer
	if err := markdown.Write(&b, doc); err != nil {
		t.Fatal(err)
	}
	golden(t, "events.md", between(b.Bytes(), doc.Say("faults.question")))
}

// nextPart is where another part of a report begins.
var nextPart = regexp.MustCompile(`\n\n\S`)

// between is a part of a report in a terminal or in Markdown, from its heading on.
func between(all []byte, heading string) []byte {
	_, rest, _ := bytes.Cut(all, []byte(heading))
	if _, table, found := bytes.Cut(rest, []byte("</summary>")); found {
		part, _, _ := bytes.Cut(table, []byte("</details>"))
		return part
	}
	if at := nextPart.FindIndex(rest); at != nil {
		rest = rest[:at[0]]
	}
	return append(bytes.TrimLeft(rest, "\n"), '\n')
}

// TestOutagesOfSeveralStretches: parts that are not all of the time without service are said to be those of the longest
// stretch.
func TestOutagesOfSeveralStretches(t *testing.T) {
	for without, want := range map[float64]string{5.1: "s without service: end of the process", 6.4: "s without service; the parts of its longest stretch: end of the process"} {
		res := outages()
		res.Events[0].Figures[0].Mean = without
		doc := reopen(t, "demo")
		report.SetEvents(doc, res)
		var b strings.Builder
		if err := markdown.Write(&b, doc); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`costs ` + regexp.QuoteMeta(fmt.Sprintf("%.2f", without)) + `[^.]*\S* \(?.*` + regexp.QuoteMeta(want)).MatchString(b.String()) {
			t.Errorf("%g s: %q is not in\n%s", without, want, b.String())
		}
	}
}

// TestTimelinesOfArmsAreAlike: the timelines of two arms have one scale, so that half the throughput is half as high.
func TestTimelinesOfArmsAreAlike(t *testing.T) {
	res := outages()
	for _, c := range res.Events[1].Timeline.Trials {
		for i := range c.Throughput {
			c.Throughput[i] /= 2
		}
		c.Throughput = c.Throughput[:50]
	}
	doc := reopen(t, "demo")
	report.SetEvents(doc, res)
	var b strings.Builder
	if err := text.Write(&b, doc, text.Options{Width: 80, Unicode: true}); err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^ +round 1 +([▁-█]+)`).FindAllStringSubmatch(b.String(), -1)
	marks := regexp.MustCompile(`(?m)^( +)▼`).FindAllStringSubmatch(b.String(), -1)
	if len(rows) != 2 || len(marks) != 2 || marks[0][1] != marks[1][1] {
		t.Fatalf("rows %q, marks %q in\n%s", rows, marks, b.String())
	}
	if rows[0][1][:6] != "▆▇" || rows[1][1][:6] != "▃▄" {
		t.Errorf("%s and %s do not have one scale", rows[0][1], rows[1][1])
	}
}
