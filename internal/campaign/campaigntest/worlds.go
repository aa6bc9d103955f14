package campaigntest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
)

// spec is an experiment of a baseline and arms a to d.
func spec(rounds, more string) string {
	return fmt.Sprintf(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: simulated}
load: {workload: oltp_read_only, threads: 4}
protocol: {rounds: %s, voids: 0, warmup: 5s, measure: 20s, margin: 1%%%s}
baseline: bare
arms:
  bare: {target: process, price: 1/h}
  a: {target: process, price: 2/h, config: {innodb_io_capacity: 101}}
  b: {target: process, config: {innodb_io_capacity: 102}}
  c: {target: process, config: {innodb_io_capacity: 103}}
  d: {target: process, config: {innodb_io_capacity: 104}}
`, rounds, more)
}

// beside has arms that differ in a neighbour only, which costs 10 %; a container costs nothing, and a CPU request in it
// returns nothing.
const beside = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: simulated}
load: {workload: oltp_read_only, threads: 4}
protocol: {kind: windows, rounds: 8, voids: 0, warmup: 5s, measure: 20s, margin: 1%}
baseline: bare
arms:
  bare: {target: process}
  pod: {target: container}
  bare-busy: {target: process, neighbour: {cpu: 1}}
  pod-busy: {target: container, neighbour: {cpu: 1}}
  request: {target: container, cpuRequest: 500m}
  request-busy: {target: container, cpuRequest: 500m, neighbour: {cpu: 1}}
`

// useless has three remedies that change nothing.
const useless = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: simulated}
load: {workload: oltp_read_only, threads: 4}
protocol: {kind: windows, rounds: 8, voids: 0, warmup: 5s, measure: 20s, margin: 1%}
baseline: bare
arms:
  bare: {target: process}
remedies:
  a: {rule: A-1, change: {config: {innodb_io_capacity: 101}}}
  b: {rule: A-2, change: {config: {innodb_io_capacity: 102}}}
  c: {rule: A-3, change: {config: {innodb_io_capacity: 103}}}
hypotheses:
  - {claim: a is faster, arm: a, expect: faster}
`

// stacked asks which of three layers owns the loss: one costs 20 %, one 5 %, one nothing.
const stacked = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: simulated}
load: {workload: oltp_read_only, threads: 4}
protocol: {kind: windows, rounds: 8, voids: 0, warmup: 5s, measure: 20s, margin: 1%}
baseline: bare
arms:
  bare: {target: process}
attribute:
  from: bare
  layers:
    quota: {config: {innodb_io_capacity: 101}}
    weight: {config: {innodb_lru_scan_depth: 101}}
    nothing: {config: {innodb_read_io_threads: 2}}
`

// layerEffect is the sum of the layers' effects.
func layerEffect(a experiment.Arm) (sum float64) {
	for _, l := range a.Layers {
		sum += LayerEffects[l]
	}
	return sum
}

// LayerEffects are what the layers of a stack add to log throughput.
var LayerEffects = map[string]float64{"quota": math.Log(0.8), "weight": math.Log(0.95), "nothing": 0}

// none is an arm's effect where no arm has one.
func none(experiment.Arm) float64 { return 0 }

// onlyD is a cost of 20 % of arm d, with a longer tail.
func onlyD(a experiment.Arm) float64 {
	if a.Name == "d" {
		return math.Log(0.8)
	}
	return 0
}

func negative(f func(experiment.Arm) float64) func(experiment.Arm) float64 {
	return func(a experiment.Arm) float64 { return -f(a) }
}

// neighbourEffect is what a busy neighbour costs.
func neighbourEffect(a experiment.Arm) float64 {
	if a.Has("neighbour") {
		return math.Log(0.9)
	}
	return 0
}

// normal is independent noise of each trial with the standard deviation that sd gives an arm, about
// a level of the round that its arms share.
func normal(sd func(arm string) float64) func(*rand.Rand) func(experiment.Trial) float64 {
	return func(rng *rand.Rand) func(experiment.Trial) float64 {
		round, level := 0, 0.0
		return func(p experiment.Trial) float64 {
			if p.Round != round {
				round, level = p.Round, 0.02*rng.NormFloat64()
			}
			return level + sd(p.Arm)*rng.NormFloat64()
		}
	}
}

// times is noise of 1 % of all arms, and of an arm as many times as it says.
func times(of map[string]float64) func(arm string) float64 {
	return func(arm string) float64 {
		if n, ok := of[arm]; ok {
			return 0.01 * n
		}
		return 0.01
	}
}

