package report

import (
	"math"
	"strconv"
	"strings"
)

// decimal is v with a fixed number of decimals and grouped thousands; "unknown"
// without a value. The minus sign is ASCII: a page may set the real one.
func decimal(v float64, digits int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "unknown"
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

func grouped(n int64) string { return groupDigits(strconv.FormatInt(n, 10)) }

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

func signed(v float64, digits int) string {
	if v <= 0 {
		return decimal(v, digits)
	}
	return "+" + decimal(v, digits)
}
