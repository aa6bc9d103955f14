//go:build !race

package campaigntest

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// The suite of C20: whole records of worlds whose truth is known, through all of `tare report`.
// A new interval of a report is a few lines of quantities, a new situation one of Worlds.

// quantity is an interval that a report prints, with what it should hold.
type quantity struct {
	family string // whose intervals hold at once; "" for one that holds alone
	name   string
	in     *[2]report.Number // nil where none is printed
	truth  float64
}

func (q quantity) misses() bool {
	const rounding = 1e-9
	return q.truth < float64(q.in[0])-rounding || q.truth > float64(q.in[1])+rounding
}

func percent(log float64) float64 { return 100 * math.Expm1(log) }

// truths are the true values of a world, by arm.
type truths struct {
	World
	arms map[string]experiment.Arm
	base experiment.Arm
}

func truthsOf(w World, run *record.Run) truths {
	t := truths{w, map[string]experiment.Arm{}, experiment.Arm{}}
	for _, a := range run.Experiment.Arms {
		t.arms[a.Name] = a
	}
	t.base = t.arms[run.Experiment.Baseline]
	return t
}

func (t truths) effect(from, to string) float64 { return t.Effect(t.arms[to]) - t.Effect(t.arms[from]) }

// quantities are all intervals of a document with their truths.
func (t truths) quantities(doc *report.Document) (all []quantity) {
	add := func(family, name string, in *[2]report.Number, truth float64) {
		all = append(all, quantity{family, name, in, truth})
	}
	for _, c := range doc.Contrasts {
		if c.Arm == t.Withheld {
			continue // wrongWords
		}
		truth := percent(t.effect(c.Baseline, c.Arm))
		add(c.Family, "change of throughput", c.Interval, truth)
		add(c.Family+ninety, "change of throughput"+ninety, c.Interval90, truth)
	}
	for _, f := range doc.NoiseFloors {
		add("", "A/A", f.Interval, 0)
	}
	for _, n := range doc.Neighbours {
		for _, c := range []struct {
			of   *report.Change95
			from string
		}{{n.Taken, n.Alone}, {n.Apart, n.Peer}} {
			if c.of != nil {
				add(c.of.Family, "change by a neighbour", &c.of.Interval, percent(t.effect(c.from, n.Arm)))
			}
		}
	}
	for _, a := range doc.Arms {
		if a.Name == t.Withheld {
			continue
		}
		tail := t.Tail(t.arms[a.Name])
		for _, p := range a.Tails {
			at := math.Log(p95MS)
			if p.Percentile == "99" {
				at += 4 * eachPercent
			}
			if !t.Moves {
				add("", "p"+p.Percentile, p.Interval, math.Exp(at+tail))
			}
			if p.CostInterval != nil {
				cost := percent(tail - t.Tail(t.base))
				add(p.Family, "cost of p"+p.Percentile, p.CostInterval, cost)
				add(p.Family+ninety, "cost of p"+p.Percentile+ninety, p.CostInterval90, cost)
			}
		}
	}
	for _, p := range doc.Prices {
		if p.Arm == t.Withheld {
			continue
		}
		million := math.Log(p.Hour/(tps*3600)*1e6) - t.Effect(t.arms[p.Arm])
		if !t.Moves {
			add("", "price of a million", p.Interval, math.Exp(million))
		}
		if p.ChangeInterval != nil {
			add("throughput", "change of the price", p.ChangeInterval, 100*(p.Hour*math.Exp(-t.effect(t.base.Name, p.Arm))-1))
		}
	}
	for _, s := range doc.Probes.Series {
		if t.Still != "" && s.Arm == t.Still && s.Metric == still {
			add("", "rate of a counter that does not change", &[2]report.Number{s.Window, s.Window}, 0)
		}
	}
	t.budgets(doc, add)
	t.attributions(doc, add)
	return all
}

func (t truths) budgets(doc *report.Document, add func(family, name string, in *[2]report.Number, truth float64)) {
	for _, e := range doc.Explained {
		if e.Arm == t.Withheld {
			continue
		}
		longer := meanMS * (math.Exp(-t.Effect(t.arms[e.Arm])) - math.Exp(-t.Effect(t.base)))
		for _, s := range e.Budget {
			share, known := map[string]float64{
				"a transaction": 1, "on a CPU": onCPU, "waiting for a CPU": waiting, "rest in the server, network and client": 1 - onCPU - waiting,
			}[s.Name]
			if known && s.Interval != nil {
				add("", "change of the time of "+s.Name, s.Interval, share*longer)
			}
		}
	}
}

func (t truths) attributions(doc *report.Document, add func(family, name string, in *[2]report.Number, truth float64)) {
	for _, a := range doc.Attributions {
		if a.Total == nil {
			continue
		}
		total := t.effect(a.From, a.To)
		add("", "total of the layers", &a.Total.Interval, percent(total))
		for _, l := range a.Layers {
			effect := LayerEffects[l.Layer]
			add("", "points of a layer", &l.Interval, percent(total)/total*effect)
			add("", "share of a layer", l.ShareInterval, effect/total)
			if l.GivesBack != nil {
				add("", "return of a layer", &l.GivesBack.Interval, percent(total-effect)-percent(total))
			}
		}
	}
}

