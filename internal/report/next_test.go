package report_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/section"
	"github.com/tarebench/tare/internal/report/text"
)

// What to do follows from the state of the result, the gravest first.
func TestNext(t *testing.T) {
	for _, c := range []struct {
		name, do, section string
		change            func(*report.Document)
	}{
		{"layers", "Remove quota from pod first.", "attribution", nil},
		{"demo", "Use the settings of guaranteed in place of those of besteffort.", "cost", nil},
		{"demo", "Measure besteffort without the condition that its counters or settings show.", "explained", func(d *report.Document) { d.Answers = nil }},
		{"demo", "Find the layer that makes besteffort slower.", "cost", func(d *report.Document) { d.Answers, d.Explained = nil, nil }},
		{"imported", "Measure it with tare.", "made", nil},
		{"unfinished", "Let the run finish.", "series", nil},
		{"layers", "Make the server configurations equal, or declare the difference in the experiment.", "differences", func(d *report.Document) {
			d.Differences = []report.Difference{{Key: "mysql.variable.x"}}
		}},
		{"demo", "No action needed.", "cost", func(d *report.Document) {
			d.Answers = nil
			for i := range d.Contrasts {
				d.Contrasts[i].Verdict = "equivalent"
			}
		}},
		{"demo", "Run the experiment again with 10 rounds (about 15 min): the probability of a verdict for besteffort is then 80 %.", "rounds", func(d *report.Document) {
			d.Answers = nil
			d.Contrasts = []report.Contrast{{Arm: "besteffort", Baseline: "bare", Verdict: "inconclusive", Rounds: 6, NewRun: &report.NewRun{Rounds: 10, Probability: 0.8, Rounds50: 6, Rounds95: 30, ProbabilitySame: 0.5}}}
		}},
		{"demo", "Change the server, run the same command again, and compare the two runs.", "rounds", func(d *report.Document) {
			d.Answers, d.Explained, d.Differences = nil, nil, nil
			d.Contrasts = []report.Contrast{{Arm: "db-again", Baseline: "db", Verdict: "inconclusive", Rounds: 6, NewRun: &report.NewRun{Rounds: 113, Probability: 0.8}}}
			d.Arms = []report.Arm{{Name: "db", Target: "external"}, {Name: "db-again", Target: "external"}}
			d.Protocol.WhyReason = &experiment.Reason{Code: "same-server"}
		}},
	} {
		doc := reopen(t, c.name)
		if c.change != nil {
			c.change(doc)
		}
		steps := report.Next(doc)
		if len(steps) == 0 || len(steps) > report.MostSteps || steps[0].Do != c.do || steps[0].Section != c.section {
			t.Errorf("%s: got %+v, want first %q in %s", c.name, steps, c.do, c.section)
		}
		for _, s := range steps {
			if !sectionOf(s.Section).IsShownIn(doc) {
				t.Errorf("%s: %q points to section %q, which is not shown", c.name, s.Do, s.Section)
			}
		}
	}
}

func sectionOf(id string) section.Section {
	all := section.Sections()
	return all[slices.IndexFunc(all, func(s section.Section) bool { return s.ID == id })]
}

