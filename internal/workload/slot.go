package workload

import (
	"strconv"

	"github.com/tarebench/tare/internal/workload/file"
)

// SlotKind is what a Slot holds.
type SlotKind uint8

// Kinds of slots.
const (
	SlotNull    SlotKind = iota
	SlotWhole            // Number
	SlotDecimal          // Number, whose last Decimals digits are behind the point
	SlotText             // Text
)

// Slot is a value that a connection has for its transaction, in a workload of a file:
// drawn, or taken from an answer.
type Slot struct {
	Kind     SlotKind
	Decimals uint8
	Number   int64
	Text     []byte // in memory that is used again
	count    int64  // of the values that a sequence has given
}

func (s *Slot) set(number int64, decimals uint8) {
	s.Kind, s.Number, s.Decimals = SlotWhole, number, decimals
	if decimals > 0 {
		s.Kind = SlotDecimal
	}
}

// SetWhole makes it a whole number.
func (s *Slot) SetWhole(n int64) { s.set(n, 0) }

// SetText makes it a text; ok is false where its memory is too small.
func (s *Slot) SetText(b []byte) (ok bool) {
	if len(b) > cap(s.Text) {
		return false
	}
	s.Kind, s.Text = SlotText, append(s.Text[:0], b...)
	return true
}

// SetDecimal makes it the number that a text holds, as a server writes DECIMAL; ok is false
// where it holds none of at most 18 digits.
func (s *Slot) SetDecimal(b []byte) (ok bool) {
	var n int64
	digits, decimals, point, negative := 0, 0, false, false
	for i, c := range b {
		switch {
		case c == '-' && i == 0:
			negative = true
		case c == '.' && !point:
			point = true
		case c < '0' || c > '9' || digits == 18:
			return false
		default:
			n = 10*n + int64(c-'0')
			digits++
			if point {
				decimals++
			}
		}
	}
	if negative {
		n = -n
	}
	s.set(n, uint8(decimals))
	return digits > 0
}

// Append appends the value as text, without quotes, NULL as nothing.
func (s *Slot) Append(buf []byte) []byte {
	switch s.Kind {
	case SlotWhole:
		return strconv.AppendInt(buf, s.Number, 10)
	case SlotDecimal:
		return file.Number{Value: s.Number, Decimals: int(s.Decimals)}.Append(buf)
	case SlotText:
		return append(buf, s.Text...)
	}
	return buf
}

// copy makes it the value of another.
func (s *Slot) copy(from *Slot) {
	s.Kind, s.Number, s.Decimals = from.Kind, from.Number, from.Decimals
	if from.Kind == SlotText {
		s.Text = append(s.Text[:0], from.Text...)
	}
}

// add adds to a number; of a text that holds none becomes NULL, as of a NULL.
func (s *Slot) add(n file.Number) {
	if s.Kind == SlotText && !s.SetDecimal(s.Text) || s.Kind == SlotNull {
		s.Kind = SlotNull
		return
	}
	have := file.Number{Value: s.Number, Decimals: int(s.Decimals)}
	decimals := max(have.Decimals, n.Decimals)
	a, ok1 := have.Scaled(decimals)
	b, ok2 := n.Scaled(decimals)
	if !ok1 || !ok2 {
		s.Kind = SlotNull
		return
	}
	s.set(a+b, uint8(decimals))
}

// SlotType is what is known of a slot before the load.
type SlotType struct {
	Kind SlotKind
	// Varies says that the kind is an answer's and not known.
	Varies bool
	// Decimals of every value that the slot can have.
	Decimals uint8
	// size is the most bytes of its text.
	size int
}

// newSlots is memory for slots; those with a first value have it.
func newSlots(types []SlotType, first map[int]Slot) []Slot {
	size := 0
	for _, t := range types {
		size += t.size
	}
	memory, slots := make([]byte, size), make([]Slot, len(types))
	for i, t := range types {
		slots[i].Text, memory = memory[:0:t.size], memory[t.size:]
	}
	for i, s := range first {
		slots[i].copy(&s)
	}
	return slots
}