// between are the intervals of a comparison of two runs on the same machine.
func between(s *report.Sessions) (all []quantity) {
	for _, c := range s.Contrasts {
		all = append(all, quantity{c.Family, "change between two runs", c.Interval, 0}, quantity{c.Family + ninety, "change between two runs" + ninety, c.Interval90, 0})
	}
	return all
}

var (
	slower = regexp.MustCompile(`(?:^|[.:;] )(\S+) is (?:[^.]|\.\d)*?slower than (\S+?)[ ,.]`)
	faster = regexp.MustCompile(`(?:^|[.:;] )(\S+) is (?:[^.]|\.\d)*?faster than (\S+?)[ ,.]`)
	alike  = regexp.MustCompile(`(\S+) (?:by itself )?and (\S+) are equivalent`)
	costs  = regexp.MustCompile(`(\S+) (?:by itself )?costs [^:]*? compared with (\S+?)[.]`)
	tail   = regexp.MustCompile(`^(\S+) .* Its p\d+ latency is \S+ % (longer|shorter)`)
)

// wrongWords are the claims of a report's sentences that the truth contradicts.
func (t truths) wrongWords(doc *report.Document) (wrong []string) {
	for _, s := range append(doc.Leads(), doc.Headline...) {
		for _, claim := range []struct {
			pattern *regexp.Regexp
			false   func(effect float64) bool
		}{
			{slower, func(effect float64) bool { return effect >= 0 }},
			{costs, func(effect float64) bool { return effect >= 0 }},
			{faster, func(effect float64) bool { return effect <= 0 }},
			{alike, func(effect float64) bool { return math.Abs(percent(effect)) >= float64(doc.Run.MarginPercent) }},
		} {
			for _, m := range claim.pattern.FindAllStringSubmatch(s, -1) {
				if _, known := t.arms[m[1]]; known && claim.false(t.effect(m[2], m[1])) {
					wrong = append(wrong, s)
				}
			}
		}
		if m := tail.FindStringSubmatch(s); m != nil {
			cost := t.Tail(t.arms[m[1]]) - t.Tail(t.base)
			if m[2] == "longer" && cost <= 0 || m[2] == "shorter" && cost >= 0 {
				wrong = append(wrong, s)
			}
		}
	}
	for _, c := range doc.Contrasts {
		if c.Arm == t.Withheld && c.Interval != nil {
			wrong = append(wrong, c.Sentence)
		}
	}
	for _, m := range doc.Remedies {
		if m.Decision == "kept" && t.effect(t.base.Name, m.Arm) <= 0 {
			wrong = append(wrong, m.Sentence)
		}
	}
	for _, e := range doc.Explained {
		for _, f := range e.Findings {
			if (f.State == "explains" || f.State == "proved") && t.effect(t.base.Name, e.Arm) >= 0 {
				wrong = append(wrong, e.Arm+": "+f.Title+" "+f.State)
			}
		}
	}
	return wrong
}

// tally counts over the runs of a world.
type tally struct {
	runs, wrong  int
	of, missed   map[string]int // intervals, by name
	shown, erred map[string]int // runs in which a family has an interval, and in which one of them misses
	said         []string       // wrong sentences
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
		if q.misses() {
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
	limit := w.Most
	if limit == 0 {
		limit = 0.06
	}
	for _, family := range slices.Sorted(keys(c.shown)) {
		rate := rateOf(family, limit)
		n, erred := c.shown[family], c.erred[family]
		t.Logf("C20 %s: %s: any interval misses in %.1f %% of %d runs", w.Name, family, 100*float64(erred)/float64(n), n)
		if erred > most(n, rate) {
			t.Errorf("%s: an interval of %s misses in %d of %d runs, more than %.0f %%", w.Name, family, erred, n, 100*rate)
		}
	}
	for _, name := range slices.Sorted(keys(c.of)) {
		n, missed := c.of[name], c.missed[name]
		t.Logf("C20 %s: %s: %.1f %% of %d intervals miss", w.Name, name, 100*float64(missed)/float64(n), n)
		rate := rateOf(name, limit)
		if missed > most(n, rate) { // those of a run are not independent: see most
			t.Errorf("%s: %d of %d intervals of %s miss, more than %.0f %%", w.Name, missed, n, name, 100*rate)
		}
	}
	t.Logf("C20 %s: a sentence is wrong in %.1f %% of %d runs", w.Name, 100*float64(c.wrong)/float64(c.runs), c.runs)
	if c.wrong > most(c.runs, limit) {
		t.Errorf("%s: a sentence is wrong in %d of %d runs, such as %q", w.Name, c.wrong, c.runs, c.said[0])
	}
}

// ninety marks the 90 % intervals.
const ninety = ", 90 %"

// rateOf is how often an interval may miss, or any of a family.
func rateOf(name string, limit float64) float64 {
	if strings.HasSuffix(name, ninety) {
		return math.Max(limit, 0.11)
	}
	return limit
}

func keys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
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
			runs = 300
		}
		if w.Slow {
			runs /= 4
		}
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			count := tally{of: map[string]int{}, missed: map[string]int{}, shown: map[string]int{}, erred: map[string]int{}}
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
					both, err := report.BuildSessions(before, run, nil, false, "test")
					if err != nil {
						t.Fatal(err)
					}
					quantities = append(quantities, between(both)...)
				}
				before = run
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
