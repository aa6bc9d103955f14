package kubernetes

// The end of a run inside a cluster: it is stopped, and its objects are removed.

import (
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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// accountKinds are those of a run's own account, and objectKinds all of a run but its Job.
var (
	accountKinds = []schema.GroupVersionResource{roleBindings, roles, accounts, clusterBindings, clusterRoles}
	objectKinds  = append([]schema.GroupVersionResource{pods, configMaps, claims}, accountKinds...)
)

// Stop ends a run that has not ended, and returns when none of its pods runs. The Job stays, suspended, so that the run can be
// fetched and removed by its name. A pod that is told to end removes its arms.
func (r *Remote) Stop(ctx context.Context, name string) error {
	limit, cancel := timeOfArm(ctx, "")
	defer cancel()
	err := retry(limit, func() error {
		_, err := r.cluster.scoped(jobs).Patch(limit, name, types.MergePatchType, []byte(`{"spec":{"suspend":true}}`), metav1.PatchOptions{FieldManager: fieldManager})
		return err
	})
	if err != nil {
		return fmt.Errorf("stop run %s: %w", name, r.cluster.explain(err))
	}
	for {
		found, err := list[corev1.Pod](limit, r.cluster.scoped(pods), "pods", metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + name})
		if err != nil && !retryable(err) {
			return fmt.Errorf("stop run %s: %w", name, r.cluster.explain(err))
		}
		i := slices.IndexFunc(found, func(p corev1.Pod) bool {
			return p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed
		})
		if err == nil && i < 0 {
			return nil
		}
		if paused := pause(limit, pollEvery); paused != nil {
			if err == nil {
				err = fmt.Errorf("pod %s is still there", found[i].Name)
			}
			return fmt.Errorf("stop run %s: %w: %w", name, err, paused)
		}
	}
}

// Remove deletes everything of a run, its volume and the arms of these names too: a pod of the
// run that was lost has left some. The Job goes last: without it no command could ask for the
// removal again by the name of the run. What these credentials may not remove is named, and keeps nothing else.
func (r *Remote) Remove(ctx context.Context, name string, arms []string, log io.Writer) error {
	kinds := objectKinds
	job, err := r.job(ctx, name)
	switch {
	case apierrors.IsNotFound(err): // a start that failed has none
	case apierrors.IsForbidden(err):
	case err != nil:
		return fmt.Errorf("remove run %s: %w", name, r.cluster.explain(err))
	default:
		if job.Spec.Template.Spec.ServiceAccountName != name && job.Spec.Template.Spec.ServiceAccountName != "" { // which is not the run's
			kinds = []schema.GroupVersionResource{pods, configMaps, claims}
		}
		if remoteRun(job).State == "running" {
			if err := r.Stop(ctx, name); err != nil {
				return err
			}
		}
	}
	if err := r.removeArms(ctx, arms, log); err != nil {
		return fmt.Errorf("remove run %s: %w; the run itself stays in the cluster", name, err)
	}
	limit, cancel := timeOfArm(ctx, "")
	defer cancel()
	refused, err := r.removeKinds(limit, name, kinds)
	if err != nil {
		return fmt.Errorf("remove run %s: %w; its Job stays, so that the command can be repeated", name, err)
	}
	more, err := r.removeKinds(limit, name, []schema.GroupVersionResource{jobs})
	return errors.Join(err, r.left(append(refused, more...)))
}

// left is the error that names what these credentials may not remove.
func (r *Remote) left(refused []string) error {
	if len(refused) == 0 {
		return nil
	}
	return fmt.Errorf("these credentials may not delete %s; whoever may removes what there is of it with: kubectl delete --ignore-not-found --namespace %s %s",
		strings.Join(refused, ", "), r.cluster.namespace, strings.Join(refused, " "))
}

