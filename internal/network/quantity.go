package network

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Rate is the speed of a link in bits a second, written as tc(8) does: 1Gbit.
type Rate uint64

// units of a rate are powers of 1000 (tc(8), PARAMETERS).
func units() map[string]float64 {
	return map[string]float64{"bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
}

// UnmarshalText reads 100Mbit, 1Gbit, 2.5Gbit.
func (r *Rate) UnmarshalText(text []byte) error {
	word := strings.ToLower(string(text))
	number := strings.TrimRight(word, "bitkmg")
	unit, ok := units()[word[len(number):]]
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !ok || !(v*unit >= float64(minRate) && v*unit <= float64(maxRate)) {
		return fmt.Errorf("%q is not a speed of a link; use %v to %v, such as 1Gbit", text, minRate, maxRate)
	}
	*r = Rate(v*unit + 0.5)
	return nil
}

// A token bucket's rate is 32 bits of bytes a second in the netlink library that
// is used; below the least rate a database is not usable.
const (
	minRate Rate = 1e6
	maxRate Rate = 30e9
)

// String is as it is written.
func (r Rate) String() string {
	for _, u := range []struct {
		name string
		size Rate
	}{{"Gbit", 1e9}, {"Mbit", 1e6}, {"kbit", 1e3}} {
		if r >= u.size {
			return strconv.FormatFloat(float64(r)/float64(u.size), 'f', -1, 64) + u.name
		}
	}
	return fmt.Sprintf("%dbit", uint64(r))
}

// Delay is the time that a link adds in each direction.
type Delay time.Duration

// UnmarshalText reads 200us, 1.5ms.
func (d *Delay) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v <= 0 || v > maxDelay {
		return fmt.Errorf("%q is not a delay; use a time up to %v, such as 250us", text, maxDelay)
	}
	*d = Delay(v)
	return nil
}

// maxDelay is more than there is between any two places of the earth.
const maxDelay = time.Second

// String is as it is written.
func (d Delay) String() string { return time.Duration(d).String() }

// Loss is the share of packets that a link loses in each direction, 0 to 1.
type Loss float64

// UnmarshalText reads 0.1%.
func (l *Loss) UnmarshalText(text []byte) error {
	number, percent := strings.CutSuffix(string(text), "%")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !percent || !(v > 0 && v <= 50) {
		return fmt.Errorf("%q is not a share of packets; use a percentage up to 50%%, such as 0.1%%", text)
	}
	*l = Loss(v / 100)
	return nil
}

// String is as it is written.
func (l Loss) String() string { return strconv.FormatFloat(float64(l)*100, 'g', 6, 64) + "%" }
