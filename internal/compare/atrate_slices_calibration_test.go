//go:build !race

package compare

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/interleave"
)

// rateTurn are the usual turns of arms that are plain processes.
func rateTurn() interleave.Slices {
	return interleave.Slices{Guard: 10 * time.Millisecond, LeadIn: 20 * time.Millisecond, Slice: 200 * time.Millisecond, Drain: 20 * time.Millisecond}
}

// pausing is a server that works in its turns and, for a while after each, without load: its clock, and the
// own time of the load, which stands still in that while.
type pausing struct{ load, free float64 }

func (p pausing) work(own float64) float64 { return own + math.Floor(own/p.load)*p.free }

// own is the own time at a moment of the server's work, and whether the load was on.
func (p pausing) own(work float64) (at float64, on bool) {
	turn, into := math.Floor(work/(p.load+p.free)), math.Mod(work, p.load+p.free)
	return turn*p.load + min(into, p.load), into < p.load
}

// sliced are the response times, in s, of Poisson arrivals at a server (as queued) that takes turns, of the
// transactions that end in the counted part of a turn, in their own time. The first fifth is not measured.
func sliced(rng *rand.Rand, s interleave.Slices, free, rate, mean, window float64) (all []float64) {
	p := pausing{s.Load().Seconds(), free}
	at, done := 0.0, 0.0
	for {
		if at += rng.ExpFloat64() / rate; at > 1.2*window {
			slices.Sort(all)
			return all
		}
		done = max(p.work(at), done) + mean*math.Exp(rateSpread*rng.NormFloat64()-rateSpread*rateSpread/2)
		end, on := p.own(done)
		if on && end > 0.2*window && end <= 1.2*window && math.Mod(end, p.load) >= s.LeadIn.Seconds() {
			all = append(all, end-at)
		}
	}
}

// TestC32RateBySlices: p95 and p99 at a fixed rate by slices of servers that run only while their load is offered are
// those of a server that has the load all the time. The broken control are the turns of a closed loop: in guard and
// drain the server works at the queue that its load has left, and its own time does not pass.
func TestC32RateBySlices(t *testing.T) {
	starts, most := 60, 0.02
	if os.Getenv("TARE_CALIBRATE") == "full" {
		starts, most = 1000, 0.01
	}
	usual := rateTurn()
	whole := interleave.Slices{Slice: time.Hour}
	worst := 0.0
	for _, mean := range []float64{0.001, 0.005, 0.02} {
		for _, used := range []float64{0.6, 0.8} {
			var off, control [2]float64
			for start := range starts {
				// The three have the same arrivals and service times.
				same := func() *rand.Rand { return rand.New(rand.NewPCG(32, uint64(start))) }
				window, rate := 3000*mean/used*2, used/mean // of about 6,000 transactions
				truth := sliced(same(), whole, 0, rate, mean, window)
				exact := sliced(same(), usual.Exactly(), 0, rate, mean, window)
				drained := sliced(same(), usual, (usual.Guard + usual.Drain).Seconds(), rate, mean, window)
				for i, p := range []float64{0.95, 0.99} {
					at := func(x []float64) float64 { return math.Log(x[int(math.Ceil(p*float64(len(x))))-1]) }
					off[i] += (at(exact) - at(truth)) / float64(starts)
					control[i] += (at(drained) - at(truth)) / float64(starts)
				}
			}
			t.Logf("C32: transactions of %g ms, %g %% of the capacity: p95, p99 off by %+.1f, %+.1f %%; with guard and drain %+.1f, %+.1f %%", 1000*mean, 100*used,
				100*math.Expm1(off[0]), 100*math.Expm1(off[1]), 100*math.Expm1(control[0]), 100*math.Expm1(control[1]))
			for i := range off {
				if math.Abs(off[i]) > most {
					t.Errorf("off by %.3f", off[i])
				}
				worst = min(worst, control[i])
			}
		}
	}
	if worst > -0.05 {
		t.Errorf("the broken control is off by %.3f only", worst)
	}
}
