package main

// This file compares a capacity that was searched for with that of a queue whose service time is known.

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/tarebench/tare/internal/report"
)

// capacity: the service time is that of the trials' own closed loop, the sleep and what a statement takes besides.
func capacity(out io.Writer, doc *report.Document) (bool, error) {
	if doc.Run.Find == nil || len(doc.Capacities) == 0 {
		return false, fmt.Errorf("no search for a capacity")
	}
	all := true
	for _, c := range doc.Capacities {
		sum, n := 0.0, 0
		for _, s := range doc.CapacitySteps {
			if s.Arm == c.Arm && s.Purpose == "closed" {
				sum, n = sum+float64(s.Completed), n+1
			}
		}
		if n == 0 || c.Interval == nil {
			return false, fmt.Errorf("arm %s: no closed loop or no interval", c.Arm)
		}
		q := queue{service: float64(c.Threads*n) / sum, servers: c.Threads, limit: doc.Run.Find.LimitMS / 1000, length: doc.Run.Find.StepSeconds}
		known := q.capacity()
		inside := float64(c.Interval[0]) <= known && known <= float64(c.Interval[1])
		all = all && inside
		fmt.Fprintf(out, "%s: %.1f/s [%.1f, %.1f]; a queue with a service time of %.2f ms has %.1f/s: %s\n",
			c.Arm, c.Rate, c.Interval[0], c.Interval[1], 1000*q.service, known, either(inside, "inside", "OUTSIDE"))
	}
	return all, nil
}

// queue is one of type M/D/c in one step of a search: seconds, and how many serve.
type queue struct {
	service, limit, length float64
	servers                int
}

// kept says whether one step at a rate keeps the limit of p99: it begins empty, and a fifth of its length is not
// counted. With a constant service time the servers take turns, so the k-th transaction waits for the one c before it
// (Kiefer and Wolfowitz, Transactions of the American Mathematical Society 78, 1955).
func (q queue) kept(random *rand.Rand, rate float64) bool {
	free := make([]float64, q.servers)
	now, n, over := 0.0, 0, 0
	for k := 0; ; k++ {
		now += random.ExpFloat64() / rate
		if now > 1.2*q.length {
			return float64(over) <= 0.01*float64(n)
		}
		end := max(now, free[k%q.servers]) + q.service
		free[k%q.servers] = end
		if now <= 0.2*q.length {
			continue
		}
		n++
		if end-now > q.limit {
			over++
		}
	}
}

// capacity is the rate at which half of the steps keep the limit, by bisection over 1,000 seeded steps each.
func (q queue) capacity() float64 {
	const steps = 1000
	lo, hi := 0.5*float64(q.servers)/q.service, float64(q.servers)/q.service
	for i := range uint64(12) {
		rate, n := (lo+hi)/2, 0
		random := rand.New(rand.NewPCG(i, 0))
		for range steps {
			if q.kept(random, rate) {
				n++
			}
		}
		if 2*n > steps {
			lo = rate
		} else {
			hi = rate
		}
	}
	return (lo + hi) / 2
}
