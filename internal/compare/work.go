package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// This file says whether two imported arms did the same work. Of a run of its own, tare knows the
// workload; of a log, only what the program counted.

// otherWorkShare is by how much the statements of a transaction may differ, as a share of the larger
// number: the mixes of TPC-C draw their transactions at random, and transactions that were rolled
// back count statements too. sysbench's workloads differ by more: without BEGIN and COMMIT, a
// transaction of oltp_read_write has no other statements at all.
const otherWorkShare = 0.1

// work is how many statements of a class a transaction had: reads, writes and others.
type work struct{ reads, writes, other float64 }

// workOf is that of an arm, over all its trials; false where its statements were not counted.
func workOf(a *Arm) (work, bool) {
	var w work
	var transactions float64
	for _, t := range a.numbers() {
		c := t.Window.Counts
		transactions += float64(c.Transactions)
		w.reads, w.writes, w.other = w.reads+float64(c.Reads), w.writes+float64(c.Writes), w.other+float64(c.Other)
	}
	if transactions == 0 || w.reads+w.writes+w.other == 0 {
		return work{}, false
	}
	return work{w.reads / transactions, w.writes / transactions, w.other / transactions}, true
}

// like reports whether two transactions did the same. Of a tenth of a statement, nothing is said.
func (w work) like(o work) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= max(0.1, otherWorkShare*max(a, b)) }
	return near(w.reads, o.reads) && near(w.writes, o.writes) && near(w.other, o.other)
}

// otherWork forbids comparing logs of different work: the throughput of transactions that are not
// alike says nothing about the servers.
func (j comparison) otherWork(c *Contrast, base, arm *Arm) bool {
	if j.run.Imported == nil {
		return false
	}
	why := cmp.Or(otherTest(base, arm), otherRate(base, arm), unlike(base, arm))
	if why != nil {
		*c = c.say(Invalid, *why)
	}
	return why != nil
}

// otherTest says that the files of two arms name different tests; nil where they name the same, or one of
// them none.
func otherTest(base, arm *Arm) *Reason {
	was, is := factsNamed(base, keys.LoadTest), factsNamed(arm, keys.LoadTest)
	if len(was) == 0 || len(is) == 0 || slices.Contains(was, "") || slices.Contains(is, "") || slices.Equal(was, is) {
		return nil
	}
	r := reason("other-test").name("base", base.Name).name("arm", arm.Name).name("was", was...).name("is", is...)
	return &r
}

// otherRate says that the loads of two arms are not offered alike; nil where they are.
func otherRate(base, arm *Arm) *Reason {
	was, is := factsNamed(base, keys.LoadRate), factsNamed(arm, keys.LoadRate) // "" is a closed loop
	if len(was) == 0 || len(is) == 0 || slices.Equal(was, is) {
		return nil
	}
	r := reason("other-rate").name("base", base.Name).name("arm", arm.Name).part("was", ratesOf(was)...).part("is", ratesOf(is)...)
	return &r
}

// factsNamed are the values that the files of an arm have of a fact, each once; "" of a file without it.
func factsNamed(a *Arm, key string) []string {
	var all []string
	for _, t := range a.numbers() {
		value := ""
		for _, f := range t.Facts {
			if f.Key == key {
				value = f.Value
			}
		}
		if !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	slices.Sort(all)
	return all
}

func ratesOf(rates []string) []Reason {
	var all []Reason
	for _, rate := range rates {
		if rate == "" {
			all = append(all, reason("rate-closed"))
		} else {
			all = append(all, reason("rate-open").name("rate", rate))
		}
	}
	return all
}

// unlike says how the work of two arms differs; nil where it does not, or was not counted.
func unlike(base, arm *Arm) *Reason {
	is, ok := workOf(arm)
	was, known := workOf(base)
	if !ok || !known || is.like(was) {
		return nil
	}
	r := reason("other-work").name("base", base.Name).name("arm", arm.Name).
		num("r", was.reads).num("w", was.writes).num("o", was.other).
		num("reads", is.reads).num("writes", is.writes).num("other", is.other)
	return &r
}

// otherImport is what forbids comparing an arm of two runs of which one was read from logs: what they
// count, or the work of a transaction. nil where nothing does.
func otherImport(before, after *record.Run, base, arm *Arm) *Reason {
	if before.Imported == nil && after.Imported == nil {
		return nil
	}
	if was, is := before.Unit(), after.Unit(); was != is {
		r := reason("runs-not-alike").name("key", "unit").name("before", was).name("after", is)
		return &r
	}
	return cmp.Or(otherTest(base, arm), otherRate(base, arm), unlike(base, arm))
}

// otherThreads is the verdict about an imported arm whose number of connections the baseline has not.
func (j comparison) otherThreads(c Contrast) (Contrast, bool) {
	if j.run.Imported == nil {
		return c, false
	}
	var levels []Reason
	for i := range j.res.Arms {
		if a := &j.res.Arms[i]; a.Baseline && len(a.numbers()) > 0 {
			levels = append(levels, reason("at-threads").count("n", a.Threads))
		}
	}
	if len(levels) == 0 {
		return c, false
	}
	return c.say(Invalid, reason("other-threads").name("base", c.Baseline).name("arm", c.Arm).count("n", c.Threads).part("levels", levels...)), true
}
