package report

import (
	"strings"
	"testing"
)

// What to do follows from the state of the result, the gravest first.
func TestNext(t *testing.T) {
	for _, c := range []struct {
		name, do, section string
		change            func(*Document)
	}{
		{"layers", "Remove quota from pod first.", "attribution", nil},
		{"demo", "Measure besteffort without the confirmed cause.", "explained", nil},
		{"demo", "Find the layer that makes besteffort slower.", "cost", func(d *Document) { d.Explained = nil }},
		{"imported", "Measure it with tare.", "made", nil},
		{"unfinished", "Let the run finish.", "series", nil},
		{"layers", "Make the server configurations equal, or declare the difference in the experiment.", "differences", func(d *Document) {
			d.Differences = []Difference{{Key: "mysql.variable.x"}}
		}},
		{"demo", "No action needed.", "cost", func(d *Document) {
			for i := range d.Contrasts {
				d.Contrasts[i].Verdict = "equivalent"
			}
		}},
		{"demo", "Measure 4 rounds more to get a verdict for besteffort (about 6 min).", "rounds", func(d *Document) {
			d.Contrasts = []Contrast{{Arm: "besteffort", Baseline: "bare", Verdict: "inconclusive", Rounds: 6, MoreRounds: 4}}
		}},
	} {
		doc := reopen(t, c.name)
		if c.change != nil {
			c.change(doc)
		}
		steps := doc.next()
		if len(steps) == 0 || len(steps) > mostSteps || steps[0].Do != c.do || steps[0].Section != c.section {
			t.Errorf("%s: got %+v, want first %q in %s", c.name, steps, c.do, c.section)
		}
		for _, s := range steps {
			if !hasSection(doc, s.Section) {
				t.Errorf("%s: %q points to section %q, which is not shown", c.name, s.Do, s.Section)
			}
		}
	}
}

func hasSection(d *Document, id string) bool {
	for _, s := range Sections() {
		if s.ID == id {
			return s.isShownIn(d)
		}
	}
	return false
}

// A layer that may return nothing is not advised against, nor one that too few
// rounds have seen.
func TestNextNamesNoLayerThatMayReturnNothing(t *testing.T) {
	unsure, few := reopen(t, "layers"), reopen(t, "layers")
	for i := range unsure.Attributions[0].Layers {
		unsure.Attributions[0].Layers[i].GivesBack = &Part{Points: 1, Interval: [2]Number{-1, 3}}
	}
	few.Attributions[0].Rounds = 5
	for name, doc := range map[string]*Document{"interval": unsure, "rounds": few} {
		for _, s := range doc.next() {
			if strings.HasPrefix(s.Do, "Take ") {
				t.Errorf("%s: advises %q", name, s.Do)
			}
		}
	}
}
