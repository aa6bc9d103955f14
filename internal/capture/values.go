package capture

// This file says how the parameters of a statement are drawn. The values that the
// applications use are not known; what is known is the schema and, of whole numbers in an
// index, the range.

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload/file"
)

// drawer makes the values of one transaction.
type drawer struct {
	schema  schema
	assumed map[string]bool
	values  file.Columns
	// deleted are the values by which rows were deleted, by table and column: an INSERT of
	// the same key later in the transaction brings the row back.
	deleted map[string]string
	// keys gives the numbers of new rows.
	keys *keys
	// unasked says that a value is 1 or NULL because no server was asked.
	unasked bool
	// patterns says that a LIKE compares with the pattern that stands for all.
	patterns bool
	// open are the lower ends of the statement's ranges that have no upper end yet, by table and
	// column.
	open map[string]opened
}

// anyPattern stands for the patterns of LIKE, which are not known.
const anyPattern = "a%"

// opened is the lower end of a range.
type opened struct {
	name string    // of its value
	seen Parameter // its values in a log
}

func (d *drawer) assume(format string, args ...any) { d.assumed[fmt.Sprintf(format, args...)] = true }

func whole(n int64) *file.Scalar { return &file.Scalar{Number: &file.Number{Value: n}} }

func constant(n int64) file.Value { return file.Value{Constant: whole(n)} }

func uniform(from, to int64) file.Value {
	return file.Value{Uniform: &file.Uniform{From: file.Number{Value: from}, To: file.Number{Value: to}}}
}

// named gives a value a name, so that several parameters can have it.
func (d *drawer) named(column string, v file.Value) string {
	name := fmt.Sprintf("%s_%d", label(column), len(d.values)+1)
	d.values = append(d.values, file.Column{Name: name, Value: v})
	return name
}

// label is a name without what a name of the file must not have.
func label(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= 0x80 || !isLetter(c) && (c < '0' || c > '9') || c == '$' {
			out[i] = '_'
		}
	}
	return string(out[:min(len(out), 40)])
}

func from(name string, plus int64) file.Value {
	v := file.Value{From: &file.From{Name: name}}
	if plus != 0 {
		v.From.Plus = &file.Number{Value: plus}
	}
	return v
}

// params are the values of a statement's parameters.
func (d *drawer) params(e expanded, s Statement) []file.Value {
	all := []file.Value{}
	d.open = map[string]opened{} // both ends of a range are in one statement
	for _, p := range e.slots {
		all = append(all, d.param(e, p, s))
	}
	return all
}

func (d *drawer) param(e expanded, p slot, s Statement) file.Value {
	c := d.column(p, s)
	id := p.table + "." + p.column
	switch p.role {
	case limit:
		return d.limit(s, s.parameter(p))
	case offset:
		d.assume("OFFSET is 0")
		return constant(0)
	case low:
		return d.lower(c, id, p, s)
	case high:
		return d.upper(c, id, p, s)
	case inserted:
		return d.inserted(c, id, p)
	case assigned:
		return d.written(c, p)
	case added:
		d.assume("an amount that is added to a column is 1")
		return constant(1)
	case pattern:
		d.assume("LIKE compares with one letter and %%")
		d.patterns = true
		return file.Value{Constant: &file.Scalar{Text: anyPattern}}
	case equal:
		v := d.skewed(d.key(c, p), p, s)
		if e.verb == "DELETE" && c.whole() && (v.Uniform != nil || v.Zipf != nil) {
			name := d.named(p.column, v)
			d.deleted[id] = name
			return from(name, 0)
		}
		return v
	}
	d.assume("a parameter that is compared with no column is 1")
	return constant(1)
}

// limit is the number of rows that a statement asks for. A log has it; it can be more than the
// statement returned.
func (d *drawer) limit(s Statement, seen Parameter) file.Value {
	if seen.Whole > 0 {
		d.assume("LIMIT is the mean of the limits that were sent")
		return constant(int64(math.Round(min(max(0, seen.Mean), mostLimit))))
	}
	d.assume("LIMIT is the mean number of rows that the statement returned or changed")
	return constant(max(1, int64(math.Round(s.each(max(s.RowsSent, s.RowsAffected))))))
}

// mostLimit is more rows than a table has: a larger LIMIT has the same effect.
const mostLimit = 1e15

// key is a value to find rows by.
func (d *drawer) key(c *column, p slot) file.Value {
	switch {
	case c == nil:
		d.unknownColumn(p)
		return constant(1)
	case c.whole() && c.ranged:
		d.assume("all numbers from the lowest to the highest in an index are equally frequent; hot rows are not known")
		if v := uniform(c.low, c.high); spans(v) {
			return v
		}
	}
	return d.stored(c, p)
}

// spans says whether a workload file can have a uniform distribution: random 64-bit numbers are too far
// apart.
func spans(v file.Value) bool {
	_, ok := file.Span(v.Uniform.From, v.Uniform.To)
	return ok
}

// leastExponent is a skew below which a distribution counts as uniform.
const leastExponent = 0.1

