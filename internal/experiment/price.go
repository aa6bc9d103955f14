package experiment

import (
	"fmt"
	"regexp"
	"strconv"
)

// Price is what an arm costs an hour, in whatever currency, written as 1.72/h; 0 is unknown.
type Price float64

var pricePattern = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,6})?/h$`)

// UnmarshalText wants the unit: a bare number could be meant per month.
func (p *Price) UnmarshalText(b []byte) error {
	v, err := strconv.ParseFloat(string(b[:max(0, len(b)-len("/h"))]), 64)
	if !pricePattern.Match(b) || err != nil || v == 0 {
		return fmt.Errorf("%.40q is not a price; write an amount per hour above 0, such as 1.72/h", b)
	}
	*p = Price(v)
	return nil
}

func (p Price) String() string { return strconv.FormatFloat(float64(p), 'f', -1, 64) + "/h" }
