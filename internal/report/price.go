package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// Price is what a million transactions of an arm cost, in the currency of the experiment.
type Price struct {
	Arm     string  `json:"arm"`
	Threads int     `json:"threads"`
	Hour    float64 `json:"hour"`
	// Million is a geometric mean over the trials, Interval its 95 % interval, null below
	// two trials.
	Million  Number     `json:"million"`
	Interval *[2]Number `json:"interval"`
	Trials   int        `json:"trials"`
	// ChangePercent is the change from the baseline, positive = more expensive;
	// ChangeInterval is that of the contrast of throughput.
	ChangePercent  Number     `json:"change_percent"`
	ChangeInterval *[2]Number `json:"change_interval"`
	Sentence       string     `json:"sentence"`
}

// Pool is the InnoDB buffer pool of an arm.
type Pool struct {
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	// HitPercent is the share of page reads that the pool answered, Interval its 95 %
	// interval, null below two trials.
	HitPercent Number     `json:"hit_percent"`
	Interval   *[2]Number `json:"interval"`
	Trials     int        `json:"trials"`
	// PoolBytes is its size, DataBytes that of the files of the tables before the load.
	PoolBytes Number `json:"pool_bytes"`
	DataBytes Number `json:"data_bytes"`
}

// prices fills in what money and memory the arms take.
func (doc *Document) prices(res *compare.Result) {
	for _, p := range res.Prices {
		doc.Prices = append(doc.Prices, Price{
			Arm: text(p.Arm), Threads: p.Threads, Hour: p.Hour, Million: Number(p.Million), Interval: intervalOf(p.Interval), Trials: p.Trials,
			ChangePercent: Number(p.Change), ChangeInterval: intervalOf(p.ChangeInterval),
		})
	}
	for _, p := range res.Pools {
		out := Pool{
			Arm: text(p.Arm), Threads: p.Threads, HitPercent: Number(100 * p.HitRate), Trials: p.Trials,
			PoolBytes: Number(p.Size), DataBytes: Number(p.Data),
		}
		if in := p.Interval; in != nil {
			out.Interval = intervalOf(&compare.Interval{Lo: 100 * in.Lo, Hi: 100 * in.Hi})
		}
		doc.Pools = append(doc.Pools, out)
	}
}

// writePrices makes the sentences of the prices.
func (doc *Document) writePrices() {
	for i := range doc.Prices {
		p := &doc.Prices[i]
		slots := []string{"arm", doc.Called(p.Arm, p.Threads), "price", Money(p.Million), "hour", strconv.FormatFloat(p.Hour, 'f', -1, 64)}
		switch {
		case p.Interval == nil && p.Trials > 1:
			p.Sentence = doc.Say("price.undetermined", append(slots, "rounds", doc.Count(p.Trials, "round"))...)
			continue
		case p.Interval == nil:
			p.Sentence = doc.Say("price.one", slots...)
			continue
		}
		p.Sentence = doc.Say("price.arm", append(slots, "in", doc.Language().Between(Money(p.Interval[0]), Money(p.Interval[1])), "rounds", doc.Count(p.Trials, "round"))...)
		if in := p.ChangeInterval; in != nil {
			n := Cost{Lo: float64(in[0]), Hi: float64(in[1])}.Digits()
			key := "price.change"
			if in[0] <= 0 && in[1] >= 0 || doc.withdrawn(p.Arm, p.Threads) {
				key = "price.change.unclear"
			}
			p.Sentence += doc.Say(key, "size", language.Signed(float64(p.ChangePercent), n),
				"in", doc.Language().Between(language.Signed(float64(in[0]), n), language.Signed(float64(in[1]), n)))
		}
	}
}

// withdrawn says that the contrast of an arm has an interval and, for another reason than that it contains zero, no
// verdict: a price by its figures has none either.
func (doc *Document) withdrawn(arm string, threads int) bool {
	return slices.ContainsFunc(doc.Contrasts, func(c Contrast) bool {
		if c.Arm != arm || c.Threads != threads || c.Verdict != string(compare.Inconclusive) || c.Interval == nil {
			return false
		}
		return c.NoVerdict != "" || c.Interval[0] > 0 || c.Interval[1] < 0
	})
}

// Money is an amount to three significant digits.
func Money(n Number) string {
	v := float64(n)
	if !n.Known() || v <= 0 {
		return "-"
	}
	return language.Decimal(v, max(0, 2-int(math.Floor(math.Log10(v)))))
}

// Hits is a hit rate with the digits that tell 99.99 from 99.9.
func Hits(n Number) string { return language.Decimal(float64(n), 2) }

// Mebibytes is a size in MiB.
func Mebibytes(n Number) string {
	if !n.Known() {
		return "-"
	}
	mebibytes := float64(n) / (1 << 20)
	if mebibytes > 0 && mebibytes < 10 {
		return language.Decimal(mebibytes, 1)
	}
	return language.Decimal(mebibytes, 0)
}
