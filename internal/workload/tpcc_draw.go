package workload

import "strconv"

// syllables make last names (4.3.2.3): one for each digit of a number below 1000.
var syllables = [10]string{"BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"}

func appendLastName(buf []byte, n uint32) []byte {
	buf = append(buf, syllables[n/100%10]...)
	buf = append(buf, syllables[n/10%10]...)
	return append(buf, syllables[n%10]...)
}

// Constants C of the non-uniform draws (2.1.6). Those of last names differ
// between loading and running by 66, which clause 2.1.6.1 allows (65 to 119
// without 96 and 112); fixed, so that a run may use data that another made.
const (
	constLastNameLoad = 157
	constLastNameRun  = 223
	constCustomer     = 259
	constItem         = 7911
)

// nonUniform is NURand (2.1.6).
func nonUniform(r *Random, a, low, high, c uint32) uint32 {
	return ((r.Below(a+1)|(low+r.Below(high-low+1)))+c)%(high-low+1) + low
}

func drawCustomer(r *Random) int64 {
	return int64(nonUniform(r, 1023, 1, tpccCustomers, constCustomer))
}

func drawLastName(r *Random, c uint32) uint32 { return nonUniform(r, 255, 0, 999, c) }

// orderLine is one line of a new order, drawn before the transaction begins.
type orderLine struct{ item, supplier, quantity int64 }

// tpccDraw draws the input of transactions for a number of warehouses.
type tpccDraw struct{ warehouses uint32 }

// home draws the warehouse and the district of a transaction.
func (t tpccDraw) home(d *Draws) *Values {
	v := d.Values
	v.Whole[warehouse] = int64(d.Random.Below(t.warehouses)) + 1
	v.Whole[district] = int64(d.Random.Below(tpccDistricts)) + 1
	d.Table = int(v.Whole[district])
	return v
}

// elsewhere draws a warehouse other than that of the transaction.
func (t tpccDraw) elsewhere(d *Draws) int64 {
	w := int64(d.Random.Below(t.warehouses-1)) + 1
	if w >= d.Values.Whole[warehouse] {
		w++
	}
	return w
}

// newOrder is clause 2.4.1.
func (t tpccDraw) newOrder(d *Draws, lines int, undone bool) {
	v := t.home(d)
	v.Whole[customer] = drawCustomer(&d.Random)
	v.Whole[lineCount], v.Whole[allLocal] = int64(lines), 1
	for i := range lines {
		l := &v.lines[i]
		l.item = int64(nonUniform(&d.Random, 8191, 1, tpccItems, constItem))
		l.quantity = int64(d.Random.Below(10)) + 1
		l.supplier = v.Whole[warehouse]
		if t.warehouses > 1 && d.Random.Below(100) == 0 {
			l.supplier, v.Whole[allLocal] = t.elsewhere(d), 0
		}
	}
	if undone {
		v.lines[lines-1].item = tpccItems + 1 // an unused number (2.4.1.5)
	}
}

// line makes a line of the order the current one.
func (v *Values) line(n int) {
	l := &v.lines[n]
	v.Whole[number] = int64(n + 1)
	v.Whole[item], v.Whole[supplier], v.Whole[quantity] = l.item, l.supplier, l.quantity
}

// takeStock computes what a line costs and what it leaves of the stock, which is
// filled up where fewer than 10 would be left (2.4.2.2).
func (v *Values) takeStock() {
	n := v.Whole[quantity]
	v.Whole[amount] = n * v.Whole[price]
	if v.Whole[inStock] < n+10 {
		v.Whole[inStock] += 91
	}
	v.Whole[inStock] -= n
	v.Whole[remote] = 0
	if v.Whole[supplier] != v.Whole[warehouse] {
		v.Whole[remote] = 1
	}
}

// payment is clause 2.5.1: 15 % are by customers of another warehouse.
func (t tpccDraw) payment(d *Draws, byName bool) {
	v := t.home(d)
	v.Whole[amount] = 100 + int64(d.Random.Below(499901))
	v.Whole[customerWarehouse], v.Whole[customerDistrict] = v.Whole[warehouse], v.Whole[district]
	if t.warehouses > 1 && d.Random.Below(100) < 15 {
		v.Whole[customerWarehouse] = t.elsewhere(d)
		v.Whole[customerDistrict] = int64(d.Random.Below(tpccDistricts)) + 1
	}
	drawWho(d, byName)
}

func drawWho(d *Draws, byName bool) {
	v := d.Values
	if byName {
		v.Text[lastName] = appendLastName(v.Text[lastName][:0], drawLastName(&d.Random, constLastNameRun))
		return
	}
	v.Whole[customer] = drawCustomer(&d.Random)
}

// note puts a payment before what is noted of a customer with bad credit, and
// cuts the end off (2.5.2.2).
func (v *Values) note() {
	const most = 500
	var head [80]byte
	h := head[:0]
	for _, place := range []int{customer, customerDistrict, customerWarehouse, district, warehouse} {
		h = append(strconv.AppendInt(h, v.Whole[place], 10), ' ')
	}
	h = append(AppendCents(h, v.Whole[amount]), ' ')
	old := v.Text[data]
	n := min(len(old), most-len(h))
	v.Text[data] = old[:len(h)+n]
	copy(v.Text[data][len(h):], old[:n]) // overlapping: copy allows that
	copy(v.Text[data], h)
}

// historyData is w_name, four spaces and d_name (2.5.2.2).
func (v *Values) historyData() {
	b := append(v.Text[data][:0], v.Text[warehouseName]...)
	b = append(b, "    "...)
	v.Text[data] = append(b, v.Text[distribution]...)
}

// orderStatus is clause 2.6.1.
func (t tpccDraw) orderStatus(d *Draws, byName bool) {
	v := t.home(d)
	v.Whole[customerWarehouse], v.Whole[customerDistrict] = v.Whole[warehouse], v.Whole[district]
	drawWho(d, byName)
}

// delivery is clause 2.7.1.
func (t tpccDraw) delivery(d *Draws) {
	v := t.home(d)
	v.Whole[carrier] = int64(d.Random.Below(10)) + 1
}

// stockLevel is clause 2.8.1.
func (t tpccDraw) stockLevel(d *Draws) {
	v := t.home(d)
	v.Whole[threshold] = int64(d.Random.Below(11)) + 10
}

// AppendCents appends an amount in cents as a decimal number.
func AppendCents(buf []byte, cents int64) []byte {
	if cents < 0 {
		buf, cents = append(buf, '-'), -cents
	}
	buf = strconv.AppendInt(buf, cents/100, 10)
	return append(buf, '.', byte('0'+cents/10%10), byte('0'+cents%10))
}