// heavy is Student's t of 3 degrees of freedom.
func heavy(rng *rand.Rand) func(experiment.Trial) float64 {
	return func(experiment.Trial) float64 {
		var chi float64
		for range 3 {
			g := rng.NormFloat64()
			chi += g * g
		}
		return 0.01 * rng.NormFloat64() / math.Sqrt(chi/3)
	}
}

// serial is noise of which each arm keeps the share rho from one round to the next; of a baseline that a round
// has twice, each of the two trials.
func serial(rho float64) func(*rand.Rand) func(experiment.Trial) float64 {
	return func(rng *rand.Rand) func(experiment.Trial) float64 {
		type place struct {
			arm   string
			again bool
		}
		state := map[place]float64{}
		return func(p experiment.Trial) float64 {
			of := place{p.Arm, p.Again}
			before, known := state[of]
			if !known {
				before = rng.NormFloat64() / math.Sqrt(1-rho*rho)
			}
			state[of] = rho*before + rng.NormFloat64()
			return 0.01 * math.Sqrt(1-rho*rho) * state[of]
		}
	}
}

// slowStarts is an arm whose server is at half speed in one start of ten. Its mean is zero.
func slowStarts(slow string) func(*rand.Rand) func(experiment.Trial) float64 {
	return func(rng *rand.Rand) func(experiment.Trial) float64 {
		return func(p experiment.Trial) float64 {
			v := 0.01 * rng.NormFloat64()
			if p.Arm == slow {
				v += 0.1 * math.Ln2
				if rng.IntN(10) == 0 {
					v -= math.Ln2
				}
			}
			return v
		}
	}
}

// drifting is a machine that becomes a third slower over the run.
func drifting(rng *rand.Rand) func(experiment.Trial) float64 {
	return func(p experiment.Trial) float64 { return -0.01*float64(p.Number) + 0.01*rng.NormFloat64() }
}

// dies is a server that is not ready in one trial of arm d in ten.
func dies(rng *rand.Rand, t *record.Trial) {
	if t.Header.Arm == "d" && rng.IntN(10) == 0 {
		t.End.Outcome, t.End.Reason = record.NotReady, record.NoAnswer.Say("1m0s")
		t.Window, t.Samples, t.Intervals = nil, nil, nil
	}
}

// losing are heavy tails, twice as heavy of arm d, which loses every fourth of its trials, and b every tenth.
func losing(rng *rand.Rand, t *record.Trial) {
	if one := map[string]int{"d": 4, "b": 10}[t.Header.Arm]; one > 0 && rng.IntN(one) == 0 {
		lose(t)
	}
}

// lose takes a trial its figures: the server was not ready.
func lose(t *record.Trial) {
	t.End.Outcome, t.End.Reason = record.NotReady, record.NoAnswer.Say("1m0s")
	t.Window, t.Samples, t.Intervals = nil, nil, nil
}

// growing is noise of arm d that grows from round to round: from 0.4 % to 3 % in the eighth.
func growing(rng *rand.Rand) func(experiment.Trial) float64 {
	return func(p experiment.Trial) float64 {
		if p.Arm == "d" {
			return 0.004 * float64(p.Round) * rng.NormFloat64()
		}
		return 0.01 * rng.NormFloat64()
	}
}

// restarts are counters of arm d that begin again at 0 within the window of every third trial.
func restarts(rng *rand.Rand, t *record.Trial) {
	if t.Header.Arm != "d" || rng.IntN(3) > 0 {
		return
	}
	n := len(t.Samples)
	first, last := t.Samples[n-2], t.Samples[n-1]
	before, after := map[string]float64{}, map[string]float64{}
	for name, v := range last.Values.All() {
		began, _ := first.Values.Of(name)
		before[name], after[name] = began+(v-began)/2, (v-began)/2
	}
	begin := first.At + (last.At-first.At)/2
	t.Samples = append(t.Samples[:n-1], record.Sample{At: begin, Values: record.ValuesOf(before)}, record.Sample{At: begin + time.Second, Values: record.ValuesOf(map[string]float64{})}, record.Sample{At: last.At, Values: record.ValuesOf(after)})
}

// steps sets the wall clock back by an hour from the fifth round on.
func steps(_ *rand.Rand, t *record.Trial) {
	if t.Header.Round >= 5 {
		t.Header.Started = t.Header.Started.Add(-time.Hour)
	}
}

