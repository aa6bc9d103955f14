package stats

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// Cycles are the counted cycles of one round of slices: Y has a row per cycle and a column per
// arm, the throughput of its turn; Before says who had the turn before that one, -1 for none.
type Cycles struct {
	Y      [][]float64
	Before [][]int
}

// CarryOverOfTurns asks whether a turn depends on the arm whose turn was before. What an arm does
// on the average of its round and what a cycle had in common are taken out first; residuals are
// shares of the arm's throughput. The order of every cycle was drawn by itself, so under the null
// hypothesis any cycle of a round could have had the order of any other: P is from reorderings of
// these (a randomisation test; Edgington & Onghena, Randomization Tests, 4th edition, 2007).
// The rounds bound Left, one mean each, because turns of a round are not independent. Left is on the log
// scale of a small change, After counts turns.
func CarryOverOfTurns(rounds []Cycles, arms, draws int, seed uint64) (CarryOver, error) {
	if len(rounds) < 2 || arms < 2 {
		return CarryOver{}, errors.New("test carry-over of turns: two rounds of two arms are the least")
	}
	all, before := make([]residuals, len(rounds)), make([][][]int, len(rounds))
	for i, r := range rounds {
		if len(r.Y) < 2 || len(r.Y) != len(r.Before) {
			return CarryOver{}, errors.New("test carry-over of turns: a round has fewer than two cycles")
		}
		all[i], before[i] = residualsOf(r.Y), slices.Clone(r.Before)
	}
	residual, previous := paired(nil, nil, all, before)
	observed := betweenSquares(residual, previous, arms)
	c := CarryOver{F: fRatio(residual, observed, arms), Left: groupMeans(residual, previous, arms)}
	c.spreadOverRounds(all, before, arms)
	rng := rand.New(rand.NewPCG(seed, 0x7475_726e))
	hits := 1
	for range draws {
		for _, rows := range before {
			rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		}
		// In the same memory: a run of a day has a million turns.
		residual, previous = paired(residual[:0], previous[:0], all, before)
		if betweenSquares(residual, previous, arms) >= observed*(1-1e-12) {
			hits++
		}
	}
	c.P = float64(hits) / float64(draws+1)
	return c, nil
}

// residuals of one round, a row per cycle.
type residuals [][]float64

func residualsOf(y [][]float64) residuals {
	share := make([][]float64, len(y))
	for c, row := range y {
		share[c] = slices.Clone(row)
	}
	for arm := range y[0] {
		sum := 0.0
		for _, row := range y {
			sum += row[arm]
		}
		for c := range share {
			if share[c][arm] = 0; sum > 0 {
				share[c][arm] = y[c][arm]*float64(len(y))/sum - 1
			}
		}
	}
	return withoutRoundMeans(share)
}

// paired appends the residuals of all turns, and the arm before each.
func paired(residual []float64, previous []int, all []residuals, before [][][]int) ([]float64, []int) {
	for r, rows := range all {
		for c, row := range rows {
			for arm, v := range row {
				if b := before[r][c][arm]; b >= 0 {
					residual, previous = append(residual, v), append(previous, b)
				}
			}
		}
	}
	return residual, previous
}

// spreadOverRounds is how well each of Left is known.
func (c *CarryOver) spreadOverRounds(all []residuals, before [][][]int, arms int) {
	left := make([][]float64, arms)
	c.After = make([]int, arms)
	for r := range all {
		residual, previous := paired(nil, nil, all[r:r+1], before[r:r+1])
		sum, n := groupSums(residual, previous, arms)
		for arm := range left {
			if c.After[arm] += int(n[arm]); n[arm] > 0 {
				left[arm] = append(left[arm], sum[arm]/n[arm])
			}
		}
	}
	for _, means := range left {
		lo, hi := TInterval(means, 0.05)
		c.Lo95, c.Hi95 = append(c.Lo95, lo), append(c.Hi95, hi)
	}
}
