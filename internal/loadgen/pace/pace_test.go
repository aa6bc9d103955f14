package pace

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func take(a Arrivals, n int) (due []time.Duration) {
	for range n {
		d, ok := a.Next()
		if !ok {
			break
		}
		due = append(due, d)
	}
	return due
}

func TestConstant(t *testing.T) {
	ms := time.Millisecond
	cases := []struct {
		name     string
		schedule string
		part, of int
		n        int
		want     []time.Duration
	}{
		{"even", "100:1", 0, 1, 4, []time.Duration{0, 10 * ms, 20 * ms, 30 * ms}},
		{"second of two", "100:1", 1, 2, 3, []time.Duration{10 * ms, 30 * ms, 50 * ms}},
		{"ends", "2:1", 0, 1, 9, []time.Duration{0, 500 * ms}},
		{"step", "1:1,2:1", 0, 1, 9, []time.Duration{0, 1000 * ms, 1500 * ms}},
		{"pause", "1:1,0:5,1:1", 0, 1, 9, []time.Duration{0, 6000 * ms}},
		{"ramp", "0-2:1", 0, 1, 9, []time.Duration{0}},
		{"ramp from zero: the n-th is due at the root of n", "0-8:4", 0, 1, 5,
			[]time.Duration{0, 1000 * ms, 1414213562, 1732050807, 2000 * ms}},
	}
	for _, c := range cases {
		s, err := Parse(c.schedule)
		if err != nil {
			t.Fatal(err)
		}
		got := take(Constant(s).Part(c.part, c.of), c.n)
		if d := cmp.Diff(c.want, got, cmp.Comparer(func(a, b time.Duration) bool { return (a - b).Abs() <= 2 })); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestPartsAreTheWhole: several generators together send what one would.
func TestPartsAreTheWhole(t *testing.T) {
	s, _ := Parse("10-1000:2")
	seen := map[time.Duration]int{}
	for _, d := range take(Constant(s), 1e6) {
		seen[d]++
	}
	for part := range 3 {
		for _, d := range take(Constant(s).Part(part, 3), 1e6) {
			seen[d]--
		}
	}
	for d, n := range seen {
		if n != 0 {
			t.Fatalf("due %v: %+d", d, n)
		}
	}
	if n := len(take(Constant(s), 1e6)); math.Abs(float64(n)-s.Expected(time.Hour)) > 1 {
		t.Errorf("%d arrivals, expected %v", n, s.Expected(time.Hour))
	}
}

// TestPoisson: the number of arrivals in equal stretches has the mean and the
// variance of a Poisson process, whichever way it is divided.
func TestPoisson(t *testing.T) {
	s, _ := Parse("1000:200")
	for _, of := range []int{1, 4} {
		counts := make([]float64, 2000) // stretches of 100 ms
		for part := range of {
			last := time.Duration(-1)
			for _, d := range take(Poisson(s, 7).Part(part, of), 1e6) {
				if d < last {
					t.Fatalf("arrival at %v after %v", d, last)
				}
				last = d
				counts[d/(100*time.Millisecond)]++
			}
		}
		mean, variance := 0.0, 0.0
		for _, c := range counts {
			mean += c / float64(len(counts))
		}
		for _, c := range counts {
			variance += (c - mean) * (c - mean) / float64(len(counts)-1)
		}
		// Standard errors: 0.22 of the mean, 3.2 of the variance.
		if math.Abs(mean-100) > 1 || math.Abs(variance-100) > 14 {
			t.Errorf("%d parts: mean %v, variance %v, both should be 100", of, mean, variance)
		}
	}
}

func TestPoissonRepeats(t *testing.T) {
	s, _ := Parse("1000:1")
	a, b := take(Poisson(s, 7), 100), take(Poisson(s, 7), 100)
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
	if cmp.Equal(a, take(Poisson(s, 8), 100)) {
		t.Error("another seed gives the same arrivals")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"100:10", "0-5000:30s,5000:60", "1e9:1", "-1:1", ":", "nan:1", "1:1e-300"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		last := time.Duration(0)
		for _, d := range take(Constant(s), 100) {
			if d < last {
				t.Fatalf("%q: due %v after %v", text, d, last)
			}
			last = d
		}
	})
}

func TestNextDoesNotAllocate(t *testing.T) {
	s, _ := Parse("1000:1000")
	a := Poisson(s, 1)
	if n := testing.AllocsPerRun(1000, func() { a.Next() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
