package workload

// Groups of eleven digits, separated by dashes, are what sysbench fills its CHAR
// columns with: ten groups in c (119 characters), five in pad (59).
const (
	cGroups   = 10
	padGroups = 5
	groupSize = 11
)

// CLength and PadLength are the lengths of the values of c and pad.
const (
	CLength   = cGroups*(groupSize+1) - 1
	PadLength = padGroups*(groupSize+1) - 1
)

// pairs are the hundred two-digit numbers one after another.
const pairs = "00010203040506070809" + "10111213141516171819" + "20212223242526272829" +
	"30313233343536373839" + "40414243444546474849" + "50515253545556575859" +
	"60616263646566676869" + "70717273747576777879" + "80818283848586878889" + "90919293949596979899"

// AppendC appends a random value of column c.
func AppendC(buf []byte, r *Random) []byte { return appendGroups(buf, r, cGroups) }

// AppendPad appends a random value of column pad.
func AppendPad(buf []byte, r *Random) []byte { return appendGroups(buf, r, padGroups) }

func appendGroups(buf []byte, r *Random, groups int) []byte {
	var digits [cGroups*groupSize + 16]byte
	for at := 0; at < groups*groupSize; at += 16 {
		fill16(digits[at:], r.Uint64())
	}
	for g := range groups {
		if g > 0 {
			buf = append(buf, '-')
		}
		buf = append(buf, digits[g*groupSize:(g+1)*groupSize]...)
	}
	return buf
}

// fill16 makes 16 digits of 64 random bits: each half is a fraction whose next two
// digits are what is carried over the point when it is multiplied by 100. The
// most probable eight digits are 2.4 % more probable than the least (43 to 42 of
// 2^32), a single digit by less than one in ten million.
func fill16(to []byte, bits uint64) {
	lo, hi := uint64(uint32(bits)), bits>>32
	_ = to[15]
	for i := 0; i < 8; i += 2 {
		lo, hi = lo*100, hi*100
		p, q := lo>>32*2, hi>>32*2
		to[i], to[i+1] = pairs[p], pairs[p+1]
		to[i+8], to[i+9] = pairs[q], pairs[q+1]
		lo, hi = uint64(uint32(lo)), uint64(uint32(hi))
	}
}
