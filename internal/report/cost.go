package report

import (
	"math"
	"strconv"

	"github.com/tarebench/tare/internal/report/language"
)

// Cost is a change with its sign turned: positive = slower.
type Cost struct{ Mid, Lo, Hi, Lo90, Hi90 float64 }

// CostOf needs a contrast with an interval.
func CostOf(c *Contrast) Cost {
	turned := turn(c.EffectPercent, *c.Interval)
	turned.Lo90, turned.Hi90 = -float64(c.Interval90[1]), -float64(c.Interval90[0])
	return turned
}

// turn is a change with its 95 % interval as a cost; it has no 90 % interval.
func turn(change Number, in [2]Number) Cost {
	return Cost{Mid: -float64(change), Lo: -float64(in[1]), Hi: -float64(in[0])}
}

// Digits is how many decimals the half-width needs for two significant digits:
// more would be noise, fewer would hide the interval.
func (c Cost) Digits() int {
	half := (c.Hi - c.Lo) / 2
	if !(half > 0) {
		return 2
	}
	return min(3, max(0, 1-int(math.Floor(math.Log10(half)))))
}

// Rate is a throughput: whole numbers from 1,000 on, else one decimal. A mean of logarithms of 1,000 is not quite that.
func Rate(n Number) string {
	if math.Abs(float64(n)) >= 999.95 {
		return language.Decimal(float64(n), 0)
	}
	return language.Decimal(float64(n), 1)
}

// Trimmed is the shortest decimal.
func Trimmed(n Number) string {
	if !n.Known() {
		return language.UnknownNumber
	}
	return strconv.FormatFloat(float64(n), 'f', -1, 64)
}

// CostCells are the cost of a contrast and its two intervals as cells of a table.
func CostCells(l *language.Language, c *Contrast) (mid, in95, in90 string) {
	switch {
	case c.Interval != nil:
		cost := CostOf(c)
		n := cost.Digits()
		return language.Decimal(cost.Mid, n),
			l.Interval(cost.Lo, cost.Hi, n),
			l.Interval(cost.Lo90, cost.Hi90, n)
	case c.EffectPercent.Known():
		return language.Decimal(-float64(c.EffectPercent), 1), l.Say("cell.none"), l.Say("cell.none")
	}
	return "-", l.Say("cell.none"), l.Say("cell.none")
}
