package record

// This file reads what nine tenths of a record are, samples, in a form of which
// encoding/json reads a tenth as many in the same time.

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// plainSample reads a line as Writer writes samples. ok is false for anything else, a
// sample in another form among it: the general decoder then has the word. names are
// those of a sample that was read here before, which are shared if they come again.
func plainSample(line []byte, names []string) (s Sample, ok bool) {
	p := plain{rest: line}
	p.take(`{"sample":{"at_ns":`)
	s.At = time.Duration(p.whole())
	if p.has(`,"warmup":true`) {
		s.Warmup = true
	}
	p.take(`,"values":{`)
	s.Values = p.values(names)
	p.take("}}\n")
	return s, !p.bad && len(p.rest) == 0
}

// plain is what is left to read.
type plain struct {
	rest []byte
	bad  bool
}

func (p *plain) has(word string) bool {
	if len(p.rest) < len(word) || string(p.rest[:len(word)]) != word {
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

// tens are the powers of ten that a float64 holds exactly and float needs.
var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// float reads a number. The digits of most are a whole number below 2^53, and the power
// of ten that divides them is exact too, so that the quotient is rounded once and hence
// right (Clinger, "How to read floating point numbers accurately", PLDI 1990).
func (p *plain) float() float64 {
	digits, negative := bytes.CutPrefix(p.rest, []byte("-"))
	n, i, point := uint64(0), 0, -1
	for ; i < len(digits) && i < len(tens); i++ {
		if c := digits[i]; c == '.' && point < 0 {
			point = i
		} else if c >= '0' && c <= '9' {
			n = n*10 + uint64(c-'0')
		} else {
			break
		}
	}
	ends := i < len(digits) && (digits[i] == ',' || digits[i] == '}')
	zero := i > 1 && digits[0] == '0' && point != 1
	if !ends || zero || i == 0 || point == 0 || point == i-1 || n > 1<<53 {
		f, err := strconv.ParseFloat(p.number(), 64)
		p.bad = p.bad || err != nil
		return f
	}
	p.rest = digits[i:]
	f := float64(n)
	if point > 0 {
		f /= tens[i-1-point]
	}
	if negative {
		return math.Copysign(f, -1)
	}
	return f
}

// values reads the members of an object, and its end.
func (p *plain) values(names []string) Values {
	v := Values{names: names, of: make([]float64, 0, len(names))}
	shared := true
	for i := 0; !p.bad && !p.has("}"); i++ {
		if i > 0 {
			p.take(",")
		}
		if !shared || i >= len(names) || !p.named(names[i]) {
			if shared {
				v.names, shared = slices.Clone(names[:i]), false
			}
			name := string(p.name())
			// Out of order may be twice, which the general decoder settles.
			p.bad = p.bad || i > 0 && v.names[i-1] >= name
			v.names = append(v.names, name)
		}
		v.of = append(v.of, p.float())
	}
	if shared {
		v.names = v.names[:len(v.of):len(v.of)]
	}
	return v
}

// named reads a member's name and its colon if it is this one, which has no escapes.
func (p *plain) named(name string) bool {
	end := 1 + len(name)
	if len(p.rest) < end+2 || p.rest[0] != '"' || string(p.rest[1:end]) != name || p.rest[end] != '"' || p.rest[end+1] != ':' {
		return false
	}
	p.rest = p.rest[end+2:]
	return true
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
