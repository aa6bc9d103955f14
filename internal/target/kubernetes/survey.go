package kubernetes

// What a first experiment needs to know of a cluster before there is a file: a node with free CPU and memory, what
// quotas and ranges of the namespace allow, and what the credentials may do. Nothing is made.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// Survey is what was found in a namespace and on the nodes behind it.
type Survey struct {
	// Server is the address of the API server, Namespace where the objects will be.
	Server, Namespace string
	// Node is the host name of the node with the most free CPU, "" where nodes may not be listed; Free is
	// what is left on it, or what was assumed.
	Node string
	Free node.Resources
	// Assumed: nothing of the nodes is known, and Free is a guess.
	Assumed bool
	// NodeAssumed says, of a Node that was found by a pod of the namespace, what is not known of nodes and what was assumed.
	NodeAssumed string
	// NodeUnknown says why there is no Node, and what that means. MayPlace says that nothing of the nodes is known but the
	// credentials allow [Place].
	NodeUnknown string
	MayPlace    bool
	// Given is what a LimitRange has a container request that says nothing of it; Least and Most are what it admits for
	// one container, 0 for any.
	Given, Least, Most node.Resources
	// Default is the limit that a LimitRange gives to a container that sets none; Limits are what quotas leave for the
	// limits of all pods, 0 for any, and Pods how many pods.
	Default, Limits node.Resources
	Pods            Count
	// NoBestEffort says why no BestEffort pod is possible, "" where one is; NoBurstable why no pod without limits.
	NoBestEffort, NoBurstable string
	// NoNeighbour says why no pod may be made beside the server, NoLoadPods why no Job.
	NoNeighbour, NoLoadPods string
	unset                   []unsetValue
	clientImage             string // has tare; "": its program is streamed, which takes a permission
	// Notes are what the user should know, one sentence each.
	Notes []string
}

// Count is what quotas leave of something that is counted.
type Count struct {
	Left    int
	Limited bool
	Quota   string // the name of the one that leaves least
}

// unsetValue is a value that a quota wants every pod to set.
type unsetValue struct {
	quota string
	name  corev1.ResourceName
}

// assumedFree is what a node is taken to have where it may not be read: the room of a node of 2 CPUs
// and 8 GiB, the smallest that managed clusters are commonly made of, with half of it used.
func assumedFree() node.Resources { return node.Resources{CPU: 1500, Memory: 4 << 30} }

// Assume is a survey of a cluster that was not asked.
func Assume(at Where) Survey {
	c, err := connect(at)
	s := Survey{Namespace: placed(c, at).Namespace, Free: assumedFree(), Assumed: true}
	if err == nil {
		s.Server = c.config.Host
	}
	s.Notes = append(s.Notes,
		fmt.Sprintf("Assumed: a node has %dm CPU and %v of memory left; no quota.", s.Free.CPU, s.Free.Memory))
	return s
}

// Look surveys a cluster. clientImage is an image of tare, "" for none. The error is [target.Unavailable] where it does not answer, and names the
// rules of a Role where the credentials may not run any arm. It is a [NoNamespace] where the namespace is what is missing.
func Look(ctx context.Context, at Where, clientImage string) (Survey, error) {
	c, err := connect(at)
	if err != nil {
		return Survey{}, err
	}
	s := Survey{Server: c.config.Host, Namespace: c.namespace, Free: assumedFree(), clientImage: clientImage}
	for _, step := range []func(context.Context, *cluster) error{s.rights, s.nodes, s.limits, s.admitted} {
		if err := step(ctx, c); err != nil {
			if unanswered(err) {
				return Survey{}, target.Unavailable{Err: c.asked(err)}
			}
			if lacksNamespace(err) {
				return Survey{}, NoNamespace{c.namespace}
			}
			return Survey{}, c.explain(err)
		}
	}
	return s, nil
}

