package report

// This file is where the servers of a run were, which is not where tare is when a cluster or somebody else runs them.

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// place is where the servers of a run's arms were.
type place struct {
	nodes []clusterNode
	// external says that some are on machines of which tare knows nothing.
	external bool
	// here says that all of them were on tare's own machine, as the boot ids of both kernels show.
	here bool
	// loadHere says that no load pod sent the load.
	loadHere bool
}

// clusterNode is a node that servers were on, with what the run could read of it.
type clusterNode struct{ name, kernel, cpu, kind string }

// placeOf is where the arms' servers were.
func placeOf(run *record.Run) place {
	p := place{here: true, loadHere: true}
	for _, t := range run.Trials {
		said := map[string]string{}
		for _, f := range t.Facts {
			if f.Unknown == "" {
				said[f.Key] = f.Value
			}
			p.loadHere = p.loadHere && !strings.HasPrefix(f.Key, keys.LoadPodPrefix)
		}
		p.here = p.here && said[keys.GateServer] == "here"
		switch name := said[keys.PodNode]; {
		case targetOf(run, t) == "external":
			p.external = true
		case name != "" && !slices.ContainsFunc(p.nodes, func(n clusterNode) bool { return n.name == name }):
			p.nodes = append(p.nodes, clusterNode{name, said[keys.NodeKernel], said[keys.NodeAllocatableCPU], said[keys.PodInstanceType]})
		}
	}
	return p
}

func targetOf(run *record.Run, t *record.Trial) string {
	if run.Experiment == nil {
		return ""
	}
	arm, _ := run.Experiment.Arm(t.Header.Arm)
	return arm.Target
}

// machines are the machines that the result holds for: those of the servers, and tare's, which has the load generator
// where no pod has.
func (doc *Document) machines() string {
	own := doc.ownMachine()
	p := doc.place
	if len(p.nodes) == 0 && !p.external {
		if own == "" {
			return doc.Say("scope.machine")
		}
		return doc.Say("scope.machine.of", "of", own)
	}
	var all []string
	for _, n := range p.nodes {
		of := n.describe(doc)
		if p.here && own != "" && len(p.nodes) == 1 && !p.external {
			return doc.Say("scope.node", "node", n.name, "of", doc.Say("scope.node.here", "of", own))
		}
		all = append(all, doc.Say("scope.node", "node", n.name, "of", of))
	}
	if p.external {
		all = append(all, doc.Say(doc.ofOne("scope.external", "scope.external.one")))
	}
	key := "scope.machine.tare"
	if p.loadHere {
		key = "scope.machine.load"
	}
	if own != "" {
		all = append(all, doc.Say(key, "of", own))
	}
	return doc.Language().List("list", all)
}

// describe is what the run could read of a node.
func (n clusterNode) describe(doc *Document) string {
	var known []string
	if n.kind != "" {
		known = append(known, n.kind)
	}
	if n.cpu != "" {
		known = append(known, doc.Say("scope.node.cpu", "cpu", n.cpu))
	}
	switch {
	case n.kernel == "" && n.cpu != "":
		return doc.Language().List("list", append(known, doc.Say("scope.node.no-kernel")))
	case n.kernel == "":
		return doc.Language().List("list", append(known, doc.Say("scope.node.unread")))
	}
	return doc.Language().List("list", append(known, doc.Say("scope.node.kernel", "kernel", n.kernel)))
}

// ownMachine is the processor of the machine that tare was on; "" where it is not known.
func (doc *Document) ownMachine() string {
	cpu := doc.setting(keys.HostCPUModel)
	if n := doc.setting(keys.HostCPUCount); cpu != "" && n != "" {
		return doc.Say("scope.machine.cpus", "cpu", cpu, "n", n)
	}
	return cpu
}
