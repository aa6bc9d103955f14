package workload

// Values are what a connection remembers between the statements of a transaction:
// drawn before them, computed, or taken from the server's answers. Their places
// are the workload's to name.
type Values struct {
	// Whole are numbers, amounts of money in cents.
	Whole [wholeValues]int64
	// Text are strings of up to textSize bytes, in memory that is used again.
	Text [textValues][]byte
	// Found says that the last answer with something to take had the row.
	Found bool
	// Slots are those of a workload file, which uses nothing else of this but Found.
	Slots []Slot

	lines [mostLines]orderLine
}

const (
	wholeValues = 24
	textValues  = 5
	textSize    = 512
)

func newValues() *Values {
	v := &Values{}
	memory := make([]byte, textValues*textSize)
	for i := range v.Text {
		v.Text[i] = memory[i*textSize : i*textSize : (i+1)*textSize]
	}
	return v
}

// Take says what becomes of one column of an answer.
type Take struct {
	Source Source // Whole, Money, Text, Slotted or Skipped
	Into   int    // the place in Values
}

// SetText copies b into a place; ok is false where b is too long.
func (v *Values) SetText(place int, b []byte) (ok bool) {
	if len(b) > textSize {
		return false
	}
	v.Text[place] = append(v.Text[place][:0], b...)
	return true
}