// lacksNamespace tells that the namespace of an object does not exist.
func lacksNamespace(err error) bool {
	var status apierrors.APIStatus
	return apierrors.IsNotFound(err) && errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Kind == "namespaces"
}

// NoNamespace is the error of a namespace that does not exist.
type NoNamespace struct{ Name string }

func (e NoNamespace) Error() string { return "namespace " + e.Name + " does not exist" }

// rights asks for the permissions of the plainest arm, which are necessary, and for those of
// load pods and neighbours, without which something is left out.
func (s *Survey) rights(ctx context.Context, c *cluster) error {
	plain := Settings{Volume: emptyDirVolume}
	needed := rightsOf(runPermissions(), plain)
	lack, err := c.missing(ctx, needed)
	if err != nil {
		return err
	}
	if len(lack) > 0 {
		return lacking(c.namespace, lack, "nothing can be measured without them")
	}
	for _, more := range []struct {
		settings Settings
		lost     func(why string)
	}{
		{Settings{Volume: emptyDirVolume, Clients: 1, ClientImage: s.clientImage}, func(why string) { s.NoLoadPods = why }},
		{Settings{Volume: emptyDirVolume, Neighbour: &node.Neighbour{}, ClientImage: s.clientImage}, func(why string) { s.NoNeighbour = why }},
	} {
		rights := slices.DeleteFunc(rightsOf(runPermissions(), more.settings), func(r right) bool { return slices.Contains(needed, r) })
		lack, err := c.missing(ctx, rights)
		if err != nil {
			return err
		}
		if len(lack) > 0 {
			more.lost("these credentials lack the rule " + strings.Join(ruleLines(rulesOf(lack)), " and ") + ".")
		}
	}
	return nil
}

// nodes chooses the node with most CPU left, among those that take pods and have memory for a
// small server. Where nodes may not be listed, a node of the namespace's own pods is as good as any:
// all arms have to be on one.
func (s *Survey) nodes(ctx context.Context, c *cluster) error {
	k := &Kubernetes{cluster: c, id: "none"}
	found, err := k.vacancies(ctx)
	if apierrors.IsForbidden(err) {
		return s.nodeOfPods(ctx, c)
	}
	if err != nil {
		return err
	}
	fit := slices.DeleteFunc(slices.Clone(found), func(v vacancy) bool {
		return v.closed != "" || v.free().Memory < leastMemory || v.free().CPU < leastCPU
	})
	if len(fit) == 0 {
		return target.Unavailable{Err: fmt.Errorf("no node has %dm CPU and %v of memory left: %s", leastCPU, node.Bytes(leastMemory), describe(found))}
	}
	best := slices.MaxFunc(fit, func(a, b vacancy) int {
		return cmp.Or(cmp.Compare(a.free().CPU, b.free().CPU), strings.Compare(b.node, a.node))
	})
	at, err := get[corev1.Node](ctx, c, nodes, best.node)
	if err != nil && !apierrors.IsForbidden(err) {
		return err
	}
	s.Free, s.Node = best.free(), best.node
	if err == nil {
		s.Node = cmp.Or(at.Labels[corev1.LabelHostname], best.node)
	}
	return nil
}

// leastCPU and leastMemory are what the smallest arm and what runs beside it need.
const (
	leastCPU    node.CPU = 500
	leastMemory          = 2 << 30
)

