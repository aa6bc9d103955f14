package stats

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// equalTrial is one of the trials of testdata/equal-trials.csv: a real MySQL, started
// and measured like all others there.
type equalTrial struct {
	campaign, round int
	tps             float64
	seconds         []float64
}

// equalTrials reads them, their throughputs as parts of their campaign's mean: what a
// campaign's hour was like is not part of what is resampled.
func equalTrials(t *testing.T) []equalTrial {
	t.Helper()
	file, err := os.ReadFile("testdata/equal-trials.csv")
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(file))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var all []equalTrial
	byCampaign := map[int][]float64{}
	for _, row := range rows[1:] {
		e := equalTrial{campaign: int(number(row[0])), round: int(number(row[2])), tps: number(row[5])}
		for _, s := range strings.Fields(row[6]) {
			e.seconds = append(e.seconds, number(s))
		}
		byCampaign[e.campaign] = append(byCampaign[e.campaign], Mean(e.seconds))
		all = append(all, e)
	}
	for i := range all {
		level := Mean(byCampaign[all[i].campaign])
		all[i].tps /= level
		for s := range all[i].seconds {
			all[i].seconds[s] /= level
		}
	}
	if len(all) < 50 {
		t.Fatalf("%d equal trials, want 50 at least", len(all))
	}
	return all
}

// realRounds are the rounds of the equal trials: two of them, one after the other.
func realRounds(t *testing.T) [][2]equalTrial {
	t.Helper()
	byRound := map[string][]equalTrial{}
	var names []string
	for _, e := range equalTrials(t) {
		name := fmt.Sprint(e.campaign, e.round)
		if len(byRound[name]) == 0 {
			names = append(names, name)
		}
		byRound[name] = append(byRound[name], e)
	}
	var all [][2]equalTrial
	for _, name := range names {
		if pair := byRound[name]; len(pair) == 2 {
			all = append(all, [2]equalTrial{pair[0], pair[1]})
		}
	}
	return all
}

// TestC01RealTrials is TestC01PipelineAA with rounds of real trials instead of invented
// ones: in each, which of two equal trials is called the arm is drawn again.
func TestC01RealTrials(t *testing.T) {
	t.Parallel()
	pool := realRounds(t)
	for _, rounds := range []int{6, 8, 12} {
		t.Run(fmt.Sprintf("rounds=%d", rounds), func(t *testing.T) {
			// Real rounds have heavier tails than normal ones, and t is the more cautious.
			calibration{sims: simulations(4000, 20000), seed: 501, lo: 0.03, hi: 0.055, control: true,
				simulate: func(rng *rand.Rand) (bool, bool) {
					var d []float64
					var arms [2][]float64
					for _, b := range rng.Perm(len(pool))[:rounds] {
						arm := rng.IntN(2)
						one, other := pool[b][arm], pool[b][1-arm]
						d = append(d, math.Log(one.tps)-math.Log(other.tps))
						arms[0], arms[1] = append(arms[0], one.seconds...), append(arms[1], other.seconds...)
					}
					// Broken: seconds as replicates.
					return missesMean(d, 0), welchP(arms[0], arms[1]) < 0.05
				}}.run(t)
		})
	}
}

// realSeconds is a long series of real seconds whose true mean is 1: trials drawn with
// replacement, each begun at a second of its own and gone round.
func realSeconds(rng *rand.Rand, pool []equalTrial, n int) []float64 {
	var x []float64
	for len(x) < n {
		s := pool[rng.IntN(len(pool))].seconds
		at := rng.IntN(len(s))
		x = append(append(x, s[at:]...), s[:at]...)
	}
	return x[:n]
}

const realLength = 600

func TestC04RealSeconds(t *testing.T) {
	t.Parallel()
	pool, miss := equalTrials(t), misses(1)
	calibration{sims: simulations(3000, 20000), seed: 504, lo: 0.045, hi: 0.08, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			x := realSeconds(rng, pool, realLength)
			r := EWC(x)
			r.ESS = math.Max(r.ESS, minESS) // the interval is asked about, not its gate
			return miss(r.Interval(0.05)), miss(TInterval(x, 0.05))
		}}.run(t)
}

func TestC06RealSeconds(t *testing.T) {
	t.Parallel()
	pool := equalTrials(t)
	calibration{sims: simulations(2000, 10000), seed: 506, lo: 0.04, hi: 0.08, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			x := realSeconds(rng, pool, realLength)
			stat, _ := SelfNormalised(x)
			return stat > SelfNormalised5, bicFindsChange(x)
		}}.run(t)
}
