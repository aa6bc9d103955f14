package report

import (
	"math"
	"strconv"
)

// cost is a change with its sign turned: positive = slower.
type cost struct{ mid, lo, hi, lo90, hi90 float64 }

// costOf needs a contrast with an interval.
func costOf(c *Contrast) cost {
	turned := turn(c.EffectPercent, *c.Interval)
	turned.lo90, turned.hi90 = -float64(c.Interval90[1]), -float64(c.Interval90[0])
	return turned
}

// turn is a change with its 95 % interval as a cost; it has no 90 % interval.
func turn(change Number, in [2]Number) cost {
	return cost{mid: -float64(change), lo: -float64(in[1]), hi: -float64(in[0])}
}

// digits is how many decimals the half-width needs for two significant digits:
// more would be noise, fewer would hide the interval.
func (c cost) digits() int {
	half := (c.hi - c.lo) / 2
	if !(half > 0) {
		return 2
	}
	return min(3, max(0, 1-int(math.Floor(math.Log10(half)))))
}

// rounded is a level to three significant digits.
func rounded(n Number) string {
	v := float64(n)
	if !n.Known() || v == 0 {
		return decimal(v, 0)
	}
	step := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2)
	if step < 1 {
		return decimal(v, int(-math.Log10(step)+0.5))
	}
	return decimal(math.Round(v/step)*step, 0)
}

// rate is a throughput: whole numbers from 1,000 on, else one decimal.
func rate(n Number) string {
	if math.Abs(float64(n)) >= 1000 {
		return decimal(float64(n), 0)
	}
	return decimal(float64(n), 1)
}

// trimmed is the shortest decimal.
func trimmed(n Number) string {
	if !n.Known() {
		return "unknown"
	}
	return strconv.FormatFloat(float64(n), 'f', -1, 64)
}

// farthest is a bound in per cent beyond which only the direction is of use: two
// rounds that disagree give intervals of any width.
const farthest = 1000

// interval is an interval in words; where its lower end is beyond all use, its upper end.
func (l *Language) interval(lo, hi float64, digits int) string {
	if lo < -farthest {
		return l.say("number.at-most", "x", decimal(hi, digits))
	}
	return l.between(decimal(lo, digits), decimal(hi, digits))
}