// TestAlternatives: a margin that no one would accept is not offered, slices only where a
// run can have them, and what each takes is said.
func TestAlternatives(t *testing.T) {
	doc := reopen(t, "demo")
	doc.Run.Engine = "tare"
	c := report.Contrast{Arm: "besteffort", Baseline: "bare", Verdict: "inconclusive", Rounds: 2, NewRun: &report.NewRun{Rounds: 8}, EffectPercent: -1, Interval: &[2]report.Number{-9, 7}, Interval90: &[2]report.Number{-6.02, 4}}
	want := []string{
		"A margin of ±6.1 %, if a difference of that size does not matter to you: declare it",
		"Slices, protocol: {kind: slices}: the servers",
		"Rounds that vary 2.0 times less:",
	}
	got := report.Alternatives(doc, &c)
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) || i > 0 && !strings.Contains(got[i], "Another run takes about") {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
	doc.Protocol.WhyReason = &experiment.Reason{Code: "misfit-slow"}
	if got := report.Alternatives(doc, &c); len(got) != len(want)-1 || strings.Contains(strings.Join(got, " "), "slices") {
		t.Errorf("slices are offered for a run whose transactions are too long for them: %q", got)
	}
	doc.Protocol.WhyReason = nil
	c.Interval90 = &[2]report.Number{-75.1, 3015.9}
	doc.Arms[0].Target = "kubernetes"
	if got := report.Alternatives(doc, &c); len(got) != 1 || strings.Contains(got[0], "3,015") {
		t.Errorf("%q", got)
	}
	doc.Contrasts = []report.Contrast{c}
	if steps := report.Next(doc); len(steps) == 0 || len(steps[0].Alternatives) == 0 && len(steps[len(steps)-1].Alternatives) == 0 {
		t.Errorf("%+v", steps)
	}
}

// A layer that may return nothing is not advised against, nor one that too few
// rounds have seen.
func TestNextNamesNoLayerThatMayReturnNothing(t *testing.T) {
	unsure, few := reopen(t, "layers"), reopen(t, "layers")
	for i := range unsure.Attributions[0].Layers {
		unsure.Attributions[0].Layers[i].GivesBack = &report.Part{Points: 1, Interval: [2]report.Number{-1, 3}}
	}
	few.Attributions[0].Rounds = 5
	for name, doc := range map[string]*report.Document{"interval": unsure, "rounds": few} {
		for _, s := range report.Next(doc) {
			if strings.HasPrefix(s.Do, "Remove ") {
				t.Errorf("%s: advises %q", name, s.Do)
			}
		}
	}
}

// What a removal returns was measured on the arm with all layers: where the layers should add up to another
// arm, the advice for that one says so.
func TestNextNamesTheArmOfTheReturn(t *testing.T) {
	doc := reopen(t, "layers")
	a := &doc.Attributions[0]
	why := func() string {
		for _, s := range report.Next(doc) {
			if strings.HasPrefix(s.Do, "Remove ") && strings.Contains(s.Do, a.To) {
				return s.Why
			}
		}
		t.Fatalf("no layer is to be removed: %+v", report.Next(doc))
		return ""
	}
	if got := why(); a.Stack == a.To || !strings.Contains(got, "from "+a.Stack) || !strings.Contains(doc.GivesBack(a), "from "+a.Stack) {
		t.Errorf("%q and %q; the stack is %s", got, doc.GivesBack(a), a.Stack)
	}
	a.Stack = a.To
	if got := why(); strings.Contains(got, "from ") || strings.Contains(doc.GivesBack(a), "from ") {
		t.Errorf("%q and %q", got, doc.GivesBack(a))
	}
}

// TestNextAfterALostServer: the reader of the text is told where the server's log is, and what to do if it was the reader.
func TestNextAfterALostServer(t *testing.T) {
	for _, c := range []struct{ target, want string }{
		{"container", "Its log is trials/002-besteffort/log.txt."},
		{"external", "The server's own log says whether it ended by an error."},
	} {
		doc := reopen(t, "demo")
		doc.Trials = []report.Trial{{Trial: 1, Arm: "bare", Outcome: "measured"}, {Trial: 2, Arm: "besteffort", Outcome: "server-lost"}}
		for i := range doc.Arms {
			doc.Arms[i].Target = c.target
		}
		doc.Next = report.Next(doc)
		var plain bytes.Buffer
		if err := text.Write(&plain, doc, text.Options{Width: 100}); err != nil {
			t.Fatal(err)
		}
		said := strings.Join(strings.Fields(plain.String()), " ")
		for _, want := range []string{"1. Find out why the server of besteffort was lost in trial 2 before you use this result.", c.want, "If it was you, run the experiment again."} {
			if !strings.Contains(said, want) {
				t.Errorf("want %q in\n%s", want, plain.String())
			}
		}
	}
}
