package experiment

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a time span in Go's notation (30s, 2m, 1h30m).
type Duration time.Duration

// UnmarshalText refuses a bare number: 60 of what?
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("%q is not a duration: write a number with a unit, such as 30s, 2m or 1h", b)
	}
	*d = Duration(v)
	return nil
}

// MarshalText is the notation UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Std is d as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

func (d Duration) String() string { return time.Duration(d).String() }

// Rate is how often something falls due, in 1/s, written as 500/s.
type Rate float64

// maxRate is what no server answers.
const maxRate = 1e8

// UnmarshalText wants the unit: a bare number could be meant per minute.
func (r *Rate) UnmarshalText(b []byte) error {
	s, ok := strings.CutSuffix(strings.TrimSpace(string(b)), "/s")
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if !ok || err != nil || !(v > 0 && v <= maxRate) {
		return fmt.Errorf("%q is not a rate: write transactions per second above 0 with the unit, such as 500/s; without a rate the loop is closed", b)
	}
	*r = Rate(v)
	return nil
}

// MarshalText is the notation UnmarshalText reads.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

func (r Rate) String() string { return strconv.FormatFloat(float64(r), 'g', -1, 64) + "/s" }

// Percent is a ratio written as a percentage: "1%" is 0.01.
type Percent float64

// UnmarshalText wants the sign: a bare 0.01 could mean one in a hundred or one
// in ten thousand.
func (p *Percent) UnmarshalText(b []byte) error {
	s, ok := strings.CutSuffix(strings.TrimSpace(string(b)), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if !ok || err != nil || math.IsNaN(v) || v < 0 || v >= 100 {
		return fmt.Errorf("%q is not a percentage: write a number from 0 to 100 with the %% sign, such as 1%%", b)
	}
	*p = Percent(v / 100)
	return nil
}

// MarshalText is the notation UnmarshalText reads.
func (p Percent) MarshalText() ([]byte, error) {
	return []byte(p.String()), nil
}

// String is the notation UnmarshalText reads.
func (p Percent) String() string {
	return strconv.FormatFloat(math.Round(float64(p)*1e8)/1e6, 'g', -1, 64) + "%"
}
