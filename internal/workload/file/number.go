package file

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Number is a decimal number: Value without its point, and how many of its digits are
// behind the point. 12.50 is {1250, 2}.
type Number struct {
	Value    int64
	Decimals int
}

// mostDecimals is DECIMAL's own limit of digits behind the point that int64 still holds.
const mostDecimals = 18

func itoa(n int) string { return strconv.Itoa(n) }

// UnmarshalText reads 10, -3, 0.99, 1_000_000 and 1e6.
func (n *Number) UnmarshalText(b []byte) error {
	text := strings.ReplaceAll(string(b), "_", "")
	digits, exponent, scaled := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, point := strings.Cut(digits, ".")
	v, err := strconv.ParseInt(whole+fraction, 10, 64)
	if err != nil || point && (whole == "" || fraction == "") || len(fraction) > mostDecimals || strings.ContainsAny(fraction, "+-") {
		return fmt.Errorf("%q is not a number of at most 18 digits, such as 10 or 0.99", b)
	}
	got := Number{v, len(fraction)}
	if scaled {
		e, err := strconv.Atoi(exponent)
		if err != nil || e < 0 || e > mostDecimals {
			return fmt.Errorf("%q is not a number of at most 18 digits, such as 10 or 0.99", b)
		}
		for ; e > 0; e-- {
			if got.Decimals > 0 {
				got.Decimals--
				continue
			}
			if got.Value > math.MaxInt64/10 || got.Value < math.MinInt64/10 {
				return fmt.Errorf("%q is not a number of at most 18 digits, such as 10 or 0.99", b)
			}
			got.Value *= 10
		}
	}
	*n = got
	return nil
}

// String is the number as SQL and YAML write it.
func (n Number) String() string { return string(n.Append(nil)) }

// Append appends the number as SQL and YAML write it.
func (n Number) Append(buf []byte) []byte {
	if n.Decimals == 0 {
		return strconv.AppendInt(buf, n.Value, 10)
	}
	v := uint64(n.Value)
	if n.Value < 0 {
		buf, v = append(buf, '-'), -v
	}
	at := len(buf)
	buf = strconv.AppendUint(buf, v, 10)
	if missing := n.Decimals + 1 - (len(buf) - at); missing > 0 {
		buf = append(buf, "0000000000000000000"[:missing]...)
		copy(buf[at+missing:], buf[at:len(buf)-missing])
		for i := range missing {
			buf[at+i] = '0'
		}
	}
	point := len(buf) - n.Decimals
	buf = append(buf, 0)
	copy(buf[point+1:], buf[point:])
	buf[point] = '.'
	return buf
}

// Scaled is the number's value with so many decimals; ok is false where int64 cannot hold
// it, or the number has more of them.
func (n Number) Scaled(decimals int) (v int64, ok bool) {
	if decimals < n.Decimals || decimals > mostDecimals {
		return 0, false
	}
	v = n.Value
	for range decimals - n.Decimals {
		if v > math.MaxInt64/10 || v < math.MinInt64/10 {
			return 0, false
		}
		v *= 10
	}
	return v, true
}

// Moment is a time without a zone, as a server stores it.
type Moment struct{ time.Time }

// layouts are how a moment is written, the longest form first; the last is a day.
func layouts() []string {
	return []string{"2006-01-02 15:04:05.999999", "2006-01-02T15:04:05.999999Z", "2006-01-02 15:04", "2006-01-02"}
}

// UnmarshalText reads 2026-01-31, with a time of day or without one.
func (m *Moment) UnmarshalText(b []byte) error {
	for _, layout := range layouts() {
		t, err := time.ParseInLocation(layout, string(b), time.UTC)
		if err == nil && t.Year() >= 1000 && t.Equal(t.Truncate(time.Microsecond)) {
			m.Time = t
			return nil
		}
	}
	return fmt.Errorf("%q is not a time: write 2026-01-31 or 2026-01-31 12:00:00", b)
}

// String is the shortest form that UnmarshalText reads.
func (m Moment) String() string {
	if m.Equal(m.Truncate(24 * time.Hour)) {
		return m.Format("2006-01-02")
	}
	return m.Format("2006-01-02 15:04:05.999999")
}
