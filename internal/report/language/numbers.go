package language

import (
	"math"
	"strconv"
	"strings"
)

// Round takes the binary dust off a decimal that a person wrote.
func Round(v float64, digits int) float64 {
	p := math.Pow(10, float64(digits))
	return math.Round(v*p) / p
}

// Rounded is a level to three significant digits.
func Rounded(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return Decimal(v, 0)
	}
	step := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2)
	if step < 1 {
		return Decimal(v, int(-math.Log10(step)+0.5))
	}
	return Decimal(math.Round(v/step)*step, 0)
}

// Farthest is a bound in % beyond which only the direction is of use: two
// rounds that disagree give intervals of any width.
const Farthest = 1000

// Interval is the interval of a cost in words; where its lower end is beyond all use, its upper end, and of one below
// zero the gain.
func (l *Language) Interval(lo, hi float64, digits int) string {
	if lo < -Farthest && hi < 0 {
		return l.Say("number.at-least-faster", "x", Decimal(-hi, digits))
	}
	if lo < -Farthest {
		return l.Say("number.at-most", "x", Decimal(hi, digits))
	}
	return l.Between(Decimal(lo, digits), Decimal(hi, digits))
}

// Minus sets the real minus sign where a digit follows, and a thin space that
// does not break before a % sign.
func Minus(s string) string {
	s = strings.ReplaceAll(s, " %", "\u202f%")
	r := []rune(s)
	for i := 0; i+1 < len(r); i++ {
		if r[i] == '-' && r[i+1] >= '0' && r[i+1] <= '9' && (i == 0 || strings.ContainsRune(" [(（", r[i-1])) {
			r[i] = '\u2212'
		}
	}
	return string(r)
}

// PValue is a p with digits decimals: "<0.001" where they show nothing of it, because no test
// gives 0 (Phipson & Smyth, Stat. Appl. Genet. Mol. Biol. 9, 39 (2010)).
func PValue(p float64, digits int) string {
	if least := math.Pow10(-digits); p < least {
		return "<" + Decimal(least, digits)
	}
	return Decimal(p, digits)
}

// UnknownNumber is a number without a value.
const UnknownNumber = "unknown"

// Decimal is v with a fixed number of decimals and grouped thousands; "unknown"
// without a value. The minus sign is ASCII: a page may set the real one.
func Decimal(v float64, digits int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return UnknownNumber
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-") // no negative zero
	}
	whole, fraction, _ := strings.Cut(s, ".")
	whole = groupDigits(whole)
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// Grouped is a whole number with grouped thousands.
func Grouped(n int64) string { return groupDigits(strconv.FormatInt(n, 10)) }

func groupDigits(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Signed is Decimal with a plus sign before what is larger than zero.
func Signed(v float64, digits int) string {
	if v <= 0 {
		return Decimal(v, digits)
	}
	return "+" + Decimal(v, digits)
}

// Significant is a positive value to three digits.
func Significant(v float64) string {
	if !(v > 0) || math.IsInf(v, 0) {
		return Decimal(v, 2)
	}
	return Decimal(v, max(0, 2-int(math.Floor(math.Log10(v)))))
}
