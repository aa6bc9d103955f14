package layer

import (
	"context"
	"errors"
	"os"

	"github.com/tarebench/tare/internal/node"
)

// resources are the layers of the pod's cgroups, and the pods beside it.
func resources() []Layer {
	return []Layer{
		{Name: "container", Setting: "target: container", Attribute: "container", Help: "own namespaces, cgroups and overlayfs; with weight: false without limits"},
		{Name: "CPU weight", Setting: "weight: true", Attribute: "weight", Help: "cgroup shares or weight of the pod, its QoS class and its parents; false is the kernel's default"},
		{Name: "CPU quota", Setting: "quota: 500m", Attribute: "quota", Help: "CFS quota and period, of the pod and of its container; true is the CPU limit's"},
		{Name: "exclusive CPUs", Setting: "exclusive: 1", Attribute: "exclusive", Help: "cpuset of whole CPUs as the static CPU manager gives it; true is those of the pod's cpu", Probe: exclusiveHere},
		{Name: "memory limit", Setting: "memoryLimit: 1Gi", Help: "cgroup memory limit; the page cache counts"},
		{Name: "neighbour", Setting: "neighbour: {cpu: 1}", Attribute: "neighbour", Help: "pod beside the server that uses CPU; with memory: it also uses memory"},
		{Name: "neighbour", Setting: "neighbour: {memoryBandwidth: 1}", Help: "pod beside the server that streams through memory"},
		{Name: "neighbour", Setting: "neighbour: {disk: 1}", Help: "pod beside the server that writes to the disk of its data"},
		{Name: "neighbour", Setting: "neighbour: {network: 1}", Help: "pod beside the server that sends over loopback"},
	}
}

// exclusiveHere: one CPU is for the system, so there must be a second.
func exclusiveHere(context.Context) error {
	cpus, err := node.ReadTopology(os.DirFS("/"))
	if err == nil && len(cpus) < 2 {
		err = errors.New("this machine has one CPU, and the system keeps it")
	}
	return err
}
