package workload

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/workload/file"
)

// parsed is a workload with one transaction whose only statement has the parameters.
func parsed(t *testing.T, params ...string) *file.Workload {
	t.Helper()
	w, err := file.Parse("w.yaml", fmt.Appendf(nil, "apiVersion: %s\nkind: Workload\nmetadata: {name: w}\ntransactions:\n  a: {values: {v: {uniform: {from: 5, to: 5}}}, statements: [{sql: \"SELECT %s\", params: [%s]}]}\n",
		file.APIVersion, strings.TrimSuffix(strings.Repeat("?,", len(params)), ","), strings.Join(params, ", ")))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// drawer draws the parameters of the only statement, connection 0 of 1, and returns them
// as text.
func drawer(t *testing.T, seed uint64, params ...string) (draw func() []string) {
	t.Helper()
	draws := drawers(t, seed, 1, params...)
	return draws[0]
}

func drawers(t *testing.T, seed uint64, connections int, params ...string) (draws []func() []string) {
	t.Helper()
	o := Defaults()
	o.Threads = connections
	p, err := FromFile(parsed(t, params...), o)
	if err != nil {
		t.Fatal(err)
	}
	step := p.Choices[0].Steps[1]
	for i := range connections {
		d := p.NewDraws(seed, i)
		begin := p.Choices[0].Steps[0]
		draws = append(draws, func() (all []string) {
			for _, s := range []Step{begin, step} {
				if s.Before != nil {
					s.Before(&d)
				}
			}
			for _, q := range p.Statements[step.Statement].Params {
				s := &d.Values.Slots[q.Plus]
				if s.Kind == SlotNull {
					all = append(all, "NULL")
					continue
				}
				all = append(all, string(s.Append(nil)))
			}
			return all
		})
	}
	return draws
}

// chiSquared is how far counts are from expected shares: about the number of values, less
// one, where they are drawn as they should be.
func chiSquared(counts map[string]int, shares map[string]float64, n int) float64 {
	sum := 0.0
	for value, share := range shares {
		want := share * float64(n)
		sum += (float64(counts[value]) - want) * (float64(counts[value]) - want) / want
	}
	return sum
}

// TestFrequencies draws from distributions whose frequencies are known, with several
// seeds. The limit is five standard deviations of the chi-squared distribution above its
// mean; what is drawn by another distribution is far beyond it.
func TestFrequencies(t *testing.T) {
	zipf := func(n int, exponent float64) map[string]float64 {
		shares, sum := map[string]float64{}, 0.0
		for k := 1; k <= n; k++ {
			sum += math.Pow(float64(k), -exponent)
		}
		for k := 1; k <= n; k++ {
			shares[fmt.Sprint(k)] = math.Pow(float64(k), -exponent) / sum
		}
		return shares
	}
	even := func(values ...string) map[string]float64 {
		shares := map[string]float64{}
		for _, v := range values {
			shares[v] = 1 / float64(len(values))
		}
		return shares
	}
	const n = 40_000
	for _, c := range []struct {
		param  string
		shares map[string]float64
		wrong  map[string]float64 // another distribution of the same values
	}{
		{"{zipf: {from: 1, to: 50, exponent: 0.9}}", zipf(50, 0.9), zipf(50, 0.8)},
		{"{zipf: {from: 1, to: 50, exponent: 1}}", zipf(50, 1), zipf(50, 1.1)},
		{"{zipf: {from: 1, to: 50, exponent: 1.5}}", zipf(50, 1.5), zipf(50, 1.4)},
		{"{zipf: {from: 1, to: 50, exponent: 0}}", zipf(50, 0), zipf(50, 0.1)},
		{"{uniform: {from: -1, to: 1.5}}", even(tenths(-10, 15)...), nil},
		{"{choice: [a, {value: b, weight: 2.5}, {value: null, weight: 0.5}]}", map[string]float64{"a": 0.25, "b": 0.625, "NULL": 0.125}, even("a", "b", "NULL")},
		{"{choice: [1, 0.25, -2]}", even("1.00", "0.25", "-2.00"), nil},
		{"{choice: [1, b]}", even("1", "b"), nil},
		{"{time: {from: 2026-01-01, to: 2026-01-01 00:00:02}}", even("2026-01-01 00:00:00", "2026-01-01 00:00:01", "2026-01-01 00:00:02"), nil},
	} {
		limit := func(shares map[string]float64) float64 {
			k := float64(len(shares) - 1)
			return k + 5*math.Sqrt(2*k)
		}
		for seed := range uint64(5) {
			draw, counts := drawer(t, seed, c.param), map[string]int{}
			for range n {
				counts[draw()[0]]++
			}
			if got := chiSquared(counts, c.shares, n); got > limit(c.shares) || len(counts) != len(c.shares) {
				t.Errorf("%s, seed %d: chi-squared %.1f, limit %.1f, %d values", c.param, seed, got, limit(c.shares), len(counts))
			}
			if c.wrong != nil && chiSquared(counts, c.wrong, n) <= limit(c.wrong) {
				t.Errorf("%s, seed %d: the test does not tell another distribution apart", c.param, seed)
			}
		}
	}
}

// tenths are numbers with one digit behind the point.
func tenths(from, to int) (all []string) {
	for i := from; i <= to; i++ {
		all = append(all, file.Number{Value: int64(i), Decimals: 1}.String())
	}
	return all
}

// TestScramble: every number is reached once, and the frequent ones are not side by side.
func TestScramble(t *testing.T) {
	for _, n := range []uint32{1, 2, 3, 100, 1 << 10, 12345} {
		seen := make([]bool, n)
		for x := range n {
			y := scramble(x, n)
			if seen[y] {
				t.Fatalf("n %d: %d is reached twice", n, y)
			}
			seen[y] = true
		}
	}
	if a, b, c := scramble(0, 10_000), scramble(1, 10_000), scramble(2, 10_000); a+1 == b && b+1 == c || a == 0 {
		t.Errorf("the most frequent are %d, %d, %d", a, b, c)
	}
	// A scrambled distribution has the same frequencies, of other numbers.
	plain, scrambled := map[string]int{}, map[string]int{}
	a, b := drawer(t, 1, "{zipf: {from: 1, to: 100}}"), drawer(t, 1, "{zipf: {from: 1, to: 100, scrambled: true}}")
	for range 1000 {
		plain[a()[0]]++
		scrambled[b()[0]]++
	}
	for k := range uint32(100) {
		if x, y := plain[fmt.Sprint(k+1)], scrambled[fmt.Sprint(scramble(k, 100)+1)]; x != y {
			t.Errorf("number %d is drawn %d times, scrambled %d", k+1, x, y)
		}
	}
}

// TestSequences: no two connections have the same number, and all numbers are used.
func TestSequences(t *testing.T) {
	seen := map[string]bool{}
	for _, draw := range drawers(t, 1, 3, "{sequence: {from: 10}}") {
		for range 4 {
			v := draw()[0]
			if seen[v] {
				t.Errorf("%s is drawn twice", v)
			}
			seen[v] = true
		}
	}
	for i := 10; i < 22; i++ {
		if !seen[fmt.Sprint(i)] {
			t.Errorf("%d is left out", i)
		}
	}
	for value, want := range map[string]bool{"{sequence: {}}": true, "{sequence: {from: 1, to: 3}}": false, "{text: {prefix: u, length: 9, number: {sequence: {}}}}": true, "7": false} {
		p, err := FromFile(parsed(t, value), Defaults())
		if err != nil || p.Counts() != want {
			t.Errorf("%s counts: %v, %v", value, !want, err)
		}
	}
	draw := drawer(t, 1, "{sequence: {from: 1, to: 3}}", "{time: {from: 2026-01-01, step: 90s}}")
	var got []string
	for range 4 {
		got = append(got, strings.Join(draw(), " "))
	}
	want := []string{"1 2026-01-01 00:00:00", "2 2026-01-01 00:01:30", "3 2026-01-01 00:03:00", "1 2026-01-01 00:04:30"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestValues: constants, values of the transaction and texts made of numbers.
func TestValues(t *testing.T) {
	got := drawer(t, 1, "7", "7.50", "'7'", "null", "{from: v}", "{from: v, plus: -0.5}", "{constant: x}",
		"{text: {prefix: user, length: 10, number: {uniform: {from: 42, to: 42}}}}", "{text: {prefix: a-, number: {from: v}}}")()
	if diff := cmp.Diff([]string{"7", "7.50", "7", "NULL", "5", "4.5", "x", "user000042", "a-5"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTexts(t *testing.T) {
	draw, lengths, letters := drawer(t, 1, "{text: {min: 3, max: 20}}", "{text: {length: 13}}"), map[int]int{}, map[rune]int{}
	for range 20_000 {
		v := draw()
		lengths[len(v[0])]++
		for _, r := range v[1] {
			letters[r]++
		}
		if len(v[1]) != 13 {
			t.Fatalf("%q has %d letters", v[1], len(v[1]))
		}
	}
	if len(lengths) != 18 || lengths[2] > 0 || len(letters) != 32 {
		t.Errorf("lengths %v, letters %v", lengths, letters)
	}
	for r, n := range letters {
		if want := 13. * 20_000 / 32; math.Abs(float64(n)-want) > 5*math.Sqrt(want) {
			t.Errorf("%c is drawn %d times of %v", r, n, want)
		}
	}
}

// TestDrawingDoesNotAllocate draws every kind of value.
func TestDrawingDoesNotAllocate(t *testing.T) {
	o := Defaults()
	p, err := FromFile(parsed(t, "{uniform: {from: 0.5, to: 9}}", "{zipf: {from: 1, to: 1000, scrambled: true}}", "{sequence: {}}", "{choice: [a, bcd, null]}",
		"{text: {min: 1, max: 100}}", "{time: {from: 2026-01-01, to: 2027-01-01 00:00:00.5}}", "{from: v, plus: 0.25}", "{text: {prefix: u, length: 9, number: {sequence: {}}}}"), o)
	if err != nil {
		t.Fatal(err)
	}
	d := p.NewDraws(1, 0)
	if n := testing.AllocsPerRun(1000, func() {
		for _, s := range p.Choices[0].Steps {
			if s.Before != nil {
				s.Before(&d)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestBind: values of a query are numbers where all of them are.
func TestBind(t *testing.T) {
	for _, c := range []struct {
		values [][]byte
		kind   SlotKind
		wrong  string
	}{
		{[][]byte{[]byte("1"), nil, []byte("-20")}, SlotWhole, ""},
		{[][]byte{[]byte("1"), []byte("007")}, SlotText, ""},
		{[][]byte{[]byte("abc")}, SlotText, ""},
		{nil, 0, "returned no rows"},
		{make([][]byte, MostValues+1), 0, "add a LIMIT"},
	} {
		p, err := FromFile(parsed(t, "{query: {sql: SELECT id FROM t, exponent: 0.8}}"), Defaults())
		if err != nil {
			t.Fatal(err)
		}
		err = p.Bind(p.Lookups[0], c.values)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%d values: %v", len(c.values), err)
			}
			continue
		}
		d := p.NewDraws(1, 0)
		slot := p.Statements[1].Params[0].Plus
		for range 100 {
			p.Choices[0].Steps[1].Before(&d)
			if s := d.Values.Slots[slot]; s.Kind != c.kind && s.Kind != SlotNull {
				t.Fatalf("%v is drawn of %q", s, c.values)
			}
		}
		if p.Slots[slot].Kind != c.kind || p.Slots[slot].Varies {
			t.Errorf("%q has type %+v", c.values, p.Slots[slot])
		}
	}
}

// TestProgramOfFile: transactions are laid out as the file says.
func TestProgramOfFile(t *testing.T) {
	w, err := file.Read("../../examples/workloads/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := FromFile(w, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"browse", "buy", "pay", "history"}, p.Kinds); diff != "" {
		t.Error(diff)
	}
	var names []string
	for _, s := range p.Choices[2].Steps {
		names = append(names, p.Statements[s.Statement].Name)
	}
	if diff := cmp.Diff([]string{"pay_begin", "pay_1", "pay_2", "pay_commit"}, names); diff != "" {
		t.Error(diff)
	}
	skip := p.Choices[2].Steps[1].Then
	if n, m := skip(&Values{}), skip(&Values{Found: true}); n != 1 || m != 0 {
		t.Errorf("without a row %d steps are left out, with one %d", n, m)
	}
	if !p.Explicit || len(p.Choices[0].Steps) != 2 || p.Choices[0].Weight != 60 {
		t.Errorf("%+v", p.Choices[0])
	}
}

// TestOwnRows: rows are a function of the seed and their number, and a text made of a
// column's number is that of a parameter.
func TestOwnRows(t *testing.T) {
	w, err := file.Read("../../examples/workloads/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := FromFile(w, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	row := func(table int, seed uint64, unit int64) string {
		var r Row
		tables := p.Tables(seed)
		tables[table].Make(&r, unit, 0)
		var cells []string
		for i := range r.Cells {
			cells = append(cells, string(r.Cell(i)))
		}
		return strings.Join(cells, "|")
	}
	if a, b := row(0, 1, 7), row(0, 1, 7); a != b || !strings.HasPrefix(a, "7|") {
		t.Errorf("row 7 is %s and %s", a, b)
	}
	if a, b := row(0, 1, 7), row(0, 2, 7); a == b {
		t.Errorf("two seeds make %s", a)
	}
	if a := row(1, 1, 42); !strings.HasPrefix(a, "42|user00000042|20") {
		t.Errorf("customer 42 is %s", a)
	}
	if _, err := time.Parse(time.DateTime, strings.Split(row(1, 1, 42), "|")[2]); err != nil {
		t.Error(err)
	}
	if key := p.Tables(1)[2].Key(5); key != "`id`=5" {
		t.Errorf("the key of order 5 is %s", key)
	}
}

// TestOwnTransactions: a file whose statements begin and end their transaction has it rolled back after an
// error, and one that ends early for lack of a row still commits.
func TestOwnTransactions(t *testing.T) {
	w, err := file.Parse("own.yaml", []byte(`apiVersion: tarebench.io/v1alpha1
kind: Workload
metadata: {name: own}
tables:
  t: {rows: 10, create: "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL)", columns: {id: {sequence: {}}, n: 0}}
transactions:
  own:
    autocommit: true
    statements:
    - {sql: begin}
    - {sql: "SELECT n FROM t WHERE id = ?", params: [{uniform: {from: 1, to: 20}}], take: {n: 1}, onNoRow: commit}
    - {sql: "UPDATE t SET n = n + 1 WHERE id = ?", params: [{uniform: {from: 1, to: 10}}]}
    - {sql: COMMIT}
    - {sql: "SELECT 1"}
`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := FromFile(w, Defaults())
	if err != nil || !p.Explicit {
		t.Fatalf("explicit is %v: %v", p.Explicit, err)
	}
	if skip := p.Choices[0].Steps[1].Then(&Values{}); skip != 1 {
		t.Errorf("without a row %d statements are left out, want the UPDATE alone", skip)
	}
}
