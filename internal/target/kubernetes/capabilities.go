package kubernetes

import "github.com/tarebench/tare/internal/target"

// Capabilities of a pod of a cluster.
func (k *Kubernetes) Capabilities() target.Capabilities {
	field, place := k.loadFrom()
	return k.settings.events().Capabilities(target.Capabilities{
		LoadField: field, LoadPlace: place, ReachedFrom: k.reachedFrom,
		MemoryLimit: k.MemoryLimit(), HugePages: k.HugePages(), Generators: k.Generators(),
		Permission: k.permission(), Notes: k.Notes(), Unchecked: k.unchecked(), TurnNotes: k.turnNotes(), CheckConfig: k.CheckConfig, CheckFiles: k.CheckFiles, Cluster: k.clusterName(), Class: k.Class, Render: k.Render, Release: k.Release, Manifests: k.settings.Manifests,
		Resume: k.resume, Note: k.note, Unremoved: k.cluster.unremoved,
		Restores: k.settings.makesServer(),
		Memories: k.memories(), NeverFrozen: true, Single: !k.settings.isOperator(), Sole: k.sole(), Program: k.program(), Room: k.room, Allowances: k.allowances,
		Neighbour: k.settings.Neighbour != nil, Node: k.settings.Node,
	})
}

// clusterName tells clusters apart: the API server, or how it was looked for.
func (k *Kubernetes) clusterName() string {
	if k.cluster == nil {
		return "kubeconfig " + k.settings.Kubeconfig + ", context " + k.settings.Context
	}
	return k.cluster.config.Host
}

// loadFrom is the field that has the load come from the cluster, and where from.
func (k *Kubernetes) loadFrom() (field, place string) {
	switch {
	case k.settings.Client != "":
		return "client", podsOf(k.cluster)
	case k.settings.Clients > 0:
		return "clients", podsOf(k.cluster)
	}
	return "", ""
}

// Capabilities of a server on a node of the cluster.
func (s *server) Capabilities() target.ServerCapabilities {
	c := target.ServerCapabilities{
		Client: s.Client, Probe: s.Probe, Generators: s.Generators(), Generate: s.Generate, Restart: s.Restart,
		Follow: s.follow(),
	}
	if s.pod != nil {
		c.Node = s.pod.Spec.NodeName
	}
	if s.target.settings.Client == "" { // a container that a pod was given is never removed from it
		c.ClearGenerators = s.clearGenerators
	}
	return c
}