// removeKinds deletes a run's objects of these kinds, and waits until they are gone. Objects of a kind that may not be listed are
// deleted by the run's name, which they have. refused are those that may not be deleted, as kubectl names them; those
// of the whole cluster are made only where that is permitted.
func (r *Remote) removeKinds(ctx context.Context, name string, kinds []schema.GroupVersionResource) (refused []string, err error) {
	selector := runLabel + "=" + name
	var listed []schema.GroupVersionResource
	for _, kind := range kinds {
		if kind == clusterBindings || kind == clusterRoles {
			if e := r.cluster.in("").remove(ctx, kind, name); e != nil && !apierrors.IsForbidden(e) {
				err = errors.Join(err, e)
			}
			continue
		}
		_, e := r.cluster.removeFound(ctx, []schema.GroupVersionResource{kind}, selector)
		if e == nil {
			listed = append(listed, kind)
			continue
		}
		if apierrors.IsForbidden(e) {
			e = r.cluster.remove(ctx, kind, name)
		}
		if apierrors.IsForbidden(e) {
			refused, e = append(refused, kind.GroupResource().String()+"/"+name), nil
		}
		err = errors.Join(err, e)
	}
	return refused, errors.Join(err, r.cluster.removeAll(ctx, listed, selector))
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

// TellArms names the arms that are in the namespace after a run was removed whose arms are not known: those that a lost
// pod of it has left, or those of another run.
func (r *Remote) TellArms(ctx context.Context, log io.Writer) error {
	arms, err := r.cluster.arms(ctx)
	if apierrors.IsForbidden(err) || err == nil && len(arms) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	var ids []string
	for _, a := range arms {
		ids = append(ids, a.id)
	}
	fmt.Fprintf(log, "namespace %s has arms of another run, or of this one if a pod of it was lost: %s. tare clean --namespace %s says whose they are, and with --force removes them\n",
		r.cluster.namespace, strings.Join(ids, ", "), r.cluster.namespace)
	return nil
}

// youngRun is the time in which objects of a run without a Job may be those of a start under way.
const youngRun = time.Minute

// cleanRuns ends the runs of the namespace if force says so, which [Remote.Remove] removes after they were fetched, and
// removes what is left of runs that have no Job: of a start that failed, and of a removal that did. It returns how many it ended or removed.
func (r *Remote) cleanRuns(ctx context.Context, force bool, log io.Writer) (n int, err error) {
	runs, err := r.Runs(ctx)
	if apierrors.IsForbidden(err) { // who looks for arms says so
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, run := range runs {
		if run.State != "running" || !force {
			continue
		}
		if e := r.Stop(ctx, run.Name); e != nil {
			err = errors.Join(err, e)
			continue
		}
		n++
		fmt.Fprintf(log, "namespace %s: run %s is stopped; fetch what it has measured, and remove it, with: tare fetch %s --delete --namespace %s\n", r.cluster.namespace, run.Name, run.Name, r.cluster.namespace)
	}
	left, e := r.withoutJob(ctx, runs)
	err = errors.Join(err, e)
	for _, l := range left {
		if l.why != "" && !force {
			fmt.Fprintf(log, "namespace %s: run %s has no Job and is not removed: %s; --force removes it\n", r.cluster.namespace, l.name, l.why)
			continue
		}
		limit, cancel := timeOfArm(ctx, "")
		refused, e := r.removeKinds(limit, l.name, objectKinds)
		cancel()
		err = errors.Join(err, e, r.left(refused))
		n++
	}
	return n, err
}

// leftRun is a run without a Job, and why that may be in use.
type leftRun struct{ name, why string }

// withoutJob finds them by their objects. A kind that may not be listed finds none.
func (r *Remote) withoutJob(ctx context.Context, runs []RemoteRun) (left []leftRun, err error) {
	for _, kind := range []schema.GroupVersionResource{claims, configMaps, accounts, roles, roleBindings} {
		found, err := r.cluster.labelled(ctx, kind, runLabel)
		if apierrors.IsForbidden(err) {
			continue
		}
		if err != nil {
			return left, fmt.Errorf("look for leftovers: %w", err)
		}
		for _, u := range found {
			name := u.GetLabels()[runLabel]
			if slices.ContainsFunc(runs, func(r RemoteRun) bool { return r.Name == name }) {
				continue
			}
			i := slices.IndexFunc(left, func(l leftRun) bool { return l.name == name })
			if i < 0 {
				i = len(left)
				left = append(left, leftRun{name: name})
			}
			switch phase, _, _ := unstructured.NestedString(u.Object, "status", "phase"); {
			case kind == claims && phase == string(corev1.ClaimBound):
				left[i].why = "its volume may hold results"
			case left[i].why == "" && time.Since(u.GetCreationTimestamp().Time) < youngRun:
				left[i].why = "it may be starting"
			}
		}
	}
	return left, nil
}
