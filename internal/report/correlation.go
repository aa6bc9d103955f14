package report

import (
	"fmt"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
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
// and how much of it depends on one arm.
func (doc *Document) correlationSentence(c *Correlation) string {
	s := doc.Say("correlation", "factor", c.Factor, "arms", doc.Count(c.Arms, "arm"), "rho", language.Decimal(float64(c.Rho), 2), "p", language.PValue(float64(c.P), 3))
	if c.Screened > 1 {
		s += doc.Say("correlation.family", "p", language.PValue(float64(c.FamilyP), 3), "n", fmt.Sprint(c.Screened))
	}
	if c.WorstP.Known() {
		s += doc.Say("correlation.worst", "p", language.PValue(float64(c.WorstP), 3))
	}
	if c.Outlier != "" && c.RhoWithout.Known() {
		s += doc.Say("correlation.outlier", "arm", c.Outlier, "rho", language.Decimal(float64(c.RhoWithout), 2))
	}
	return s + doc.Say("end")
}

// Telling are the correlations that are spoken of and drawn.
func (doc *Document) Telling() []Correlation {
	var all []Correlation
	for _, c := range doc.Correlations {
		if c.Telling {
			all = append(all, c)
		}
	}
	return all
}
