package experiment

import "fmt"

// How large an experiment can be. Whoever reads a run draws its whole order again
// ([Plan.Check]), so a file of some kilobytes must not cost gigabytes.
const (
	// MostTrials is the largest number of trials of an experiment, all of its rounds
	// together. The plan of more would be longer than a file of a run can be (64 MiB).
	MostTrials = 500_000
	// MostBalanced is the largest number of trials in a round of order williams: the table
	// of its orders has up to twice the square of it.
	MostBalanced = 300
	// MostLevels is the largest number of levels of the load.
	MostLevels = 1000
)

// cells is the number of trials in a round, with the baseline once or twice.
func (e *Experiment) cells(twice bool) int {
	arms := len(e.Arms)
	if twice {
		arms++
	}
	return arms * len(e.Load.Threads)
}

// size says what would be too much to plan. Too many rounds or levels are said elsewhere.
func (c *checker) size(p Protocol) {
	cells := c.e.cells(p.Twice())
	if p.Rounds.Max > MostRounds || len(c.e.Load.Threads) > MostLevels {
		return
	}
	c.want(p.Rounds.Max*cells <= MostTrials, "protocol.rounds", "%d rounds of %d trials are %d trials; at most %d are possible: use fewer rounds, arms or numbers of threads",
		p.Rounds.Max, cells, p.Rounds.Max*cells, MostTrials)
	c.want(p.Order != Balanced || cells <= MostBalanced, "protocol.order", "a round has %d trials; order williams is possible for at most %d: use order: random, or fewer arms or numbers of threads",
		cells, MostBalanced)
}

// bounded refuses a plan whose order costs too much memory to draw. Its number of rounds has
// been checked.
func (p Plan) bounded(e *Experiment) error {
	cells := e.cells(p.AA)
	if p.MaxRounds*cells > MostTrials {
		return fmt.Errorf("check plan: %d rounds of %d trials are too many; at most %d trials are possible", p.MaxRounds, cells, MostTrials)
	}
	if e.Protocol.Order == Balanced && cells > MostBalanced {
		return fmt.Errorf("check plan: a round of order williams has %d trials; at most %d are possible", cells, MostBalanced)
	}
	return nil
}
