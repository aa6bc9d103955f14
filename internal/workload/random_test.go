package workload

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// script prints draws of sysbench's own generator.
const script = `
function thread_init() end
function event()
  for i = 1, 200000 do print("draw " .. sysbench.rand.default(1, 10000)) end
end
`

func sysbenchDraws(t *testing.T, kind string) []uint32 {
	t.Helper()
	if _, err := exec.LookPath("sysbench"); err != nil {
		t.Skip("no sysbench on this machine")
	}
	file := filepath.Join(t.TempDir(), "draw.lua")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sysbench", file, "--rand-type="+kind, "--rand-seed=1", "--events=1", "run").Output()
	if err != nil {
		t.Fatal(err)
	}
	var draws []uint32
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "draw "); ok {
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			draws = append(draws, uint32(n))
		}
	}
	return draws
}

// distance is the Kolmogorov-Smirnov distance of two samples of 1..n.
func distance(a, b []uint32, n int) float64 {
	ca, cb := make([]float64, n+2), make([]float64, n+2)
	for _, x := range a {
		ca[x]++
	}
	for _, x := range b {
		cb[x]++
	}
	most, sa, sb := 0.0, 0.0, 0.0
	for i := range ca {
		sa, sb = sa+ca[i]/float64(len(a)), sb+cb[i]/float64(len(b))
		most = max(most, math.Abs(sa-sb))
	}
	return most
}

// TestDrawsAreSysbenchs: with 200,000 draws each, two samples of one distribution
// differ by more than 0.0073 in one of 20,000 comparisons.
func TestDrawsAreSysbenchs(t *testing.T) {
	for _, kind := range []string{"uniform", "gaussian", "special", "pareto"} {
		theirs := sysbenchDraws(t, kind)
		if len(theirs) != 200000 {
			t.Fatalf("%s: sysbench printed %d draws", kind, len(theirs))
		}
		d := DefaultDistribution()
		d.Type = kind
		w, r := newDraw(d, 10000), NewRandom(1, 1)
		var ours []uint32
		for range theirs {
			ours = append(ours, w.between(&r, 1, 10000))
		}
		if gap := distance(ours, theirs, 10000); gap > 0.0073 {
			t.Errorf("%s: distributions are %.4f apart", kind, gap)
		}
	}
}

// TestZipfian compares with the definition: P(k) is proportional to k^-0.8.
func TestZipfian(t *testing.T) {
	const n, draws = 1000, 400000
	d := DefaultDistribution()
	d.Type = "zipfian"
	w, r := newDraw(d, n), NewRandom(1, 1)
	counts := make([]float64, n+1)
	for range draws {
		counts[w.between(&r, 1, n)]++
	}
	sum := 0.0
	for k := 1; k <= n; k++ {
		sum += math.Pow(float64(k), -0.8)
	}
	for _, k := range []int{1, 2, 3, 10, 100, 1000} {
		want := draws * math.Pow(float64(k), -0.8) / sum
		if got := counts[k]; math.Abs(got-want) > 5*math.Sqrt(want) {
			t.Errorf("%d was drawn %v times, want %.0f", k, got, want)
		}
	}
}

func TestDrawsStayInRange(t *testing.T) {
	for _, kind := range DistributionTypes() {
		d := DefaultDistribution()
		d.Type = kind
		for _, n := range []uint32{1, 2, 7} {
			w, r := newDraw(d, n), NewRandom(3, 1)
			for range 10000 {
				if x := w.between(&r, 1, n); x < 1 || x > n {
					t.Fatalf("%s: %d is not in 1..%d", kind, x, n)
				}
			}
		}
	}
}

// TestDigits: the strings have sysbench's form and every digit is as probable as
// any other, in every place.
func TestDigits(t *testing.T) {
	r := NewRandom(1, 1)
	const n = 20000
	var counts [CLength][10]int
	for range n {
		c := AppendC(nil, &r)
		if len(c) != CLength || len(AppendPad(nil, &r)) != PadLength {
			t.Fatalf("%q has %d characters", c, len(c))
		}
		for i, d := range c {
			if (i%12 == 11) != (d == '-') {
				t.Fatalf("%q: character %d", c, i)
			}
			if d != '-' {
				counts[i][d-'0']++
			}
		}
	}
	for i, place := range counts {
		for d, c := range place {
			if i%12 != 11 && math.Abs(float64(c)-n/10) > 5*math.Sqrt(n*0.09) {
				t.Errorf("digit %d in place %d: %d of %d", d, i, c, n)
			}
		}
	}
}

