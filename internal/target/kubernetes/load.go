package kubernetes

// The load from inside the cluster: an Indexed Job whose pods run `tare load part`.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

const loadContainer = "load"

// A load ends by itself, and its context ends one that does not. The cluster's own
// deadline is later than both, and there is one for a load without a limit, too.
const (
	afterDeadline = time.Minute
	longestLoad   = 24 * time.Hour
)

// deadline is how long the cluster lets a load of this context run.
func deadline(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return longestLoad
	}
	return max(0, time.Until(end)) + afterDeadline
}

func (s *server) loadName() string { return s.target.id + "-load" }

// Generators are the load's pods; 0: the load comes from this host.
func (s *server) Generators() int { return s.target.settings.generators() }

// Generate makes the Job, follows the logs of its pods, and removes it. What the
// pods print stays in their logs, so a broken connection costs no line.
func (s *server) Generate(ctx context.Context, job []byte, line func(int, []byte) error) (err error) {
	c := s.target.cluster
	if err := c.apply(ctx, secrets, s.loadName(), s.loadSecret(job)); err != nil {
		return err
	}
	if s.target.settings.Client != "" {
		return s.generateInside(ctx, line)
	}
	if err := c.apply(ctx, jobs, s.loadName(), s.loadJob(deadline(ctx))); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan error, s.Generators())
	for number := range s.Generators() {
		go func() {
			err := s.follow(ctx, number, line)
			if err != nil {
				cancel(err) // the others load for nothing
			}
			ended <- err
		}()
	}
	for range s.Generators() {
		err = errors.Join(err, <-ended)
	}
	return err
}

// follow passes on what one generator prints, until its pod has ended well.
func (s *server) follow(ctx context.Context, number int, line func(int, []byte) error) error {
	passed := 0 // lines that have been passed on
	begun := time.Now()
	var away error // what kept the API server from answering the last time
	var seen time.Time
	for {
		pod, err := s.loadPod(ctx, number)
		switch {
		case ctx.Err() != nil && away != nil:
			return fmt.Errorf("follow load pod %d: %w: %w", number, target.ErrUnseen, away)
		case err != nil && !retryable(err) && !settling(err, seen):
			return fmt.Errorf("look at load pod %d: %w", number, s.target.cluster.explain(err))
		case err != nil && !ownLimit(err):
			away = err
		case err != nil:
		case pod == nil && (passed > 0 || time.Since(begun) > time.Minute):
			return fmt.Errorf("load pod %d is gone", number)
		case pod == nil:
		case stuck(pod) != "":
			return fmt.Errorf("load pod %d does not run: %s%s", number, stuck(pod), s.target.cluster.lastWords(ctx, pod.Name, loadContainer))
		case pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodSucceeded:
			n, err := s.pass(ctx, pod.Name, number, passed, line)
			passed += n
			if err == nil && pod.Status.Phase == corev1.PodSucceeded {
				return nil // and its log was read to the end after that
			}
			var refused errLine
			if errors.As(err, &refused) || ctx.Err() != nil {
				return errors.Join(err, context.Cause(ctx))
			}
		case time.Since(begun) > time.Minute:
			return fmt.Errorf("load pod %d is not placed within a minute: %s", number, unplaced(pod))
		}
		if err == nil {
			away, seen = nil, time.Now()
		}
		if err := pause(ctx, pollEvery); err != nil && away == nil {
			return fmt.Errorf("follow load pod %d: %w", number, err)
		}
	}
}

// ownLimit tells that a request was not sent because client-go's own rate limiter would
// have sent it after the end of ctx: that says nothing of the API server. client-go has
// no error of its own for it (rest/request.go, tryThrottle).
func ownLimit(err error) bool { return strings.Contains(err.Error(), "client rate limiter Wait") }

// lastWords is the last line that a container printed, where there is one.
func (c *cluster) lastWords(ctx context.Context, pod, container string) string {
	stream, err := c.logs(ctx, pod, container, false)
	if err != nil { // the message that this is for says enough
		return ""
	}
	defer stream.Close()
	b, _ := io.ReadAll(io.LimitReader(stream, 1<<20)) // as much as came
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	if last := lines[len(lines)-1]; len(last) > 0 && len(last) < 500 {
		return "; it said: " + string(last)
	}
	return ""
}