// stops is a counter of arm d that is not written after the first reading, because it did not
// change: the server flushed nothing.
func stops(_ *rand.Rand, t *record.Trial) {
	if t.Header.Arm == "d" {
		for i, s := range t.Samples[1:] {
			values := map[string]float64{}
			for name, v := range s.Values.All() {
				if name != keys.MySQLInnoDBDataFsyncs {
					values[name] = v
				}
			}
			t.Samples[i+1].Values = record.ValuesOf(values)
		}
	}
}

// queued is a server whose 96 connections wait for a device that is as fast as onlyD says. A transaction takes a
// tenth of a second and more, and the device goes on while the server is frozen.
func queued(a experiment.Arm) *Served {
	if a.Name != "d" {
		return nil
	}
	mean := 1 / (2 * tps * math.Exp(onlyD(a)))
	return &Served{
		Connections: 96, Steps: 1, InTurn: true, Flushed: 1, GoesOn: true, Mean: mean,
		Length: func(rng *rand.Rand) float64 { return mean * rng.ExpFloat64() },
	}
}

// Worlds are the situations in which every interval and sentence of a report must hold.
func Worlds() []World {
	sound := func(name, yaml string, effect func(experiment.Arm) float64, noise func(*rand.Rand) func(experiment.Trial) float64) World {
		return World{Name: name, YAML: yaml, Effect: effect, Tail: negative(effect), Noise: noise}
	}
	with := func(w World, change func(*rand.Rand, *record.Trial)) World {
		w.Change = change
		return w
	}
	standing := func(w World) World {
		w.Still = "d"
		return w
	}
	slow := func(w World) World {
		w.Slow = true
		return w
	}
	moving := func(w World) World {
		w.Moves = true
		return w
	}
	unseen := func(w World, what Unseen) World {
		w.Unseen = what
		return w
	}
	sliced := func(w World) World {
		w.Slices = &interleave.Slices{
			Guard: 10 * time.Millisecond, LeadIn: 200 * time.Millisecond, Slice: 200 * time.Millisecond, Drain: 20 * time.Millisecond, Warmup: 5, Cycles: 20,
		}
		return w
	}
	long := func(w World) World {
		w.Served = queued
		return w
	}
	withheld := func(w World) World {
		w.Withheld = "d"
		return w
	}
	over := func(w World) World {
		w.GoesOver = true
		return w
	}
	equal := normal(times(nil))
	return []World{
		sound("equal noise", spec("8", ""), none, equal),
		sound("one arm costs 20 %", spec("8", ""), onlyD, equal),
		sound("one arm is 5 times as noisy", spec("8", ""), none, normal(times(map[string]float64{"d": 5}))),
		sound("one arm is 10 times as noisy", spec("8", ""), none, normal(times(map[string]float64{"d": 10}))),
		sound("arms of 0.5, 1, 2, 5, 10 times the noise", spec("8", ""), none, normal(times(map[string]float64{"bare": 0.5, "b": 2, "c": 5, "d": 10}))),
		sound("a noisy baseline", spec("8", ""), none, normal(times(map[string]float64{"bare": 5}))),
		sound("heavy tails", spec("8", ""), none, heavy),
		moving(sound("the machine becomes slower", spec("10", ""), none, drifting)),
		with(sound("a server that is not always ready", spec("8", ""), none, equal), dies),
		standing(with(sound("a counter that does not change", spec("8", ""), onlyD, equal), stops)),
		sound("neighbours", beside, neighbourEffect, equal),
		sound("remedies that change nothing", useless, none, equal),
		sound("layers", stacked, layerEffect, equal),
		sound("pilot", spec("{pilot: 6, max: 30}", ", precision: 1%"), none, equal),
		slow(sound("planned looks", spec("{looks: [8, 14, 20]}", ""), none, equal)),
		slow(sound("open", spec("{open: true, max: 20}", ""), none, equal)),
		sliced(sound("slices", spec("8", ""), onlyD, equal)),
		withheld(long(sliced(sound("long transactions", spec("8", ""), onlyD, equal)))),
		over(long(sliced(sound("long transactions, windows at last", spec("8", ""), onlyD, equal)))),
		with(sound("heavy tails and lost rounds", spec("8", ""), none, heavy), losing),
		sound("noise that grows", spec("8", ""), none, growing),
		with(sound("counters that begin again", spec("8", ""), onlyD, equal), restarts),
		with(sound("a clock that is set back", spec("8", ""), none, equal), steps),
		// The limits of what so few rounds can show.
		unseen(sound("rounds that depend on each other, 0.5", spec("8", ""), none, serial(0.5)), Dependence),
		unseen(sound("one start in ten at half speed", spec("8", ""), none, slowStarts("d")), RareStarts),
	}
}
