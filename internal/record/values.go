package record

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
)

// Values are the readings of a sample by the name of their metric. A day of a
// hundred probes is tens of millions of them, so samples of the same metrics share
// the names: 8 bytes a reading, where a map takes 40.
type Values struct {
	names []string // ascending
	of    []float64
}

// ValuesOf takes readings out of a map.
func ValuesOf(m map[string]float64) Values {
	v := Values{names: slices.Sorted(maps.Keys(m))}
	for _, name := range v.names {
		v.of = append(v.of, m[name])
	}
	return v
}

// All gives every reading with its metric's name.
func (v Values) All() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for i, name := range v.names {
			if !yield(name, v.of[i]) {
				return
			}
		}
	}
}

// Of is the reading of a metric; ok is false where the sample has none.
func (v Values) Of(name string) (reading float64, ok bool) {
	i := slices.Index(v.names, name)
	if i < 0 {
		return 0, false
	}
	return v.of[i], true
}

// MarshalJSON writes an object.
func (v Values) MarshalJSON() ([]byte, error) { return json.Marshal(maps.Collect(v.All())) }

// UnmarshalJSON reads an object.
func (v *Values) UnmarshalJSON(b []byte) error {
	var m map[string]float64
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	*v = ValuesOf(m)
	return nil
}

// Columns number the metrics of samples as they come, so that a reader who sums up
// readings keeps slices: a map would be asked by name for each of tens of millions.
type Columns struct {
	// Names of the metrics seen so far, by column.
	Names []string
	index map[string]int
	last  []string // of the sample before
	at    []int
}

// Of gives the readings of a sample and the column of each. Both are good until the
// next call.
func (c *Columns) Of(v Values) (at []int, of []float64) {
	if len(v.names) == len(c.last) && (len(v.names) == 0 || &v.names[0] == &c.last[0]) {
		return c.at, v.of
	}
	if c.index == nil {
		c.index = map[string]int{}
	}
	c.at = c.at[:0]
	for _, name := range v.names {
		k, seen := c.index[name]
		if !seen {
			k = len(c.Names)
			c.index[name] = k
			c.Names = append(c.Names, name)
		}
		c.at = append(c.at, k)
	}
	c.last = v.names
	return c.at, v.of
}
