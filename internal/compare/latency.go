package compare

import (
	"maps"
	"math"

	"github.com/tarebench/tare/internal/record"
)

// Percentiles are those that a report shows.
var percentiles = [...]struct {
	name  string
	value float64
}{{"50", 50}, {"90", 90}, {"95", 95}, {"99", 99}, {"99.9", 99.9}, {"99.99", 99.99}}

// enoughBeyond is how many values must lie beyond a percentile before it is
// shown: below, it depends on single requests.
const enoughBeyond = 10

// Latency is the distribution of an arm's response times over all its windows,
// in milliseconds. NaN is what the engine did not print.
type Latency struct {
	Mean, Max   float64
	Percentiles map[string]float64
	// Histogram is the union of the trials', nil when one of them has none or
	// another scheme.
	Histogram *record.Histogram
}

// Timed is the latency of one statement of a transaction, or of one kind of
// transaction, over all of an arm's windows.
type Timed struct {
	Name    string
	Latency *Latency
}

// observed is what one trial says of a latency, with the number of values.
type observed struct {
	*record.Latency
	n int64
}

// latency merges the trials of an arm.
func latency(trials []*record.Trial) *Latency {
	var all []observed
	for _, t := range trials {
		if kind(t) == measured && t.Window.Latency != nil {
			all = append(all, observed{t.Window.Latency, t.Window.Counts.Transactions})
		}
	}
	return merged(all)
}

// timed merges the parts of the trials of an arm, in the order of the first.
func timed(trials []*record.Trial, parts func(*record.Window) []record.Timed) []Timed {
	var names []string
	all := map[string][]observed{}
	for _, t := range trials {
		if kind(t) != measured {
			continue
		}
		for _, p := range parts(t.Window) {
			if p.Latency.Histogram == nil {
				continue
			}
			if all[p.Name] == nil {
				names = append(names, p.Name)
			}
			all[p.Name] = append(all[p.Name], observed{&p.Latency, p.Latency.Histogram.Total()})
		}
	}
	var out []Timed
	for _, name := range names {
		out = append(out, Timed{name, merged(all[name])})
	}
	return out
}

// merged puts trials together. Percentiles are those of the merged histogram: an
// average of percentiles is the percentile of nothing. A single trial without a
// histogram keeps what its engine printed.
func merged(all []observed) *Latency {
	if len(all) == 0 {
		return nil
	}
	l := &Latency{Mean: math.NaN(), Max: math.NaN(), Percentiles: map[string]float64{}}
	l.Histogram = mergeHistograms(all)
	var sum, n float64
	means, maxima := true, true // of all trials: no operation takes no time, so 0 is what a program did not print
	for _, o := range all {
		sum += o.Mean * float64(o.n)
		n += float64(o.n)
		l.Max = fmax(l.Max, o.Max)
		means, maxima = means && (o.Mean > 0 || o.n == 0), maxima && o.Max > 0
	}
	if n > 0 && means {
		l.Mean = sum / n
	}
	if !maxima {
		l.Max = math.NaN()
	}
	for _, p := range percentiles {
		l.Percentiles[p.name] = percentile(l.Histogram, all, p.name, p.value)
	}
	if l.Histogram == nil && len(all) == 1 {
		maps.Copy(l.Percentiles, all[0].Percentiles) // another percentile that the engine was told to print
	}
	return l
}

func percentile(h *record.Histogram, all []observed, name string, p float64) float64 {
	if h == nil {
		if v, ok := all[0].Percentiles[name]; ok && len(all) == 1 {
			return v
		}
		return math.NaN()
	}
	// The bucket holds the percentile, so what lies beyond it is counted from p.
	if float64(h.Total())*(100-p)/100 < enoughBeyond {
		return math.NaN()
	}
	value, _ := h.Percentile(p)
	return float64(value) / 1e6
}

func mergeHistograms(all []observed) *record.Histogram {
	sum := &record.Histogram{}
	for i, o := range all {
		h := o.Histogram
		if h == nil {
			return nil
		}
		if i == 0 {
			sum.Scheme = h.Scheme
		}
		if !sum.Merge(h) {
			return nil
		}
	}
	if sum.Total() == 0 {
		return nil
	}
	return sum
}
