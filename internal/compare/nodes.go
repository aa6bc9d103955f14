package compare

// This file finds arms whose servers were on different nodes of a cluster: what the nodes differ in, their
// neighbours first of all, is then part of the change.

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// onNode is the node that a server was on, and the boot id of its kernel; "" for what is unknown.
type onNode struct{ name, boot string }

// apart says that two servers were on two machines, as far as is known. Nodes with one kernel are on one machine, as
// those of a cluster whose nodes are containers.
func (n onNode) apart(from onNode) bool {
	return n.name != "" && from.name != "" && n.name != from.name && (n.boot == "" || n.boot != from.boot)
}

// nodeAt is where the server of a trial was at its start.
func nodeAt(t *record.Trial) (at onNode) {
	for _, f := range t.Facts {
		switch {
		case f.Unknown != "" || f.Phase == "end":
		case f.Key == keys.PodNode:
			at.name = f.Value
		case f.Key == keys.NodeBootID:
			at.boot = f.Value
		}
	}
	return at
}

// nodesApart are the rounds in which the servers of two arms were on different nodes.
func nodesApart(base, arm *Arm) roundsApart { return apartIn(base, arm, nodeAt) }

// roundsApart counts the rounds in which something of two arms was on different nodes, and those of which the nodes of
// both are known. The names are the nodes of the arm and of the baseline in the former, and the pairs say how often each
// met each: over several rounds the names of both can be the same.
type roundsApart struct {
	apart, known int
	names, bases []string
	pairs        map[string]int // "arm's/baseline's": rounds
}

// apartIn finds the rounds in which what at reads of a trial was on different nodes.
func apartIn(base, arm *Arm, at func(*record.Trial) onNode) (r roundsApart) {
	was, pairs := map[int]onNode{}, map[string]int{}
	for _, t := range base.firsts() {
		was[t.Header.Round] = at(t)
	}
	for _, t := range arm.firsts() {
		one, other := at(t), was[t.Header.Round]
		if one.name == "" || other.name == "" {
			continue
		}
		r.known++
		if one.apart(other) {
			r.apart++
			r.names, r.bases = append(r.names, one.name), append(r.bases, other.name)
			pairs[one.name+"/"+other.name]++
		}
	}
	slices.Sort(r.names)
	slices.Sort(r.bases)
	r.names, r.bases, r.pairs = slices.Compact(r.names), slices.Compact(r.bases), pairs
	return r
}

// often are the pairs of nodes with the number of rounds of each, as "n1/n2 ×3".
func (r roundsApart) often() (all []string) {
	for _, pair := range slices.Sorted(maps.Keys(r.pairs)) {
		all = append(all, fmt.Sprintf("%s ×%d", pair, r.pairs[pair]))
	}
	return all
}

// otherNodes refuses a comparison of servers that were on different nodes in every round, where the experiment names
// a node for only one of them or for none: the change would hold for the arms and for the nodes, in unknown parts.
func (j comparison) otherNodes(c *Contrast, base, arm *Arm) bool {
	if base == nil || arm == nil || j.run == nil || j.run.Imported != nil || !j.placedByScheduler(base.Name, arm.Name) {
		return false
	}
	on := nodesApart(base, arm)
	if on.known == 0 || on.apart < on.known {
		return false
	}
	*c = c.say(Invalid, reason("nodes-apart").name("base", base.Name).name("bases", on.bases...).name("arm", arm.Name).name("nodes", on.names...), reason("name-nodes"))
	c.Pairs = nil
	return true
}

// placedByScheduler says that tare makes the servers of both arms as pods, and that one of them has no node of its own.
// What an operator or a user's manifests make is placed by them, and has no such setting.
func (j comparison) placedByScheduler(base, other string) bool {
	if j.run.Experiment == nil {
		return false
	}
	free := false
	for _, name := range []string{base, other} {
		arm, known := j.run.Experiment.Arm(name)
		if !known || arm.Target != "kubernetes" || arm.Has("operator") || arm.Has("manifests") {
			return false
		}
		free = free || !arm.NamesNode()
	}
	return free
}

// nodeWarnings name the arms whose servers were not on the baseline's node in some rounds. Where that forbids the
// comparison, its reason says so.
func nodeWarnings(res *Result) []Reason {
	return apartWarnings(res, reason("on-other-nodes"), func(base, arm *Arm) roundsApart {
		if refusedForNodes(res, arm.Name) {
			return roundsApart{}
		}
		return nodesApart(base, arm)
	})
}

// apartWarnings name the arms that were apart from the baseline in some rounds, each once, whatever the levels of the load.
func apartWarnings(res *Result, what Reason, find func(base, arm *Arm) roundsApart) (all []Reason) {
	told := map[string]bool{}
	for i := range res.Arms {
		arm := &res.Arms[i]
		base := (comparison{res: res}).base(arm.Threads)
		if base == nil || arm.Baseline || told[arm.Name] {
			continue
		}
		if on := find(base, arm); on.apart > 0 {
			told[arm.Name] = true
			all = append(all, what.count("n", on.apart).count("of", on.known).
				name("base", base.Name).name("bases", on.bases...).name("arm", arm.Name).name("nodes", on.names...).name("pairs", on.often()...))
		}
	}
	return all
}

func refusedForNodes(res *Result, arm string) bool {
	return slices.ContainsFunc(res.Contrasts, func(c Contrast) bool {
		return c.Arm == arm && slices.ContainsFunc(c.Reasons, func(r Reason) bool { return r.Code == "nodes-apart" })
	})
}

// onTwoNodes says that an arm and the baseline are on nodes of Kubernetes, both.
func (a *auditor) onTwoNodes(arm string) bool {
	return len(a.values[keys.PodNode][arm]) > 0 && len(a.values[keys.PodNode][a.base]) > 0
}

// explainNodes says whether the experiment names the nodes of an arm and of the baseline.
func (a *auditor) explainNodes(arm string) (Reason, bool) {
	if a.run.Experiment != nil {
		base, _ := a.run.Experiment.Arm(a.base)
		other, _ := a.run.Experiment.Arm(arm)
		if base.NamesNode() && other.NamesNode() {
			return reason("nodes-named"), true
		}
	}
	return reason("not-declared"), false
}
