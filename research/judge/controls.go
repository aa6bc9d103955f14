package main

// This file judges the controls, whose truth is known beforehand (research/controls.sh).

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/report"
)

// alarm prints the interval of two arms that are equal.
func alarm(out io.Writer, doc *report.Document) (bool, error) {
	c, err := only(doc)
	if err != nil {
		return false, err
	}
	if c.Interval == nil {
		fmt.Fprintln(out, "no interval:", c.Reason)
		return false, nil
	}
	equal := c.Interval[0] <= 0 && c.Interval[1] >= 0
	fmt.Fprintf(out, "%.2f %s %% %s\n", c.EffectPercent, bounds(c.Interval), either(equal, "contains 0", "ALARM"))
	return equal, nil
}

func either(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// dose: the slope of the measured effect on the one that the doses must cause.
func dose(out io.Writer, doc *report.Document) (bool, error) {
	for _, c := range doc.Contrasts {
		fmt.Fprintf(out, "%s: %.2f %s %%\n", c.Arm, c.EffectPercent, bounds(c.Interval))
	}
	all, err := slopes(doc)
	if err != nil {
		return false, err
	}
	s := estimate(all)
	fmt.Fprintf(out, "slope %.4f [%.4f, %.4f], %d rounds; accepted: an interval within 0.97 to 1.03\n", s.mean, s.lo, s.hi, len(all))
	return s.lo >= 0.97 && s.hi <= 1.03, nil
}

// slopes are those through the origin, one a round, of the measured log-ratios on ln(R/(R+dose)), R being the time of a
// transaction of the baseline in the same round, in seconds. An arm dose-N waits N microseconds more.
func slopes(doc *report.Document) ([]float64, error) {
	xy, xx := map[int]float64{}, map[int]float64{}
	var rounds []int
	for _, c := range doc.Contrasts {
		us, err := strconv.ParseFloat(strings.TrimPrefix(c.Arm, "dose-"), 64)
		if err != nil {
			return nil, fmt.Errorf("read dose of arm %s: %w", c.Arm, err)
		}
		for _, p := range c.Pairs {
			if !slices.Contains(rounds, p.Round) {
				rounds = append(rounds, p.Round)
			}
			r := 1 / float64(p.Baseline)
			x := math.Log(r / (r + us/1e6))
			xy[p.Round] += x * math.Log(float64(p.Arm/p.Baseline))
			xx[p.Round] += x * x
		}
	}
	slices.Sort(rounds)
	var all []float64
	for _, round := range rounds {
		all = append(all, xy[round]/xx[round])
	}
	return all, nil
}

// factors: the loss belongs to the quota, and the layer that cannot matter covers 0.
func factors(out io.Writer, doc *report.Document) (bool, error) {
	if len(doc.Attributions) != 1 {
		return false, fmt.Errorf("%d attributions, not one", len(doc.Attributions))
	}
	by := map[string]report.LayerPart{}
	for _, l := range doc.Attributions[0].Layers {
		fmt.Fprintf(out, "%s: %.2f [%.2f, %.2f] points\n", l.Layer, l.Points, l.Interval[0], l.Interval[1])
		by[l.Layer] = l
	}
	dummy, quota := by["dummy"], by["quota"]
	base, err := baseline(doc)
	if err != nil {
		return false, err
	}
	used, err := cpus(doc, base)
	if err != nil {
		return false, err
	}
	covers := dummy.Interval[0] <= 0 && dummy.Interval[1] >= 0
	owns := quota.Interval[1] < 0 && math.Abs(float64(quota.Points)) > math.Abs(float64(dummy.Points))
	// A single connection's server that may use a quarter of a CPU does the share that this is of what it used
	// without: known from the arm without layers alone.
	known := report.Number(100 * (0.25/used - 1))
	inside := quota.Interval[0] <= known && known <= quota.Interval[1]
	fmt.Fprintf(out, "the dummy %s 0; the loss is %sattributed to the quota\n", either(covers, "covers", "does NOT cover"), either(owns, "", "NOT "))
	fmt.Fprintf(out, "arithmetic gives the quota %.2f points: %s its interval\n", known, either(inside, "inside", "OUTSIDE"))
	return covers && owns && inside, nil
}

// cpus is how many CPUs the server of an arm used: its time on a CPU in a transaction, by the rate.
func cpus(doc *report.Document, a *report.Arm) (float64, error) {
	for _, e := range doc.Explained {
		if e.Arm != a.Name {
			continue
		}
		for _, b := range e.Budget {
			if b.Name == "on a CPU" {
				return float64(b.Milliseconds) / 1000 * float64(a.ThroughputMean), nil
			}
		}
	}
	return 0, fmt.Errorf("the CPU time of %s's server is not known", a.Name)
}

// knownCPUs is 95 % of what the known arm's server used while it ran, in thousandths of a CPU.
func knownCPUs(out io.Writer, doc *report.Document) (bool, error) {
	base, err := baseline(doc)
	if err != nil {
		return false, err
	}
	used, err := cpus(doc, base)
	fmt.Fprintf(out, "%.0f\n", 950*used)
	return true, err
}

// knownWait is how many microseconds make a transaction of the known arm 5 % longer.
func knownWait(out io.Writer, doc *report.Document) (bool, error) {
	base, err := baseline(doc)
	if err == nil {
		fmt.Fprintf(out, "%.0f\n", 5e4/float64(base.ThroughputMean))
	}
	return true, err
}

// nameCause is what was done to the subject: a cost or none first; the kernel's count only tells causes apart.
func nameCause(out io.Writer, doc *report.Document) (bool, error) {
	c, err := only(doc)
	if err != nil {
		return false, err
	}
	throttled := 0.0
	for _, a := range doc.Arms {
		if a.Name == c.Arm && a.Throttled != nil {
			throttled = float64(a.Throttled.Share)
		}
	}
	named := "nothing"
	if c.Interval != nil && c.Interval[1] < 0 {
		named = either(throttled > 0.05, "quota", "delay")
	}
	fmt.Fprintf(out, "%.2f %s %% %s\n", c.EffectPercent, bounds(c.Interval), named)
	return true, nil
}
