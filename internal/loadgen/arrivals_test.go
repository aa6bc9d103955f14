package loadgen

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// arrivalsOf are the due times of a job's load, of one generator.
func arrivalsOf(j Job) (due []time.Duration) {
	a := builtIn{}.loop(j, nil, nil, nil).Arrivals
	for {
		at, ok := a.Next()
		if !ok {
			return due
		}
		due = append(due, at)
	}
}

// TestArrivalsOfANumber: equal numbers give equal arrivals, which makes arms comparable; those of
// different numbers are independent, so that the number of arrivals varies over rounds as that of
// a Poisson process does: its variance is its mean.
func TestArrivalsOfANumber(t *testing.T) {
	j := Job{Rate: 100, Measure: 10 * time.Second, Seed: 7}
	j.Arrivals = 256
	if d := cmp.Diff(arrivalsOf(j), arrivalsOf(j)); d != "" {
		t.Error(d)
	}
	const rounds = 400
	mean, squares := 0.0, 0.0
	for i := range rounds {
		j.Arrivals = uint64(i) << 8
		n := float64(len(arrivalsOf(j)))
		mean += n / rounds
		squares += n * n / rounds
	}
	// Standard errors: 1.6 of the mean, 71 of the variance.
	if variance := squares - mean*mean; math.Abs(mean-1000) > 6 || math.Abs(variance-1000) > 280 {
		t.Errorf("mean %.1f, variance %.0f; want 1000 and 1000", mean, variance)
	}
}

// TestGeneratorsHaveTheNumber: generators elsewhere get it with the job.
func TestGeneratorsHaveTheNumber(t *testing.T) {
	text, err := Job{Workload: "oltp_point_select", Threads: 2, Rate: 10, Seed: 7, Arrivals: 513}.encode(shared{Of: 2})
	if err != nil {
		t.Fatal(err)
	}
	var s shared
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if got := s.job(1).Arrivals; got != 513 {
		t.Errorf("arrivals %d, want 513", got)
	}
}

// TestDrawsOfANumber: equal numbers give equal rows too, and steps on one server have different ones:
// each would otherwise ask for those that the step before has left in memory.
func TestDrawsOfANumber(t *testing.T) {
	seeds := map[uint64]uint64{}
	for _, number := range []uint64{0, 1, 256, 257} {
		j := Job{Seed: 7, Arrivals: number}
		seed := builtIn{}.loop(j, nil, nil, nil).Seed
		if again := (builtIn{}).loop(j, nil, nil, nil).Seed; again != seed {
			t.Errorf("number %d: seeds %d and %d", number, seed, again)
		}
		if other, there := seeds[seed]; there {
			t.Errorf("numbers %d and %d have one seed", number, other)
		}
		seeds[seed] = number
	}
}
