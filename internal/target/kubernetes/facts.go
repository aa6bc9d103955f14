package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/keys"
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
			facts = append(facts, record.Fact{Key: keys.PodProbes, Value: "beside the server, by a pod of namespace " + s.target.settings.ProbeNamespace})
		}
	}
	if !s.target.settings.Bare {
		facts = append(facts, s.sinceStart(s.counterFacts(ctx, phase))...)
	}
	for i := range facts {
		facts[i].Phase = phase
	}
	return facts
}

// sinceStart are the counters of the server's container where it is the one that the load began with. Those of another one
// began at zero.
func (s *server) sinceStart(counters []record.Fact) []record.Fact {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range counters {
		if s.again && counters[i].Unknown == "" {
			counters[i].Value, counters[i].Unknown = "", record.StartedAgain.Say()
		}
	}
	return counters
}

// podFacts are those that change: a pod that was restarted, moved or evicted
// shows in them.
func (s *server) podFacts(ctx context.Context) []record.Fact {
	source := "pod " + s.target.cluster.namespace + "/" + s.podName()
	pod, err := get[corev1.Pod](ctx, s.target.cluster, pods, s.podName())
	if err != nil {
		return []record.Fact{{Key: keys.PodUID, Source: source, Unknown: err.Error()}}
	}
	facts := []record.Fact{
		{Key: keys.PodUID, Value: string(pod.UID), Source: source},
		{Key: keys.PodNode, Value: pod.Spec.NodeName, Source: source},
		{Key: keys.PodPhase, Value: string(pod.Status.Phase), Source: source},
	}
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == s.container {
			facts = append(facts, record.Fact{Key: keys.PodRestarts, Value: strconv.Itoa(int(c.RestartCount)), Source: source},
				record.Fact{Key: keys.PodImage, Value: c.Image, Source: source}, record.Fact{Key: keys.PodImageID, Value: c.ImageID, Source: source})
		}
	}
	said, err := s.target.cluster.events(ctx, pod.Name, pod.UID)
	f := record.Fact{Key: keys.PodWarnings, Value: said, Source: "events"}
	if err != nil {
		f.Value, f.Unknown = "", err.Error()
	}
	return append(facts, f)
}

// settingFacts say what the pod is, under the container target's names.
func (s *server) settingFacts() []record.Fact {
	set := s.target.settings
	if set.Bare { // the pod that leads there is no part of it
		return []record.Fact{{Key: keys.ServerPlace, Value: "a process of node " + s.pod.Spec.NodeName + ", in no pod"}, s.addressFact()}
	}
	facts := append(s.resourceFacts(),
		record.Fact{Key: keys.PodHostNetwork, Value: strconv.FormatBool(s.pod.Spec.HostNetwork)},
		record.Fact{Key: keys.PodVolume, Value: cmp.Or(set.Volume, set.whose())},
		s.addressFact(),
	)
	if set.HugePages != 0 {
		facts = append(facts, record.Fact{Key: keys.PodHugePagesLimit, Value: set.HugePages.String(), Source: hugePagesField})
	}
	if set.ephemeral() {
		facts = append(facts, record.Fact{Key: keys.PodVolumeLife, Value: "the pod: the data were created in this trial and are deleted with the pod", Source: "volume: " + set.Volume})
	}
	if set.isOperator() {
		facts = append(facts, s.operatorFacts()...)
	}
	if set.isOwn() {
		facts = append(facts, record.Fact{Key: keys.ManifestsSHA256, Value: s.sha256, Source: strings.Join(set.Manifests, ", ")})
		facts = append(facts, s.ownOptions()...)
	}
	return facts
}

// nodeFacts describe the node that the pod is on.
func (s *server) nodeFacts(ctx context.Context) []record.Fact {
	name := s.pod.Spec.NodeName
	source := "node " + name
	n, err := get[corev1.Node](ctx, s.target.cluster, nodes, name)
	if err != nil {
		return []record.Fact{{Key: keys.NodeKernel, Source: source, Unknown: err.Error()}}
	}
	capacity, allocatable, info := nodeAmounts(n.Status.Capacity), nodeAmounts(n.Status.Allocatable), n.Status.NodeInfo
	facts := []record.Fact{
		{Key: keys.PodCapacityCPU, Value: capacity.CPU.String()}, {Key: keys.PodCapacityMemory, Value: capacity.Memory.String()},
		{Key: keys.NodeAllocatableCPU, Value: allocatable.CPU.String()}, {Key: keys.NodeAllocatableMemory, Value: allocatable.Memory.String()},
		{Key: keys.NodeBootID, Value: info.BootID}, {Key: keys.NodeKernel, Value: info.KernelVersion}, {Key: keys.NodeOS, Value: info.OSImage},
		{Key: keys.NodeKubelet, Value: info.KubeletVersion}, {Key: keys.ContainerRuntime, Value: info.ContainerRuntimeVersion},
	}
	for _, of := range []struct{ key, label string }{{keys.PodZone, corev1.LabelTopologyZone}, {keys.PodInstanceType, corev1.LabelInstanceTypeStable}} {
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
