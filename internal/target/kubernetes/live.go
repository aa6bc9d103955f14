package kubernetes

// A server in a pod that somebody else runs: how to connect to it, and what its node tells
// of it. The pod is not changed. Nothing is made but a probe pod, if that is asked for.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/yaml"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Live is a pod with a server that tare did not start.
type Live struct {
	cluster   *cluster
	pod       *corev1.Pod
	container corev1.Container
	sql       *forward    // to the server; nil before Connect
	probes    *forward    // to the probe pod
	owner     *Kubernetes // of the probe pod; nil without one
}

// FindPod is the pod of that name. container names the server's; "" is found by its port
// and its name.
func FindPod(ctx context.Context, at Where, name, container string) (*Live, error) {
	c, err := connect(at)
	if err != nil {
		return nil, err
	}
	pod, err := get[corev1.Pod](ctx, c, pods, name)
	if apierrors.IsNotFound(err) && !notAPI(err) {
		return nil, fmt.Errorf("there is no pod %s in namespace %s", name, c.namespace)
	}
	if err != nil {
		return nil, unavailable([]error{c.explain(err)})[0]
	}
	l := &Live{cluster: c, pod: pod}
	if l.container, err = databaseIn(pod, container); err != nil {
		return nil, err
	}
	if pod.Status.Phase != corev1.PodRunning {
		return nil, fmt.Errorf("%s is %s; its server must be running", l.Name(), pod.Status.Phase)
	}
	if err := l.notRunning(pod, false); err != nil {
		return nil, err
	}
	return l, nil
}

// Down reads the pod again and says why its server does not run, nil where it runs.
func (l *Live) Down(ctx context.Context) error {
	pod, err := get[corev1.Pod](ctx, l.cluster, pods, l.pod.Name)
	if apierrors.IsNotFound(err) && !notAPI(err) {
		return fmt.Errorf("%s was deleted", l.Name())
	}
	if err != nil {
		return l.cluster.explain(err)
	}
	return l.notRunning(pod, true)
}

// notRunning says that the server's container waits to be started. Of one that did not answer it also says that it has
// ended twice or more and is not ready: it may run for a moment each time.
func (l *Live) notRunning(pod *corev1.Pod, silent bool) error {
	for _, c := range pod.Status.ContainerStatuses {
		waiting, end := c.State.Waiting, c.State.Terminated
		if end == nil {
			end = c.LastTerminationState.Terminated
		}
		again := silent && !c.Ready && c.RestartCount >= 2
		if c.Name != l.container.Name || waiting == nil && c.State.Terminated == nil && !again {
			continue
		}
		is := "has ended"
		switch {
		case waiting != nil:
			is = "is in " + cmp.Or(waiting.Reason, "state waiting")
		case again:
			is = fmt.Sprintf("is started again and again (CrashLoopBackOff, %d restarts)", c.RestartCount)
		}
		said := fmt.Sprintf("container %s of %s %s", c.Name, l.Name(), is)
		if end == nil {
			return fmt.Errorf("%s; `kubectl describe pod -n %s %s` says why", said, l.cluster.namespace, pod.Name)
		}
		return fmt.Errorf("%s: its server ended with exit code %d (%s); `kubectl logs -n %s %s -c %s --previous` shows its last lines", said, end.ExitCode, end.Reason, l.cluster.namespace, pod.Name, c.Name)
	}
	return nil
}

// databaseIn is the container of a pod that runs the server.
func databaseIn(pod *corev1.Pod, name string) (corev1.Container, error) {
	var names []string
	var likely []corev1.Container
	for _, c := range pod.Spec.Containers {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
		if looksLikeDatabase(c) {
			likely = append(likely, c)
		}
	}
	switch {
	case name != "":
		return corev1.Container{}, fmt.Errorf("pod %s has no container %s; it has %s", pod.Name, name, strings.Join(names, ", "))
	case len(pod.Spec.Containers) == 1:
		return pod.Spec.Containers[0], nil
	case len(likely) == 1:
		return likely[0], nil
	}
	return corev1.Container{}, fmt.Errorf("pod %s has several containers that could run the server; name one of %s with --container", pod.Name, strings.Join(names, ", "))
}

// looksLikeDatabase goes by the port, and by the names that operators give.
func looksLikeDatabase(c corev1.Container) bool {
	return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.ContainerPort == serverPort }) ||
		slices.Contains([]string{"mysql", "mysqld", "mariadb", "pxc", "database"}, c.Name)
}

// Name is "pod NAMESPACE/NAME".
func (l *Live) Name() string { return "pod " + l.cluster.namespace + "/" + l.pod.Name }

// Node is where the pod runs.
func (l *Live) Node() string { return l.pod.Spec.NodeName }

