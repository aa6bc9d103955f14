package capture

// This file says how parameters are drawn whose columns no server was asked for.

import "math"

// column is that of the dictionary. Where no server was asked, a log of whole numbers tells their range.
func (d *drawer) column(p slot, s Statement) *column {
	seen := s.parameter(p)
	fresh := p.role == inserted && seen.Different >= seen.Count // they can be keys
	if len(d.schema) > 0 || p.column == "" || seen.Whole == 0 || seen.Whole < seen.Count || fresh {
		return d.schema.column(p.table, p.column)
	}
	d.assume("no server was asked for the columns (ADDRESS): whole numbers are between the lowest and the highest of the log, rounded to %d digits", keptDigits)
	return &column{name: p.column, kind: "bigint", low: roundedDown(seen.Low), high: -roundedDown(-seen.High), ranged: true}
}

// keptDigits is how exact the ends of a range from a log are: a number of a person or an account is not in the file.
const keptDigits = 3

// roundedDown is the next number below, or the same, with only so many digits that are not 0.
func roundedDown(n int64) int64 {
	unit := int64(1)
	for n/unit <= -1000 || n/unit >= 1000 {
		unit *= 10
	}
	down := n / unit * unit
	if down > n && down >= math.MinInt64+unit {
		down -= unit
	}
	return down
}

// unknownColumn notes what a parameter is whose column is not in the dictionary.
func (d *drawer) unknownColumn(p slot) {
	switch {
	case p.column == "" && p.role != inserted:
		d.assume("a parameter that is compared with no column is 1")
	case len(d.schema) == 0:
		d.assume("no server was asked for the columns (ADDRESS): a parameter that is no whole number is 1, and a new value is 1 or NULL")
		d.unasked = true
	default:
		d.assume("a parameter that is compared with a column that is not in the dictionary (of a table that the account cannot read, of a view, of another schema) is 1, and a new value in one is 1 or NULL")
	}
}
