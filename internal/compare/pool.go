package compare

// This file is how much of what the transactions read was in the buffer pool, and whether
// the data fit into it.

import (
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Pool is the InnoDB buffer pool of one arm at one level of the load.
type Pool struct {
	Arm     string
	Threads int
	// HitRate is the share of page reads that the pool answered, a ratio, mean over the
	// trials' windows; Interval its 95 % interval, nil below two trials.
	HitRate  float64
	Interval *Interval
	Trials   int
	// Size is innodb_buffer_pool_size, Data the size of the files of the tables with their
	// indexes before the load, in bytes; NaN where they were not read.
	Size, Data float64
}

// Names of what the server counts (MySQL Reference Manual, Server Status Variables), and
// the facts of the sizes.
const (
	poolSize = keys.MySQLVariablePrefix + "innodb_buffer_pool_size"
)

// pools has one entry per arm and level whose server was asked.
func (j comparison) pools() []Pool {
	if j.res.Sealed {
		return nil
	}
	var all []Pool
	for i := range j.res.Arms {
		a := &j.res.Arms[i]
		p := Pool{Arm: a.Name, Threads: a.Threads, HitRate: math.NaN(), Size: a.number(poolSize), Data: a.dataBytes()}
		rates := byRounds{}
		for _, w := range watch(a.firsts()) {
			missed, counted := w.change[keys.MySQLInnoDBBufferPoolReads]
			if asked := w.change[keys.MySQLInnoDBBufferPoolReadRequests]; counted && asked > 0 {
				rates[a.stopping.roundOf(w.trial)] = 1 - missed/asked
			}
		}
		if p.Trials = len(rates); p.Trials == 0 {
			continue
		}
		p.HitRate = meanOfRounds(rates)
		if in := a.stopping.alone(rates); in != nil {
			p.Interval = &Interval{math.Max(0, in.Lo), math.Min(1, in.Hi)}
		}
		all = append(all, p)
	}
	return all
}

// dataBytes is the size of the tables' files. Older records have InnoDB's estimate from a sample
// of pages, which was a third of it: that is not the size.
func (a *Arm) dataBytes() float64 {
	for _, t := range a.numbers() {
		for _, f := range t.Facts {
			if f.Key == keys.DataBytes && f.Unknown == "" && strings.Contains(f.Source, "TABLESPACES") {
				return numberOf(f)
			}
		}
	}
	return math.NaN()
}

// number is a fact of the arm's first trial that has it, as a number; NaN for none.
func (a *Arm) number(key string) float64 {
	for _, t := range a.numbers() {
		if v := factNumber(t, key); !math.IsNaN(v) {
			return v
		}
	}
	return math.NaN()
}

func factNumber(t *record.Trial, key string) float64 {
	for _, f := range t.Facts {
		if f.Key == key {
			if v, err := strconv.ParseFloat(f.Value, 64); err == nil {
				return v
			}
		}
	}
	return math.NaN()
}

// queries is the geometric mean over trials of statements per second, as throughput has; NaN without a count.
func queries(trials []*record.Trial) float64 {
	var all []float64
	for _, t := range trials {
		c := t.Window.Counts
		if n := c.Reads + c.Writes + c.Other; n > 0 && t.Window.Seconds > 0 {
			all = append(all, float64(n)/t.Window.Seconds)
		}
	}
	return geometricMean(all)
}
