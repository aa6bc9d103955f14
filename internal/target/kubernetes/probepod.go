package kubernetes

// Probes beside the server: a pod on its node that sees the node's processes and
// cgroups and may change none of them. It is in a namespace of its own, because
// one that admits it admits pods that could do much more.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

const (
	probeRole = "probe"
	// probePort is open only on the pod's loopback interface: connections to it come through
	// the API server.
	probePort = 7411
	cgroupDir = "/sys/fs/cgroup"
	// probeAnnotation tells a [Clean] after a crash where an arm's probe pods are.
	probeAnnotation = "tarebench.io/probe-namespace"
)

// in is the cluster with another namespace.
func (c *cluster) in(namespace string) *cluster {
	other := *c
	other.namespace = namespace
	return &other
}

// Probe makes the pod and returns how to connect to the probes in it.
func (s *server) Probe(ctx context.Context, dataDir string) (func(context.Context) (net.Conn, error), error) {
	k, at := s.target, s.pod.Spec.NodeName
	if k.settings.ProbeNamespace == "" {
		return nil, errors.New(record.ServerOnNode.Say(at))
	}
	which, err := s.which(ctx)
	if err != nil {
		return nil, err
	}
	if s.probes, err = k.probe(ctx, s.supply().elsewhere(), s.request.Name, at, append(which, "--data", dataDir)); err != nil {
		return nil, err
	}
	return s.probes.dial, nil
}

// probe makes a probe pod on a node and forwards a port to the probes in it.
func (k *Kubernetes) probe(ctx context.Context, from supply, instance, at string, flags []string) (*forward, error) {
	before := k.probed
	k.probed = true
	c, pod := k.cluster.in(k.settings.ProbeNamespace), k.probePod(from, instance, at, flags)
	if err := c.apply(ctx, pods, pod.Name, pod); err != nil {
		k.probed = before || !apierrors.IsForbidden(err) // else nothing was made that could be removed
		return nil, c.advisedProbe(err)
	}
	if err := c.probes(ctx, from, pod.Name); err != nil {
		return nil, fmt.Errorf("probe pod %s on node %s: %w", pod.Name, at, err)
	}
	return forwardTo(c, pod.Name, probePort)
}

// which are the flags of `tare probe beside` that say which server of the node it is.
func (s *server) which(ctx context.Context) ([]string, error) {
	if s.target.settings.Bare {
		return []string{"--variable", target.InstanceVariable + "=" + s.request.Name}, nil
	}
	pod, err := get[corev1.Pod](ctx, s.target.cluster, pods, s.podName())
	if err != nil {
		return nil, err
	}
	id, err := containerID(pod, s.container)
	if err != nil {
		return nil, err
	}
	return []string{"--container", id}, nil
}

// probePod is on the server's node without a scheduler's consent, and requests
// nothing: it must not take what an arm with cpu: max asks for. It has no
// capabilities, and runs as the server's user, whose environment it can read.
func (k *Kubernetes) probePod(from supply, instance, at string, flags []string) *corev1.Pod {
	m := k.meta(k.id + "-" + probeRole)
	m.Namespace = k.settings.ProbeNamespace
	m.Labels[instanceLabel], m.Labels[roleLabel] = instance, probeRole
	alone := confined()
	alone.ReadOnlyRootFilesystem = new(true)
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: m,
		Spec: corev1.PodSpec{
			NodeName: at, HostPID: true, Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: new(int64(1)),
			AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
			SecurityContext: &corev1.PodSecurityContext{
				RunAsUser: new(serverUser), RunAsGroup: new(serverUser), RunAsNonRoot: new(true),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: probeRole, Args: slices.Concat([]string{"probe", "beside", "--listen", "127.0.0.1:" + strconv.Itoa(probePort)}, flags),
				VolumeMounts:    []corev1.VolumeMount{{Name: "cgroup", MountPath: cgroupDir, ReadOnly: true}},
				SecurityContext: alone,
			}},
			Volumes: []corev1.Volume{{Name: "cgroup", VolumeSource: corev1.VolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: cgroupDir, Type: new(corev1.HostPathDirectory)}}}},
		},
	}
	from.fill(&pod.Spec)
	return pod
}

// probes waits until the pod has found the server and listens, of which it prints a
// line.
func (c *cluster) probes(ctx context.Context, from supply, name string) error {
	for {
		pod, err := get[corev1.Pod](ctx, c, pods, name)
		switch {
		case err != nil && !retryable(err):
			return c.advisedProbe(err)
		case err == nil && stuck(pod) != "":
			return errors.New(advised(stuck(pod)) + c.lastWords(ctx, name, probeRole))
		case err == nil && pod.Status.Phase == corev1.PodRunning:
			if err := c.deliver(ctx, from, name, probeRole, programDir); err != nil {
				return err
			}
			return c.listens(ctx, name)
		}
		if err := pause(ctx, pollEvery); err != nil {
			return fmt.Errorf("it does not run: %w", err)
		}
	}
}

func (c *cluster) listens(ctx context.Context, name string) error {
	log, err := c.logs(ctx, name, probeRole, true)
	if err != nil {
		return err
	}
	defer log.Close()
	text, err := bufio.NewReader(log).ReadString('\n')
	if err != nil {
		return fmt.Errorf("read its log: %w", err)
	}
	if !strings.HasPrefix(text, target.ProbesOf) {
		return errors.New(strings.TrimSpace(text))
	}
	return nil
}

// checkProbes asks for the rights, and has a probe pod admitted without being made.
func (k *Kubernetes) checkProbes(ctx context.Context) error {
	if k.settings.ProbeNamespace == "" {
		return nil
	}
	c := k.cluster.in(k.settings.ProbeNamespace)
	missing, err := c.missing(ctx, rightsOf(probePermissions(), k.settings))
	if err == nil && len(missing) > 0 {
		err = lacking(c.namespace, missing, "apply the capability probe of docs/kubernetes-rbac.yaml, or leave probeNamespace out: the kernel's counters of the server are then unknown")
	}
	if err == nil {
		pod := k.probePod(k.settings.supply(orPlaceholder(k.settings.Image)), "check", "", nil)
		err = c.advisedProbe(c.admit(ctx, pods, pod.Name, pod))
	}
	if err != nil {
		return target.FieldError{Field: "probeNamespace", Err: err}
	}
	return nil
}

// advisedProbe adds the next step to why a probe pod may not be.
func (c *cluster) advisedProbe(err error) error {
	switch {
	case err != nil && strings.Contains(err.Error(), "violates PodSecurity"):
		return fmt.Errorf("%w; next: give probe pods a namespace of their own with the level privileged, as the capability probe of docs/kubernetes-rbac.yaml does", err)
	case apierrors.IsNotFound(err) || apierrors.IsForbidden(err):
		return fmt.Errorf("%w; next: kubectl apply -f docs/kubernetes-rbac.yaml -l tarebench.io/capability=probe", err)
	}
	return err
}

// removeProbes removes the probe pod of an instance, of all with "".
func (k *Kubernetes) removeProbes(ctx context.Context, instance string) error {
	if !k.probed {
		return nil
	}
	selector := k.selector()
	if instance != "" {
		selector += "," + instanceLabel + "=" + instance
	}
	return k.cluster.in(k.settings.ProbeNamespace).removeAll(ctx, []schema.GroupVersionResource{pods}, selector)
}
