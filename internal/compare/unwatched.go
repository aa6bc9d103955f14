package compare

// This file is which machines the figures about others are of, and why there are none of the servers' machine.

import (
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// othersProbe is the probe that reads other processes beside a server (internal/probe).
const othersProbe = keys.ProbePrefix + "host.others"

// unwatchedWhy is why nothing was read of other processes on the machine of a trial's server.
func unwatchedWhy(r *record.Run, t *record.Trial) *Reason {
	why := unread(r, t)
	if t.ServerSeen() {
		why = reason("unwatched-in-pod").part("why", why)
	}
	return &why
}

// unread is why the probes of a trial did not read other processes where its server was.
func unread(r *record.Run, t *record.Trial) Reason {
	for _, f := range t.Facts {
		if f.Key != othersProbe || f.Unknown == "" {
			continue
		}
		if why := Ended(f.Unknown); why != nil {
			return *why
		}
		return reason("unwatched-said").name("text", f.Unknown)
	}
	switch {
	case elsewhereByAddress(t):
		return reason("unwatched-elsewhere")
	case r.Experiment != nil && r.Experiment.Protocol.Probes != experiment.ProbesOn:
		return reason("unwatched-off")
	}
	return reason("unwatched-unread")
}

// elsewhereByAddress says that the server is one of another machine that tare knows the address of: its probes read
// tare's machine, as no pod of tare is beside it.
func elsewhereByAddress(t *record.Trial) bool {
	server, _ := t.Where()
	return server.Value == record.Elsewhere && strings.HasPrefix(server.Source, record.ByAddress)
}

// nodesWhere are the names of the nodes that servers were on, of the trials that are asked for, in order.
func nodesWhere(r *record.Run, of func(*record.Trial) bool) (names []string) {
	for _, t := range r.Trials {
		if name := nodeAt(t).name; name != "" && of(t) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// cpuTime names the CPU time that shares are of, and why that machine counts.
func (o Others) cpuTime() Reason {
	switch named := len(o.Nodes) > 0; {
	case o.CPU == OfLoad:
		return reason("cpu-time-load")
	case o.CPU == OfNode && named:
		return reason("cpu-time-node-named").name("nodes", o.Nodes...)
	case o.CPU == OfNode:
		return reason("cpu-time-node")
	case named:
		return reason("cpu-time-named").name("nodes", o.Nodes...)
	}
	return reason("cpu-time")
}

// nodeOthers are the counters of the probes beside servers on other machines, in nanoseconds.
type nodeOthers struct{ machine, others, steal float64 }

// add adds what was counted in the window of a trial, and tells whether anything was.
func (n *nodeOthers) add(t *record.Trial) bool {
	before := n.machine
	for r := range Readings(t) {
		if !r.InWindow || math.IsNaN(r.Grew) {
			continue
		}
		if slices.Contains(machineTime(), r.Name) {
			n.machine += r.Grew
		}
		switch r.Name {
		case keys.HostCPUOthersNS:
			n.others += r.Grew
		case keys.HostCPUStealNS:
			n.steal += r.Grew
		}
	}
	return n.machine > before
}

func (n *nodeOthers) shares(limit float64) Others {
	o := Others{CPU: OfNode, Processes: math.NaN(), Steal: math.NaN(), Limit: limit}
	if n.machine > 0 {
		o.Processes, o.Steal = math.Min(1, n.others/n.machine), n.steal/n.machine
	}
	return o
}