// loadPod is the pod with that number, nil while there is none.
func (s *server) loadPod(ctx context.Context, number int) (*corev1.Pod, error) {
	selector := fmt.Sprintf("%s,%s=%s,%s=%s,%s=%d", s.target.selector(), instanceLabel, s.request.Name, roleLabel, loadRole, batchv1.JobCompletionIndexAnnotation, number)
	found, err := list[corev1.Pod](ctx, s.target.cluster.scoped(pods), "pods", metav1.ListOptions{LabelSelector: selector})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// errLine is what a reader of lines returned: not the connection's, so not mended
// by another.
type errLine struct{ error }

func (e errLine) Unwrap() error { return e.error }

// pass reads a pod's log from the beginning, skips the lines that have been
// passed on, and says how many more it passed on.
func (s *server) pass(ctx context.Context, pod string, number, skip int, line func(int, []byte) error) (int, error) {
	stream, err := s.target.cluster.logs(ctx, pod, loadContainer, true)
	if err != nil {
		return 0, err
	}
	defer stream.Close()
	n := 0
	lines := bufio.NewReaderSize(stream, 1<<16)
	for {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return max(0, n-skip), nil
		}
		if err != nil { // the connection broke; half a line comes whole the next time
			return max(0, n-skip), fmt.Errorf("read the log of load pod %d: %w", number, err)
		}
		n++
		if n <= skip {
			continue
		}
		if err := line(number, text); err != nil {
			return n - skip, errLine{err}
		}
	}
}

func unplaced(pod *corev1.Pod) string {
	i := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodScheduled })
	if i < 0 {
		return "the scheduler has not said why"
	}
	return pod.Status.Conditions[i].Message
}

// loadMeta is that of the load's objects.
func (s *server) loadMeta() metav1.ObjectMeta {
	m := s.meta()
	m.Name = s.loadName()
	m.Labels[roleLabel] = loadRole
	return m
}

// loadSecret holds the job: the server's password is in it.
func (s *server) loadSecret(job []byte) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: s.loadMeta(), Data: map[string][]byte{"job.json": job},
	}
}

// loadJob has a pod for every generator. A pod that fails is not made again: its
// part of the load is over. The cluster ends it when within has passed: should tare be
// killed, nobody else would.
func (s *server) loadJob(within time.Duration) *batchv1.Job {
	set, n := s.target.settings, int32(s.Generators())
	pod := corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: new(int64(5)),
		EnableServiceLinks: new(false), AutomountServiceAccountToken: new(false),
		SecurityContext: restricted(),
		Containers: []corev1.Container{{
			Name: loadContainer, Image: set.ClientImage, ImagePullPolicy: corev1.PullIfNotPresent, Args: []string{"load", "part", secretDir + "/job.json"},
			Env:             []corev1.EnvVar{s.mark()},
			Resources:       corev1.ResourceRequirements{Requests: amounts(node.Resources{CPU: set.ClientCPURequest})},
			VolumeMounts:    []corev1.VolumeMount{{Name: "job", MountPath: secretDir, ReadOnly: true}},
			SecurityContext: confined(),
		}},
		Volumes: []corev1.Volume{{Name: "job", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: s.loadName(), DefaultMode: new(int32(0o440))}}}},
	}
	if set.ClientNode != "" {
		pod.NodeSelector = map[string]string{corev1.LabelHostname: set.ClientNode}
	}
	if set.Tolerate {
		pod.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	return &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: s.loadMeta(),
		Spec: batchv1.JobSpec{
			Completions: &n, Parallelism: &n, CompletionMode: new(batchv1.IndexedCompletion), BackoffLimit: new(int32(0)),
			ActiveDeadlineSeconds: new(int64(math.Ceil(within.Seconds()))),
			Template:              corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: s.loadMeta().Labels}, Spec: pod},
		},
	}
}

// loadFacts say where the load came from.
func (s *server) loadFacts(ctx context.Context) map[string]string {
	if s.target.settings.Client != "" {
		return map[string]string{"load.client": s.target.settings.Client}
	}
	facts := map[string]string{"load.pods": strconv.Itoa(s.Generators())}
	for number := range s.Generators() {
		if pod, err := s.loadPod(ctx, number); err == nil && pod != nil {
			facts[fmt.Sprintf("load.pod.%d.node", number)] = pod.Spec.NodeName
			facts[fmt.Sprintf("load.pod.%d.qos", number)] = string(pod.Status.QOSClass)
		}
	}
	return facts
}
