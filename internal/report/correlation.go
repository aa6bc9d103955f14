package report

import (
	"fmt"

	"github.com/tarebench/tare/internal/compare"
)

// Correlation is how a factor goes along with throughput over the arms: a hint where
// to look, and no cause.
type Correlation struct {
	Factor   string `json:"factor"`
	Declared bool   `json:"declared"` // given by the experiment; else counted, for each transaction, or a property of the network path
	Threads  int    `json:"threads"`
	Arms     int    `json:"arms"`
	// Values of the factor by arm.
	Values map[string]Number `json:"values"`
	// Telling says that the experiment asks about it, or that chance and one arm leave
	// it standing: only such factors are spoken of and drawn.
	Telling bool   `json:"telling"`
	Rho     Number `json:"rho"`
	P       Number `json:"p"` // exact permutation
	// FamilyP is for all Screened factors at once, WorstP the largest p without one arm.
	FamilyP  Number `json:"family_p"`
	Screened int    `json:"screened"`
	WorstP   Number `json:"worst_p"`
	// Outlier is the arm without which rho changes most, "" when none stands out.
	Outlier    string     `json:"outlier"`
	RhoWithout Number     `json:"rho_without_outlier"`
	PWithout   Number     `json:"p_without_outlier"`
	Slope      Number     `json:"slope_percent"` // for each unit of the factor
	SlopeRange *[2]Number `json:"slope_range"`
	Sentence   string     `json:"sentence"`
}

func (doc *Document) setCorrelations(all []compare.Correlation) {
	doc.Correlations = []Correlation{}
	for _, c := range all {
		out := Correlation{
			Factor: text(c.Factor), Declared: c.Declared, Threads: c.Threads, Arms: c.Arms, Rho: Number(c.Rho), P: Number(c.P),
			FamilyP: Number(c.FamilyP), Screened: c.Screened, WorstP: Number(c.WorstP), Outlier: text(c.Outlier),
			RhoWithout: Number(c.RhoWithout), PWithout: Number(c.PWithout), Slope: Number(c.Slope),
			SlopeRange: intervalOf(&compare.Interval{Lo: c.SlopeLo, Hi: c.SlopeHi}), Values: map[string]Number{},
			Telling: c.Declared || c.FamilyP <= 0.05 && c.WorstP <= 0.05,
		}
		for arm, v := range c.Values {
			out.Values[text(arm)] = Number(v)
		}
		doc.Correlations = append(doc.Correlations, out)
	}
}

// sentence keeps to what was seen: orders that agree, how often chance gives that,
// and how much of it hangs on one arm.
func (doc *Document) correlationSentence(c *Correlation) string {
	s := doc.say("correlation", "factor", c.Factor, "arms", doc.count(c.Arms, "arm"), "rho", decimal(float64(c.Rho), 2), "p", decimal(float64(c.P), 3))
	if c.Screened > 1 {
		s += doc.say("correlation.family", "p", decimal(float64(c.FamilyP), 3), "n", fmt.Sprint(c.Screened))
	}
	if c.WorstP.Known() {
		s += doc.say("correlation.worst", "p", decimal(float64(c.WorstP), 3))
	}
	if c.Outlier != "" && c.RhoWithout.Known() {
		s += doc.say("correlation.outlier", "arm", c.Outlier, "rho", decimal(float64(c.RhoWithout), 2))
	}
	return s + doc.say("end")
}

func correlationSection() Section {
	return Section{
		ID:       "correlation",
		Shown:    func(d *Document) bool { return len(d.Correlations) > 0 },
		Sentence: correlationsSentence,
		Figures: []Figure{{
			ID: "fig-correlation", Chart: "correlation",
			Shown: func(d *Document) bool { return len(d.telling()) > 0 },
		}},
		Tables: func(d *Document) []Table { return []Table{correlationTable(d)} },
	}
}

func correlationsSentence(d *Document) string {
	var all []string
	for _, c := range d.telling() {
		all = append(all, c.Sentence)
	}
	if len(all) == 0 {
		return d.say("correlation.none", "factors", d.count(len(d.Correlations), "factor"))
	}
	return d.words().list("sentences", all)
}

func (doc *Document) telling() []Correlation {
	var all []Correlation
	for _, c := range doc.Correlations {
		if c.Telling {
			all = append(all, c)
		}
	}
	return all
}

// correlationTable holds every factor that was looked at.
func correlationTable(d *Document) Table {
	t := Table{Caption: d.say("caption.correlations"), Head: d.heads("factor", "arms", "rho", "exact-p", "family-p", "worst-p", "outlier", "rho-without")}
	for _, c := range d.Correlations {
		t.Rows = append(t.Rows, []Cell{
			words(d.label(c.Factor, c.Threads)), number(fmt.Sprint(c.Arms)), number(dash(c.Rho, 2)), number(dash(c.P, 3)), number(dash(c.FamilyP, 3)),
			number(dash(c.WorstP, 3)), words(c.Outlier), number(dash(c.RhoWithout, 2)),
		})
	}
	return t
}