// TestRowsAreAFunctionOfTheirNumber: pinned, because data of one version of tare
// must be continued by the next.
func TestRowsAreAFunctionOfTheirNumber(t *testing.T) {
	o := Defaults()
	o.Tables = 3
	table := o.OLTPTables(42)[2]
	row := func(id int64) string {
		var r Row
		table.Make(&r, id, 0)
		return fmt.Sprintf("%s %s %s %s", r.Cell(0), r.Cell(1), r.Cell(2)[:23], r.Cell(3)[:23])
	}
	got := row(777)
	row(778)
	if again := row(777); got != again {
		t.Errorf("%s, then %s", got, again)
	}
	const want = "777 4992 26992889505-26791411010 25535922143-52549794135"
	if got != want {
		t.Errorf("row 777 of table 3 is %q, was %q", got, want)
	}
}

func TestUniqueIsUnique(t *testing.T) {
	o := Defaults()
	o.AutoInc = false
	p := build(t, "oltp_insert", o)
	d := p.NewDraws(1, 0)
	drawUnique(t, p, &d, 100000, map[int32]bool{})
}

// drawUnique draws n unique numbers, none of which is in seen, and adds them to it.
func drawUnique(t *testing.T, p *Program, d *Draws, n int, seen map[int32]bool) {
	t.Helper()
	for range n {
		v := p.Number(d, Param{Source: Unique})
		if seen[v] {
			t.Fatalf("%d twice", v)
		}
		seen[v] = true
	}
}

// TestNumbersOfLoadsOnOneServer: levels of a load that take turns on one server never give a number
// twice, nor two of them the same table of a connection's own.
func TestNumbersOfLoadsOnOneServer(t *testing.T) {
	levels := []int{1, 3, 2}
	unique, tables, random := map[int32]bool{}, map[int]bool{}, map[float64]bool{}
	for i, threads := range levels {
		o := Defaults()
		o.AutoInc, o.Threads, o.Connections = false, threads, 6
		for _, before := range levels[:i] {
			o.Earlier += before
		}
		inserts, bulk := build(t, "oltp_insert", o), build(t, "bulk_insert", o)
		if n := len(bulk.Tables(1)); n != 6 {
			t.Errorf("%d tables for 6 connections", n)
		}
		for connection := range threads {
			d, own := inserts.NewDraws(1, connection), bulk.NewDraws(1, connection)
			if tables[own.Table] || own.Table < 1 || own.Table > 6 {
				t.Errorf("table %d for connection %d of level %d", own.Table, connection, threads)
			}
			tables[own.Table] = true
			if first := own.Random.Unit(); random[first] {
				t.Errorf("connection %d of level %d draws what one of another level draws", connection, threads)
			} else {
				random[first] = true
			}
			drawUnique(t, inserts, &d, 1000, unique)
		}
	}
}

// TestCounts: a workload counts if a second load on the same tables would give numbers again.
func TestCounts(t *testing.T) {
	own := Defaults()
	own.AutoInc = false
	for _, c := range []struct {
		name string
		o    Options
		want bool
	}{{"bulk_insert", Defaults(), true}, {"oltp_insert", own, true}, {"oltp_insert", Defaults(), false}, {"oltp_read_write", Defaults(), false}, {"ledger", Defaults(), true}} {
		if got := build(t, c.name, c.o).Counts(); got != c.want {
			t.Errorf("%s counts: %v", c.name, got)
		}
	}
}

func build(t *testing.T, name string, o Options) *Program {
	t.Helper()
	p, err := Build(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOptions(t *testing.T) {
	for _, bad := range []map[string]string{
		{"tables": "0"}, {"table-size": "-1"}, {"rand-type": "normal"}, {"rand-spec-res": "100"}, {"point-selects": "x"},
		{"nonsense": "1"}, {"skip-trx": "maybe"}, {"rand-pareto-h": "1"},
	} {
		o := Defaults()
		var err error
		for k, v := range bad {
			err = o.Set(k, v)
		}
		if err == nil {
			_, err = Build("oltp_read_only", o)
		}
		if err == nil {
			t.Errorf("%v passed", bad)
		}
	}
	o := Defaults()
	for k, v := range map[string]string{"skip_trx": "on", "point-selects": "0", "range-selects": "off"} {
		if err := o.Set(k, v); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Build("oltp_read_only", o); err == nil {
		t.Error("a workload without statements passed")
	}
	for _, name := range []string{"mix_1_0", "mix_0_1", "mix_80_20"} {
		if _, err := Build(name, Defaults()); name == "mix_80_20" && err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"mix_0_0", "mix_-1_2", "mix_80_20x", "oltp", ""} {
		if _, err := Build(name, Defaults()); err == nil {
			t.Errorf("%q passed", name)
		}
	}
}

func BenchmarkDrawSpecial(b *testing.B) {
	w, r := newDraw(DefaultDistribution(), 100000), NewRandom(1, 1)
	for b.Loop() {
		w.between(&r, 1, 100000)
	}
}

func BenchmarkRow(b *testing.B) {
	table := Defaults().OLTPTables(1)[0]
	var r Row
	for b.Loop() {
		r.Reset()
		table.Make(&r, 1, 0)
	}
}
