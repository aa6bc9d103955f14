package record

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
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

// plainSample reads a line as Writer writes samples, without the general decoder,
// which takes ten times as long for what is nine tenths of a record. ok is false
// for anything else, a sample in another form among it: the general decoder then
// has the word.
func plainSample(line []byte, before []Sample) (s Sample, ok bool) {
	p := plain{rest: line}
	p.take(`{"sample":{"at_ns":`)
	s.At = time.Duration(p.whole())
	if p.has(`,"warmup":true`) {
		s.Warmup = true
	}
	p.take(`,"values":{`)
	var last Values
	if len(before) > 0 {
		last = before[len(before)-1].Values
	}
	s.Values = p.values(last)
	p.take("}}\n")
	return s, !p.bad && len(p.rest) == 0
}

// plain is what is left to read.
type plain struct {
	rest []byte
	bad  bool
}

func (p *plain) has(word string) bool {
	if !bytes.HasPrefix(p.rest, []byte(word)) {
		return false
	}
	p.rest = p.rest[len(word):]
	return true
}

func (p *plain) take(word string) { p.bad = p.bad || !p.has(word) }

// number is the bytes up to the next comma or brace, where JSON takes them for one.
func (p *plain) number() string {
	end := 0
	for end < len(p.rest) && p.rest[end] != ',' && p.rest[end] != '}' {
		end++
	}
	n := string(p.rest[:end])
	p.rest = p.rest[end:]
	digits := strings.TrimPrefix(n, "-")
	_, fraction, point := strings.Cut(digits, ".")
	if strings.Trim(n, "0123456789+-.eE") != "" || !startsWithDigit(digits) || point && !startsWithDigit(fraction) ||
		len(digits) > 1 && digits[0] == '0' && startsWithDigit(digits[1:]) {
		p.bad = true
	}
	return n
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func (p *plain) whole() int64 {
	n, err := strconv.ParseInt(p.number(), 10, 64)
	p.bad = p.bad || err != nil
	return n
}

// values reads the members of an object, and its end. Names are those of the last
// sample as long as they come in the same order.
func (p *plain) values(last Values) Values {
	v := Values{names: last.names, of: make([]float64, 0, len(last.names))}
	shared := true
	for i := 0; !p.bad && !p.has("}"); i++ {
		if i > 0 {
			p.take(",")
		}
		name := p.name()
		if shared && (i >= len(v.names) || v.names[i] != string(name)) {
			v.names, shared = slices.Clone(v.names[:i]), false
		}
		if !shared {
			// Out of order may be twice, which the general decoder settles.
			p.bad = p.bad || i > 0 && v.names[i-1] >= string(name)
			v.names = append(v.names, string(name))
		}
		f, err := strconv.ParseFloat(p.number(), 64)
		p.bad = p.bad || err != nil
		v.of = append(v.of, f)
	}
	if shared {
		v.names = v.names[:len(v.of):len(v.of)]
	}
	return v
}

// name is a member's name without escapes, and its colon.
func (p *plain) name() []byte {
	p.take(`"`)
	end := bytes.IndexByte(p.rest, '"')
	if end < 0 || bytes.ContainsFunc(p.rest[:end], func(r rune) bool { return r < ' ' || r > '~' || r == '\\' }) {
		p.bad = true
		return nil
	}
	name := p.rest[:end]
	p.rest = p.rest[end+1:]
	p.take(":")
	return name
}