// nodeOfPods takes the node of a pod that runs in the namespace.
func (s *Survey) nodeOfPods(ctx context.Context, c *cluster) error {
	s.Assumed = true
	lack, err := c.missing(ctx, rightsToPlace())
	if err != nil {
		return err
	}
	s.MayPlace = len(lack) == 0
	const why = "these credentials may not list nodes and pods of all namespaces"
	running, err := list[corev1.Pod](ctx, c.scoped(pods), "pods", metav1.ListOptions{FieldSelector: "status.phase=Running"})
	if err != nil {
		return err
	}
	var names []string
	for _, p := range running {
		if p.Spec.NodeName != "" {
			names = append(names, p.Spec.NodeName)
		}
	}
	size := fmt.Sprintf("it is taken to have %dm CPU and %v of memory left", s.Free.CPU, s.Free.Memory)
	if len(names) == 0 {
		s.NodeUnknown = "The scheduler chooses the node, and tare asks for one node for all arms where it has room: " + why + ". Name one with --node-name; " + size + "."
		return nil
	}
	slices.Sort(names)
	s.Node = names[0]
	s.NodeAssumed = why + "; " + size + "."
	return nil
}

// limits reads quotas and ranges of the namespace: both can refuse pods, and ranges change their class.
func (s *Survey) limits(ctx context.Context, c *cluster) error {
	quotas, err := c.quotas(ctx)
	if err := s.unreadable(err, "ResourceQuotas", "resourcequotas"); err != nil {
		return err
	}
	for _, q := range quotas {
		s.quota(q)
	}
	ranges, err := c.ranges(ctx)
	if err := s.unreadable(err, "LimitRanges", "limitranges"); err != nil {
		return err
	}
	for _, r := range ranges {
		s.limitRange(r)
	}
	if s.Free.CPU < leastCPU || s.Free.Memory < leastMemory/2 {
		return fmt.Errorf("the quotas and ranges of namespace %s leave %dm CPU and %v of memory, and a small server needs %dm and %v",
			s.Namespace, s.Free.CPU, mebibytes(s.Free.Memory), leastCPU, node.Bytes(leastMemory/2))
	}
	return nil
}

// unreadable notes what may not be read, and returns other errors.
func (s *Survey) unreadable(err error, what, resource string) error {
	if apierrors.IsForbidden(err) {
		lack := right{"list", "", resource, ""}
		s.Notes = append(s.Notes, fmt.Sprintf("%s of the namespace are unknown: these credentials may not %v. Whether the sizes fit shows when the pods are made. The missing rule of a Role: %s",
			what, lack, ruleLines(rulesOf([]right{lack}))[0]))
		return nil
	}
	return err
}

// quota lowers what is free to what is left of a quota.
func (s *Survey) quota(q corev1.ResourceQuota) {
	left := func(name corev1.ResourceName) (resource.Quantity, bool) {
		hard, limited := q.Status.Hard[name]
		used := q.Status.Used[name]
		hard.Sub(used)
		return hard, limited
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceRequestsCPU, corev1.ResourceCPU, corev1.ResourceLimitsCPU} {
		if v, limited := left(name); limited {
			s.Free.CPU = min(s.Free.CPU, node.CPU(v.MilliValue()))
		}
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceRequestsMemory, corev1.ResourceMemory, corev1.ResourceLimitsMemory} {
		if v, limited := left(name); limited {
			s.Free.Memory = min(s.Free.Memory, node.Bytes(v.Value()))
		}
	}
	for _, name := range constrained(q) {
		s.unset = append(s.unset, unsetValue{q.Name, name})
	}
	s.counted(q.Name, left)
}

// counted keeps what quotas leave of limits and of pods.
func (s *Survey) counted(quota string, left func(corev1.ResourceName) (resource.Quantity, bool)) {
	if v, limited := left(corev1.ResourceLimitsCPU); limited {
		s.Limits.CPU = lower(s.Limits.CPU, max(node.CPU(v.MilliValue()), 1))
	}
	if v, limited := left(corev1.ResourceLimitsMemory); limited {
		s.Limits.Memory = lower(s.Limits.Memory, max(node.Bytes(v.Value()), 1))
	}
	for _, name := range []corev1.ResourceName{corev1.ResourcePods, "count/pods"} {
		if v, limited := left(name); limited && (!s.Pods.Limited || int(v.Value()) < s.Pods.Left) {
			s.Pods = Count{int(v.Value()), true, quota}
		}
	}
}

