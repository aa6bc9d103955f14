package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
)

// Facts are what the API server knows of the pod and its node. What only the
// node's kernel knows is unknown, and says why.
func (s *server) Facts(ctx context.Context, phase string) []record.Fact {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	facts := s.podFacts(ctx)
	if phase == "end" {
		facts = append(facts, s.loadFacts(ctx)...)
	}
	facts = append(facts, s.neighbourFacts(ctx)...)
	if phase == "start" {
		facts = append(facts, s.settingFacts()...)
		facts = append(facts, s.volumeFacts(ctx)...)
		facts = append(facts, s.nodeFacts(ctx)...)
		facts = append(facts, s.kubeletFacts(ctx)...)
		facts = append(facts, s.linkFacts(ctx)...)
		if s.probes != nil {
			facts = append(facts, record.Fact{Key: "pod.probes", Value: "beside the server, by a pod of namespace " + s.target.settings.ProbeNamespace})
		}
	}
	if !s.target.settings.Bare {
		facts = append(facts, s.counterFacts(ctx, phase)...)
	}
	for i := range facts {
		facts[i].Phase = phase
	}
	return facts
}

// podFacts are those that change: a pod that was restarted, moved or evicted
// shows in them.
func (s *server) podFacts(ctx context.Context) []record.Fact {
	source := "pod " + s.target.cluster.namespace + "/" + s.podName()
	pod, err := get[corev1.Pod](ctx, s.target.cluster, pods, s.podName())
	if err != nil {
		return []record.Fact{{Key: "pod.uid", Source: source, Unknown: err.Error()}}
	}
	facts := []record.Fact{
		{Key: "pod.uid", Value: string(pod.UID), Source: source},
		{Key: "pod.node", Value: pod.Spec.NodeName, Source: source},
		{Key: "pod.phase", Value: string(pod.Status.Phase), Source: source},
	}
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == s.container {
			facts = append(facts, record.Fact{Key: "pod.restarts", Value: strconv.Itoa(int(c.RestartCount)), Source: source},
				record.Fact{Key: "pod.image", Value: c.Image, Source: source}, record.Fact{Key: "pod.image_id", Value: c.ImageID, Source: source})
		}
	}
	said, err := s.target.cluster.events(ctx, pod.Name, pod.UID)
	f := record.Fact{Key: "pod.warnings", Value: said, Source: "events"}
	if err != nil {
		f.Value, f.Unknown = "", err.Error()
	}
	return append(facts, f)
}

// settingFacts say what the pod was meant to be, under the container target's
// names.
func (s *server) settingFacts() []record.Fact {
	r, set := s.requirements, s.target.settings
	if set.Bare { // the pod that leads there is no part of it
		return []record.Fact{{Key: "server.place", Value: "a process of node " + s.pod.Spec.NodeName + ", in no pod"}, {Key: "network.address", Value: set.Address, Source: s.where()}}
	}
	facts := []record.Fact{
		{Key: "pod.qos", Value: string(s.pod.Status.QOSClass), Source: "status.qosClass"},
		{Key: "pod.cpu.request", Value: orNone(r.Request.CPU)},
		{Key: "pod.cpu.limit", Value: orNone(r.Limit.CPU)},
		{Key: "pod.memory.request", Value: orNone(r.Request.Memory)},
		{Key: "pod.memory.limit", Value: orNone(r.Limit.Memory)},
		{Key: "pod.host_network", Value: strconv.FormatBool(s.pod.Spec.HostNetwork)},
		{Key: "pod.volume", Value: cmp.Or(set.Volume, set.whose())},
		{Key: "network.address", Value: set.Address, Source: s.where()},
	}
	if set.HugePages != 0 {
		facts = append(facts, record.Fact{Key: "pod.hugepages.limit", Value: set.HugePages.String(), Source: hugePagesField})
	}
	if set.ephemeral() {
		facts = append(facts, record.Fact{Key: "pod.volume.life", Value: "the pod: the data were created in this trial and are deleted with the pod", Source: "volume: " + set.Volume})
	}
	if set.isOperator() {
		facts = append(facts, s.operatorFacts()...)
	}
	if set.isOwn() {
		facts = append(facts, record.Fact{Key: "manifests.sha256", Value: s.sha256, Source: strings.Join(set.Manifests, ", ")})
	}
	return facts
}

// nodeFacts describe the node that the pod is on.
func (s *server) nodeFacts(ctx context.Context) []record.Fact {
	name := s.pod.Spec.NodeName
	source := "node " + name
	n, err := get[corev1.Node](ctx, s.target.cluster, nodes, name)
	if err != nil {
		return []record.Fact{{Key: "node.kernel", Source: source, Unknown: err.Error()}}
	}
	capacity, allocatable, info := nodeAmounts(n.Status.Capacity), nodeAmounts(n.Status.Allocatable), n.Status.NodeInfo
	facts := []record.Fact{
		{Key: "pod.capacity.cpu", Value: capacity.CPU.String()}, {Key: "pod.capacity.memory", Value: capacity.Memory.String()},
		{Key: "node.allocatable.cpu", Value: allocatable.CPU.String()}, {Key: "node.allocatable.memory", Value: allocatable.Memory.String()},
		{Key: "node.kernel", Value: info.KernelVersion}, {Key: "node.os", Value: info.OSImage},
		{Key: "node.kubelet", Value: info.KubeletVersion}, {Key: "container.runtime", Value: info.ContainerRuntimeVersion},
	}
	for _, of := range []struct{ key, label string }{{"pod.zone", corev1.LabelTopologyZone}, {"pod.instance_type", corev1.LabelInstanceTypeStable}} {
		if value := n.Labels[of.label]; value != "" {
			facts = append(facts, record.Fact{Key: of.key, Value: value})
		}
	}
	for i := range facts {
		facts[i].Source = source
	}
	return append(facts, s.pluginFacts(ctx, n)...)
}

// orNone is a resource, or "none" where it is not set.
func orNone[T interface {
	node.CPU | node.Bytes
	fmt.Stringer
}](v T) string {
	if v == 0 {
		return "none"
	}
	return v.String()
}
