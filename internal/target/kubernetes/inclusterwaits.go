package kubernetes

// This file is what runs wait for: their Jobs say no more than that they have not ended.

import (
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Waiting is what the runs that have not ended wait for, by name: a pod that has not started. A run without an entry waits for
// none, or may not be told: whoever may list Jobs need not be permitted to list pods. A pod that is not of a Job of runs is one
// that a run measures; of which run it is, is known where there is one.
func (r *Remote) Waiting(ctx context.Context, runs []RemoteRun) map[string]string {
	var names []string
	for _, run := range runs {
		if run.State == "running" {
			names = append(names, run.Name)
		}
	}
	waits := map[string]string{}
	if len(names) == 0 {
		return waits
	}
	carriers := r.pending(ctx, batchv1.JobNameLabel)
	for i := range carriers {
		if name := carriers[i].Labels[batchv1.JobNameLabel]; slices.Contains(names, name) {
			waits[name] = waitOf(&carriers[i])
		}
	}
	if len(names) > 1 || waits[names[0]] != "" {
		return waits
	}
	for _, pod := range r.pending(ctx, managedLabel+"="+fieldManager) {
		waits[names[0]] = waitOf(&pod)
		break
	}
	return waits
}

// pending are the pods with a label that have not started; none where they may not be listed.
func (r *Remote) pending(ctx context.Context, selector string) []corev1.Pod {
	found, err := list[corev1.Pod](ctx, r.cluster.scoped(pods), "pods", metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(found, func(p corev1.Pod) bool { return p.Status.Phase != corev1.PodPending || p.DeletionTimestamp != nil })
}

// waitOf is why a pod has not started.
func waitOf(pod *corev1.Pod) string {
	if why := stuck(pod); why != "" {
		return "pod " + pod.Name + ": " + why
	}
	return idle(pod)
}
