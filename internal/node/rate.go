package node

// The speed of a link between nodes.

import (
	"fmt"
	"strconv"
	"strings"
)

// Rate is the speed of a link in bits a second, written as tc(8) does: 1Gbit.
type Rate uint64

// rateUnits of a rate are powers of 1000 (tc(8), PARAMETERS).
func rateUnits() map[string]float64 {
	return map[string]float64{"bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
}

// UnmarshalText reads 100Mbit, 1Gbit, 2.5Gbit.
func (r *Rate) UnmarshalText(text []byte) error {
	word := strings.ToLower(string(text))
	number := strings.TrimRight(word, "bitkmg")
	unit, ok := rateUnits()[word[len(number):]]
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !ok || !(v*unit >= float64(leastRate) && v*unit <= float64(mostRate)) {
		return fmt.Errorf("%q is not a speed of a link; use %v to %v, such as 1Gbit", text, leastRate, mostRate)
	}
	*r = Rate(v*unit + 0.5)
	return nil
}

// A token bucket's rate is 32 bits of bytes a second in the netlink library that
// is used; below the least rate a database is not usable.
const (
	leastRate Rate = 1e6
	mostRate  Rate = 30e9
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
