package capture

// This file makes the ends of ranges: where they begin, and how many numbers they have.

import (
	"math"

	"github.com/tarebench/tare/internal/workload/file"
)

// lower is the lower end of a range.
func (d *drawer) lower(c *column, id string, p slot, s Statement) file.Value {
	if !c.whole() || !c.ranged {
		return d.key(c, p)
	}
	name := d.named(p.column, d.skewed(d.key(c, p), p, s))
	d.open[id] = opened{name, s.parameter(p)}
	return from(name, 0)
}

// upper is the upper end: as far from the lower one as in a log, or else as the statement returns
// rows.
func (d *drawer) upper(c *column, id string, p slot, s Statement) file.Value {
	lower, ok := d.open[id]
	if !ok {
		return d.key(c, p)
	}
	delete(d.open, id)
	if distance, ok := between(lower.seen, s.parameter(p)); ok {
		d.assume("a range is as wide as the mean of those that were sent")
		return from(lower.name, int64(math.Round(min(distance, float64(c.high)-float64(c.low)))))
	}
	d.assume("a range is as wide as the number of rows that the statement reads")
	width := d.width(c, p.table, s)
	if n, ok := d.uncut(c, p.table, s); ok && n == width {
		d.begins(lower.name, c.high-n+1)
	}
	return from(lower.name, width-1)
}

// begins makes a number that begins ranges at most last: the range has all its rows there too.
func (d *drawer) begins(name string, last int64) {
	for i := range d.values {
		if u := d.values[i].Value.Uniform; d.values[i].Name == name && u != nil && u.From.Value < last {
			u.To.Value = min(u.To.Value, last)
		}
	}
}

// uncut is how many rows each range has where all had as many: none was cut off at the end of the table, because the mean
// of ranges of which some are shorter is a whole number by chance only.
func (d *drawer) uncut(c *column, table string, s Statement) (rows int64, ok bool) {
	t := d.schema[table]
	if t == nil || !t.alone(c) {
		return 0, false
	}
	mean := s.rows()
	whole := math.Round(mean)
	return int64(whole), whole >= 2 && math.Abs(mean-whole) < 1e-6 && whole <= float64(c.high-c.low+1)/2
}

// rows is how many an execution returns, or reads where it returns a sum.
func (s Statement) rows() float64 {
	if rows := s.each(s.RowsSent); rows >= 2 {
		return rows
	}
	return s.each(s.RowsExamined)
}

// between is the mean distance of the ends of a range in a log. It is not known if one of them was
// not always a whole number.
func between(low, high Parameter) (distance float64, ok bool) {
	if low.Whole == 0 || low.Whole != high.Whole || low.Whole < low.Count || high.Whole < high.Count {
		return 0, false
	}
	return max(0, high.Mean-low.Mean), true
}

// width is how many numbers a range has, from the rows that a statement returns, or reads
// where it returns a sum. Ranges that begin near the end of the table have fewer rows: with
// w of n numbers and beginnings everywhere, the mean is w - w*w/(2n).
func (d *drawer) width(c *column, table string, s Statement) int64 {
	if n, ok := d.uncut(c, table, s); ok {
		return n
	}
	rows := s.rows()
	span := float64(c.high - c.low + 1)
	t := d.schema[table]
	if t != nil && t.rows > 0 && !t.alone(c) {
		rows *= span / float64(t.rows) // every number has rows/span rows
	}
	rows = math.Min(rows, span/2)
	whole, wide := math.Round(rows), span*(1-math.Sqrt(1-2*rows/span))
	if wide-rows < 1 && math.Abs(rows-whole) < cutOff { // no range was near the end, where hot rows are in the middle
		return max(1, int64(whole))
	}
	return max(1, int64(math.Round(wide)))
}

// cutOff is how many rows the mean range must lack for ranges to have been cut off at the end of the table.
const cutOff = 0.1
