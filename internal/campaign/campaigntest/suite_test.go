//go:build !race

package campaigntest

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// The suite of C20: whole records of worlds whose truth is known, through all of `tare report`.
// A new interval of a report is a few lines of quantities, a new situation one of Worlds.

// tally counts over the runs of a world.
type tally struct {
	test         string // its name in the log
	runs, wrong  int
	of, missed   map[string]int // intervals, by name
	shown, erred map[string]int // runs in which a family has an interval, and in which one of them misses
	said         []string       // wrong sentences
	limits       *report.Limits // of a world of which so few rounds cannot show all
	told, noted  int            // contrasts, and those with a word
}

func newTally(test string) tally {
	return tally{test: test, of: map[string]int{}, missed: map[string]int{}, shown: map[string]int{}, erred: map[string]int{}}
}

// sizeOf is the number of runs of a simulation: the second where TARE_CALIBRATE asks for the full size.
func sizeOf(quick, full int) int {
	if os.Getenv("TARE_CALIBRATE") == "full" {
		return full
	}
	return quick
}

func (c *tally) add(quantities []quantity, wrong []string) {
	c.runs++
	if len(wrong) > 0 {
		c.wrong++
		c.said = append(c.said, wrong...)
	}
	shown, erred := map[string]int{}, map[string]int{}
	for _, q := range quantities {
		if q.in == nil {
			continue
		}
		c.of[q.name]++
		if q.family != "" {
			shown[q.family] = 1
		}
		if q.name == "change of throughput" {
			c.noted++
			if q.told {
				c.told++
			}
		}
		if q.misses() && !q.told {
			c.missed[q.name]++
			erred[q.family] = 1
		}
	}
	for family, n := range shown {
		c.shown[family] += n
		c.erred[family] += erred[family]
	}
}

// most is the largest number of n that may err at a rate, by chance at 99.9 %. The intervals of a
// run share its baseline, so that many of them may err together: the variance is doubled.
func most(n int, rate float64) int {
	return int(math.Floor(float64(n)*rate + 3.09*math.Sqrt(2*float64(n)*rate*(1-rate)) + 1))
}

// judge fails t where a family, or the words, err more often than the world allows.
func (c *tally) judge(t *testing.T, w World) {
	t.Helper()
	allowed := c.allowed(w)
	for _, family := range slices.Sorted(maps.Keys(c.shown)) {
		rate := allowed.of(family)
		n, erred := c.shown[family], c.erred[family]
		t.Logf("%s %s: %s: any interval misses in %.1f %% of %d runs", c.test, w.Name, family, 100*float64(erred)/float64(n), n)
		if erred > most(n, rate) {
			t.Errorf("%s: an interval of %s misses in %d of %d runs, more than %.0f %%", w.Name, family, erred, n, 100*rate)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.of)) {
		n, missed := c.of[name], c.missed[name]
		t.Logf("%s %s: %s: %.1f %% of %d intervals miss", c.test, w.Name, name, 100*float64(missed)/float64(n), n)
		rate := allowed.of(name)
		if missed > most(n, rate) { // those of a run are not independent: see most
			t.Errorf("%s: %d of %d intervals of %s miss, more than %.0f %%", w.Name, missed, n, name, 100*rate)
		}
	}
	t.Logf("%s %s: a sentence is wrong in %.1f %% of %d runs", c.test, w.Name, 100*float64(c.wrong)/float64(c.runs), c.runs)
	if c.wrong > most(c.runs, allowed.each) {
		t.Errorf("%s: a sentence is wrong in %d of %d runs, such as %q", w.Name, c.wrong, c.runs, c.said[0])
	}
	c.judgeLimits(t, w)
}

// ninety marks the 90 % intervals.
const ninety = ", 90 %"

// rates are how often an interval may miss without a word, or any of a family.
type rates struct {
	each, ninety float64
	// one are those of intervals by their name, and of families, that differ.
	one map[string]float64
}

func (r rates) of(name string) float64 {
	if rate, known := r.one[name]; known {
		return rate
	}
	if strings.HasSuffix(name, ninety) {
		return r.ninety
	}
	return r.each
}

