package kubernetes

// The neighbour: a pod on the server's node that uses up what the node has.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
)

const neighbourRole = "neighbour"

// boundless is the capacity before the node is known: what does not fit on it, the
// scheduler says.
var boundless = node.Resources{CPU: 1 << 30, Memory: 1 << 60}

func (s *server) neighbourName() string { return s.target.id + "-neighbour" }

// startNeighbour makes the pod and waits until it is at work: a load that began
// before would be measured without it.
func (s *server) startNeighbour(ctx context.Context) error {
	if s.target.settings.Neighbour == nil {
		return nil
	}
	pod, err := s.neighbourPod(ctx)
	if err != nil {
		return err
	}
	c := s.target.cluster
	if s.request.Turns != nil {
		turns, err := s.neighbourTurns()
		if err != nil {
			return err
		}
		if err := c.apply(ctx, secrets, turns.Name, turns); err != nil {
			return err
		}
	}
	if err := c.apply(ctx, pods, pod.Name, pod); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		now, err := get[corev1.Pod](limit, c, pods, pod.Name)
		switch {
		case err != nil && !retryable(err) && limit.Err() == nil:
			err = c.explain(err)
			return record.StartNeighbour.Wrap(err)
		case err == nil && stuck(now) != "":
			return errors.New(record.StartNeighbour.Say(advised(stuck(now))))
		case err == nil && now.Status.Phase == corev1.PodRunning:
			if err := c.deliver(ctx, s.supply(), pod.Name, neighbourRole, programDir); err != nil {
				return record.StartNeighbour.Wrap(err)
			}
			return s.neighbourWorks(ctx)
		}
		if err := pause(limit, pollEvery); err != nil {
			if now != nil {
				return errors.New(record.StartNeighbour.Say(record.NeighbourNode.Say(s.pod.Spec.NodeName, unplaced(now))))
			}
			return record.StartNeighbour.Wrap(err)
		}
	}
}

// neighbourWorks reads its first line, which it prints when its memory is in use
// and its threads run.
func (s *server) neighbourWorks(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	log, err := s.target.cluster.logs(ctx, s.neighbourName(), neighbourRole, true)
	if err != nil {
		return record.StartNeighbour.Wrap(err)
	}
	defer log.Close()
	if text, err := bufio.NewReader(log).ReadString('\n'); err != nil || text != node.AtWork {
		return fmt.Errorf("start neighbour: it printed %q and did not begin its work", text)
	}
	return nil
}

// neighbourWithin is when the cluster ends the neighbour: should tare be killed, nothing else
// would, and it would use the node of whatever is measured there next. A deadline that is set
// cannot be extended later (pkg/apis/core/validation, ValidatePodUpdate).
func (s *server) neighbourWithin() time.Duration {
	if s.request.Lasts <= 0 {
		return longestLoad
	}
	return s.request.Lasts + afterDeadline
}

// neighbourPod is on the server's node, wherever that has come to be.
func (s *server) neighbourPod(ctx context.Context) (*corev1.Pod, error) {
	n := *s.target.settings.Neighbour
	if n.CPU == node.MaxCPU {
		at, err := get[corev1.Node](ctx, s.target.cluster, nodes, s.pod.Spec.NodeName)
		if err != nil {
			return nil, fmt.Errorf("compute the neighbour's cpu: max: %w", s.target.cluster.explain(err))
		}
		n.CPU = nodeAmounts(at.Status.Capacity).CPU
	}
	work, err := json.Marshal(node.Work{CPU: n.CPU, Memory: n.Memory, Bandwidth: n.MemoryBandwidth, Disk: n.Disk, Network: n.Network, Dir: "/tmp", Turns: s.request.Turns})
	if err != nil {
		return nil, record.StartNeighbour.Wrap(err)
	}
	m := s.meta()
	m.Name = s.neighbourName()
	m.Labels[roleLabel] = neighbourRole
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: m,
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: new(int64(1)),
			AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
			Affinity:        besideOn(s.pod.Spec.NodeName),
			Tolerations:     []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			SecurityContext: restricted(), ActiveDeadlineSeconds: new(int64(math.Ceil(s.neighbourWithin().Seconds()))),
			Containers: []corev1.Container{{
				Name: neighbourRole, Args: []string{"neighbour", string(work)}, Resources: resources(n.Requirements()), Env: []corev1.EnvVar{s.mark()},
				VolumeMounts:    []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}},
				SecurityContext: confined(),
			}},
			Volumes: []corev1.Volume{{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
		},
	}
	if s.request.Turns != nil {
		at := &pod.Spec.Containers[0]
		at.Args = []string{"neighbour", "--turns", secretDir + "/" + turnsFile, string(work)}
		at.VolumeMounts = append(at.VolumeMounts, corev1.VolumeMount{Name: "turns", MountPath: secretDir, ReadOnly: true})
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "turns",
			VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: m.Name, DefaultMode: new(int32(0o440))}}})
	}
	s.supply().fill(&pod.Spec)
	return pod, nil
}

// besideOn binds a pod to a node by its name. The label kubernetes.io/hostname can be another text, as
// with the kubelet's --hostname-override; spec.nodeName would bypass the scheduler, which knows whether
// the pod fits on the node.
func besideOn(name string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{oneNode(name)}}}}
}

// oneNode takes a node by its name.
func oneNode(name string) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{
		{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{name}}}}
}

// neighbourFacts say what it was told to do and whether it still does it.
func (s *server) neighbourFacts(ctx context.Context) []record.Fact {
	n := s.target.settings.Neighbour
	if n == nil {
		return nil
	}
	source := "pod " + s.neighbourName()
	alive := record.Fact{Key: keys.NeighbourAlive, Source: source}
	pod, err := get[corev1.Pod](ctx, s.target.cluster, pods, s.neighbourName())
	switch {
	case err != nil:
		alive.Unknown = err.Error()
	case pod.Status.Phase == corev1.PodRunning:
		alive.Value = "yes"
	default:
		alive.Value = "no: " + string(pod.Status.Phase) + " " + stuck(pod)
	}
	facts := []record.Fact{alive, {Key: keys.NeighbourCPU, Value: n.CPU.String(), Source: source}, {Key: keys.NeighbourMemory, Value: n.Memory.String(), Source: source}}
	if err == nil {
		facts = append(facts, record.Fact{Key: keys.NeighbourQoS, Value: string(pod.Status.QOSClass), Source: source}, record.Fact{Key: keys.NeighbourNode, Value: pod.Spec.NodeName, Source: source})
	}
	return facts
}
