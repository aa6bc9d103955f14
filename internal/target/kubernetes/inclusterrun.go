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
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Remote are the runs inside one namespace of a cluster.
type Remote struct{ cluster *cluster }

// ConnectRemote reads the configuration as kubectl does; it sends nothing.
func ConnectRemote(at Where) (*Remote, error) {
	c, err := connect(at)
	if err != nil {
		return nil, err
	}
	return &Remote{c}, nil
}

// Namespace is where the runs are.
func (r *Remote) Namespace() string { return r.cluster.namespace }

// Start makes the objects of a run. Where one is refused, those before it are removed
// again, except that a cluster which refuses the view of its nodes is run in without:
// then `cpu: max` is an error of the experiment.
func (r *Remote) Start(ctx context.Context, run InCluster, note io.Writer) error {
	all, err := run.objects(r.cluster.namespace)
	if err != nil {
		return err
	}
	for _, o := range all {
		c := r.cluster
		if o.cluster {
			c = c.in("")
		}
		err := c.apply(ctx, o.kind, o.name, o.object)
		if err != nil && o.cluster && apierrors.IsForbidden(err) {
			fmt.Fprintf(note, "the run cannot read nodes, so `cpu: max` is not available: %v\n", err)
			continue
		}
		if err != nil {
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
			defer cancel()
			return errors.Join(err, r.Remove(last, run.Name, nil, note))
		}
	}
	return nil
}

// RemoteRun is a run as its Job tells of it.
type RemoteRun struct {
	Name    string
	Started time.Time
	// State is "running", "finished" or "failed"; Why says more of the last.
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
	j, err := get[batchv1.Job](ctx, r.cluster, jobs, name)
	if apierrors.IsNotFound(err) {
		return RemoteRun{}, fmt.Errorf("no run %s in namespace %s", name, r.cluster.namespace)
	}
	if err != nil {
		return RemoteRun{}, err
	}
	return remoteRun(j), nil
}

func remoteRun(j *batchv1.Job) RemoteRun {
	run := RemoteRun{Name: j.Name, Started: j.CreationTimestamp.Time, State: "running"}
	if c := j.Spec.Template.Spec.Containers; len(c) > 0 {
		run.image = c[0].Image
		if len(c[0].Command) > 0 {
			run.arch = j.Spec.Template.Spec.NodeSelector[corev1.LabelArchStable]
		}
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
		if err == nil || retryable(err) {
			// The log first: what the last pod printed is there after the Job has ended.
			f.say(err, f.pass(ctx, name))
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
	for _, pod := range found {
		if pod.Status.Phase == corev1.PodPending {
			if why := stuck(&pod); why != "" {
				return errors.New(advised(why))
			}
			return errors.New(strings.TrimSuffix("the pod has not started yet: "+unplaced(&pod), ": "))
		}
		log, err := f.remote.cluster.logs(ctx, pod.Name, runContainer, true)
		if err != nil {
			return err
		}
		n, err := copyLines(f.out, log, f.seen[pod.Name])
		f.seen[pod.Name] = n
		log.Close() // only read from
		if err != nil {
			return err
		}
	}
	return nil
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

// Remove deletes everything of a run, its volume and the arms of these names too: a pod of the
// run that was lost has left some. The arms go first: without the Job no command could ask for their
// removal again by the name of the run.
func (r *Remote) Remove(ctx context.Context, name string, arms []string, log io.Writer) error {
	if err := r.removeArms(ctx, arms, log); err != nil {
		return fmt.Errorf("remove run %s: %w; the run itself stays in the cluster", name, err)
	}
	limit, cancel := timeOfArm(ctx, "")
	defer cancel()
	selector := runLabel + "=" + name
	err := r.cluster.removeAll(limit, []schema.GroupVersionResource{jobs, pods, configMaps, roleBindings, roles, accounts, claims}, selector)
	for _, kind := range []schema.GroupVersionResource{clusterBindings, clusterRoles} {
		if e := r.cluster.in("").remove(limit, kind, name); e != nil && !apierrors.IsForbidden(e) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// removeArms removes what is left of these arms. Every run has some names, also one that has left
// nothing, so credentials that may not look are no reason to keep the run.
func (r *Remote) removeArms(ctx context.Context, ids []string, log io.Writer) error {
	if len(ids) == 0 {
		return nil
	}
	arms, err := r.cluster.arms(ctx)
	if apierrors.IsForbidden(err) {
		fmt.Fprintf(log, "these credentials cannot look for arms that a lost pod of the run has left: %v; if there may be some, remove them with: tare clean --namespace %s --force\n", err, r.cluster.namespace)
		return nil
	}
	if err != nil {
		return err
	}
	return r.cluster.removeArms(ctx, arms, ids, log)
}
