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
			if other, before := first[code]; before {
				return because(code, "arm", other, "other", arm.Name)
			}
			first[code] = arm.Name
		}
	}
	return nil
}

// placing is a server that needs a place on one of its nodes.
type placing struct {
	arm  string
	room *target.Room
}

// tooLittleRoom says which server has no place beside the others of its round. The larger ones are placed first, each
// on the node that it fills most. The scheduler takes them in the order of the round and can do worse: the trial then
// says that its pod is not scheduled. Of a cluster whose nodes may not be listed, nothing is known.
func tooLittleRoom(job *runner.Job) *experiment.Reason {
	var servers []placing
	for _, arm := range job.Experiment.Arms {
		place, ok := job.Targets[arm.Name]
		if !ok || place.Capabilities().Room == nil {
			continue
		}
		for range databasesOfArm(job.Experiment, arm) {
			servers = append(servers, placing{arm.Name, place.Capabilities().Room})
		}
	}
	slices.SortStableFunc(servers, func(a, b placing) int {
		return cmp.Or(cmp.Compare(b.room.CPU, a.room.CPU), cmp.Compare(b.room.Memory, a.room.Memory))
	})
	left := map[string]map[string]target.Free{} // by cluster and node
	for placed, s := range servers {
		free := left[s.room.Cluster]
		if free == nil {
			free = map[string]target.Free{}
			left[s.room.Cluster] = free
		}
		if !take(free, s.room) {
			return because("room", "arm", s.arm, "cpu", fmt.Sprint(s.room.CPU), "mib", fmt.Sprint(s.room.Memory>>20),
				"servers", fmt.Sprint(len(servers)), "placed", fmt.Sprint(placed))
		}
	}
	return nil
}

// take takes what a server requests from the node that has the least left afterwards, and tells whether there is one.
// Nodes that no server has asked for yet are in free from then on.
func take(free map[string]target.Free, room *target.Room) bool {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(room.Nodes)) {
		if _, known := free[name]; !known {
			free[name] = room.Nodes[name]
		}
		at := free[name]
		if at.CPU < room.CPU || at.Memory < room.Memory {
			continue
		}
		if best == "" || at.CPU < free[best].CPU {
			best = name
		}
	}
	if best == "" {
		return false
	}
	free[best] = target.Free{CPU: free[best].CPU - room.CPU, Memory: free[best].Memory - room.Memory}
	return true
}