// Manifest is the pod as YAML, without its status and without what the API server added to
// its metadata.
func (l *Live) Manifest() ([]byte, error) {
	pod := l.pod.DeepCopy()
	pod.TypeMeta = kind("v1", "Pod")
	pod.ManagedFields, pod.Status = nil, corev1.PodStatus{}
	text, err := yaml.Marshal(pod)
	if err != nil {
		return nil, fmt.Errorf("write %s as YAML: %w", l.Name(), err)
	}
	return text, nil
}

// Connect forwards a port of this machine's loopback interface to the server's, and
// returns it. It is open until Close.
func (l *Live) Connect(port int) (int, error) {
	var err error
	if l.sql, err = forwardTo(l.cluster, l.pod.Name, port); err != nil {
		return 0, err
	}
	return l.sql.port, nil
}

// Facts are what the pod's resource says of its server.
func (l *Live) Facts() []record.Fact {
	network := "its own"
	if l.pod.Spec.HostNetwork {
		network = "the host's"
	}
	facts := []record.Fact{
		{Key: keys.PodQoS, Value: string(l.pod.Status.QOSClass), Source: "status.qosClass"},
		{Key: keys.PodNode, Value: l.Node(), Source: "spec.nodeName"},
		{Key: keys.ContainerNamespaceNet, Value: network, Source: "spec.hostNetwork"},
		{Key: keys.ServerCPUShares, Value: strconv.FormatInt(cpuShares(l.requested()), 10), Source: "CPU request of container " + l.container.Name},
		{Key: keys.PodCPULimit, Value: l.limit(), Source: "CPU limit of container " + l.container.Name + " or of its pod"},
	}
	for i := range facts {
		facts[i].Phase = "start"
	}
	return facts
}

// resources are those of the container in effect, where the API server tells them (KEP-1287,
// in-place resize), else those of the resource.
func (l *Live) resources() corev1.ResourceRequirements {
	for _, c := range l.pod.Status.ContainerStatuses {
		if c.Name == l.container.Name && c.Resources != nil {
			return *c.Resources
		}
	}
	return l.container.Resources
}

// requested is the container's CPU request in thousandths of a CPU.
func (l *Live) requested() int64 {
	of := l.resources()
	return of.Requests.Cpu().MilliValue()
}

// limit is the CPU limit of the container in thousandths of a CPU, or the pod's where it has none of its own; "none"
// where neither has one.
func (l *Live) limit() string {
	of := l.resources()
	limit := of.Limits.Cpu().MilliValue()
	if r := l.pod.Spec.Resources; limit == 0 && r != nil {
		limit = r.Limits.Cpu().MilliValue()
	}
	if limit == 0 {
		return "none"
	}
	return strconv.FormatInt(limit, 10) + "m"
}

// cpuShares are the shares that a kubelet gives for a CPU request
// (kubernetes pkg/kubelet/cm/helpers_linux.go, MilliCPUToShares).
func cpuShares(milliCPU int64) int64 { return min(max(milliCPU*1024/1000, 2), 262144) }

// Probe makes a probe pod in the namespace on the node of the server, and returns how to
// connect to the probes in it. image is tare's own, "" for the
// server's image and a stream of the program. Close deletes the pod.
func (l *Live) Probe(ctx context.Context, namespace, image, dataDir string) (func(context.Context) (net.Conn, error), error) {
	id, err := containerID(l.pod, l.container.Name)
	if err != nil {
		return nil, err
	}
	if l.owner, err = ownerOf(l.cluster, Settings{ProbeNamespace: namespace, ClientImage: image}); err != nil {
		return nil, err
	}
	from := l.owner.settings.supply(l.container.Image)
	if l.probes, err = l.owner.probe(ctx, from, l.owner.id, l.Node(), []string{"--container", id, "--data", dataDir}); err != nil {
		return nil, err
	}
	return l.probes.dial, nil
}

// ownerOf is what the objects of no arm belong to, so that tare clean finds them.
func ownerOf(c *cluster, s Settings) (*Kubernetes, error) {
	k := &Kubernetes{cluster: c, settings: s}
	var err error
	k.id, k.owner, err = identity()
	return k, err
}

// containerID is the identifier that the runtime gave a container of a pod.
func containerID(pod *corev1.Pod, container string) (string, error) {
	for _, c := range pod.Status.ContainerStatuses {
		if _, id, ok := strings.Cut(c.ContainerID, "://"); ok && c.Name == container {
			return id, nil
		}
	}
	return "", fmt.Errorf("container %s of pod %s has no identifier", container, pod.Name)
}

// Close ends the forwarded ports and deletes the probe pod.
func (l *Live) Close() error {
	for _, f := range []*forward{l.sql, l.probes} {
		if f != nil {
			f.close()
		}
	}
	if l.owner == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	if err := l.owner.removeProbes(ctx, ""); err != nil {
		return errors.Join(err, fmt.Errorf("delete it with: tare clean --namespace %s", l.owner.settings.ProbeNamespace))
	}
	return nil
}
