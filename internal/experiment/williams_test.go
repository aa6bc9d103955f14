package experiment

import (
	"fmt"
	"strings"
	"testing"
)

// TestWilliams: every arm stands equally often at every place, and follows every
// other equally often.
func TestWilliams(t *testing.T) {
	for k := 1; k <= 9; k++ {
		set := williams(k)
		if want := map[bool]int{false: k, true: 2 * k}[k%2 == 1 && k > 1]; len(set) != want {
			t.Errorf("k=%d: %d orders, want %d", k, len(set), want)
		}
		place, follows := map[[2]int]int{}, map[[2]int]int{}
		for _, seq := range set {
			for i, a := range seq {
				place[[2]int{i, a}]++
				if i > 0 {
					follows[[2]int{seq[i-1], a}]++
				}
			}
		}
		balanced(t, fmt.Sprintf("k=%d: arms at places", k), place, k*k)
		balanced(t, fmt.Sprintf("k=%d: arms after arms", k), follows, k*(k-1))
	}
}

func balanced(t *testing.T, what string, seen map[[2]int]int, want int) {
	t.Helper()
	if len(seen) != want {
		t.Errorf("%s: %d different pairs, want %d", what, len(seen), want)
	}
	first := -1
	for pair, n := range seen {
		if first < 0 {
			first = n
		}
		if n != first {
			t.Errorf("%s: %v happens %d times, another pair %d", what, pair, n, first)
		}
	}
}

// TestWilliamsPlan: over a whole set every arm follows every other equally often;
// sets differ, and the order of a round does not depend on how many there are.
func TestWilliamsPlan(t *testing.T) {
	text := strings.Replace(good, "protocol: {", "protocol: {order: williams, ", 1)
	e, err := Parse("good.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlan(e)
	cells := len(p.Trials) / p.Rounds
	longer := p.trials(e, 3*cells)
	if cells != 4 {
		t.Fatalf("%d cells a round; the test wants an even number", cells)
	}
	sets := make([]string, 3)
	for set := range sets {
		follows := map[[2]string]int{}
		for round := set * cells; round < (set+1)*cells; round++ {
			before := ""
			for _, trial := range longer[round*cells : (round+1)*cells] {
				name := fmt.Sprint(trial.Arm, trial.Threads)
				sets[set] += name + " "
				if before != "" {
					follows[[2]string{before, name}]++
				}
				before = name
			}
		}
		if len(follows) != cells*(cells-1) {
			t.Errorf("set %d: %v", set, follows)
		}
	}
	if sets[0] == sets[1] || sets[1] == sets[2] {
		t.Error("two sets are in the same order")
	}
	for i, trial := range p.Trials {
		if trial != longer[i] {
			t.Fatalf("trial %d depends on the number of rounds: %+v, %+v", i, trial, longer[i])
		}
	}
}