// refused notes that quotas want every pod to set values, which BestEffort pods, load pods and neighbours do not.
func (s *Survey) refused() {
	for _, u := range s.unset {
		why := fmt.Sprintf("ResourceQuota %s refuses pods that do not set %s.", u.quota, u.name)
		s.NoBestEffort = cmp.Or(s.NoBestEffort, why)
		if strings.HasPrefix(string(u.name), "limits.") {
			s.NoBurstable = cmp.Or(s.NoBurstable, why)
		}
		if strings.HasPrefix(string(u.name), "limits.") || u.name == corev1.ResourceRequestsMemory || u.name == corev1.ResourceMemory {
			s.NoNeighbour, s.NoLoadPods = cmp.Or(s.NoNeighbour, why), cmp.Or(s.NoLoadPods, why)
		}
	}
}

// limitRange takes what a range gives to containers and admits. A container with a request alone gets the range's limit,
// which its request may not exceed.
func (s *Survey) limitRange(r corev1.LimitRange) {
	for _, l := range r.Spec.Limits {
		if l.Type != corev1.LimitTypeContainer && l.Type != corev1.LimitTypePod {
			continue
		}
		if len(l.Default)+len(l.DefaultRequest) > 0 {
			s.NoBestEffort = cmp.Or(s.NoBestEffort, fmt.Sprintf("LimitRange %s gives every container requests or limits, so that no pod is BestEffort.", r.Name))
		}
		given, limit := nodeAmounts(l.DefaultRequest), nodeAmounts(l.Default)
		s.Given.CPU = max(s.Given.CPU, cmp.Or(given.CPU, limit.CPU))
		s.Given.Memory = max(s.Given.Memory, cmp.Or(given.Memory, limit.Memory))
		s.Default = node.Resources{CPU: max(s.Default.CPU, limit.CPU), Memory: max(s.Default.Memory, limit.Memory)}
		least := nodeAmounts(l.Min)
		s.Least = node.Resources{CPU: max(s.Least.CPU, least.CPU), Memory: max(s.Least.Memory, least.Memory)}
		for _, most := range []node.Resources{nodeAmounts(l.Max), limit} {
			s.Most = node.Resources{CPU: lower(s.Most.CPU, most.CPU), Memory: lower(s.Most.Memory, most.Memory)}
		}
	}
}

// lower is the lower of two bounds, of which 0 is none.
func lower[T ~int64](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// admitted has the API server admit a pod without requests, which is not kept: quotas refuse it unless a range gives it
// what they want, and ranges give it requests, also where neither may be read.
func (s *Survey) admitted(ctx context.Context, c *cluster) error {
	if s.NoNeighbour != "" { // pods may not be made
		s.refused()
		return nil
	}
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "tare-survey", Namespace: c.namespace},
		Spec: corev1.PodSpec{SecurityContext: restricted(), Containers: []corev1.Container{{Name: containerName, Image: "mysql", SecurityContext: confined()}}},
	}
	made, err := c.dryRun(ctx, pods, pod.Name, pod)
	if err != nil {
		if !isRefusal(err) {
			return err
		}
		s.refused()
		s.NoBestEffort = cmp.Or(s.NoBestEffort, err.Error())
		return nil
	}
	as, err := typed[corev1.Pod](made.Object)
	if err != nil {
		return err
	}
	if class, _ := classOf(as.Spec); class != node.BestEffort {
		s.NoBestEffort = cmp.Or(s.NoBestEffort, "a pod without requests is made "+string(class)+" in this namespace, by a LimitRange or a webhook.")
	}
	return nil
}

// isRefusal tells what admission says of an object from an API server that does not answer.
func isRefusal(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

var (
	resourceQuotas = corev1.SchemeGroupVersion.WithResource("resourcequotas")
	limitRanges    = corev1.SchemeGroupVersion.WithResource("limitranges")
)
