package kubernetes

// The load from inside the server's own pod, as sysbench beside mysqld: an
// ephemeral container, which the pod gets when the load begins. A container that
// the pod had from the start would count among its requests and change its class.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tarebench/tare/internal/target"
)

// The words of client.
const (
	socketClient  = "socket"
	samePodClient = "same-pod"
)

func (s Settings) insideContradictions() []error {
	var errs []error
	wrong := func(field, format string, args ...any) {
		errs = append(errs, target.Wrong(field, format, args...))
	}
	switch {
	case s.Client == "":
		return nil
	case s.Client != socketClient && s.Client != samePodClient:
		wrong("client", "%.40q is not a client location; write socket or same-pod, or clients: 1 for a pod of its own", s.Client)
	case s.Clients > 0:
		wrong("clients", "client and clients exclude each other: the load comes from the server's pod or from load pods; leave one out")
	case s.Client == socketClient && !s.makesServer():
		wrong("client", "the path of the socket is not known for a server of manifests; write client: same-pod")
	case s.Bare:
		wrong("client", "a process on the node has no pod; write clients: 1 with clientNode: %s", s.Node)
	}
	if s.Address != "" {
		wrong("address", "client: %s determines the address; leave address out", s.Client)
	}
	return errs
}

// loadPart names the load's container, and the Secret that it reads. A pod of an operator
// is the same in every trial, and Kubernetes lets no ephemeral container be changed or
// removed: there each trial has names of its own.
func (s *server) loadPart() string {
	if !s.target.settings.isOperator() || s.target.settings.Client == "" {
		return loadContainer
	}
	sum := sha256.Sum256([]byte(s.request.Name))
	return loadContainer + "-" + hex.EncodeToString(sum[:4])
}

// generateInside adds the load's container to the pod and follows its log.
func (s *server) generateInside(ctx context.Context, line func(int, []byte) error) error {
	c := s.target.cluster
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"ephemeralContainers": []corev1.EphemeralContainer{s.insideContainer()}}})
	if err != nil {
		return fmt.Errorf("add load to the server's pod: %w", err)
	}
	err = retry(ctx, func() error {
		_, err := c.scoped(pods).Patch(ctx, s.podName(), types.StrategicMergePatchType, patch, metav1.PatchOptions{FieldManager: fieldManager}, "ephemeralcontainers")
		return err
	})
	if err != nil {
		return fmt.Errorf("add load to the server's pod: %w", c.explain(err))
	}
	passed, delivered := 0, false
	for {
		pod, err := get[corev1.Pod](ctx, c, pods, s.podName())
		if err != nil && !retryable(err) {
			return fmt.Errorf("follow load: %w", c.explain(err))
		}
		if err == nil {
			if !delivered && insideRuns(pod, s.loadPart()) {
				if err := c.deliver(ctx, s.supply(), pod.Name, s.loadPart(), programDirInside); err != nil {
					return err
				}
				delivered = true
			}
			done, err := s.passInside(ctx, pod, &passed, line)
			if done || err != nil {
				return err
			}
		}
		if err := pause(ctx, pollEvery); err != nil {
			return fmt.Errorf("follow load: %w", err)
		}
	}
}

// insideRuns tells whether the load's container runs.
func insideRuns(pod *corev1.Pod, name string) bool {
	return slices.ContainsFunc(pod.Status.EphemeralContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.Name == name && c.State.Running != nil
	})
}

// passInside passes on what the container has printed beyond passed lines, and
// tells whether it has ended well.
func (s *server) passInside(ctx context.Context, pod *corev1.Pod, passed *int, line func(int, []byte) error) (bool, error) {
	i := slices.IndexFunc(pod.Status.EphemeralContainerStatuses, func(c corev1.ContainerStatus) bool { return c.Name == s.loadPart() })
	if i < 0 {
		return false, death(pod, s.container, s.restarts)
	}
	state := pod.Status.EphemeralContainerStatuses[i].State
	if w := state.Waiting; w != nil {
		if isHopeless(w) {
			return false, fmt.Errorf("load does not run in the server's pod: %s: %s", w.Reason, w.Message)
		}
		return false, death(pod, s.container, s.restarts)
	}
	if t := state.Terminated; t != nil && t.ExitCode != 0 {
		return false, fmt.Errorf("load in the server's pod ended with status %d: %s%s", t.ExitCode, t.Reason, s.target.cluster.lastWords(ctx, pod.Name, s.loadPart()))
	}
	n, err := s.loaders().pass(ctx, pod.Name, s.loadPart(), 0, *passed, line)
	*passed += n
	var refused errLine
	if errors.As(err, &refused) || ctx.Err() != nil {
		return false, errors.Join(err, context.Cause(ctx))
	}
	if apierrors.IsForbidden(err) {
		return false, fmt.Errorf("follow load: %w", s.target.cluster.explain(err))
	}
	return err == nil && state.Terminated != nil, nil // else the log was cut off
}

// insideContainer has no requests and no limits, which no ephemeral container may
// have: it shares the pod's. The job is in its environment, out of a Secret.
func (s *server) insideContainer() corev1.EphemeralContainer {
	c := corev1.EphemeralContainer{}
	from := s.supply()
	c.Name, c.Image, c.ImagePullPolicy, c.Args = s.loadPart(), from.image, corev1.PullIfNotPresent, []string{"load", "part"}
	if from.streamed { // a container that is added to a pod that runs can have no volume of its own
		c.Command = waitingIn(programDirInside)
	}
	c.Env = []corev1.EnvVar{
		s.mark(),
		{Name: "JOB_COMPLETION_INDEX", Value: "0"},
		{Name: "TARE_JOB", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: s.loadName()}, Key: "job.json"}}},
	}
	c.SecurityContext = confined()
	c.SecurityContext.RunAsUser, c.SecurityContext.RunAsNonRoot = new(serverUser), new(true)
	if s.target.settings.Client == socketClient {
		c.VolumeMounts = []corev1.VolumeMount{{Name: "run", MountPath: strings.TrimSuffix(target.InsideRun, "/")}}
	}
	return c
}
