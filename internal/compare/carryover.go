package compare

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// CarryOver is whether a trial leaves something behind for the next one; in a run of slices, a
// turn for the next turn.
type CarryOver struct {
	Threads int
	Turns   bool               // of a run of slices
	P       float64            // permutation p
	Left    map[string]float64 // %, mean residual of what followed each arm
	// Interval is the 95 % interval of Left, by itself, nil below two trials or, in a run of
	// slices, rounds; Trials is how many trials or turns followed the arm.
	Interval map[string]*Interval
	Trials   map[string]int
	Flagged  bool // p < 1 %
}

const (
	carryDraws = 999
	carrySeed  = 1
	carryLevel = 0.01
)

// carryOvers tests runs of one level of the load, where every round is complete:
// with several levels the trial before is often of another one.
func (j comparison) carryOvers() []CarryOver {
	if j.run.Imported != nil || j.res.Sealed || len(j.run.Experiment.Load.Threads) != 1 {
		return nil
	}
	names := j.columns()
	if lastRound(j.run.Plan) < EnoughRounds(1) || len(names) < 2 {
		return nil
	}
	test, err := j.testCarryOver(names)
	if err != nil { // a round is not complete: nothing can be said
		return nil
	}
	return []CarryOver{j.carryOver(test, names)}
}

func (j comparison) testCarryOver(names []string) (stats.CarryOver, error) {
	if j.run.Plan.Sliced() {
		return stats.CarryOverOfTurns(j.cycles(names), len(names), carryDraws, carrySeed)
	}
	y, order := j.sequence(names)
	return stats.CarryOverTest(y, order, carryDraws, carrySeed)
}

// lastRound is the number of the plan's last round so far.
func lastRound(p experiment.Plan) (last int) {
	for _, t := range p.Trials {
		last = max(last, t.Round)
	}
	return last
}

// columns are the arms, and last the baseline once more where it has second trials.
func (j comparison) columns() []string {
	names := j.run.Experiment.Arms.Names()
	if j.run.Plan.AA {
		names = append(names, j.res.Baseline)
	}
	return names
}

func (j comparison) carryOver(test stats.CarryOver, names []string) CarryOver {
	c := CarryOver{Threads: j.run.Experiment.Load.Threads[0], Turns: j.run.Plan.Sliced(), P: test.P, Left: map[string]float64{}, Interval: map[string]*Interval{}, Trials: map[string]int{}, Flagged: test.P < carryLevel}
	for k, name := range names {
		if k < len(j.run.Experiment.Arms) { // the baseline's second trials are last
			c.Left[name], c.Trials[name] = stats.Percent(test.Left[k]), test.After[k]
			if in := (Interval{test.Lo95[k], test.Hi95[k]}).shown(); in != nil { // NaN is not determined
				c.Interval[name] = in
			}
		}
	}
	return c
}

// cycles are the counted turns of every complete round, with who was on before each, by the
// schedule of the plan; a column for each name.
func (j comparison) cycles(names []string) []stats.Cycles {
	measured := map[int]*record.Trial{}
	for i := range j.res.Arms {
		for _, t := range j.res.Arms[i].numbers() {
			measured[t.Header.Trial] = t
		}
	}
	var out []stats.Cycles
	for round := 1; round <= lastRound(j.run.Plan); round++ {
		s := j.run.Plan.Schedule(round)
		column := make([]int, s.Cells) // of a cell
		var trials []*record.Trial
		for _, p := range j.run.Plan.Trials {
			if t := measured[p.Number]; p.Round == round && t != nil {
				column[p.Slot-1] = columnOf(p, names)
				trials = append(trials, t)
			}
		}
		if len(trials) != s.Cells || s.Cells != len(names) {
			continue
		}
		if c := (stats.Cycles{Y: turns(s, trials, column), Before: before(s, column)}); c.Y != nil {
			out = append(out, c)
		}
	}
	return out
}

// columnOf is where a planned trial's arm stands; the baseline's second trials are last.
func columnOf(p experiment.Trial, names []string) int {
	if p.Again {
		return len(names) - 1
	}
	return slices.Index(names, p.Arm)
}

// turns are the throughputs of the counted turns, a row for each cycle; nil where one is missing.
func turns(s interleave.Schedule, trials []*record.Trial, column []int) [][]float64 {
	y := make([][]float64, s.Cycles)
	for cycle := range y {
		y[cycle] = make([]float64, s.Cells)
		for _, t := range trials {
			i := slices.IndexFunc(t.Intervals, func(in record.Interval) bool { return in.Turn == s.Warmup+cycle+1 })
			if i < 0 {
				return nil
			}
			y[cycle][column[t.Header.Slot-1]] = t.Intervals[i].Transactions
		}
	}
	return y
}

// before says who had the turn before each counted one.
func before(s interleave.Schedule, column []int) [][]int {
	rows := make([][]int, s.Cycles)
	for cycle := range rows {
		rows[cycle] = make([]int, s.Cells)
	}
	last := -1
	for turn := range s.Turns() {
		for _, cell := range s.Order(turn) {
			if turn >= s.Warmup {
				rows[turn-s.Warmup][column[cell]] = last
			}
			last = column[cell]
		}
	}
	return rows
}

// sequence is the log throughputs, a row for each round and a column for each name, and who
// followed whom.
func (j comparison) sequence(names []string) (y [][]float64, order [][]int) {
	byNumber := map[int]float64{}
	for i := range j.res.Arms {
		for _, t := range j.res.Arms[i].numbers() {
			byNumber[t.Header.Trial] = math.Log(t.Throughput())
		}
	}
	for _, p := range j.run.Plan.Trials {
		if p.Round > len(y) {
			y, order = append(y, make([]float64, len(names))), append(order, nil)
		}
		k := columnOf(p, names)
		v, ok := byNumber[p.Number]
		if !ok {
			v = math.NaN()
		}
		y[p.Round-1][k] = v
		order[p.Round-1] = append(order[p.Round-1], k)
	}
	return y, order
}
