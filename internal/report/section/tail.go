package section

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// tailTable is p95 and p99 of every arm, with what they cost.
func tailTable(d *report.Document) Table {
	caption := d.Say("caption.tails")
	if rate := d.Rate(); rate != "" {
		caption = d.Say("caption.tails-rate", "rate", rate)
	}
	t := Table{Caption: caption, Open: d.Rate() != "", Head: d.Heads("arm", "percentile", "ms", "in95ms", "trials", "cost", "in95", "rounds", "verdict")}
	for i := range d.Arms {
		a := &d.Arms[i]
		for _, p := range a.Tails {
			in, cost, in95, rounds := "-", "-", "-", "-"
			if p.Interval != nil {
				in = d.Language().Between(language.Significant(float64(p.Interval[0])), language.Significant(float64(p.Interval[1])))
			} else if p.Trials > 1 {
				in = d.Say("cell.trials-between", "between", d.Language().Between(language.Significant(float64(p.Lowest)), language.Significant(float64(p.Highest))))
			}
			if p.CostPercent.Known() {
				cost, rounds = language.Decimal(float64(p.CostPercent), 1), language.Grouped(int64(p.Rounds))
			}
			if p.CostInterval != nil {
				n := cost95(p.CostInterval).Digits()
				cost, in95 = language.Decimal(float64(p.CostPercent), n), d.Language().Between(language.Decimal(float64(p.CostInterval[0]), n), language.Decimal(float64(p.CostInterval[1]), n))
			} else if p.Rounds > 1 {
				in95 = d.Say("cell.not-determined")
			}
			verdict := words("-")
			if p.Verdict != "" {
				verdict = verdictCell(d.Language(), p.Verdict)
			}
			t.Rows = append(t.Rows, []Cell{
				words(d.Label(a.Name, a.Threads)), words(d.Say("percentile", "p", p.Percentile)), number(msOrDash(p.Mean)), number(in), number(language.Grouped(int64(p.Trials))),
				number(cost), number(in95), number(rounds), verdict,
			})
		}
	}
	return t
}

// cost95 is an interval that is a cost already.
func cost95(in *[2]report.Number) report.Cost {
	return report.Cost{Lo: float64(in[0]), Hi: float64(in[1])}
}
