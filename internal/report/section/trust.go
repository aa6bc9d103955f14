package section

import (
	"fmt"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

func trustSection() Section {
	return Section{
		ID:       "trust",
		Shown:    func(d *report.Document) bool { return len(d.Steadiness) > 0 },
		Sentence: trustSentence,
		Tables:   trustTables,
	}
}

func trustSentence(d *report.Document) string {
	var found []string
	for _, s := range d.Steadiness {
		name := d.Called(s.Arm, s.Threads)
		if s.Drifts {
			found = append(found, d.Say("trust.drift", "arm", name, "size", language.Decimal(float64(s.DriftPercent), 1),
				"lo", language.Decimal(float64(s.DriftInterval[0]), 1), "hi", language.Decimal(float64(s.DriftInterval[1]), 1)))
		}
		if s.ChangesLevel {
			found = append(found, d.Say("trust.level", "arm", name, "n", fmt.Sprint(s.Changed), "of", fmt.Sprint(s.Tested)))
		}
	}
	for _, c := range d.CarryOvers {
		if c.Flagged {
			found = append(found, d.Say(d.PerPoint("trust.carry", "trust.carry-turn"), "p", language.PValue(float64(c.P), 3)))
		}
	}
	for _, c := range d.Contrasts {
		for _, v := range c.Variants {
			if !v.Agrees {
				found = append(found, d.Say("trust.variant", "arm", d.Called(c.Arm, c.Threads), "size", language.Decimal(-float64(v.EffectPercent), 1), "spread", variantSpread(d, v), "variant", v.Variant))
			}
		}
	}
	s := d.Say("trust.none")
	if len(found) > 0 {
		s = language.Capital(d.Language().List("clauses", found)) + d.Say("end")
	} else if unchecked := uncheckedOf(d); len(unchecked) == 4 {
		return d.Say("trust.unchecked", "what", d.Language().List("list", unchecked))
	}
	if unchecked := uncheckedOf(d); len(unchecked) > 0 {
		s += d.Say("join.sentences") + d.Say("trust.unchecked", "what", d.Language().List("list", unchecked))
	}
	return s
}

// uncheckedOf are the checks that the run does not allow: windows that are too short, and an
// imported run, whose order is not recorded.
func uncheckedOf(doc *report.Document) []string {
	drift, level, variants := false, false, false
	for _, s := range doc.Steadiness {
		drift, level = drift || s.DriftInterval != nil, level || s.Tested > 0
	}
	for _, c := range doc.Contrasts {
		variants = variants || len(c.Variants) > 0
	}
	var all []string
	for _, check := range []struct {
		done bool
		name string
	}{{drift, doc.Say("check.drift")}, {level, doc.Say("check.level")}, {len(doc.CarryOvers) > 0, doc.Say(doc.PerPoint("check.carry", "check.carry-turn"))}, {variants, doc.Say("check.parts")}} {
		if !check.done {
			all = append(all, check.name)
		}
	}
	return all
}

func trustTables(d *report.Document) []Table {
	steady := Table{Caption: d.Say("caption.drift"), Head: d.Heads("arm", "drift", "in99", "not-ruled-out", "level-changes", "sentinel", "starts", "within", "cheapest")}
	for _, s := range d.Steadiness {
		changes := d.Say("cell.short")
		if s.Tested > 0 {
			changes = d.Say("cell.of-trials", "n", fmt.Sprint(s.Changed), "of", fmt.Sprint(s.Tested))
		}
		steady.Rows = append(steady.Rows, []Cell{
			words(d.Label(s.Arm, s.Threads)), number(dash(s.DriftPercent, 2)), number(spanOf(d, s.DriftInterval, 2)), number(dash(s.DriftBound, 2)), words(changes), number(fmt.Sprint(s.MachineSlow)),
			number(dash(s.RestartSD, 2)), number(dash(s.WithinSD, 2)), number(dash(s.CheapestSeconds, 0)),
		})
	}
	robust := Table{Caption: d.Say("caption.robust"), Head: d.Heads("arm", "from", "cost-alone", "in95", "rounds", "agrees")}
	for _, c := range d.Contrasts {
		for _, v := range c.Variants {
			agrees := d.Say("cell.yes")
			if !v.Agrees {
				agrees = d.Say("cell.no")
			}
			robust.Rows = append(robust.Rows, []Cell{words(d.Label(c.Arm, c.Threads)), words(v.Variant), number(dash(-v.EffectPercent, 2)), number(spanOf(d, costSpan(v.Interval), 2)), number(fmt.Sprint(v.Rounds)), words(agrees)})
		}
	}
	carry := Table{Caption: d.Say(d.PerPoint("caption.carry", "caption.carry-turn")), Head: d.Heads("after", "left", "in95", d.PerPoint("trials", "turns"), "p-all")}
	for _, c := range d.CarryOvers {
		for _, a := range d.Arms {
			if left, ok := c.Left[a.Name]; ok {
				carry.Rows = append(carry.Rows, []Cell{words(a.Name), number(dash(-left, 2)), number(spanOf(d, costSpan(c.Interval[a.Name]), 2)), number(fmt.Sprint(c.Trials[a.Name])), number(dash(c.P, 3))})
			}
		}
	}
	return []Table{steady, robust, carry}
}

// variantSpread is how well a variant is known, in words.
func variantSpread(doc *report.Document, v report.Variant) string {
	rounds := doc.Count(v.Rounds, "round")
	if v.Interval == nil {
		return doc.Say("trust.no-interval", "rounds", rounds)
	}
	in := costSpan(v.Interval)
	return doc.Say("trust.interval", "lo", language.Decimal(float64(in[0]), 1), "hi", language.Decimal(float64(in[1]), 1), "rounds", rounds)
}

// costSpan is an interval of changes as one of costs.
func costSpan(in *[2]report.Number) *[2]report.Number {
	if in == nil {
		return nil
	}
	return &[2]report.Number{-in[1], -in[0]}
}

func dash(n report.Number, digits int) string {
	if !n.Known() {
		return "-"
	}
	return language.Decimal(float64(n), digits)
}

// pOrDash is dash of a p.
func pOrDash(p report.Number, digits int) string {
	if !p.Known() {
		return "-"
	}
	return language.PValue(float64(p), digits)
}

func spanOf(doc *report.Document, in *[2]report.Number, digits int) string {
	if in == nil {
		return "-"
	}
	return doc.Language().Between(language.Decimal(float64(in[0]), digits), language.Decimal(float64(in[1]), digits))
}
