package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// campaign is a whole A/A campaign: seconds with warm-up and correlation, trials
// that differ by a restart, an environment that drifts from slot to slot.
type campaign struct {
	rounds int
	rho    float64
}

const (
	campaignArms = 4
	warmUp       = 60
	window       = 120
)

// seconds gives, per arm and round, the measured window of a trial.
func (c campaign) seconds(rng *rand.Rand) [][][]float64 {
	environment := autoregressive(rng, campaignArms*c.rounds, 0, 0.02, 0.9)
	arms := make([][][]float64, campaignArms)
	for b := range c.rounds {
		for place, a := range rng.Perm(campaignArms) {
			level := 1 + environment[b*campaignArms+place] + 0.01*rng.NormFloat64()
			x := autoregressive(rng, warmUp+window, 100, 5, c.rho)
			for s := range x {
				x[s] = x[s]*level - 20*math.Exp(-float64(s)/20)
			}
			arms[a] = append(arms[a], x[warmUp:])
		}
	}
	return arms
}

func TestC01PipelineAA(t *testing.T) {
	t.Parallel()
	for _, rounds := range []int{6, 8, 10, 16} {
		for _, rho := range []float64{0, 0.6, 0.9} {
			t.Run(fmt.Sprintf("rounds=%d,rho=%v", rounds, rho), func(t *testing.T) {
				c := campaign{rounds, rho}
				calibration{sims: simulations(1000, 4000), seed: 101, lo: 0.05, hi: 0.05, control: true,
					simulate: func(rng *rand.Rand) (bool, bool) {
						arms := c.seconds(rng)
						d := make([]float64, rounds)
						var all [2][]float64
						for b := range d {
							d[b] = math.Log(Mean(arms[1][b])) - math.Log(Mean(arms[0][b]))
							all[0] = append(all[0], arms[0][b]...)
							all[1] = append(all[1], arms[1][b]...)
						}
						// Broken: seconds as replicates.
						return missesMean(d, 0), welchP(all[0], all[1]) < 0.05
					}}.run(t)
			})
		}
	}
}

// percentileBootstrap is the interval that many tools print: the 2.5 % and
// 97.5 % quantiles of the means of samples drawn with replacement.
func percentileBootstrap(rng *rand.Rand, x []float64) (lo, hi float64) {
	means := make([]float64, 399)
	for m := range means {
		var sum float64
		for range x {
			sum += x[rng.IntN(len(x))]
		}
		means[m] = sum / float64(len(x))
	}
	return Quantile(means, 0.025), Quantile(means, 0.975)
}

func TestC02Coverage(t *testing.T) {
	t.Parallel()
	truth := math.Log(0.9)
	noises := map[string]struct {
		lo   float64
		draw func(rng *rand.Rand) float64
	}{
		"normal": {0.05, func(rng *rand.Rand) float64 { return 0.014 * rng.NormFloat64() }},
		// Heavy tails make t cautious, never bold.
		"t3": {0.035, func(rng *rand.Rand) float64 { return 0.014 * studentT3(rng) }},
	}
	for name, noise := range noises {
		for _, rounds := range []int{8, 10, 15} {
			t.Run(fmt.Sprintf("%s,rounds=%d", name, rounds), func(t *testing.T) {
				calibration{sims: simulations(3000, 20000), seed: 102, lo: noise.lo, hi: 0.05, control: true,
					simulate: func(rng *rand.Rand) (bool, bool) {
						x := make([]float64, rounds)
						for i := range x {
							x[i] = truth + noise.draw(rng)
						}
						p := PairedT(x)
						lo, hi := percentileBootstrap(rng, x)
						return truth < p.Lo95 || truth > p.Hi95, truth < lo || truth > hi
					}}.run(t)
			})
		}
	}
}

// The slots of ten rounds of three arms, as three designs order them.
const orderArms, orderRounds = 3, 10

type design func(rng *rand.Rand) [orderArms][]int // slots of each arm

func randomised(rng *rand.Rand) (slots [orderArms][]int) {
	for b := range orderRounds {
		for place, arm := range rng.Perm(orderArms) {
			slots[arm] = append(slots[arm], b*orderArms+place)
		}
	}
	return slots
}

func sequential(*rand.Rand) (slots [orderArms][]int) {
	for s := range orderArms * orderRounds {
		slots[s/orderRounds] = append(slots[s/orderRounds], s)
	}
	return slots
}

func rotation(*rand.Rand) (slots [orderArms][]int) {
	for s := range orderArms * orderRounds {
		slots[s%orderArms] = append(slots[s%orderArms], s)
	}
	return slots
}