// allowed are the rates of a world: 6 and 11 %, and what its unseen part adds.
func (c *tally) allowed(w World) rates {
	const five, ten = 0.06, 0.11
	switch w.Unseen {
	case Dependence: // as in C22, the dependence is not noticed in three of four contrasts
		return rates{each: 0.35, ninety: 0.45, one: map[string]float64{
			"latency": five, "latency" + ninety: ten, "change of throughput": 0.12, "change of throughput" + ninety: 0.17, "A/A": 0.23,
			"runs": 0.42, "runs" + ninety: 0.52, "change between two runs": 0.13, "change between two runs" + ninety: 0.18,
			"p95": 0.10, "p99": 0.10, "price of a million": 0.28, "change of the price": 0.15,
		}}
	case RareStarts: // the runs without such a start, and the others as usual
		absent := float64(c.limits.RareAbsent)
		ofOne := rates{each: absent + (1-absent)*five, ninety: absent + (1-absent)*ten}
		ofOne.one = map[string]float64{"A/A": five, "runs": 0.08, "runs" + ninety: 0.13}
		for name := range c.of { // one of four contrasts, or of five arms
			if _, known := ofOne.one[name]; !known {
				ofOne.one[name] = absent/4 + five
			}
		}
		return ofOne
	}
	return rates{each: five, ninety: ten}
}

// judgeLimits fails t where what a report says of the limits of its rounds is not what happens.
func (c *tally) judgeLimits(t *testing.T, w World) {
	t.Helper()
	if w.Unseen != Dependence {
		return
	}
	noticed, n := float64(c.told)/float64(c.noted), float64(c.noted)
	said := float64(c.limits.CorrelationNoticed)
	t.Logf("C20 %s: the dependence is noticed in %.1f %% of %d contrasts, and the report says %.0f %%", w.Name, 100*noticed, c.noted, 100*said)
	if chance := 3.3*math.Sqrt(2*said*(1-said)/n) + 0.02; math.Abs(noticed-said) > chance {
		t.Errorf("%s: the dependence is noticed in %.1f %%, and the report says %.1f %%", w.Name, 100*noticed, 100*said)
	}
}

// reported is what `tare report` makes of the directory of a run.
func reported(t *testing.T, run *record.Run) *report.Document {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := Write(dir, run); err != nil {
		t.Fatal(err)
	}
	read, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := report.Build(read, "test")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestC20Records: in every world, every interval of a report holds its truth in at least 94 % of
// the runs, those of a family all at once, and no more sentences are wrong than that. The first
// run of each world is written and read as a directory, which must not change the document.
func TestC20Records(t *testing.T) {
	t.Parallel()
	for n, w := range Worlds() {
		runs := 8
		if os.Getenv("TARE_CALIBRATE") == "full" {
			runs = 400
		}
		if w.Slow {
			runs /= 4
		}
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			count := newTally("C20")
			var before *record.Run
			for i := range runs {
				run, err := w.Draw(uint64(1000*n + i))
				if err != nil {
					t.Fatal(err)
				}
				doc, err := report.Build(run, "test")
				if err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					if d := cmp.Diff(figures(t, doc), figures(t, reported(t, run))); d != "" {
						t.Errorf("the directory of the run has another report:\n%s", d)
					}
				}
				truth := truthsOf(w, run)
				quantities := truth.quantities(doc)
				if i%2 == 1 && !w.Moves && !w.Slow {
					both, err := report.BuildSessions(before, run, report.SessionsAsked{}, "test")
					if err != nil {
						t.Fatal(err)
					}
					quantities = append(quantities, between(both)...)
				}
				before = run
				if count.limits = doc.Limits; w.Unseen != "" && !strings.Contains(strings.Join(doc.Details(), " "), "correlation of 0.5") {
					t.Fatalf("the report does not say what so few rounds cannot show: %s", doc.Details())
				}
				count.add(quantities, truth.wrongWords(doc))
			}
			count.judge(t, w)
		})
	}
}

// figures are the parts of a document that the suite judges, as `tare report --format json` has them.
func figures(t *testing.T, doc *report.Document) string {
	t.Helper()
	text, err := json.MarshalIndent([]any{doc.Headline, doc.Contrasts, doc.Neighbours, doc.NoiseFloors, doc.Attributions, doc.Explained, doc.Warnings}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
