package compare

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/stats"
)

// Correlation is how a factor goes along with throughput over the arms, at one level
// of the load. With a handful of arms it suggests and proves nothing, and it never
// says that one causes the other: that takes an arm with the factor changed alone.
type Correlation struct {
	Factor string
	// Declared says that the experiment gives the factor's values; else they are what
	// the kernel counted for each transaction, or a property of the network path.
	Declared bool
	Threads  int
	Arms     int
	// Values of the factor by arm.
	Values map[string]float64
	// Rho is the rank correlation over the arms' mean log throughputs, P its exact
	// permutation p, FamilyP the same for all Screened factors at once.
	Rho, P, FamilyP float64
	Screened        int
	// WorstP is the largest p when any one arm is left out.
	WorstP float64
	// Outlier is the arm without which Rho changes most, when that is by 0.2 or more;
	// "" when no arm stands out. The two others are then what is left without it.
	Outlier                 string
	RhoWithout, PWithout    float64
	Slope, SlopeLo, SlopeHi float64 // % of throughput for each unit (Theil-Sen, of all pairs)
}

const (
	correlateLeast = 4 // arms; below, no order can be told from chance
	// correlateRounds are the trials that each arm needs: means of fewer have an order that the next run may not
	// have, and with them a factor that was set by hand looks like a finding.
	correlateRounds = 6
	standsOut       = 0.2
	screenDraws     = 9999
	screenSeed      = 1
)

// correlations are one for each factor that every arm with a throughput has, at each level.
// Arms that may not be compared are left out. Counters are taken for each transaction: one for
// each second follows throughput by construction.
func (j comparison) correlations() []Correlation {
	if j.run.Experiment == nil || j.res.Sealed {
		return nil
	}
	var all []Correlation
	for _, threads := range j.run.Experiment.Load.Threads {
		all = append(all, j.correlate(threads)...)
	}
	return all
}

func (j comparison) correlate(threads int) []Correlation {
	var arms []*Arm
	var y []float64
	for i := range j.res.Arms {
		if a := &j.res.Arms[i]; a.Threads == threads && len(a.numbers()) > 0 && !j.forbidden(a, a) {
			if len(a.numbers()) < correlateRounds {
				return nil
			}
			arms, y = append(arms, a), append(y, stats.Mean(logs(a)))
		}
	}
	if len(arms) < correlateLeast {
		return nil
	}
	factors, declared := j.factors(arms)
	maps.DeleteFunc(factors, func(name string, x []float64) bool {
		return strings.HasSuffix(name, perTransaction) && followsTime(x, y)
	})
	var all []Correlation
	var metrics [][]float64
	for _, name := range slices.Sorted(maps.Keys(factors)) {
		x := factors[name]
		if rho, p := stats.Spearman(x, y); len(x) == len(arms) && !math.IsNaN(rho) {
			c := Correlation{Factor: name, Declared: declared[name], Threads: threads, Arms: len(arms), Rho: rho, P: p}
			c.without(x, y, arms)
			c.Values = map[string]float64{}
			for i, a := range arms {
				c.Values[a.Name] = x[i]
			}
			all, metrics = append(all, c), append(metrics, x)
		}
	}
	screened, err := stats.Screen(metrics, y, screenDraws, screenSeed)
	if err != nil {
		return nil // a value that is not finite
	}
	for i := range all {
		all[i].FamilyP, all[i].Screened = screened[i].P, len(all)
		if len(all) == 1 {
			all[i].FamilyP = all[i].P
		}
	}
	return all
}

// factors are the values of each factor, an entry for each arm in their order; one
// that an arm lacks is shorter.
func (j comparison) factors(arms []*Arm) (values map[string][]float64, declared map[string]bool) {
	values, declared = map[string][]float64{}, map[string]bool{}
	for i, a := range arms {
		spec, _ := j.run.Experiment.Arm(a.Name)
		for name, v := range spec.Factors {
			if declared[name] = true; len(values[name]) == i {
				values[name] = append(values[name], v)
			}
		}
		for _, name := range pathFactors() {
			if v, ok := a.pathMean(name); ok && len(values[name]) == i {
				values[name] = append(values[name], v)
			}
		}
		for _, e := range a.alone() {
			name := e.Key + perTransaction
			if isLevel(e.Key) || !ofServer(e.Key) {
				continue
			}
			if v := e.eachTransaction(); !math.IsNaN(v) && !math.IsInf(v, 0) && len(values[name]) == i {
				values[name] = append(values[name], v)
			}
		}
	}
	return values, declared
}