func TestC03Drift(t *testing.T) {
	t.Parallel()
	const n = orderArms * orderRounds
	environments := []struct {
		name   string
		broken design
		at     func(rng *rand.Rand) func(slot float64) float64
	}{
		{"white", nil, func(*rand.Rand) func(float64) float64 { return func(float64) float64 { return 0 } }},
		{"autoregressive", sequential, func(rng *rand.Rand) func(float64) float64 {
			e := autoregressive(rng, n, 0, 2, 0.9)
			return func(s float64) float64 { return e[int(s)] }
		}},
		{"linear", sequential, func(*rand.Rand) func(float64) float64 { return func(s float64) float64 { return -4 * s / n } }},
		{"every third slot", rotation, func(rng *rand.Rand) func(float64) float64 {
			phase := rng.IntN(3)
			return func(s float64) float64 { return -3 * float64(count((int(s)+phase)%3 == 0)) }
		}},
		{"step", sequential, func(rng *rand.Rand) func(float64) float64 {
			when := rng.Float64() * n
			return func(s float64) float64 { return -3 * float64(count(s >= when)) }
		}},
		{"sinusoid", sequential, func(rng *rand.Rand) func(float64) float64 {
			phase := rng.Float64() * 2 * math.Pi
			return func(s float64) float64 { return 2 * math.Sin(2*math.Pi*s/15+phase) }
		}},
	}
	for _, e := range environments {
		t.Run(e.name, func(t *testing.T) {
			calibration{sims: simulations(4000, 20000), seed: 103, lo: 0.05, hi: 0.05, control: e.broken != nil,
				simulate: func(rng *rand.Rand) (bool, bool) {
					environment, noise := e.at(rng), normals(rng, n, 0, 1)
					errs := func(d design) bool {
						slots := d(rng)
						x := make([]float64, orderRounds)
						for b := range x {
							one, other := slots[1][b], slots[0][b]
							x[b] = math.Log(100+environment(float64(one))+noise[one]) - math.Log(100+environment(float64(other))+noise[other])
						}
						return missesMean(x, 0)
					}
					return errs(randomised), e.broken != nil && errs(e.broken)
				}}.run(t)
		})
	}
}

func TestC14NodeScope(t *testing.T) {
	t.Parallel()
	// The overhead differs between nodes by 1.5 %, between rounds by 1 %; the
	// question is about nodes at large, where it is 0.
	pooledMiss, oneNodeMiss := 0, 0
	sims := simulations(4000, 20000)
	calibration{sims: sims, seed: 114, lo: 0.05, hi: 0.05, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			nodes := make([][]float64, 4)
			var pooled []float64
			for i := range nodes {
				nodes[i] = normals(rng, 3, 1.5*rng.NormFloat64(), 1)
				pooled = append(pooled, nodes[i]...)
			}
			p := AcrossGroups(nodes)
			pooledMiss += count(missesMean(pooled, 0))
			oneNodeMiss += count(missesMean(normals(rng, 12, 1.5*rng.NormFloat64(), 1), 0))
			return p.Lo95 > 0 || p.Hi95 < 0, missesMean(pooled, 0)
		}}.run(t)
	t.Logf("pooled rounds miss %.2f %%, twelve rounds on one node %.2f %%",
		100*float64(pooledMiss)/float64(sims), 100*float64(oneNodeMiss)/float64(sims))
	near(t, "pooled rounds miss", float64(pooledMiss)/float64(sims), 0.224, 0.02+0.1*float64(count(raceEnabled)))
	near(t, "twelve rounds on one node miss", float64(oneNodeMiss)/float64(sims), 0.691, 0.02+0.1*float64(count(raceEnabled)))
}

// TestC28Machines: the effect is 0 over machines at large and differs between them by 1 %, between runs of a
// machine by 0.5 %, and between rounds by 1 % on the steadiest machine and 10 % on the least steady. The interval is
// Student's over the means of machines, which holds at 5 % with unequal variances (Ibragimov & Müller, Journal of
// Business & Economic Statistics 28, 2010). The broken control pools the rounds. Weights by the
// machines' own variances (Paule & Mandel with Hartung & Knapp's interval) are logged beside it.
func TestC28Machines(t *testing.T) {
	t.Parallel()
	for _, machines := range []int{2, 3, 4, 6} {
		t.Run(fmt.Sprintf("%d machines", machines), func(t *testing.T) {
			weighted, half, halfWeighted := 0, 0.0, 0.0
			sims := simulations(4000, 20000)
			calibration{sims: sims, seed: 128, lo: 0.02, hi: 0.05, control: true,
				simulate: func(rng *rand.Rand) (bool, bool) {
					var all [][]float64
					var pooled, means, errors []float64
					for m := range machines {
						noise := math.Pow(10, float64(m)/float64(machines-1))
						var rounds []float64
						effect := rng.NormFloat64()
						for range 2 {
							rounds = append(rounds, normals(rng, 8, effect+0.5*rng.NormFloat64(), noise)...)
						}
						all, pooled = append(all, rounds), append(pooled, rounds...)
						means, errors = append(means, Mean(rounds)), append(errors, SD(rounds)/4)
					}
					p, h := AcrossGroups(all), PoolCampaigns(means, errors)
					weighted += count(h.Lo95 > 0 || h.Hi95 < 0)
					half, halfWeighted = half+(p.Hi95-p.Lo95)/2, halfWeighted+(h.Hi95-h.Lo95)/2
					return p.Lo95 > 0 || p.Hi95 < 0, missesMean(pooled, 0)
				}}.run(t)
			n := float64(sims)
			t.Logf("half-width %.2f; weighted by variances: misses %.2f %%, half-width %.2f", half/n, 100*float64(weighted)/n, halfWeighted/n)
		})
	}
}
