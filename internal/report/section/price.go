package section

import (
	"fmt"
	"strconv"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

func priceSection() Section {
	return Section{
		ID:    "price",
		Shown: func(d *report.Document) bool { return len(d.Prices) > 0 },
		Sentence: func(d *report.Document) string {
			var all []string
			for _, p := range d.Prices {
				all = append(all, p.Sentence)
			}
			return d.Language().List("sentences", all)
		},
		Tables: func(d *report.Document) []Table { return []Table{priceTable(d)} },
	}
}

func priceTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.price"), Open: true, Head: d.Heads("arm", "hour", "million", "in95", "trials", "price-change", "price-change95")}
	for _, p := range d.Prices {
		in, change, change95 := "-", "-", "-"
		if p.Interval != nil {
			in = d.Language().Between(report.Money(p.Interval[0]), report.Money(p.Interval[1]))
		}
		if c := p.ChangeInterval; c != nil {
			n := cost95(c).Digits()
			change, change95 = language.Signed(float64(p.ChangePercent), n), d.Language().Between(language.Signed(float64(c[0]), n), language.Signed(float64(c[1]), n))
		}
		t.Rows = append(t.Rows, []Cell{
			words(d.Label(p.Arm, p.Threads)), number(strconv.FormatFloat(p.Hour, 'f', -1, 64)), number(report.Money(p.Million)), number(in),
			number(fmt.Sprint(p.Trials)), number(change), number(change95),
		})
	}
	return t
}

func poolSection() Section {
	return Section{
		ID:       "pool",
		Shown:    func(d *report.Document) bool { return len(d.Pools) > 0 },
		Sentence: poolSentence,
		Tables:   func(d *report.Document) []Table { return []Table{poolTable(d)} },
	}
}

// poolSentence says which arms' data fit.
func poolSentence(d *report.Document) string {
	var all []string
	for _, p := range d.Pools {
		all = append(all, poolOf(d, p))
	}
	return d.Language().List("sentences", all)
}

func poolOf(doc *report.Document, p report.Pool) string {
	slots := []string{"arm", doc.Called(p.Arm, p.Threads), "hit", report.Hits(p.HitPercent), "data", report.Mebibytes(p.DataBytes), "pool", report.Mebibytes(p.PoolBytes)}
	switch {
	case !p.PoolBytes.Known() || !p.DataBytes.Known():
		return doc.Say("pool.arm", slots...)
	case p.DataBytes <= p.PoolBytes:
		return doc.Say("pool.fits", slots...)
	}
	return doc.Say("pool.larger", slots...)
}

func poolTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.pool"), Open: true, Head: d.Heads("arm", "hit-rate", "in95", "trials", "pool-size", "data-size")}
	for _, p := range d.Pools {
		in := "-"
		if p.Interval != nil {
			in = d.Language().Between(report.Hits(p.Interval[0]), report.Hits(p.Interval[1]))
		}
		t.Rows = append(t.Rows, []Cell{
			words(d.Label(p.Arm, p.Threads)), number(report.Hits(p.HitPercent)), number(in), number(fmt.Sprint(p.Trials)),
			number(report.Mebibytes(p.PoolBytes)), number(report.Mebibytes(p.DataBytes)),
		})
	}
	return t
}
