package kubernetes

// The pods of a load: a Job whose pods run tare's own engine, one generator each, on a
// server in this cluster or anywhere else. An arm has its own (`clients`), or all arms
// of an experiment are loaded by the same (`load.from`).

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// loaders are the generators of one trial.
type loaders struct {
	cluster *cluster
	meta    metav1.ObjectMeta // of their objects and pods
	trial   string            // its name
	count   int
	supply  supply
	// nodes are the labels of the nodes that the pods may be on, tolerate accepts any taint.
	nodes    map[string]string
	tolerate bool
	// beside is the node that the run's load pods were on before: where no node is named, they prefer it, and each other's, so
	// that the loads of all arms have one network path and one clock.
	beside  string
	request node.CPU
	// annotations of the pods; device is a resource of which each takes one, "" for none.
	annotations map[string]string
	device      string
}

// generate makes the Job, follows the logs of its pods, and returns when all have ended.
// What the pods print stays in their logs, so a broken connection costs no line.
func (l loaders) generate(ctx context.Context, job []byte, line func(int, []byte) error) (err error) {
	if err := l.cluster.apply(ctx, secrets, l.meta.Name, l.secret(job)); err != nil {
		return err
	}
	if err := l.cluster.apply(ctx, jobs, l.meta.Name, l.job(deadline(ctx))); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan error, l.count)
	for number := range l.count {
		go func() {
			err := l.follow(ctx, number, line)
			if err != nil {
				cancel(err) // the others load for nothing
			}
			ended <- err
		}()
	}
	for range l.count {
		err = errors.Join(err, <-ended)
	}
	return err
}

// secret holds the job: the server's password is in it.
func (l loaders) secret(job []byte) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: l.meta, Data: map[string][]byte{"job.json": job},
	}
}

// job has a pod for every generator. A pod that fails is not made again: its
// part of the load is over. The cluster ends it when within has passed: should tare be
// killed, nothing else would.
func (l loaders) job(within time.Duration) *batchv1.Job {
	n := int32(l.count)
	pod := corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: new(int64(5)),
		EnableServiceLinks: new(false), AutomountServiceAccountToken: new(false),
		SecurityContext: restricted(), NodeSelector: l.nodes,
		Containers: []corev1.Container{{
			Name: loadContainer, Args: []string{"load", "part", secretDir + "/job.json"},
			Env:             []corev1.EnvVar{{Name: target.InstanceVariable, Value: l.trial}},
			Resources:       l.resources(),
			VolumeMounts:    []corev1.VolumeMount{{Name: "job", MountPath: secretDir, ReadOnly: true}},
			SecurityContext: confined(),
		}},
		Volumes: []corev1.Volume{{Name: "job", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: l.meta.Name, DefaultMode: new(int32(0o440))}}}},
	}
	l.supply.fill(&pod)
	if l.nodes[corev1.LabelHostname] == "" {
		pod.Affinity = beside(loadRole, l.beside)
	}
	if l.tolerate {
		pod.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	return &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: l.meta,
		Spec: batchv1.JobSpec{
			Completions: &n, Parallelism: &n, CompletionMode: new(batchv1.IndexedCompletion), BackoffLimit: new(int32(0)),
			ActiveDeadlineSeconds: new(int64(math.Ceil(within.Seconds()))),
			Template:              corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: l.meta.Labels, Annotations: l.annotations}, Spec: pod},
		},
	}
}

// resources are those of a pod's container. It has no limits, which would throttle the load.
func (l loaders) resources() corev1.ResourceRequirements {
	return withDevice(corev1.ResourceRequirements{Requests: amounts(node.Resources{CPU: l.request})}, l.device)
}

// pod is the one with that number, nil while there is none.
func (l loaders) pod(ctx context.Context, number int) (*corev1.Pod, error) {
	selector := fmt.Sprintf("%s,%s=%d", labels.Set(l.meta.Labels), batchv1.JobCompletionIndexAnnotation, number)
	found, err := list[corev1.Pod](ctx, l.cluster.scoped(pods), "pods", metav1.ListOptions{LabelSelector: selector})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// refusedAfter is how long a pod may be missing before its Job is asked why: a quota counts
// the pods of the trial before for some seconds, and the Job controller asks more than once.
const refusedAfter = 10 * time.Second

// refused says why the Job may not make its pods, "" while it may or where that is not known.
func (l loaders) refused(ctx context.Context) string {
	return l.cluster.refused(ctx, "Job", jobs, l.meta.Name)
}

// facts say where the load came from. A pod that the API server does not tell of has none.
func (l loaders) facts(ctx context.Context) []record.Fact {
	source := "job " + l.meta.Name
	facts := []record.Fact{{Key: keys.LoadPods, Value: strconv.Itoa(l.count), Source: source}}
	for number := range l.count {
		if pod, err := l.pod(ctx, number); err == nil && pod != nil {
			facts = append(facts,
				record.Fact{Key: fmt.Sprintf(keys.LoadPodPrefix+"%d.node", number), Value: pod.Spec.NodeName, Source: source},
				record.Fact{Key: fmt.Sprintf(keys.LoadPodPrefix+"%d.qos", number), Value: string(pod.Status.QOSClass), Source: source})
		}
	}
	return facts
}

// onNode are the labels of one node, none for any.
func onNode(name string) map[string]string {
	if name == "" {
		return nil
	}
	return map[string]string{corev1.LabelHostname: name}
}

// podsOf is where the pods of a cluster are, in words.
func podsOf(c *cluster) string {
	if c == nil || c.config == nil {
		return "pods of a cluster"
	}
	return "pods of cluster " + c.config.Host
}
