package report

import (
	"bytes"
	"math"
	"strconv"
)

// Number is a value of the document. NaN and the infinities mean that it is not
// known; JSON has no word for them, so they are written as null and null is read
// back as NaN. A zero is a zero that was measured.
type Number float64

// Unknown is a Number without a value.
func Unknown() Number { return Number(math.NaN()) }

// Known reports whether n has a value.
func (n Number) Known() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// MarshalJSON writes the shortest decimal that reads back as the same value.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known() {
		return []byte("null"), nil
	}
	format := byte('f')
	if a := math.Abs(float64(n)); a >= 1e21 || a != 0 && a < 1e-6 {
		format = 'e' // as JavaScript does
	}
	return strconv.AppendFloat(nil, float64(n), format, -1, 64), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*n = Unknown()
		return nil
	}
	v, err := strconv.ParseFloat(string(b), 64)
	*n = Number(v)
	return err
}
