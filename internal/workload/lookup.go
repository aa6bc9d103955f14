package workload

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tarebench/tare/internal/workload/file"
)

// Lookup is a query that is run once, before the load: values are drawn from the first
// column of its answer.
type Lookup struct {
	SQL  string
	into *list
	slot int
}

// lookup is a value drawn from the answer of a query.
func (c *compiler) lookup(q *file.Query) (generator, SlotType) {
	g := &list{}
	if q.Exponent > 0 {
		ranks := zipfRanks(q.Exponent, 1) // Bind knows how many there are
		g.ranks = &ranks
	}
	c.p.Lookups = append(c.p.Lookups, Lookup{SQL: q.SQL, into: g, slot: len(c.p.Slots)})
	return g, SlotType{Varies: true}
}

// MostValues and MostBytes bound what is kept of the answer to a Lookup.
const (
	MostValues = 1_000_000
	mostBytes  = 1 << 16 // of one value
)

// ErrNoValues is a query of a workload file that returned no rows.
var ErrNoValues = errors.New("the query returned no rows, so there are no values to draw from")

// Bind gives a lookup its values, in the order of the answer; null marks those that are
// NULL. Numbers are sent as numbers where all of them are.
func (p *Program) Bind(l Lookup, values [][]byte) error {
	switch {
	case len(values) == 0:
		return fmt.Errorf("%s: %w", l.SQL, ErrNoValues)
	case len(values) > MostValues:
		return fmt.Errorf("%s: %d rows; at most %d are possible, so add a LIMIT", l.SQL, len(values), MostValues)
	}
	t := SlotType{}
	all := make([]Slot, len(values))
	whole := true
	for _, v := range values {
		whole = whole && (v == nil || wholeNumber(v))
	}
	for i, v := range values {
		switch {
		case len(v) > mostBytes:
			return fmt.Errorf("%s: a value of %d bytes; at most %d are possible", l.SQL, len(v), mostBytes)
		case v == nil:
		case whole:
			all[i].SetDecimal(v)
		default:
			all[i] = Slot{Kind: SlotText, Text: bytes.Clone(v)}
		}
		t.Kind, t.size = max(t.Kind, all[i].Kind), max(t.size, len(v))
	}
	if l.into.ranks != nil {
		*l.into.ranks = zipfRanks(l.into.ranks.ZipfExp, uint32(len(values)))
	}
	l.into.values, p.Slots[l.slot] = all, t
	return nil
}

// wholeNumber says that a text is a whole number of at most 18 digits, written as a server
// writes one: 007 is text.
func wholeNumber(b []byte) bool {
	var s Slot
	return s.SetDecimal(b) && s.Kind == SlotWhole && bytes.Equal(s.Append(nil), b)
}
