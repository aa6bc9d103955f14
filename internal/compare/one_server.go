package compare

// This file takes the arms of two runs that are one running server for one arm.

import (
	"maps"
	"slices"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// poolServers makes one arm of those arms that are one running server in both runs: every round measured it several
// times, and a change of the server is one change. Only a server that somebody else runs is one: of what tare starts,
// every arm has a server of its own. Each element of shared is an arm of the earlier and of the later run.
func poolServers(before, after *record.Run, shared [][2]*Arm) (pooled [][2]*Arm, said []Reason) {
	for _, pair := range shared {
		same := slices.IndexFunc(pooled, func(p [2]*Arm) bool {
			return pair[0].Threads == p[0].Threads && oneServer(before, p[0], pair[0]) && oneServer(after, p[1], pair[1])
		})
		if same < 0 {
			pooled = append(pooled, pair)
			continue
		}
		said = append(said, reason("one-server-pooled").name("arm", pooled[same][0].Name).name("other", pair[0].Name))
		for i := range pair {
			pooled[same][i] = pooled[same][i].with(pair[i])
		}
	}
	return pooled, said
}

// oneServer says that two arms are declared as one server that somebody else runs. Trials without probes do not have
// the throughput of those with them, so arms with such trials stay apart.
func oneServer(r *record.Run, one, other *Arm) bool {
	if r.Experiment == nil || one.unwatched || other.unwatched || one.Target != "external" {
		return false
	}
	return alike(bodies(r), one.Name, other.Name)
}

// with is an arm with the trials of another: in each round, repeats of its own.
func (a *Arm) with(other *Arm) *Arm {
	both := *a
	both.Trials = append(slices.Clone(a.Trials), other.Trials...)
	both.again = maps.Clone(a.again)
	for _, t := range other.Trials {
		both.again[t.Header.Trial] = true
	}
	if both.misfit == nil {
		both.misfit = other.misfit
	}
	both.Tails = a.withTails(other)
	var throughputs []float64
	for _, t := range both.numbers() {
		throughputs = append(throughputs, t.Throughput())
	}
	both.Mean = stats.Mean(throughputs)
	return &both
}
