package stats

import (
	"fmt"
	"math/rand/v2"
)

// CarryOver is whether the trial before leaves something behind for the next.
type CarryOver struct {
	F    float64   // between previous arms against within
	P    float64   // permutation p
	Left []float64 // mean residual after each arm, log scale; 0 for an arm nothing followed
	// After is how many trials followed each arm; Lo95 and Hi95 bound Left by Student's t
	// over them, each by itself, NaN below two. P judges; they say how large.
	After      []int
	Lo95, Hi95 []float64
}

// CarryOverTest looks at what is left of y after round and arm means are taken
// out, and asks whether it depends on the arm that ran just before. y has a row
// per round and a column per arm; order[round] lists the arms as they ran, and
// the rounds followed one another. The p-value comes from draws reorderings of
// the previous-arm labels. With 12 rounds of 3 arms it sees a carry-over of 2 SD
// of a trial in 90 % of campaigns (TestC13CarryOver).
//
// A carry-over is to be removed, not modelled: randomised order keeps the
// comparison unbiased but up to 70 % wider.
func CarryOverTest(y [][]float64, order [][]int, draws int, seed uint64) (CarryOver, error) {
	if err := checkRounds(y, 2, 2); err != nil {
		return CarryOver{}, fmt.Errorf("test carry-over: %w", err)
	}
	if err := checkOrder(order, len(y), len(y[0])); err != nil {
		return CarryOver{}, fmt.Errorf("test carry-over: %w", err)
	}
	residual, previous := afterWhom(y, order)
	arms := len(y[0])
	observed := betweenSquares(residual, previous, arms)
	c := CarryOver{F: fRatio(residual, observed, arms), Left: groupMeans(residual, previous, arms)}
	c.spread(residual, previous)
	rng := rand.New(rand.NewPCG(seed, 0x6361_7279))
	hits := 1
	for range draws {
		rng.Shuffle(len(previous), func(i, j int) { previous[i], previous[j] = previous[j], previous[i] })
		if betweenSquares(residual, previous, arms) >= observed*(1-1e-12) {
			hits++
		}
	}
	c.P = float64(hits) / float64(draws+1)
	return c, nil
}

// spread is how well each of Left is known.
func (c *CarryOver) spread(residual []float64, previous []int) {
	for arm := range c.Left {
		var left []float64
		for i, before := range previous {
			if before == arm {
				left = append(left, residual[i])
			}
		}
		lo, hi := TInterval(left, 0.05)
		c.After, c.Lo95, c.Hi95 = append(c.After, len(left)), append(c.Lo95, lo), append(c.Hi95, hi)
	}
}

func checkOrder(order [][]int, rounds, arms int) error {
	if len(order) != rounds {
		return fmt.Errorf("%d orders for %d rounds", len(order), rounds)
	}
	for b, seq := range order {
		seen := make([]bool, arms)
		for _, a := range seq {
			if a < 0 || a >= arms || seen[a] {
				return fmt.Errorf("order %v of round %d does not hold each of %d arms once", seq, b, arms)
			}
			seen[a] = true
		}
		if len(seq) != arms {
			return fmt.Errorf("order %v of round %d does not hold each of %d arms once", seq, b, arms)
		}
	}
	return nil
}

// afterWhom lists the residual of every trial but the very first, and the arm
// that ran before it.
func afterWhom(y [][]float64, order [][]int) (residual []float64, previous []int) {
	e := withoutRoundMeans(withoutColumnMeans(y))
	last := -1
	for b, seq := range order {
		for _, a := range seq {
			if last >= 0 {
				residual = append(residual, e[b][a])
				previous = append(previous, last)
			}
			last = a
		}
	}
	return residual, previous
}

// withoutRoundMeans takes its mean out of every row, in place.
func withoutRoundMeans(y [][]float64) [][]float64 {
	for _, row := range y {
		m := Mean(row)
		for k := range row {
			row[k] -= m
		}
	}
	return y
}

func groupSums(x []float64, group []int, groups int) (sum, n []float64) {
	sum, n = make([]float64, groups), make([]float64, groups)
	for i, v := range x {
		sum[group[i]] += v
		n[group[i]]++
	}
	return sum, n
}

func groupMeans(x []float64, group []int, groups int) []float64 {
	sum, n := groupSums(x, group, groups)
	for g := range sum {
		if n[g] > 0 {
			sum[g] /= n[g]
		}
	}
	return sum
}

// betweenSquares rises and falls with F, because reordering labels leaves the
// total sum of squares as it is.
func betweenSquares(x []float64, group []int, groups int) float64 {
	sum, n := groupSums(x, group, groups)
	var total, squares float64
	for g := range sum {
		total += sum[g]
		if n[g] > 0 {
			squares += sum[g] * sum[g] / n[g]
		}
	}
	return squares - total*total/float64(len(x))
}

func fRatio(x []float64, between float64, groups int) float64 {
	n := float64(len(x))
	total := Variance(x) * (n - 1)
	return between / float64(groups-1) / ((total - between) / (n - float64(groups)))
}
