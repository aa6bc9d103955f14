package kubernetes

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Remote are the runs inside one namespace of a cluster.
type Remote struct {
	cluster *cluster
	at      Where // as whoever connected named it
}

// ConnectRemote reads the configuration as kubectl does; it sends nothing.
func ConnectRemote(at Where) (*Remote, error) {
	c, err := connect(at)
	if err != nil {
		return nil, err
	}
	return &Remote{c, at}, nil
}

// Namespace is where the runs are.
func (r *Remote) Namespace() string { return r.cluster.namespace }

// At is the cluster as it was named, and the namespace.
func (r *Remote) At() Where {
	return Where{r.at.Kubeconfig, r.at.Context, r.cluster.namespace}
}

// Start makes the objects of a run, and returns its name: another than the one asked for where a run has that, as of a start in the
// same second. Where an object is refused, those before it are removed
// again, except that a cluster which refuses the view of its nodes is run in without:
// then `cpu: max` is an error of the experiment.
func (r *Remote) Start(ctx context.Context, run InCluster, note io.Writer) (name string, err error) {
	if _, err := run.objects(r.cluster.namespace); err != nil {
		return "", err
	}
	if run.Name, err = r.reserve(ctx, run); err != nil {
		return "", err
	}
	all, err := run.objects(r.cluster.namespace)
	if err != nil {
		return "", err
	}
	made := []schema.GroupVersionResource{configMaps}
	blind := false
	for _, o := range all[1:] {
		c := r.cluster
		if o.cluster {
			c = c.in("")
		}
		if o.cluster && blind { // the binding of a role that was refused
			continue
		}
		err := c.apply(ctx, o.kind, o.name, o.object)
		if err != nil && o.cluster && apierrors.IsForbidden(err) {
			fmt.Fprintf(note, "the run cannot read nodes, so `cpu: max` is not available: %v\n", err)
			blind = true
			continue
		}
		if !apierrors.IsForbidden(err) { // of another error it is not known whether the object was made
			made = append(made, o.kind)
		}
		if err != nil {
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
			defer cancel()
			refused, again := r.removeKinds(last, run.Name, made)
			return "", errors.Join(err, again, r.left(refused))
		}
	}
	return run.Name, nil
}

// reserve makes the run's ConfigMap under a name that no other run has.
func (r *Remote) reserve(ctx context.Context, run InCluster) (string, error) {
	base := run.Name
	for n := 2; ; n++ {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(run.configMap())
		if err != nil {
			return "", fmt.Errorf("create run: %w", err)
		}
		_, err = r.cluster.scoped(configMaps).Create(ctx, &unstructured.Unstructured{Object: fields}, metav1.CreateOptions{FieldManager: fieldManager})
		switch {
		case err == nil:
			return run.Name, nil
		case !apierrors.IsAlreadyExists(err) || n > mostAtOnce:
			return "", fmt.Errorf("create configmaps %s in namespace %s: %w", run.Name, r.cluster.namespace, r.cluster.explain(err))
		}
		run.Name = fmt.Sprintf("%s-%d", base, n)
	}
}

// mostAtOnce are the runs of one experiment that may be started in one second.
const mostAtOnce = 20

// RemoteRun is a run as its Job tells of it.
type RemoteRun struct {
	Name    string
	Started time.Time
	// State is "running", "stopped" ([Remote.Stop]), "finished" or "failed"; Why says more of the last.
	State, Why string
	// image is that of its pods; arch the architecture of the nodes that its streamed program runs on, "" with tare's image.
	image, arch string
}

// Runs are the runs of the namespace, the latest first.
func (r *Remote) Runs(ctx context.Context) ([]RemoteRun, error) {
	found, err := list[batchv1.Job](ctx, r.cluster.scoped(jobs), "jobs", metav1.ListOptions{LabelSelector: runLabel})
	if err != nil {
		return nil, r.cluster.explain(err)
	}
	var all []RemoteRun
	for _, j := range found {
		all = append(all, remoteRun(&j))
	}
	slices.SortFunc(all, func(a, b RemoteRun) int { return b.Started.Compare(a.Started) })
	return all, nil
}

// Run is one run.
func (r *Remote) Run(ctx context.Context, name string) (RemoteRun, error) {
	j, err := r.job(ctx, name)
	if apierrors.IsNotFound(err) {
		return RemoteRun{}, fmt.Errorf("no run %s in namespace %s", name, r.cluster.namespace)
	}
	if err != nil {
		return RemoteRun{}, r.cluster.explain(err)
	}
	return remoteRun(j), nil
}

