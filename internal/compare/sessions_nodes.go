package compare

// This file finds arms whose servers were on other nodes of a cluster in one run than in the other.

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// nodesOf are the nodes of an arm's servers, each once.
func nodesOf(arm *Arm) (all []onNode) {
	for _, t := range arm.Trials {
		if at := nodeAt(t); at.name != "" && !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b onNode) int { return strings.Compare(a.name, b.name) })
	return all
}

func nodeNames(all []onNode) (names []string) {
	for _, n := range all {
		names = append(names, n.name)
	}
	return slices.Compact(names)
}

// nodesBetween says on which nodes the servers of an arm were in two runs; moved is false where they are the same, or not known.
func nodesBetween(base, arm *Arm) (before, after []onNode, moved bool) {
	before, after = nodesOf(base), nodesOf(arm)
	return before, after, len(before) > 0 && len(after) > 0 && !slices.Equal(nodeNames(before), nodeNames(after))
}

// onNodesOfRuns is what forbids comparing an arm whose servers were on other machines in each of the runs by the scheduler's
// choice. Where both experiments name nodes, that is what was to be compared.
func onNodesOfRuns(runs [2]*record.Run, base, arm *Arm) *Reason {
	before, after, moved := nodesBetween(base, arm)
	if !moved || slices.ContainsFunc(before, func(a onNode) bool {
		return slices.ContainsFunc(after, func(b onNode) bool { return !a.apart(b) })
	}) {
		return nil
	}
	for _, run := range runs {
		if (comparison{run: run}).placedByScheduler(arm.Name, arm.Name) {
			r := reason("nodes-of-runs").name("before", nodeNames(before)...).name("after", nodeNames(after)...)
			return &r
		}
	}
	return nil
}

// schedulersNode says beforehand that a later run can be on another machine: the node was chosen for this run, and two runs
// on two machines are not compared.
func schedulersNode(run *record.Run, res *Result) []Reason {
	var nodes []onNode
	for i := range res.Arms {
		arm := &res.Arms[i]
		if run.Imported != nil || !(comparison{run: run}).placedByScheduler(arm.Name, arm.Name) {
			continue
		}
		for _, at := range nodesOf(arm) {
			if !slices.Contains(nodes, at) {
				nodes = append(nodes, at)
			}
		}
	}
	if len(nodes) != 1 {
		return nil
	}
	return []Reason{reason("schedulers-node").name("node", nodes[0].name)}
}

// movedNodes are the changes of nodes, of each arm once, and a sentence for those that are compared all the same.
func (s *Sessions) movedNodes(shared [][2]*Arm) {
	told := map[string]bool{}
	for i, pair := range shared {
		before, after, moved := nodesBetween(pair[0], pair[1])
		if !moved || told[pair[1].Name] {
			continue
		}
		told[pair[1].Name] = true
		was, is := nodeNames(before), nodeNames(after)
		s.Changed = append(s.Changed, Change{keys.PodNode + " (" + pair[1].Name + ")", strings.Join(was, ", "), strings.Join(is, ", ")})
		if s.Contrasts[i].Verdict != Invalid && s.Contrasts[i].Verdict != Sealed {
			s.Warnings = append(s.Warnings, reason("moved-between-runs").name("arm", pair[1].Name).name("before", was...).name("after", is...))
		}
	}
}
