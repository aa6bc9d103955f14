package workload

// How the values of a workload file are drawn. Drawing does not allocate: a text is made
// in the slot's own memory.

import (
	"math/bits"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/workload/file"
)

// generator draws values. Several connections share one; what it has to remember is in the
// slot.
type generator interface {
	draw(d *Draws, s *Slot)
}

// below64 returns a number from 0 to n-1.
func (r *Random) below64(n uint64) uint64 {
	// Lemire's multiplication without the rejection: the bias is below n/2^64.
	hi, _ := bits.Mul64(r.pcg.Uint64(), n)
	return hi
}

type uniform struct {
	from     int64
	span     uint64
	decimals uint8
}

func (g *uniform) draw(d *Draws, s *Slot) {
	s.set(g.from+int64(d.Random.below64(g.span)), g.decimals)
}

// zipf draws rank k, from 1, in proportion to k^-exponent.
type zipf struct {
	from      int64
	n         uint32
	decimals  uint8
	scrambled bool
	ranks     draw
}

func (g *zipf) draw(d *Draws, s *Slot) {
	rank := g.ranks.zipfian(&d.Random, g.n) - 1
	if g.scrambled {
		rank = scramble(rank, g.n)
	}
	s.set(g.from+int64(rank), g.decimals)
}

// scramble maps the numbers below n onto themselves one to one and without visible order:
// a permutation of the next power of two, applied until the number is below n (cycle
// walking; Black and Rogaway, CT-RSA 2002).
func scramble(x, n uint32) uint32 {
	width := bits.Len32(n - 1)
	mask, shift := uint32(1)<<width-1, max(width/2, 1)
	for {
		x = (x + 0x9e3779b9) & mask // else 0, the most frequent, would stay where it is
		x = (x ^ x>>shift) * 0x7feb352d & mask
		x = (x ^ x>>shift) * 0x846ca68b & mask
		x ^= x >> shift
		if x < n {
			return x
		}
	}
}

// sequence counts; n, if not 0, is after how many numbers it starts again.
type sequence struct {
	from int64
	n    int64
}

func (g *sequence) draw(d *Draws, s *Slot) { s.SetWhole(g.from + s.next(d, g.n)) }

// next is how many values of a sequence come before this one: connections take turns.
func (s *Slot) next(d *Draws, n int64) int64 {
	at := s.count*d.connections + d.connection
	s.count++
	if n > 0 {
		at %= n
	}
	return at
}

// choice draws one of several values by their weights.
type choice struct {
	values []Slot
	upTo   []uint32 // the sum of the weights up to and with each value
}

func (g *choice) draw(d *Draws, s *Slot) {
	at := d.Random.Below(g.upTo[len(g.upTo)-1])
	i, found := slices.BinarySearch(g.upTo, at)
	if found {
		i++ // at is below the sum, so another follows
	}
	s.copy(&g.values[i])
}

// alphabet has 32 characters, so that five random bits are one.
const alphabet = "abcdefghijklmnopqrstuvwxyz012345"

// randomText draws letters and digits, from shortest to longest many.
type randomText struct{ shortest, longest int }

func (g *randomText) draw(d *Draws, s *Slot) {
	n := g.shortest
	if more := g.longest - n; more > 0 {
		n += int(d.Random.Below(uint32(more) + 1))
	}
	s.Kind, s.Text = SlotText, s.Text[:n]
	for at := 0; at < n; {
		b := d.Random.Uint64()
		for end := min(at+12, n); at < end; at++ { // 60 of the 64 bits
			s.Text[at] = alphabet[b&31]
			b >>= 5
		}
	}
}

// numbered is a text that a number makes.
type numbered struct {
	prefix string
	length int
	number generator
}

func (g *numbered) draw(d *Draws, s *Slot) {
	g.number.draw(d, s)
	if s.Kind != SlotWhole && s.Kind != SlotDecimal {
		return // taken from an answer that was not a number
	}
	var digits [24]byte
	number := s.Append(digits[:0])
	buf := append(s.Text[:0], g.prefix...)
	for range g.length - len(g.prefix) - len(number) {
		buf = append(buf, '0')
	}
	s.Kind, s.Text = SlotText, append(buf, number...)
}

// moment is a time: drawn from a span, or counted in steps. Times are whole units from
// 1970, seconds or microseconds.
type moment struct {
	from, step int64
	span       uint64 // of a drawn one
	unit       time.Duration
}

// timeText is the longest text of a time.
const timeText = "2006-01-02 15:04:05.999999"

func (g *moment) draw(d *Draws, s *Slot) {
	at := g.from
	if g.step > 0 {
		at += g.step * s.next(d, 0)
	} else {
		at += int64(d.Random.below64(g.span))
	}
	t := time.UnixMicro(at * g.unit.Microseconds()).UTC()
	s.Kind, s.Text = SlotText, t.AppendFormat(s.Text[:0], timeText)
}

// list draws from the answer of a query.
type list struct {
	values []Slot
	ranks  *draw // nil for all with the same probability
}

func (g *list) draw(d *Draws, s *Slot) {
	n := uint32(len(g.values))
	if g.ranks != nil {
		s.copy(&g.values[g.ranks.zipfian(&d.Random, n)-1])
		return
	}
	s.copy(&g.values[d.Random.Below(n)])
}

// known is a value that the connection has already.
type known struct {
	slot int
	plus *file.Number
}

func (g *known) draw(d *Draws, s *Slot) {
	s.copy(&d.Values.Slots[g.slot])
	if g.plus != nil {
		s.add(*g.plus)
	}
}
