package workload

import (
	"strings"
	"testing"
)

func tpccProgram(t *testing.T, scale int) *Program {
	t.Helper()
	o := Defaults()
	o.Scale = scale
	p, err := Build(tpccName, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTPCCMix: the weights are the clauses' shares exactly (5.2.3, 2.4.1.3,
// 2.4.1.4), so what is drawn by them needs no test of its own.
func TestTPCCMix(t *testing.T) {
	p := tpccProgram(t, 3)
	kinds := make([]uint32, len(p.Kinds))
	lines := map[int]uint32{}
	for _, c := range p.Choices {
		kinds[c.Kind] += c.Weight
		if c.Kind > rolledBackKind {
			continue
		}
		n := 0
		for _, s := range c.Steps {
			if p.Statements[s.Statement].Name == "new_order_item" {
				n++
			}
		}
		lines[n] += c.Weight
	}
	for i, want := range []uint32{4455, 45, 4300, 400, 400, 400} { // of 10,000
		if kinds[i]*10000 != want*p.weights {
			t.Errorf("%s: %d of %d", p.Kinds[i], kinds[i], p.weights)
		}
	}
	if len(lines) != 11 || lines[5] != lines[15] || lines[5]*11 != kinds[0]+kinds[1] {
		t.Errorf("new orders by lines: %v", lines)
	}
}

func TestTPCCRefuses(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"tables": func(o *Options) { o.Tables = 2 }, "table-size": func(o *Options) { o.TableSize = 5 },
		"skip-trx": func(o *Options) { o.SkipTrx = true }, "scale": func(o *Options) { o.Scale = mostWarehouses + 1 },
	} {
		o := Defaults()
		change(&o)
		if _, err := Build(tpccName, o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := Defaults()
	o.Scale = 2
	if _, err := Build("oltp_read_only", o); err == nil {
		t.Error("a scale for sysbench's tables passes")
	}
}

// TestTPCCInput: what is drawn lies where the clauses say, and as often.
func TestTPCCInput(t *testing.T) {
	p, draw := tpccProgram(t, 4), tpccDraw{4}
	d := p.NewDraws(1, 0)
	const n = 100000
	remote, elsewhere := 0, 0
	homes := map[int64]int{}
	for range n {
		draw.newOrder(&d, 10, false)
		v := d.Values
		homes[v.Whole[warehouse]*100+v.Whole[district]]++
		local := int64(1)
		for _, l := range v.lines[:10] {
			if l.item < 1 || l.item > tpccItems || l.quantity < 1 || l.quantity > 10 || l.supplier < 1 || l.supplier > 4 {
				t.Fatalf("line %+v", l)
			}
			if l.supplier != v.Whole[warehouse] {
				remote++
				local = 0
			}
		}
		if v.Whole[allLocal] != local {
			t.Fatalf("all local is %d", v.Whole[allLocal])
		}
		draw.payment(&d, true)
		if v.Whole[customerWarehouse] != v.Whole[warehouse] {
			elsewhere++
		}
		if a := v.Whole[amount]; a < 100 || a > 500000 {
			t.Fatalf("amount %d", a)
		}
	}
	// Five standard errors: 0.0005 of 0.01, 0.006 of 0.15.
	if share := float64(remote) / (10 * n); share < 0.0095 || share > 0.0105 {
		t.Errorf("share of remote lines %v", share)
	}
	if share := float64(elsewhere) / n; share < 0.144 || share > 0.156 {
		t.Errorf("share of remote payments %v", share)
	}
	if len(homes) != 40 {
		t.Errorf("%d districts", len(homes))
	}
	draw.newOrder(&d, 7, true)
	if d.Values.lines[6].item != tpccItems+1 || d.Values.lines[5].item > tpccItems {
		t.Errorf("an order to roll back: %+v", d.Values.lines[:7])
	}
}

// TestNonUniform: every value comes, and the shape is the clause's: the OR makes
// numbers with many bits set frequent.
func TestNonUniform(t *testing.T) {
	r := NewRandom(1, 1)
	counts := make([]int, 1001)
	for range 1000000 {
		counts[nonUniform(&r, 255, 0, 999, 0)]++
	}
	least, most := counts[0], counts[0]
	for _, c := range counts[:1000] {
		least, most = min(least, c), max(most, c)
	}
	if counts[1000] != 0 || least == 0 || most < 20*least {
		t.Errorf("from %d to %d of each", least, most)
	}
	var name []byte
	if name = appendLastName(name, 371); string(name) != "PRICALLYOUGHT" { // the example of 4.3.2.3
		t.Errorf("name 371 is %s", name)
	}
}

// TestOrdersHaveAllCustomers: a permutation in each district, another in the next.
func TestOrdersHaveAllCustomers(t *testing.T) {
	m := &tpccRows{seed: 1}
	same := 0
	seen := map[int64]bool{}
	for n := int64(1); n <= tpccCustomers; n++ {
		c := m.customerOf(place{1, 1, n})
		if c < 1 || c > tpccCustomers || seen[c] {
			t.Fatalf("order %d: customer %d", n, c)
		}
		seen[c] = true
		if c == m.customerOf(place{1, 2, n}) {
			same++
		}
	}
	if same > 10 { // one is expected of two independent permutations
		t.Errorf("%d orders have the same customer in both districts", same)
	}
}

// TestTakeStock is clause 2.4.2.2.
func TestTakeStock(t *testing.T) {
	for _, c := range [][3]int64{{20, 10, 10}, {19, 10, 100}, {10, 1, 100}, {11, 1, 10}, {100, 5, 95}} {
		v := newValues()
		v.Whole[inStock], v.Whole[quantity], v.Whole[price] = c[0], c[1], 250
		v.takeStock()
		if v.Whole[inStock] != c[2] || v.Whole[amount] != 250*c[1] {
			t.Errorf("%d less %d leaves %d", c[0], c[1], v.Whole[inStock])
		}
	}
}

// TestNoteKeepsFiveHundred is clause 2.5.2.2.
func TestNoteKeepsFiveHundred(t *testing.T) {
	for _, length := range []int{0, 300, 470, 500} {
		v := newValues()
		old := strings.Repeat("x", length)
		v.SetText(data, []byte(old))
		v.Whole[customer], v.Whole[customerDistrict], v.Whole[customerWarehouse], v.Whole[district], v.Whole[warehouse], v.Whole[amount] = 7, 1, 2, 3, 4, 1234
		v.note()
		want := ("7 1 2 3 4 12.34 " + old)
		if want = want[:min(len(want), 500)]; string(v.Text[data]) != want {
			t.Errorf("%d bytes: %q", length, v.Text[data])
		}
	}
}

// TestTPCCRowsArePinned, as those of sbtest are: what one version began another
// continues.
func TestTPCCRowsArePinned(t *testing.T) {
	const want = "2095 3 2 b4wG9YAWhCx3HtTB OE|2101 1 2 NULL"
	got := ""
	for _, table := range tpccProgram(t, 2).Tables(7) {
		var r Row
		switch table.Name {
		case "customer":
			table.Make(&r, 30000+2*3000+2095, 0)
			got = string(r.Cell(0)) + " " + string(r.Cell(1)) + " " + string(r.Cell(2)) + " " + string(r.Cell(3)) + " " + string(r.Cell(4)) + "|" + got
		case "orders":
			table.Make(&r, 30000+2101, 0)
			got += string(r.Cell(0)) + " " + string(r.Cell(1)) + " " + string(r.Cell(2))
			if r.Cells[5].Kind == Null {
				got += " NULL"
			}
		}
		if len(table.Columns) == 0 || table.Units == 0 {
			t.Errorf("%s: %d units, columns %v", table.Name, table.Units, table.Columns)
		}
		if table.Make(&r, 1, 0); len(r.Cells) == 0 {
			t.Errorf("%s makes no values", table.Name)
		}
		r.Reset()
		if table.Make(&r, 1, 0); len(r.Cells) != len(table.Columns) {
			t.Errorf("%s: %d values for columns %v", table.Name, len(r.Cells), table.Columns)
		}
	}
	if got != want {
		t.Errorf("rows are %q, were %q", got, want)
	}
}