const perTransaction = " per transaction"

// ofServer is whether a counter is of the server's own pod, and of its work: the levels above the pod count
// its neighbours as well, and the kernel begins a CFS period by the clock.
func ofServer(key string) bool {
	above := slices.ContainsFunc([]string{keys.CgroupKubepodsPrefix, keys.CgroupBurstablePrefix, keys.CgroupBestEffortPrefix}, func(level string) bool { return strings.Contains(key, level) })
	return !above && !Beside(key) && !strings.HasSuffix(key, ".nr_periods")
}

// followsTime is whether a counter's change per second differs much less between arms than throughput does:
// for each transaction it then follows throughput by construction, as one would that counts seconds.
// x is for each transaction, y the log of throughput.
func followsTime(x, y []float64) bool {
	if len(x) != len(y) {
		return false
	}
	var perSecond, tps []float64
	for i := range x {
		tps = append(tps, math.Exp(y[i]))
		perSecond = append(perSecond, x[i]*tps[i])
	}
	return variation(perSecond) < variation(tps)/2
}

// variation is the coefficient of variation.
func variation(x []float64) float64 { return math.Sqrt(stats.Variance(x)) / math.Abs(stats.Mean(x)) }

// isLevel is whether a fact is an amount, not a count. Transactions do not cause its growth in a window:
// divided by their number, the same growth in each arm follows throughput by construction.
func isLevel(key string) bool {
	return slices.ContainsFunc([]string{".memory.usage_in_bytes", ".memory.max_usage_in_bytes", ".memory.current", ".memory.peak"},
		func(file string) bool { return strings.HasSuffix(key, file) })
}

// without leaves out each arm in turn.
func (c *Correlation) without(x, y []float64, arms []*Arm) {
	slope, lo, hi := stats.TheilSen(x, y)
	c.Slope, c.SlopeLo, c.SlopeHi = 100*slope, 100*lo, 100*hi
	c.WorstP = stats.SpearmanWithoutOne(x, y)
	c.RhoWithout, c.PWithout = math.NaN(), math.NaN()
	most := standsOut
	for i, a := range arms {
		rho, p := stats.Spearman(slices.Concat(x[:i], x[i+1:]), slices.Concat(y[:i], y[i+1:]))
		if d := math.Abs(rho - c.Rho); d >= most {
			most, c.Outlier, c.RhoWithout, c.PWithout = d, a.Name, rho, p
		}
	}
}

// pathFactors are the properties of the network path that are factors: what iperf3 shows,
// and what it does not.
func pathFactors() []string {
	all := []string{
		keys.ClientRoundTripNS, keys.ClientLargeRoundTripNS, keys.ClientConnectNS, keys.ClientSessionNS, keys.ClientRequestResponsePerS,
		keys.ClientBytesPerS, keys.ClientUploadBytesPerS, keys.ClientStreamsBytesPerS, keys.ClientStreamsUploadBytesPerS,
	}
	for _, transfer := range []string{"network.stream", "network.streams", "network.upload", "network.uploads", "network.udp", "network.udp_upload"} {
		all = append(all, transfer+".bytes_per_s")
	}
	return append(all, keys.ReplicationMember2RequestResponsePerS, keys.ReplicationMember2StreamsBytesPerS)
}

// pathMean is the mean of a property over the arm's trials, measured after their load.
func (a *Arm) pathMean(key string) (float64, bool) {
	var all []float64
	for _, t := range a.Trials {
		for _, f := range t.Facts {
			if f.Key != key || f.Phase != "end" || f.Unknown != "" {
				continue
			}
			if v, err := strconv.ParseFloat(f.Value, 64); err == nil {
				all = append(all, v)
			}
		}
	}
	return stats.Mean(all), len(all) > 0
}
