package kubernetes

// What is free on the nodes: for cpu: max, and to say in words why a
// pod fits nowhere.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
)

// vacancy is what a node can still give to a pod.
type vacancy struct {
	node        string
	allocatable node.Resources
	taken       node.Resources // requested by the pods on it
	closed      string         // why the scheduler would not look at it, or ""
	hugePages   node.Bytes     // that are left
	arch        string         // as Go names it, "" if its kubelet has not said it yet
}

func (v vacancy) free() node.Resources {
	return node.LargestRequest(v.allocatable, v.taken)
}

// vacancies are those of the nodes that the arm's server may use.
func (k *Kubernetes) vacancies(ctx context.Context) ([]vacancy, error) {
	return k.vacanciesOn(ctx, k.settings.nodes())
}

// vacanciesOn are those of the nodes with these labels.
func (k *Kubernetes) vacanciesOn(ctx context.Context, where map[string]string) ([]vacancy, error) {
	all, err := list[corev1.Node](ctx, k.cluster.scoped(nodes), "nodes", metav1.ListOptions{})
	if err != nil {
		return nil, k.cluster.explain(err)
	}
	running, err := list[corev1.Pod](ctx, k.cluster.dynamic.Resource(pods), "pods of all namespaces",
		metav1.ListOptions{FieldSelector: "status.phase!=Succeeded,status.phase!=Failed"})
	if err != nil {
		return nil, k.cluster.explain(err)
	}
	taken, hugePages := map[string]node.Resources{}, map[string]node.Bytes{}
	for _, p := range running {
		if p.Labels[armLabel] == k.id { // the arm's own, of the trial before, is on its way out
			continue
		}
		r, t := podRequests(p), taken[p.Spec.NodeName]
		taken[p.Spec.NodeName] = node.Resources{CPU: t.CPU + r.CPU, Memory: t.Memory + r.Memory}
		hugePages[p.Spec.NodeName] += hugePagesTaken(p)
	}
	var found []vacancy
	for _, n := range all {
		if labels.SelectorFromSet(where).Matches(labels.Set(n.Labels)) {
			found = append(found, vacancy{n.Name, nodeAmounts(n.Status.Allocatable), taken[n.Name], k.closed(n), hugePagesOf(n.Status.Allocatable) - hugePages[n.Name], n.Status.NodeInfo.Architecture})
		}
	}
	return found, nil
}

// nodes are the labels of the nodes that the arm's pod may be on, none for any.
func (s Settings) nodes() map[string]string {
	if s.Node == "" {
		return s.NodeSelector
	}
	all := onNode(s.Node)
	maps.Copy(all, s.NodeSelector)
	return all
}

// namedNodes are the nodes that the settings name, for a sentence; "" for none.
func (s Settings) namedNodes() string {
	var all []string
	for _, f := range []struct{ field, name string }{{"node", s.Node}, {"clientNode", s.ClientNode}} {
		if f.name != "" {
			all = append(all, fmt.Sprintf("the node %s (%s)", f.name, f.field))
		}
	}
	if len(s.NodeSelector) > 0 {
		all = append(all, fmt.Sprintf("a node with the labels %s (nodeSelector)", labels.Set(s.NodeSelector)))
	}
	return strings.Join(all, " and ")
}

// closed says why a node takes no new pod.
func (k *Kubernetes) closed(n corev1.Node) string {
	if n.Spec.Unschedulable {
		return record.Cordoned.Say(n.Name)
	}
	for _, t := range n.Spec.Taints {
		if t.Effect != corev1.TaintEffectPreferNoSchedule && !k.settings.Tolerate {
			return record.Tainted.Say(t.ToString())
		}
	}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			return record.NodeUnready.Say(c.Message)
		}
	}
	return ""
}

// podRequests is what the scheduler reserves for a pod: its containers with sidecars and overhead,
// or the requests of the pod as a whole.
func podRequests(p corev1.Pod) node.Resources {
	return nodeAmounts(resourcehelper.PodRequests(&p, resourcehelper.PodResourcesOptions{}))
}

func nodeAmounts(l corev1.ResourceList) node.Resources {
	return node.Resources{CPU: node.CPU(l.Cpu().MilliValue()), Memory: node.Bytes(l.Memory().Value())}
}

// mostCPU is what cpu: max stands for: the most that one node can still give.
func (k *Kubernetes) mostCPU(ctx context.Context) (node.CPU, error) {
	if k.settings.CPU != node.MaxCPU {
		return 0, nil
	}
	found, err := k.vacancies(ctx)
	if err != nil {
		return 0, fmt.Errorf("compute cpu: max: %w", err)
	}
	var most node.CPU
	for _, v := range found {
		if v.closed == "" && v.free().Memory >= k.settings.Memory {
			most = max(most, v.free().CPU)
		}
	}
	if most <= 0 {
		return 0, errors.New(record.NoFreeNode.Say(describe(found)))
	}
	return most, nil
}

// whyUnscheduled says, after the scheduler's own words, what each node could give.
func (s *server) whyUnscheduled(ctx context.Context, within time.Duration, why string) string {
	found, err := s.target.vacancies(ctx)
	if err != nil {
		return record.Unscheduled.Say(s.podName(), within.String(), why)
	}
	want := s.requirements.Request
	return record.UnscheduledNodes.Say(s.podName(), within.String(), why, want.CPU.String(), want.Memory.String(), describe(found))
}

// describe is one clause a node, and the most that fits.
func describe(found []vacancy) string {
	if len(found) == 0 {
		return record.NoSuchNode.Say()
	}
	slices.SortFunc(found, func(a, b vacancy) int { return strings.Compare(a.node, b.node) })
	var clauses []string
	for _, v := range found {
		said := v.closed
		if said == "" {
			said = record.NodeFree.Say(millis(v.allocatable.CPU), mebibytes(v.allocatable.Memory).String(), millis(v.taken.CPU), mebibytes(v.taken.Memory).String(),
				millis(v.free().CPU), mebibytes(v.free().Memory).String())
		}
		clauses = append(clauses, record.OfNode.Say(v.node, said))
	}
	return strings.Join(clauses, "; ")
}

// millis are thousandths of a CPU, in which all nodes are compared.
func millis(c node.CPU) string { return fmt.Sprintf("%dm", c) }

// mebibytes rounds down: a node's memory is not a round number.
func mebibytes(b node.Bytes) node.Bytes { return b &^ (1<<20 - 1) }