// job is the Job of a run. It is listed: the capability run of docs/kubernetes-rbac.yaml does not permit to get one.
func (r *Remote) job(ctx context.Context, name string) (*batchv1.Job, error) {
	found, err := list[batchv1.Job](ctx, r.cluster.scoped(jobs), "jobs", metav1.ListOptions{LabelSelector: runLabel + "=" + name})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(found, func(j batchv1.Job) bool { return j.Name == name })
	if i < 0 {
		return nil, apierrors.NewNotFound(jobs.GroupResource(), name)
	}
	return &found[i], nil
}

func remoteRun(j *batchv1.Job) RemoteRun {
	run := RemoteRun{Name: j.Name, Started: j.CreationTimestamp.Time, State: "running"}
	if c := j.Spec.Template.Spec.Containers; len(c) > 0 {
		run.image = c[0].Image
		if len(c[0].Command) > 0 {
			run.arch = j.Spec.Template.Spec.NodeSelector[corev1.LabelArchStable]
		}
	}
	if j.Spec.Suspend != nil && *j.Spec.Suspend {
		run.State = "stopped"
	}
	for _, c := range j.Status.Conditions {
		switch {
		case c.Status != corev1.ConditionTrue:
		case c.Type == batchv1.JobComplete:
			run.State = "finished"
		case c.Type == batchv1.JobFailed:
			run.State, run.Why = "failed", c.Message
		}
	}
	return run
}

// followEvery is the time between two looks at a run whose pod says nothing.
const followEvery = time.Second

// Follow passes on what the run prints until it ends, and returns how it ended. A lost
// connection is made again for as long as ctx lasts: the run does not depend on it.
func (r *Remote) Follow(ctx context.Context, name string, out, note io.Writer) (RemoteRun, error) {
	f := follower{remote: r, out: out, note: note, seen: map[string]int{}}
	for {
		run, err := r.Run(ctx, name)
		if ctx.Err() == nil && (err == nil || retryable(err)) {
			// The log first: what the last pod printed is there after the Job has ended.
			if passed := f.pass(ctx, name); ctx.Err() == nil { // else the connection was given up here
				f.say(err, passed)
			}
		}
		switch {
		case ctx.Err() != nil:
			return run, context.Cause(ctx)
		case err != nil && !retryable(err):
			return run, err
		case err == nil && run.State != "running":
			return run, nil
		}
		if err := pause(ctx, followEvery); err != nil {
			return run, err
		}
	}
}

// follower is what has been passed on of a run.
type follower struct {
	remote    *Remote
	out, note io.Writer
	seen      map[string]int // lines, by pod
	said      string
}

// say tells of an obstacle once.
func (f *follower) say(errs ...error) {
	for _, err := range errs {
		if err == nil {
			continue
		}
		if text := err.Error(); text != f.said {
			f.said = text
			fmt.Fprintf(f.note, "waiting: %s (the run continues in the cluster)\n", text)
		}
		return
	}
}

// pass prints what the run's pods have printed since, until they end or the connection
// is lost.
func (f *follower) pass(ctx context.Context, name string) error {
	found, err := list[corev1.Pod](ctx, f.remote.cluster.scoped(pods), "pods", metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + name})
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	if len(found) == 0 {
		if why := f.remote.cluster.refused(ctx, "Job", jobs, name); why != "" {
			return fmt.Errorf("no pod of run %s is made: %s", name, advised(why))
		}
	}
	var lost error // of a pod whose node is gone, say: those after it are read all the same
	for _, pod := range found {
		if pod.Status.Phase == corev1.PodPending {
			if why := stuck(&pod); why != "" {
				return errors.New(advised(why))
			}
			return errors.New(strings.TrimSuffix("the pod has not started yet: "+unplaced(&pod), ": "))
		}
		if err := f.passLog(ctx, pod.Name); err != nil {
			lost = err
		}
	}
	return lost
}

// passLog prints what one pod has printed since, until it ends or the connection is lost.
func (f *follower) passLog(ctx context.Context, pod string) error {
	log, err := f.remote.cluster.logs(ctx, pod, runContainer, true)
	if err != nil {
		return err
	}
	defer log.Close() // only read from
	f.seen[pod], err = copyLines(f.out, log, f.seen[pod])
	return err
}

// copyLines writes the lines after the first skip, and returns how many whole lines
// there were.
func copyLines(out io.Writer, in io.Reader, skip int) (int, error) {
	r, n := bufio.NewReader(in), 0
	for {
		line, err := r.ReadString('\n')
		if strings.HasSuffix(line, "\n") {
			if n++; n > skip {
				if _, err := io.WriteString(out, line); err != nil {
					return n, err
				}
			}
		}
		if err == io.EOF {
			return max(n, skip), nil
		}
		if err != nil {
			return max(n, skip), fmt.Errorf("read log: %w", err)
		}
	}
}
