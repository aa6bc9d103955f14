// Package pace calculates when each operation of an open loop is due: a pure function of
// the schedule and the number of the operation.
//
// Nothing here looks at a clock. An arrival is due at its time whether or not the
// generator gets to it, which is what makes latency from due time true when the
// generator itself was held up (coordinated omission).
package pace

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tarebench/tare/internal/workload"
)

// Segment is a stretch of a schedule in which the rate goes evenly from one value
// to another. Rates are arrivals per second.
type Segment struct {
	Length time.Duration
	From   float64
	To     float64
}

// Schedule is what is asked for, one segment after another. After its end nothing
// is due any more.
type Schedule []Segment

// Check says what is wrong with the schedule.
func (s Schedule) Check() error {
	for i, g := range s {
		switch {
		case g.Length <= 0:
			return fmt.Errorf("segment %d of the schedule: length %v must be above 0", i+1, g.Length)
		case !(g.From >= 0 && g.To >= 0) || math.IsInf(g.From+g.To, 0):
			return fmt.Errorf("segment %d of the schedule: rates %v and %v must be finite and not negative", i+1, g.From, g.To)
		}
	}
	if len(s) == 0 {
		return errors.New("the schedule is empty")
	}
	return nil
}

// Expected is how many arrivals the schedule asks for until t.
func (s Schedule) Expected(t time.Duration) float64 {
	sum := 0.0
	for _, g := range s {
		part := min(t, g.Length).Seconds()
		sum += part * (g.From + (g.To-g.From)*part/g.Length.Seconds()/2)
		if t -= g.Length; t <= 0 {
			break
		}
	}
	return sum
}

// when is the inverse of Expected: the time by which x arrivals are asked for.
func (s Schedule) when(x float64) (time.Duration, bool) {
	start := time.Duration(0)
	for _, g := range s {
		length := g.Length.Seconds()
		whole := length * (g.From + g.To) / 2
		if x < whole {
			return start + time.Duration(inverse(x, g.From, (g.To-g.From)/length)*1e9), true
		}
		x -= whole
		start += g.Length
	}
	return 0, false
}

// inverse solves from*t + slope*t²/2 = x for t, in the form that does not cancel
// when the slope is small.
func inverse(x, from, slope float64) float64 {
	root := math.Sqrt(max(from*from+2*slope*x, 0))
	if from+root == 0 {
		return 0
	}
	return 2 * x / (from + root)
}

// Arrivals yields the due times of a schedule, or of one generator's part of it. It is a
// value: a copy goes its own way from the same place.
type Arrivals struct {
	schedule Schedule
	poisson  bool
	seed     uint64
	part, of int
	count    int64
	x        float64 // of a Poisson process: the sum of the gaps so far
	random   workload.Random
}

// Constant spaces arrivals evenly.
func Constant(s Schedule) Arrivals { return Arrivals{schedule: s, of: 1} }

// Poisson makes arrivals independent of each other.
func Poisson(s Schedule, seed uint64) Arrivals {
	return Arrivals{schedule: s, poisson: true, seed: seed}.Part(0, 1)
}

// Part is what one of several generators sends of the schedule, from its beginning, part counted from 0. Of evenly
// spaced arrivals it is every of-th, so that all parts together are the schedule. Of a
// Poisson process it is one of its share of the rate; together they are one of the whole rate.
func (a Arrivals) Part(part, of int) Arrivals {
	a.part, a.of, a.count, a.x = part, of, 0, 0
	if a.poisson {
		a.random = workload.NewRandom(a.seed, uint64(part)|1<<40)
	}
	return a
}

// Next returns when the next operation is due, since the start of the schedule;
// ok is false after the last.
func (a *Arrivals) Next() (due time.Duration, ok bool) {
	if a.poisson {
		a.x -= math.Log(1-a.random.Unit()) * float64(a.of)
		return a.schedule.when(a.x)
	}
	n := a.count*int64(a.of) + int64(a.part)
	a.count++
	return a.schedule.when(float64(n))
}