// skewed gives a value the skew that a log shows of its parameter. Which values are frequent
// is not kept: they are spread over the range.
func (d *drawer) skewed(v file.Value, p slot, s Statement) file.Value {
	seen := s.parameter(p)
	switch {
	case v.Uniform != nil && v.Uniform.From.Decimals == 0 && v.Uniform.To.Decimals == 0:
		n := v.Uniform.To.Value - v.Uniform.From.Value + 1
		if n > math.MaxUint32 {
			return v // more numbers than a Zipf distribution of a workload file has
		}
		if exponent, ok := seen.Exponent(n); ok && exponent >= leastExponent {
			d.assume("the skew of a parameter is that of a Zipf distribution with as many repeated values as the log has; which rows are hot is not kept")
			return file.Value{Zipf: &file.Zipf{From: v.Uniform.From, To: v.Uniform.To, Exponent: exponent, Scrambled: true}}
		}
	case v.Query != nil && v.Query.Exponent == 0:
		if exponent, ok := seen.Exponent(fromTable); ok && exponent >= leastExponent {
			v.Query.Exponent = exponent
		}
	}
	return v
}

// fromTable is how many rows a query for values reads at most.
const fromTable = 1000

// stored is a value that is in the column when the load starts: the file has the query for
// it, and the values stay in the server.
func (d *drawer) stored(c *column, p slot) file.Value {
	if t := d.schema[p.table]; t == nil || t.rows == 0 {
		return d.invented(c)
	}
	d.assume("texts, times, and numbers without an index are drawn from up to %d rows of their column when the load starts", fromTable)
	return file.Value{Query: &file.Query{SQL: fmt.Sprintf("SELECT %s FROM %s WHERE %s IS NOT NULL LIMIT %d", mysqld.QuoteName(p.column), mysqld.QuoteName(p.table), mysqld.QuoteName(p.column), fromTable)}}
}

// alone says that a column has every number once at most.
func (t *table) alone(c *column) bool {
	for _, i := range t.indexes {
		if i.unique && len(i.columns) == 1 && i.columns[0] == c.name {
			return true
		}
	}
	return false
}

// inserted is the value of a column in a new row.
func (d *drawer) inserted(c *column, id string, p slot) file.Value {
	if name, ok := d.deleted[id]; ok && p.row == 0 {
		d.assume("a row that is inserted after a row of the same table was deleted has its key")
		return from(name, 0)
	}
	switch {
	case c == nil:
		d.unknownColumn(p)
		return file.Value{} // NULL
	case c.auto:
		d.assume("a column with AUTO_INCREMENT gets its number from the server")
		return file.Value{}
	case d.schema[p.table].unique(c):
		d.assume("new rows have numbers above all that are there")
		return file.Value{Sequence: &file.Sequence{From: file.Number{Value: d.keys.next(c, id)}}}
	}
	return d.written(c, p)
}

// keys divides the numbers above those of a table among all parameters of the file that make
// new rows in it: each counts in a part of its own, so that no two make the same key.
type keys struct {
	parts int64 // of the file
	used  map[string]int64
}

// next is the beginning of the next part.
func (k *keys) next(c *column, id string) int64 {
	start := c.beyond()
	n := k.used[id]
	k.used[id]++
	return start + n*((c.highest()-start)/max(1, k.parts))
}

// beyond is a number above those of the table. Where the range is not known it is the middle
// of what the column can hold.
func (c *column) beyond() int64 {
	if c.ranged && c.high < c.highest()/2 {
		return max(c.high+1, c.highest()/4)
	}
	return c.highest()/2 + 1
}

// unique says that a column is the one that keeps the new rows of its table apart: of each
// unique index the column of whole numbers with the widest range.
func (t *table) unique(c *column) bool {
	if t == nil || !c.whole() {
		return false
	}
	for _, called := range sortedNames(t.indexes) {
		if i := t.indexes[called]; i.unique && t.widest(i) == c {
			return true
		}
	}
	return false
}

func (t *table) widest(i *index) (best *column) {
	for _, name := range i.columns {
		for _, c := range t.columns {
			if c.name == name && c.whole() && (best == nil || c.high-c.low > best.high-best.low) {
				best = c
			}
		}
	}
	return best
}

// written is a new value of a column.
func (d *drawer) written(c *column, p slot) file.Value {
	switch {
	case c == nil:
		d.unknownColumn(p)
		return constant(1)
	case c.whole() && c.ranged:
		return d.key(c, p)
	case c.character() && c.length > 0 && c.length <= longText && !d.inUnique(c, p.table):
		return d.invented(c)
	}
	return d.stored(c, p)
}

// inUnique says that a text is part of a unique index.
func (d *drawer) inUnique(c *column, table string) bool {
	for _, i := range d.schema[table].indexes {
		for _, name := range i.columns {
			if i.unique && name == c.name {
				return true
			}
		}
	}
	return false
}

// longText is the longest text that is written at its full length.
const longText = 255

// invented is a value that nothing is known of but its type.
func (d *drawer) invented(c *column) file.Value {
	switch {
	case c.whole(), c.number():
		d.assume("numbers of an empty table are 1 to 10")
		return uniform(1, 10)
	case c.temporal():
		d.assume("dates and times of an empty table are in 2020 to 2025")
		var t file.Time
		_ = t.From.UnmarshalText([]byte("2020-01-01")) // constants of the form that it reads
		_ = t.To.UnmarshalText([]byte("2025-12-31"))
		return file.Value{Time: &t}
	case c.character() && (c.kind == "char" || c.kind == "binary"):
		d.assume("new texts have the length of their column, of VARCHAR and TEXT half of it and at most %d characters", longText)
		return file.Value{Text: &file.Text{Length: int(max(1, min(c.length, longText)))}}
	case c.character():
		d.assume("new texts have the length of their column, of VARCHAR and TEXT half of it and at most %d characters", longText)
		return file.Value{Text: &file.Text{Length: int(max(1, min(c.length/2, longText)))}}
	}
	return file.Value{} // NULL: JSON, ENUM, spatial types
}
