package main

// This file says whether the databases of a run by slices can be up at once in their clusters.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// sole names two databases of which only one can be up at a time.
func sole(job *runner.Job) *experiment.Reason {
	first := map[string]string{}
	for _, arm := range job.Experiment.Arms {
		place, ok := job.Targets[arm.Name]
		if !ok {
			continue
		}
		code := place.Capabilities().Sole
		if code == "" {
			continue
		}
		for range databasesOfArm(job.Experiment, arm) {
			switch other, before := first[code]; {
			case before && other == arm.Name:
				return because(code+"-twice", "arm", arm.Name)
			case before:
				return because(code, "arm", other, "other", arm.Name)
			}
			first[code] = arm.Name
		}
	}
	return nil
}

// placing is a pod that needs a place on one of its nodes: a server with its neighbour, or a pod that loads one.
type placing struct {
	arm, cluster string
	needs        target.Free
	nodes        map[string]target.Free
	load         bool
}

// placings are the pods of a round: first the servers, the larger ones first, then their load pods.
func placings(job *runner.Job) (all []placing, servers int) {
	var loads []placing
	for _, arm := range job.Experiment.Arms {
		place, ok := job.Targets[arm.Name]
		if !ok || place.Capabilities().Room == nil {
			continue
		}
		room := place.Capabilities().Room
		for range databasesOfArm(job.Experiment, arm) {
			all = append(all, placing{arm.Name, room.Cluster, target.Free{CPU: room.CPU, Memory: room.Memory}, room.Nodes, false})
			for range room.Loads {
				loads = append(loads, placing{arm.Name, room.Cluster, target.Free{CPU: room.LoadCPU}, room.LoadNodes, true})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b placing) int {
		return cmp.Or(cmp.Compare(b.needs.CPU, a.needs.CPU), cmp.Compare(b.needs.Memory, a.needs.Memory))
	})
	return append(all, loads...), len(all)
}

// tooLittleRoom says which pod has no place beside the others of its round. The larger servers are placed first, each on the
// node that it fills most. The scheduler takes them in the order of the round and can do worse: the trial then says that
// its pod is not scheduled. Of a cluster whose nodes may not be listed, nothing is known.
func tooLittleRoom(job *runner.Job) *experiment.Reason {
	all, servers := placings(job)
	left := map[string]map[string]target.Free{} // by cluster and node
	for placed, p := range all {
		free := left[p.cluster]
		if free == nil {
			free = map[string]target.Free{}
			left[p.cluster] = free
		}
		switch {
		case take(free, p):
		case p.load:
			return because("room-load", "arm", p.arm, "cpu", fmt.Sprint(p.needs.CPU), "servers", fmt.Sprint(servers))
		default:
			return because("room", "arm", p.arm, "cpu", fmt.Sprint(p.needs.CPU), "mib", fmt.Sprint(p.needs.Memory>>20),
				"servers", fmt.Sprint(servers), "placed", fmt.Sprint(placed))
		}
	}
	return nil
}

// onSeveralNodes says that no node has room for all servers of a round that may be on any node: the scheduler then puts
// them on several, and arms on different nodes are not compared (docs/kubernetes.md). "" where one has, where a
// server is up alone, and where the arms name their nodes.
func onSeveralNodes(job *runner.Job) string {
	if !job.Plan.Sliced() {
		return ""
	}
	all, _ := placings(job)
	var servers []placing
	for _, p := range all {
		arm, _ := job.Experiment.Arm(p.arm)
		if !p.load && !arm.NamesNode() {
			servers = append(servers, p)
		}
	}
	if len(servers) < 2 {
		return ""
	}
	for name := range servers[0].nodes {
		alone := func(p placing) placing {
			p.nodes = map[string]target.Free{name: p.nodes[name]}
			return p
		}
		left, fits := map[string]target.Free{}, true
		for _, p := range servers {
			_, allowed := p.nodes[name]
			fits = fits && allowed && p.cluster == servers[0].cluster && take(left, alone(p))
		}
		if fits {
			return ""
		}
	}
	return fmt.Sprintf("no node has room for all %d servers of a round that name no node: arms on different nodes are not compared. Name one node for all (node: NAME) with smaller requests, name a node for each arm to compare them as they are, or write kind: windows under protocol, which runs one server at a time", len(servers))
}

// take takes what a pod requests from the node that has the least left afterwards, and tells whether there is one.
// Nodes that no pod has asked for yet are in free from then on.
func take(free map[string]target.Free, p placing) bool {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(p.nodes)) {
		if _, known := free[name]; !known {
			free[name] = p.nodes[name]
		}
		at := free[name]
		if at.CPU < p.needs.CPU || at.Memory < p.needs.Memory {
			continue
		}
		if best == "" || at.CPU < free[best].CPU {
			best = name
		}
	}
	if best == "" {
		return false
	}
	free[best] = target.Free{CPU: free[best].CPU - p.needs.CPU, Memory: free[best].Memory - p.needs.Memory}
	return true
}
