package workload

// tpccRows makes the rows of the tables (clause 4.3.3.1), each from a seed.
type tpccRows struct{ seed uint64 }

// Numbers of the tables among the streams of random numbers.
const (
	warehouseRows = 1 + iota
	districtRows
	customerRows
	historyRows
	orderRows
	orderLineRows
	itemRows
	stockRows
	permutations
)

// random is the source of a row. The top bit keeps the streams apart from those of
// connections, for a run with the same seed.
func (m *tpccRows) random(table, unit int64, i int) Random {
	return NewRandom(m.seed, 1<<63|uint64(table)<<56|uint64(unit)<<4|uint64(i))
}

// beginning is the time of everything that happened before the load: the clauses
// want the time of loading, but then no two would make the same rows.
const beginning = "2000-01-01 00:00:00"

// place is a customer or an order by its number in a district.
type place struct{ warehouse, district, number int64 }

func split(u, size int64) place {
	u--
	return place{u/size/tpccDistricts + 1, u/size%tpccDistricts + 1, u%size + 1}
}

func placeOf(u int64) place { return split(u, tpccCustomers) }

// undoneOf is the place of an order that waits for its delivery: the last 900.
func undoneOf(u int64) place {
	p := split(u, tpccUndone)
	p.number += tpccCustomers - tpccUndone
	return p
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// word appends a value of low to high random letters and digits (4.3.2.2).
func (r *Row) word(d *Random, low, high uint32) {
	r.Bytes = appendWord(r.Bytes, d, low+d.Below(high-low+1))
	r.end(Quoted)
}

func appendWord(buf []byte, d *Random, n uint32) []byte {
	for n > 0 {
		// Eight of a draw: 8 bits each, scaled, which is even to within 2 %.
		bits := d.Uint64()
		for k := min(n, 8); k > 0; k-- {
			buf = append(buf, letters[bits&0xff*uint64(len(letters))>>8])
			bits, n = bits>>8, n-1
		}
	}
	return buf
}

// data is a word, every tenth time with ORIGINAL somewhere in it (4.3.3.1).
func (r *Row) data(d *Random, low, high uint32) {
	const mark = "ORIGINAL"
	start := len(r.Bytes)
	r.Bytes = appendWord(r.Bytes, d, low+d.Below(high-low+1))
	if d.Below(10) == 0 {
		n := uint32(len(r.Bytes) - start - len(mark) + 1)
		copy(r.Bytes[start+int(d.Below(n)):], mark)
	}
	r.end(Quoted)
}

func (r *Row) digits(d *Random, n int, after string) {
	for range n {
		r.Bytes = append(r.Bytes, byte('0'+d.Below(10)))
	}
	r.text(after)
}

func (r *Row) cents(n int64) {
	r.Bytes = AppendCents(r.Bytes, n)
	r.end(Plain)
}

// fraction is a number below one with four digits.
func (r *Row) fraction(n uint32) {
	r.Bytes = append(r.Bytes, '0', '.', byte('0'+n/1000%10), byte('0'+n/100%10), byte('0'+n/10%10), byte('0'+n%10))
	r.end(Plain)
}

// address is streets, city, state and zip (4.3.2.7).
func (r *Row) address(d *Random) {
	r.word(d, 10, 20)
	r.word(d, 10, 20)
	r.word(d, 10, 20)
	r.word(d, 2, 2)
	r.digits(d, 4, "11111")
}

func (m *tpccRows) warehouse(r *Row, u int64, _ int) bool {
	d := m.random(warehouseRows, u, 0)
	r.whole(u)
	r.word(&d, 6, 10)
	r.address(&d)
	r.fraction(d.Below(2001))
	r.cents(30000000)
	return false
}

func (m *tpccRows) district(r *Row, u int64, _ int) bool {
	d := m.random(districtRows, u, 0)
	r.whole((u-1)%tpccDistricts+1, (u-1)/tpccDistricts+1)
	r.word(&d, 6, 10)
	r.address(&d)
	r.fraction(d.Below(2001))
	r.cents(3000000)
	r.whole(tpccCustomers + 1)
	return false
}

func (m *tpccRows) customer(r *Row, u int64, _ int) bool {
	d, p := m.random(customerRows, u, 0), placeOf(u)
	r.whole(p.number, p.district, p.warehouse)
	r.word(&d, 8, 16)
	r.text("OE")
	name := uint32(p.number - 1) // the first thousand have all names once
	if name >= 1000 {
		name = drawLastName(&d, constLastNameLoad)
	}
	r.Bytes = appendLastName(r.Bytes, name)
	r.end(Quoted)
	r.address(&d)
	r.digits(&d, 16, "")
	r.text(beginning)
	if d.Below(10) == 0 {
		r.text("BC")
	} else {
		r.text("GC")
	}
	r.cents(5000000)
	r.fraction(d.Below(5001))
	r.cents(-1000)
	r.cents(1000)
	r.whole(1, 0)
	r.word(&d, 300, 500)
	return false
}

func (m *tpccRows) history(r *Row, u int64, _ int) bool {
	d, p := m.random(historyRows, u, 0), placeOf(u)
	r.whole(u, p.number, p.district, p.warehouse, p.district, p.warehouse)
	r.text(beginning)
	r.cents(1000)
	r.word(&d, 12, 24)
	return false
}

// lines is how many lines an order of the beginning has.
func (m *tpccRows) lines(u int64) int64 {
	d := m.random(orderRows, u, 0)
	return fewestLines + int64(d.Below(mostLines-fewestLines+1))
}

func delivered(p place) bool { return p.number <= tpccCustomers-tpccUndone }

func (m *tpccRows) order(r *Row, u int64, _ int) bool {
	d, p := m.random(orderRows, u, 1), placeOf(u)
	r.whole(p.number, p.district, p.warehouse, m.customerOf(p))
	r.text(beginning)
	if delivered(p) {
		r.whole(int64(d.Below(10)) + 1)
	} else {
		r.end(Null)
	}
	r.whole(m.lines(u), 1)
	return false
}

func (m *tpccRows) newOrder(r *Row, u int64, _ int) bool {
	p := undoneOf(u)
	r.whole(p.number, p.district, p.warehouse)
	return false
}

func (m *tpccRows) orderLine(r *Row, u int64, i int) bool {
	d, p := m.random(orderLineRows, u, i), placeOf(u)
	r.whole(p.number, p.district, p.warehouse, int64(i+1), int64(d.Below(tpccItems))+1, p.warehouse)
	if delivered(p) {
		r.text(beginning)
		r.whole(5)
		r.cents(0)
	} else {
		r.end(Null)
		r.whole(5)
		r.cents(int64(d.Below(999999)) + 1)
	}
	r.word(&d, 24, 24)
	return int64(i+1) < m.lines(u)
}

func (m *tpccRows) item(r *Row, u int64, _ int) bool {
	d := m.random(itemRows, u, 0)
	r.whole(u, int64(d.Below(10000))+1)
	r.word(&d, 14, 24)
	r.cents(100 + int64(d.Below(9901)))
	r.data(&d, 26, 50)
	return false
}

func (m *tpccRows) stock(r *Row, u int64, _ int) bool {
	d := m.random(stockRows, u, 0)
	r.whole((u-1)%tpccItems+1, (u-1)/tpccItems+1, 10+int64(d.Below(91)))
	for range tpccDistricts {
		r.word(&d, 24, 24)
	}
	r.whole(0, 0, 0)
	r.data(&d, 26, 50)
	return false
}

// customerOf is the customer of an order of the beginning: a permutation of the
// district's customers. It is a Feistel network over 12 bits, walked on while it
// leaves the customers (Black, Rogaway: Ciphers with arbitrary finite domains,
// CT-RSA 2002), so that each order's can be had without the others'.
func (m *tpccRows) customerOf(p place) int64 {
	d := m.random(permutations, p.warehouse*tpccDistricts+p.district, 0)
	key := d.Uint64()
	x := uint64(p.number - 1)
	for {
		left, right := x>>6, x&63
		for round := range uint64(4) {
			left, right = right, left^mix(key+round<<6+right)&63
		}
		if x = left<<6 | right; x < tpccCustomers {
			return int64(x) + 1
		}
	}
}
